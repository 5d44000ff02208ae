// Difference of two quantised tensors.  TVM: src/relay/qnn/op/subtract.cc
import { defineQnnBinary } from "./binary.ts";
import { isInt, saturate } from "./lowering.ts";
import { requantizeOrUpcast } from "./requantize-lower.ts";

export const qnnSubtract = defineQnnBinary({
  name: "qnn.subtract",
  doc: "The difference of the numbers that two quantised tensors stand for, in the scale and zero point of the result; shapes broadcast.",
  // Both in the result's scale and zero point, their difference has none.
  canonicalize: ({ l, lhs, rhs, out, type }) => {
    const a = requantizeOrUpcast(l, lhs.value, { type, from: lhs.params, to: out.params });
    const b =
      a === null ? null : requantizeOrUpcast(l, rhs.value, { type, from: rhs.params, to: out.params });
    if (a === null || b === null) return null;
    const difference = l.make("subtract", [a, b]);
    return saturate(
      l,
      isInt(out.params.zeroPoint, 0) ? difference : l.make("add", [difference, out.params.zeroPoint]),
      out.dtype,
    );
  },
});
