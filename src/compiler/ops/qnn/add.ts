// Sum of two quantised tensors.  TVM: src/relay/qnn/op/add.cc
import { defineQnnBinary } from "./binary.ts";
import { isInt, saturate } from "./lowering.ts";
import { requantizeOrUpcast } from "./requantize-lower.ts";

export const qnnAdd = defineQnnBinary({
  name: "qnn.add",
  doc: "The sum of the numbers that two quantised tensors stand for, in the scale and zero point of the result; shapes broadcast.",
  // Both in the result's scale and zero point, their sum has the zero point twice.
  canonicalize: ({ l, lhs, rhs, out, type }) => {
    const a = requantizeOrUpcast(l, lhs.value, { type, from: lhs.params, to: out.params });
    const b =
      a === null ? null : requantizeOrUpcast(l, rhs.value, { type, from: rhs.params, to: out.params });
    if (a === null || b === null) return null;
    const sum = l.make("add", [a, b]);
    return saturate(
      l,
      isInt(out.params.zeroPoint, 0) ? sum : l.make("subtract", [sum, out.params.zeroPoint]),
      out.dtype,
    );
  },
});
