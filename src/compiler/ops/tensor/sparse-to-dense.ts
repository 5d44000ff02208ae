// A tensor from the positions and values of its few elements.  TVM: src/relay/op/tensor/transform.cc
// (SparseToDenseRel)
import { at, first } from "../../../support/assert.ts";
import { ints } from "../../ir/attrs.ts";
import { printType, tensorType, type TensorType, type Type } from "../../ir/type.ts";
import { extern as externRecipe } from "../../recipes/extern.ts";
import { sparseToDense as sparseToDenseCompute } from "../../topi/sparse.ts";
import type { Tensor } from "../../te/tensor.ts";
import { defineOp, type ComputeContext } from "../define.ts";
import { acceptsDType } from "../math/unary.ts";
import { outExtents } from "../_shared/out-shape.ts";
import {
  asker,
  checkRank,
  requiredAttr,
  sameDTypes,
  tensorArg,
  type Asker,
} from "../_shared/type-helpers.ts";

type Arg = "sparse_indices" | "sparse_values" | "default_value";

interface SparseElements {
  readonly positions: TensorType;
  readonly values: TensorType;
}

/** Positions and values as types; null while unknown or after reporting. */
export function sparseElements(cx: Asker, args: Readonly<Record<Arg, Type>>): SparseElements | null {
  const positions = tensorArg(cx, "sparse_indices", args.sparse_indices);
  const values = tensorArg(cx, "sparse_values", args.sparse_values);
  const rest = tensorArg(cx, "default_value", args.default_value);
  if (
    positions === null ||
    values === null ||
    rest === null ||
    !acceptsDType(cx, "sparse_indices", positions, "integer") ||
    !checkRank(cx, "default_value", rest, [0]) ||
    !checkRank(cx, "sparse_indices", positions, [0, 1, 2]) ||
    !checkRank(cx, "sparse_values", values, [0, 1]) ||
    !sameDTypes(cx, ["sparse_values", values], ["default_value", rest])
  )
    return null;
  return { positions, values };
}

/** Whether there are as many positions as values, each of `wanted` numbers; reports where not. */
export function fitsRank(cx: Asker, { positions, values }: SparseElements, wanted: number): boolean {
  const rank = positions.shape.length < 2 ? 1 : at(positions.shape, 1, "indices axis");
  const counts =
    values.shape.length === 0 ||
    positions.shape.length === 0 ||
    cx.t.dimEqual(first(values.shape, "values axis"), first(positions.shape, "indices axis"));
  if (counts && cx.t.dimEqual(rank, wanted)) return true;
  cx.t.error("RS2105", `${cx.op}: positions, values and shape do not fit together`, {
    expected: `positions of ${wanted} numbers, as many as values`,
    got: `${printType(positions)} and ${printType(values)} for a tensor of rank ${wanted}`,
  });
  return false;
}

export function denseOf(args: Readonly<Record<Arg, Tensor>>, _: unknown, cx: ComputeContext): Tensor {
  return sparseToDenseCompute(
    [args.sparse_indices, args.sparse_values, args.default_value],
    outExtents(cx),
    cx.origin,
  );
}

export const sparseToDense = defineOp({
  name: "sparse_to_dense",
  inputs: ["sparse_indices", "sparse_values", "default_value"],
  attrs: { output_shape: ints({ doc: "Shape of the result." }) },
  attrsKey: "relay.attrs.SparseToDenseAttrs",
  pattern: "opaque",
  type: (args, attrs, t) => {
    const cx = asker(t, "sparse_to_dense");
    const elements = sparseElements(cx, args);
    const wanted = requiredAttr(cx, "output_shape", attrs.output_shape);
    if (elements === null || wanted === null) return null;
    return fitsRank(cx, elements, wanted.length)
      ? tensorType(wanted.map(Number), elements.values.dtype)
      : null;
  },
  compute: denseOf,
  schedule: externRecipe,
  doc: "A tensor of `output_shape` with the values at the positions and default_value elsewhere; positions out of range are left out, of equal ones the last counts.",
  examples: [
    {
      name: "matrix",
      args: ["Tensor[(2, 2), int32]", "Tensor[(2), float32]", "float32"],
      attrs: { output_shape: [3, 4] },
    },
    {
      name: "vector, one value",
      args: ["Tensor[(3), int32]", "float32", "float32"],
      attrs: { output_shape: [6] },
    },
  ],
});
