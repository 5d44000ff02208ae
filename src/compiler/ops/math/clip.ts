// Elements held between two bounds.  TVM: src/relay/op/tensor/unary.cc (clip), include/tvm/topi/elemwise.h
import { float } from "../../ir/attrs.ts";
import { isFloat, type DType } from "../../ir/dtype.ts";
import { imm, intImm, max, min } from "../../tir/build.ts";
import type { PrimExpr } from "../../tir/expr.ts";
import { elementwise } from "../../topi/elementwise.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { defineOp } from "../define.ts";
import { sameShape } from "../_shape-funcs/same.ts";
import { asker, requiredAttr, tensorArg } from "../_shared/type-helpers.ts";

export const clip = defineOp({
  name: "clip",
  inputs: ["data"],
  attrs: { a_min: float({ doc: "Lower bound." }), a_max: float({ doc: "Upper bound." }) },
  attrsKey: "relay.attrs.ClipAttrs",
  pattern: "elemWise",
  type: ({ data }, attrs, t) => {
    const cx = asker(t, "clip");
    const type = tensorArg(cx, "data", data);
    return type === null ||
      requiredAttr(cx, "a_min", attrs.a_min) === null ||
      requiredAttr(cx, "a_max", attrs.a_max) === null
      ? null
      : type;
  },
  compute: ({ data }, { a_min: low, a_max: high }, cx) =>
    elementwise(data, "T_clip", cx.origin, (x) => max(min(x, bound(high, x.dtype)), bound(low, x.dtype))),
  shapeFunc: sameShape,
  schedule: injectiveRecipe,
  doc: "Every element below `a_min` becomes a_min, every one above `a_max` becomes a_max.",
  examples: [
    { name: "relu6", args: ["Tensor[(2, 3), float32]"], attrs: { a_min: 0, a_max: 6 } },
    { name: "int8", args: ["Tensor[(2, 9), int8]"], attrs: { a_min: -3, a_max: 4 } },
  ],
});

/** The bound in the dtype of the data; beyond an integer's range it is the end of the range. */
function bound(value: number, dtype: DType): PrimExpr {
  if (isFloat(dtype)) return imm(value, dtype);
  const bits = BigInt(dtype.bits);
  const least = dtype.code === "int" ? -(1n << (bits - 1n)) : 0n;
  const greatest = (1n << (dtype.code === "int" ? bits - 1n : bits)) - 1n;
  if (Number.isNaN(value) || value <= Number(least)) return intImm(least, dtype);
  return intImm(value >= Number(greatest) ? greatest : BigInt(Math.trunc(value)), dtype);
}
