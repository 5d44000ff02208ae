// Product of two quantised tensors.  TVM: src/relay/qnn/op/mul.cc
import { float32, int32 } from "../../ir/dtype.ts";
import { scalar } from "../../relay/build.ts";
import type { Expr } from "../../relay/expr.ts";
import { defineQnnBinary } from "./binary.ts";
import { isInt, scalarValue, type Lowering } from "./lowering.ts";
import { requantize } from "./requantize-lower.ts";

export const qnnMul = defineQnnBinary({
  name: "qnn.mul",
  doc: "The product of the numbers that two quantised tensors stand for, in the scale and zero point of the result; shapes broadcast.",
  // The product without zero points has the product of the scales.
  canonicalize: ({ l, lhs, rhs, out, type }) => {
    const [a, b] = [scalarValue(lhs.params.scale), scalarValue(rhs.params.scale)];
    if (a === null || b === null)
      return l.refuse("the scales of `lhs` and `rhs` are not constants", {
        expected: "constant scalars",
        got: "values that are known only when the program runs",
      });
    const product = l.make("multiply", [
      unshifted(l, lhs.value, lhs.params.zeroPoint),
      unshifted(l, rhs.value, rhs.params.zeroPoint),
    ]);
    const from = { scale: scalar(l.cx, float32, Math.fround(a * b), l.node.origin), zeroPoint: l.int(0) };
    return requantize(l, product, { type, from, to: out.params, outDType: out.dtype });
  },
});

function unshifted(l: Lowering, value: Expr, zeroPoint: Expr): Expr {
  const wide = l.cast(value, int32);
  return isInt(zeroPoint, 0) ? wide : l.make("subtract", [wide, zeroPoint]);
}
