// qnn.add and qnn.subtract: both operands in the result's scale and zero point, then the integers.
// TVM: src/relay/qnn/op/add.cc, subtract.cc
import type { Op } from "../define.ts";
import { defineQnnBinary } from "./binary.ts";
import { isInt, saturate } from "./lowering.ts";
import { requantizeOrUpcast } from "./requantize-lower.ts";

interface QnnSumSpec {
  readonly op: "add" | "subtract";
  /** Brings the result's zero point back to once: a sum has it twice, a difference not at all. */
  readonly mend: "add" | "subtract";
  readonly doc: string;
}

export function defineQnnSum({ op, mend, doc }: QnnSumSpec): Op {
  return defineQnnBinary({
    name: `qnn.${op}`,
    doc,
    canonicalize: ({ l, lhs, rhs, out, type }) => {
      const a = requantizeOrUpcast(l, lhs.value, { type, from: lhs.params, to: out.params });
      const b =
        a === null ? null : requantizeOrUpcast(l, rhs.value, { type, from: rhs.params, to: out.params });
      if (a === null || b === null) return null;
      const { zeroPoint } = out.params;
      const sum = l.make(op, [a, b]);
      return saturate(l, isInt(zeroPoint, 0) ? sum : l.make(mend, [sum, zeroPoint]), out.dtype);
    },
  });
}
