// Matrix products.  TVM: python/tvm/topi/nn/dense.py, batch_matmul.py
import { at, first, last, tuple } from "../../support/assert.ts";
import type { DType } from "../ir/dtype.ts";
import type { Origin } from "../ir/origin.ts";
import { cast, constInt, intImm, max, mul } from "../tir/build.ts";
import type { PrimExpr } from "../tir/expr.ts";
import { compute, reduceAxis, sum } from "../te/compute.ts";
import type { Tensor } from "../te/tensor.ts";

export interface MatmulSpec {
  readonly transposeA: boolean;
  readonly transposeB: boolean;
  readonly outDType: DType;
}

function letters(spec: MatmulSpec): string {
  return `${spec.transposeA ? "T" : "N"}${spec.transposeB ? "T" : "N"}`;
}

/** a of rank >= 2 times the matrix b, over a's last axis (last but one if transposed). */
export function matmul(a: Tensor, b: Tensor, spec: MatmulSpec, origin: Origin): Tensor {
  const rank = a.shape.length;
  const rows = spec.transposeA
    ? [...a.shape.slice(0, rank - 2), at(a.shape, rank - 1, "left operand axis")]
    : a.shape.slice(0, rank - 1);
  const units = at(b.shape, spec.transposeB ? 0 : 1, "right operand axis");
  const k = reduceAxis(at(a.shape, spec.transposeA ? rank - 2 : rank - 1, "left operand axis"), "k");
  return compute(
    [...rows, units],
    (indices) => {
      const outer = indices.slice(0, -1);
      const fromA = spec.transposeA
        ? [...outer.slice(0, -1), k.variable, last(outer, "row index")]
        : [...outer, k.variable];
      const j = last(indices, "index");
      const x = cast(a.at(...fromA), spec.outDType);
      const y = cast(spec.transposeB ? b.at(j, k.variable) : b.at(k.variable, j), spec.outDType);
      return sum(mul(x, y), [k]);
    },
    {
      name: `T_matmul_${letters(spec)}`,
      tag: letters(spec) === "NT" ? "dense" : "matmul",
      origin,
      attrs: { matmul: spec },
    },
  );
}

/** A product a batch element; a batch of one serves all. */
export function batchMatmul(a: Tensor, b: Tensor, spec: MatmulSpec, origin: Origin): Tensor {
  const [batchA, batchB] = [first(a.shape, "left operand axis"), first(b.shape, "right operand axis")];
  const batch =
    constInt(batchA) === 1
      ? batchB
      : constInt(batchB) === 1 || batchA === batchB
        ? batchA
        : max(batchA, batchB);
  const k = reduceAxis(at(a.shape, spec.transposeA ? 1 : 2, "left operand axis"), "k");
  const place = (tensor: Tensor, index: PrimExpr): PrimExpr =>
    constInt(first(tensor.shape, "operand axis")) === 1 ? intImm(0) : index;
  const shape = [
    batch,
    at(a.shape, spec.transposeA ? 2 : 1, "left operand axis"),
    at(b.shape, spec.transposeB ? 1 : 2, "right operand axis"),
  ];
  return compute(
    shape,
    (indices) => {
      const [n, i, j] = tuple(indices, 3, "place in the product");
      const x = spec.transposeA ? a.at(place(a, n), k.variable, i) : a.at(place(a, n), i, k.variable);
      const y = spec.transposeB ? b.at(place(b, n), j, k.variable) : b.at(place(b, n), k.variable, j);
      return sum(mul(cast(x, spec.outDType), cast(y, spec.outDType)), [k]);
    },
    { name: `T_batch_matmul_${letters(spec)}`, tag: "batch_matmul", origin, attrs: { matmul: spec } },
  );
}
