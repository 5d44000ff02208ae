// Einstein sums: one letter an axis, axes of one letter run together, letters that the result lacks are
// summed.
// TVM: include/tvm/topi/einsum.h
import { get, at } from "../../support/assert.ts";
import type { Origin } from "../ir/origin.ts";
import { constInt, intImm, mul } from "../tir/build.ts";
import type { PrimExpr } from "../tir/expr.ts";
import { compute, reduceAxis, sum } from "../te/compute.ts";
import type { Tensor } from "../te/tensor.ts";

/** Letters of each operand and of the result; axes under an ellipsis are "0", "1", … from the right. */
export interface EinsumTerms {
  readonly operands: readonly (readonly string[])[];
  readonly result: readonly string[];
}

/** Reads `equation` for operands of these ranks; a text that says what is wrong with it. */
export function parseEinsum(equation: string, ranks: readonly number[]): EinsumTerms | string {
  const [left, right, more] = equation.replaceAll(" ", "").split("->") as [
    string,
    string | undefined,
    string | undefined,
  ];
  const terms = left.split(",");
  if (more !== undefined) return "an equation has one ->";
  if (terms.length !== ranks.length) return `${terms.length} terms for ${ranks.length} tensors`;
  const wrong = [...terms, right ?? ""].find((term) => !/^[A-Za-z]*(\.\.\.)?[A-Za-z]*$/.test(term));
  if (wrong !== undefined) return `"${wrong}" is not letters with at most one ellipsis`;
  const hidden = terms.map((term, i) => at(ranks, i, "rank of an operand") - term.replace("...", "").length);
  const bad = terms.findIndex((term, i) =>
    term.includes("...") ? at(hidden, i, "axes of an ellipsis") < 0 : hidden[i] !== 0,
  );
  if (bad >= 0)
    return `"${at(terms, bad, "term")}" for a tensor of rank ${at(ranks, bad, "rank of an operand")}`;
  const operands = terms.map((term, i) => lettersOf(term, at(hidden, i, "axes of an ellipsis")));
  const widest = Math.max(
    ...terms.map((term, i) => (term.includes("...") ? at(hidden, i, "axes of an ellipsis") : 0)),
  );
  const used = operands.flat().filter((letter) => !isHidden(letter));
  if (right === undefined) {
    const once = used
      .filter((letter) => used.indexOf(letter) === used.lastIndexOf(letter))
      .sort((a, b) => (a < b ? -1 : 1));
    return { operands, result: [...hiddenLetters(widest), ...once] };
  }
  if (widest > 0 && !right.includes("...")) return "the result lacks the ellipsis that operands have";
  const result = lettersOf(right, widest);
  const unknown = result.find(
    (letter, i) => (!isHidden(letter) && !used.includes(letter)) || result.indexOf(letter) < i,
  );
  return unknown === undefined
    ? { operands, result }
    : `the result's "${unknown}" stands in no operand, or twice`;
}

const isHidden = (letter: string): boolean => /\d/.test(letter);

function hiddenLetters(count: number): string[] {
  return Array.from({ length: count }, (_, i) => String(count - 1 - i));
}

function lettersOf(term: string, hidden: number): string[] {
  const position = term.indexOf("...");
  return position < 0
    ? term.split("")
    : [...term.slice(0, position).split(""), ...hiddenLetters(hidden), ...term.slice(position + 3).split("")];
}

/** Axes of extent 1 are repeated where another tensor has more. */
export function einsum(
  tensors: readonly Tensor[],
  { operands, result }: EinsumTerms,
  origin: Origin,
): Tensor {
  const extents = new Map<string, PrimExpr>();
  operands.forEach((letters, k) =>
    letters.forEach((letter, axis) => {
      const extent = at(at(tensors, k, "tensor").shape, axis, "operand axis");
      if (!extents.has(letter) || constInt(get(extents, letter, "extent")) === 1) extents.set(letter, extent);
    }),
  );
  const summed = [...extents.keys()].filter((letter) => !result.includes(letter));
  const axes = summed.map((letter) =>
    reduceAxis(get(extents, letter, "extent"), isHidden(letter) ? `k${letter}` : letter),
  );
  return compute(
    result.map((letter) => get(extents, letter, "extent")),
    (indices) => {
      const position = (letter: string, axis: number, tensor: Tensor): PrimExpr => {
        if (constInt(at(tensor.shape, axis, "operand axis")) === 1) return intImm(0);
        const place = result.indexOf(letter);
        return place >= 0
          ? at(indices, place, "index")
          : at(axes, summed.indexOf(letter), "summed axis").variable;
      };
      const product = operands
        .map((letters, k) =>
          at(tensors, k, "tensor").at(
            ...letters.map((letter, axis) => position(letter, axis, at(tensors, k, "tensor"))),
          ),
        )
        .reduce((a, b) => mul(a, b));
      return axes.length === 0 ? product : sum(product, axes);
    },
    { name: "T_einsum", tag: "einsum", origin },
  );
}
