// Einstein sums. Two operands that are a product of matrices become one; everything else is lined up,
// multiplied and summed.
import { at } from "../../../../support/assert.ts";
import type { Expr } from "../../../relay/expr.ts";
import { expandDims, multiply, reduce } from "../arithmetic.ts";
import { constantOf, refuse, shapeOf, extentOf, isOfLength } from "../../import-node.ts";
import { allInputs, call, reshape, text, transpose, type Importer, type OnnxNode } from "../graph.ts";
import { int64 } from "../../../ir/dtype.ts";
import { onnxOp, type OnnxOp } from "../ops/op-table.ts";
import { fromNumbers } from "../../values.ts";

/** A tensor with one label an axis. */
interface Labelled {
  readonly expr: Expr;
  readonly labels: readonly string[];
}

/** The equation's labels; axes under an ellipsis are called "0", "1", … from the right. */
function labelsOf(
  n: OnnxNode,
  equation: string,
  ranks: readonly number[],
): { readonly terms: readonly (readonly string[])[]; readonly result: readonly string[] } {
  const [left = "", right] = equation.replaceAll(/\s/g, "").split("->");
  const terms = left.split(",");
  if (terms.length !== ranks.length)
    refuse(n, "the equation has another number of terms than the node has inputs", {
      expected: `${ranks.length} terms`,
      got: equation,
    });
  const given = terms.map((term, i) => {
    const rank = at(ranks, i, "input of the equation");
    const width = term.includes("...") ? rank - (term.length - 3) : 0;
    return { term, rank, width: Math.max(width, 0) };
  });
  const most = Math.max(...given.map(({ width }) => width));
  const dots = (width: number): string[] => Array.from({ length: width }, (_, i) => String(width - 1 - i));
  const expanded = (term: string, width: number): string[] => {
    const [before = "", after] = term.split("...");
    return after === undefined ? before.split("") : [...before.split(""), ...dots(width), ...after.split("")];
  };
  const all = given.map(({ term, rank, width }) => {
    const labels = expanded(term, width);
    return labels.length === rank
      ? labels
      : refuse(n, "a term has another rank than its input", { expected: `${rank} labels`, got: term });
  });
  if (right !== undefined) return { terms: all, result: expanded(right, most) };
  const flat = all.flat().filter((label) => !/\d/.test(label));
  const once = [...new Set(flat)]
    .filter((label) => flat.filter((other) => other === label).length === 1)
    .sort((a, b) => (a < b ? -1 : 1));
  return { terms: all, result: [...dots(most), ...once] };
}

/** A label that stands twice takes the diagonal. */
function diagonal(n: OnnxNode, { expr, labels }: Labelled): Labelled {
  const twice = labels.findIndex((label, i) => labels.indexOf(label) < i);
  const label = labels[twice];
  if (label === undefined) return { expr, labels };
  const first = labels.indexOf(label);
  const others = (_: unknown, i: number): boolean => i !== first && i !== twice;
  const rest = labels.map((_, i) => i).filter(others);
  const front = transpose(n, expr, [first, twice, ...rest]);
  const extent = extentOf(n, front, 0);
  const indices = constantOf(
    n,
    fromNumbers(int64, [2, extent], [...Array(extent).keys(), ...Array(extent).keys()]),
  );
  return diagonal(n, {
    expr: call(n, "gather_nd", [front, indices], { batch_dims: 0, index_rank: 2 }),
    labels: [label, ...labels.filter(others)],
  });
}

/** Labels that nobody else needs are summed right away. */
function summed(n: OnnxNode, part: Labelled, kept: ReadonlySet<string>): Labelled {
  const gone = part.labels.flatMap((label, i) => (kept.has(label) ? [] : [i]));
  return gone.length === 0
    ? part
    : {
        expr: reduce(n, "sum", part.expr, gone, false),
        labels: part.labels.filter((label) => kept.has(label)),
      };
}

/** `part` with its axes in the order of `labels`, extent 1 where it has none. */
function linedUp(n: OnnxNode, part: Labelled, labels: readonly string[]): Expr {
  const order = labels.filter((label) => part.labels.includes(label));
  const ordered = transpose(
    n,
    part.expr,
    order.map((label) => part.labels.indexOf(label)),
  );
  return labels.reduce(
    (expr, label, i) => (part.labels.includes(label) ? expr : expandDims(n, expr, i)),
    ordered,
  );
}

const product = (values: readonly number[]): number => values.reduce((a, b) => a * b, 1);

/** a and b as batch_matmul over shared, summed and own labels; null where an ellipsis broadcasts. */
function asMatmul(n: OnnxNode, a: Labelled, b: Labelled, result: readonly string[]): Labelled | null {
  const extent = (part: Labelled, label: string): number =>
    extentOf(n, part.expr, part.labels.indexOf(label));
  const shared = a.labels.filter((label) => b.labels.includes(label));
  if (shared.some((label) => extent(a, label) !== extent(b, label))) return null;
  const batch = shared.filter((label) => result.includes(label));
  const inner = shared.filter((label) => !result.includes(label));
  if (inner.length === 0) return null;
  const ownOf = (part: Labelled): readonly string[] => part.labels.filter((label) => !shared.includes(label));
  const [rows, columns] = [ownOf(a), ownOf(b)];
  const size = (part: Labelled, labels: readonly string[]): number =>
    product(labels.map((label) => extent(part, label)));
  const matrix = (part: Labelled, own: readonly string[]): Expr =>
    reshape(n, linedUp(n, part, [...batch, ...own, ...inner]), [
      size(part, batch),
      size(part, own),
      size(part, inner),
    ]);
  const made = call(n, "nn.batch_matmul", [matrix(a, rows), matrix(b, columns)], { transpose_b: true });
  const shape = [
    ...batch.map((label) => extent(a, label)),
    ...rows.map((label) => extent(a, label)),
    ...columns.map((label) => extent(b, label)),
  ];
  return { expr: reshape(n, made, shape), labels: [...batch, ...rows, ...columns] };
}

const einsum: Importer = (n) => {
  const inputs = allInputs(n);
  const { terms, result } = labelsOf(
    n,
    text(n, "equation", ""),
    inputs.map((expr) => shapeOf(n, expr).length),
  );
  const parts = inputs.map((expr, i) => diagonal(n, { expr, labels: at(terms, i, "term") }));
  const own = parts.map((part, i) =>
    summed(n, part, new Set([...result, ...parts.flatMap((other, j) => (i === j ? [] : other.labels))])),
  );
  const fast = isOfLength(own, 2) ? asMatmul(n, own[0], own[1], result) : null;
  if (fast !== null) return linedUp(n, fast, result);
  const labels = [
    ...result,
    ...new Set(own.flatMap((part) => part.labels).filter((label) => !result.includes(label))),
  ];
  const all = own.map((part) => linedUp(n, part, labels)).reduce((a, b) => multiply(n, a, b));
  const inner = labels.slice(result.length).map((_, i) => result.length + i);
  return inner.length === 0 ? all : reduce(n, "sum", all, inner, false);
};

export const einsumOps: readonly OnnxOp[] = [onnxOp("Einsum", einsum)];
