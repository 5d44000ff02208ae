// Multiplication by a fixed-point number.  TVM: src/relay/op/tensor/unary.cc (fixed_point_multiply)
import { int } from "../../ir/attrs.ts";
import { int32 } from "../../ir/dtype.ts";
import { intImm, tirCall } from "../../tir/build.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { elementwise } from "../../topi/elementwise.ts";
import { defineOp } from "../define.ts";
import { sameShape } from "../_shape-funcs/same.ts";
import { asker, requiredAttr, tensorArg } from "../_shared/type-helpers.ts";

const isInt32 = (value: number): boolean => (value | 0) === value;

export const fixedPointMultiply = defineOp({
  name: "fixed_point_multiply",
  inputs: ["data"],
  attrs: {
    multiplier: int({ doc: "The factor times 2^31, an int32." }),
    shift: int({ doc: "The product is shifted left by this much (right if negative)." }),
  },
  attrsKey: "relay.attrs.FixedPointMultiplyAttrs",
  pattern: "elemWise",
  type: ({ data }, { multiplier, shift }, t) => {
    const cx = asker(t, "fixed_point_multiply");
    const type = tensorArg(cx, "data", data);
    if (
      type === null ||
      requiredAttr(cx, "multiplier", multiplier) === null ||
      requiredAttr(cx, "shift", shift) === null
    )
      return null;
    for (const [name, value] of [
      ["multiplier", multiplier],
      ["shift", shift],
    ] as const)
      if (!isInt32(value))
        return t.error("RS2108", `fixed_point_multiply: attribute \`${name}\` is not usable`, {
          expected: "an int32",
          got: String(value),
        });
    if (type.dtype === int32) return type;
    return t.error(
      "RS2110",
      "fixed_point_multiply: argument `data` has a dtype that this operator does not take",
      { expected: "int32", got: type.dtype.name, hint: 'convert it, as in cast(%x, dtype="int32")' },
    );
  },
  // Below 2^-32 every product rounds to 0, and the shift would not fit 64 bits.
  compute: ({ data }, { multiplier, shift }, cx) =>
    elementwise(data, "T_fixed_point_multiply", cx.origin, (x) =>
      shift < -32
        ? intImm(0)
        : tirCall("tir.q_multiply_shift", int32, [x, intImm(multiplier), intImm(31), intImm(shift)]),
    ),
  shapeFunc: sameShape,
  schedule: injectiveRecipe,
  doc: "Every element times multiplier / 2^31 times 2^shift, rounded to the nearest integer (halves up).",
  examples: [
    { name: "times two", args: ["Tensor[(4), int32]"], attrs: { multiplier: 1073741824, shift: 2 } },
  ],
});
