// A value at the given positions, another elsewhere.  TVM: src/relay/op/tensor/transform.cc (OneHotRel)
import { at } from "../../../support/assert.ts";
import { dtypeAttr, int } from "../../ir/attrs.ts";
import { tensorType, type TensorType, type Type } from "../../ir/type.ts";
import { cast, eq, select } from "../../tir/build.ts";
import { compute } from "../../te/compute.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import type { Tensor } from "../../te/tensor.ts";
import { defineOp, type ComputeContext } from "../define.ts";
import { oneHotShape } from "../_shape-funcs/transform.ts";
import { acceptsDType } from "../math/unary.ts";
import { outExtents } from "../_shared/out-shape.ts";
import { asker, axisArg, checkRank, dtypeOf, tensorArg, type Asker } from "../_shared/type-helpers.ts";

export const oneHotAttrs = {
  depth: int({ default: 1, doc: "Extent of the new axis." }),
  axis: int({ default: -1, doc: "Where the new axis stands in the result." }),
  dtype: dtypeAttr({ default: null, doc: "Dtype of the result." }),
};

type Arg = "indices" | "on_value" | "off_value";

/** Type of the indices, where those and both values can be used; null while unknown or after reporting. */
export function hotPositions(cx: Asker, args: Readonly<Record<Arg, Type>>): TensorType | null {
  const positions = tensorArg(cx, "indices", args.indices);
  const on = tensorArg(cx, "on_value", args.on_value);
  const off = tensorArg(cx, "off_value", args.off_value);
  if (positions === null || on === null || off === null) return null;
  const fits =
    acceptsDType(cx, "indices", positions, "integer") &&
    checkRank(cx, "on_value", on, [0]) &&
    checkRank(cx, "off_value", off, [0]);
  return fits ? positions : null;
}

/** on_value where the index along the new axis is the element of `indices`, else off_value. */
export function oneHotCompute(
  { indices, on_value: on, off_value: off }: Readonly<Record<Arg, Tensor>>,
  attrs: { readonly axis: number },
  cx: ComputeContext,
): Tensor {
  const axis = attrs.axis < 0 ? attrs.axis + indices.shape.length + 1 : attrs.axis;
  const { dtype } = cx.outType;
  return compute(
    outExtents(cx),
    (i) =>
      select(
        eq(indices.at(...i.filter((_, k) => k !== axis)), at(i, axis, "index")),
        cast(on.at(), dtype),
        cast(off.at(), dtype),
      ),
    { name: "T_one_hot", tag: "injective", origin: cx.origin },
  );
}

export const oneHot = defineOp({
  name: "one_hot",
  inputs: ["indices", "on_value", "off_value"],
  attrs: oneHotAttrs,
  attrsKey: "relay.attrs.OneHotAttrs",
  pattern: "outEWiseFusable",
  type: (args, attrs, t) => {
    const cx = asker(t, "one_hot");
    const positions = hotPositions(cx, args);
    if (positions === null) return null;
    const dtype = dtypeOf(cx, "dtype", attrs.dtype, null);
    const axis = axisArg(cx, attrs.axis, positions.shape.length + 1);
    if (dtype === null || axis === null) return null;
    if (attrs.depth < 1)
      return t.error("RS2108", "one_hot: attribute `depth` is not usable", {
        expected: "at least 1",
        got: String(attrs.depth),
      });
    return tensorType(
      [...positions.shape.slice(0, axis), attrs.depth, ...positions.shape.slice(axis)],
      dtype,
    );
  },
  compute: oneHotCompute,
  shapeFunc: oneHotShape,
  schedule: injectiveRecipe,
  doc: "Adds an axis of extent `depth`: along it the element at the index is on_value, the others are off_value.",
  examples: [
    {
      name: "last axis",
      args: ["Tensor[(4), int32]", "float32", "float32"],
      attrs: { depth: 5, dtype: "float32" },
    },
    {
      name: "first axis",
      args: ["Tensor[(2, 3), int32]", "int32", "int32"],
      attrs: { depth: 4, axis: 0, dtype: "int32" },
    },
  ],
});
