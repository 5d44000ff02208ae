// The shape of a tensor as a tensor.  TVM: src/relay/op/tensor/unary.cc (shape_of),
// include/tvm/topi/transform.h (shape)
import { last } from "../../../support/assert.ts";
import { dtypeAttr } from "../../ir/attrs.ts";
import { int32 } from "../../ir/dtype.ts";
import { tensorType } from "../../ir/type.ts";
import { cast, eq, imm, select } from "../../tir/build.ts";
import type { PrimExpr } from "../../tir/expr.ts";
import { compute } from "../../te/compute.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { defineOp } from "../define.ts";
import { asker, dtypeOf, tensorArg } from "../_shared/type-helpers.ts";

export const shapeOf = defineOp({
  name: "shape_of",
  inputs: ["data"],
  attrs: { dtype: dtypeAttr({ default: null, doc: "Dtype of the result." }) },
  attrsKey: "relay.attrs.ShapeOfAttrs",
  pattern: "opaque",
  type: ({ data }, { dtype }, t) => {
    const cx = asker(t, "shape_of");
    const type = tensorArg(cx, "data", data);
    const to = dtypeOf(cx, "dtype", dtype, int32);
    if (type === null || to === null) return null;
    return tensorType(type.shape.length === 0 ? [] : [type.shape.length], to);
  },
  compute: ({ data }, _, cx) => {
    const { dtype } = cx.outType;
    if (data.shape.length === 0)
      return compute([], () => imm(0, dtype), { name: "T_shape", tag: "injective", origin: cx.origin });
    return compute(
      [data.shape.length],
      ([i]) =>
        data.shape
          .slice(0, -1)
          .reduceRight<PrimExpr>(
            (rest, extent, axis) => select(eq(i, axis), cast(extent, dtype), rest),
            cast(last(data.shape, "data axis"), dtype),
          ),
      { name: "T_shape", tag: "injective", origin: cx.origin },
    );
  },
  schedule: injectiveRecipe,
  doc: "A vector with the extents of the argument.",
  examples: [{ name: "rank 3", args: ["Tensor[(2, 3, 4), float32]"], attrs: { dtype: "int64" } }],
});
