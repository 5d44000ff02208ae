// Einstein sums.  TVM: src/relay/op/tensor/math.cc (EinsumRel)
import { get, at } from "../../../support/assert.ts";
import { text } from "../../ir/attrs.ts";
import { printType, tensorType, type Dim } from "../../ir/type.ts";
import { einsum as einsumCompute, parseEinsum, type EinsumTerms } from "../../topi/einsum.ts";
import { reduce as reduceRecipe } from "../../recipes/reduce.ts";
import { defineOp } from "../define.ts";
import { asker, broadcastDim, requiredAttr, sameDTypes, tensorTupleArg } from "../_shared/type-helpers.ts";

/** An expression is as high as it has factors; no formula has as many. */
const maxOperands = 100;

export const einsum = defineOp({
  name: "einsum",
  inputs: ["data"],
  tupleInput: true,
  attrs: {
    equation: text({
      doc: 'Letters of the operands\' axes, as in "ij,jk->ik"; "..." stands for leading axes that are broadcast.',
    }),
  },
  attrsKey: "relay.attrs.EinsumAttrs",
  pattern: "injective",
  type: ({ data }, attrs, t) => {
    const cx = asker(t, "einsum");
    const tensors = tensorTupleArg(cx, "data", data);
    const equation = requiredAttr(cx, "equation", attrs.equation);
    if (tensors === null || equation === null) return null;
    const [first] = tensors;
    if (first === undefined)
      return t.error("RS2101", "einsum: the tuple is empty", { expected: "at least one tensor", got: "()" });
    if (tensors.length > maxOperands)
      return t.error("RS2101", `einsum: the tuple holds ${tensors.length} tensors`, {
        expected: `at most ${maxOperands} tensors`,
        got: String(tensors.length),
        because: "their elements are multiplied in one expression, each product inside the next",
        hint: "Multiply some of them first, in an einsum of their own.",
      });
    if (tensors.some((type, i) => !sameDTypes(cx, ["data.0", first], [`data.${i}`, type]))) return null;
    const terms = parseEinsum(
      equation,
      tensors.map(({ shape }) => shape.length),
    );
    if (typeof terms === "string")
      return t.error("RS2108", `einsum: attribute \`equation\` does not fit: ${terms}`, {
        expected: 'a term an operand, as in "ij,jk->ik"',
        got: `"${equation}" for ${tensors.map(printType).join(", ")}`,
      });
    const extents = new Map<string, Dim>();
    for (const [k, letters] of terms.operands.entries()) {
      for (const [axis, letter] of letters.entries()) {
        const dim = at(at(tensors, k, "tensor").shape, axis, "operand axis");
        const joined = broadcastDim(extents.get(letter) ?? 1, dim);
        if (joined === null)
          return t.error("RS2105", `einsum: the axes called "${letter}" differ in extent`, {
            expected: "one extent, or 1",
            got: tensors.map(printType).join(", "),
          });
        extents.set(letter, joined);
      }
    }
    return tensorType(
      terms.result.map((letter) => get(extents, letter, "extent")),
      first.dtype,
    );
  },
  compute: (_, { equation }, cx) =>
    einsumCompute(
      cx.ins,
      parseEinsum(
        equation,
        cx.ins.map(({ shape }) => shape.length),
      ) as EinsumTerms,
      cx.origin,
    ),
  schedule: reduceRecipe,
  doc: 'The sum over all letters that the result lacks of the product of the operands\' elements: "ij,jk->ik" is a product of matrices.',
  examples: [
    {
      name: "product of matrices",
      args: ["(Tensor[(3, 4), float32], Tensor[(4, 5), float32])"],
      attrs: { equation: "ij,jk->ik" },
    },
    { name: "trace", args: ["(Tensor[(4, 4), float32],)"], attrs: { equation: "ii" } },
    {
      name: "batched, leading axes",
      args: ["(Tensor[(2, 1, 3, 4), float32], Tensor[(5, 4, 6), float32])"],
      attrs: { equation: "...ij,...jk->...ik" },
    },
    {
      name: "outer product of three",
      args: ["(Tensor[(2), int32], Tensor[(3), int32], Tensor[(2), int32])"],
      attrs: { equation: "a,b,c->cab" },
    },
  ],
});
