// Quantised tensors one after the other.  TVM: src/relay/qnn/op/concatenate.cc
import { tensorTypeOf } from "../../relay/op.ts";
import { at } from "../../../support/assert.ts";
import { int } from "../../ir/attrs.ts";
import type { Type } from "../../ir/type.ts";
import { getItem, tuple } from "../../relay/build.ts";
import type { Expr } from "../../relay/expr.ts";
import { defineOp } from "../define.ts";
import { concatenateRelation } from "../tensor/concatenate.ts";
import { asker, tensorTupleArg, type Asker } from "../_shared/type-helpers.ts";
import { scalarParam, scalarParams, type QnnParam } from "./arguments.ts";
import { equalScalars, lowering, type Lowering } from "./lowering.ts";
import { requantize } from "./requantize-lower.ts";

export const qnnConcatenate = defineOp({
  name: "qnn.concatenate",
  inputs: ["data", "input_scales", "input_zero_points", "output_scale", "output_zero_point"],
  attrs: { axis: int({ default: 0, doc: "Axis along which the tensors follow each other." }) },
  attrsKey: "relay.attrs.ConcatenateAttrs",
  pattern: "opaque",
  type: ({ data, input_scales: scales, input_zero_points: zeroPoints, ...params }, { axis }, t) => {
    const cx = asker(t, "qnn.concatenate");
    if (!scalarParams(cx, params)) return null;
    const count = data.kind === "tuple-type" ? data.fields.length : null;
    if (
      !scalarTuple(cx, "input_scale", scales, count) ||
      !scalarTuple(cx, "input_zero_point", zeroPoints, count)
    )
      return null;
    return concatenateRelation(cx, data, axis);
  },
  qnnCanonicalize: ({ node, args, attrs }, cx) => {
    const l = lowering(node, cx);
    const { output_scale: scale, output_zero_point: zeroPoint } = args;
    const fields = fieldsOf(l, args.data).map((field, i) => {
      const from = {
        scale: at(fieldsOf(l, args.input_scales), i, "scale"),
        zeroPoint: at(fieldsOf(l, args.input_zero_points), i, "zero point"),
      };
      if (equalScalars(from.scale, scale) && equalScalars(from.zeroPoint, zeroPoint)) return field;
      const type = tensorTypeOf(field);
      return requantize(l, field, { type, from, to: { scale, zeroPoint }, outDType: type.dtype });
    });
    return fields.every((field) => field !== null)
      ? l.make("concatenate", [tuple(cx, fields, node.origin)], attrs)
      : null;
  },
  flags: { nonComputational: true, noPattern: true },
  doc: "Brings every tensor to the scale and zero point of the result and joins them along `axis`.",
  examples: [
    {
      name: "channels",
      attrs: { axis: 1 },
      args: [
        "(Tensor[(1, 2, 3), uint8], Tensor[(1, 4, 3), uint8])",
        "(float32, float32)",
        "(int32, int32)",
        "float32",
        "int32",
      ],
    },
  ],
});

function scalarTuple(cx: Asker, param: QnnParam, given: Type, count: number | null): boolean {
  const name = `${param}s`;
  const fields = tensorTupleArg(cx, name, given);
  if (fields === null) return false;
  if (count !== null && fields.length !== count) {
    cx.t.error("RS2105", `${cx.op}: argument \`${name}\` does not fit \`data\``, {
      expected: `${count} fields, one a tensor`,
      got: `${fields.length} fields`,
    });
    return false;
  }
  return fields.every((field, i) => scalarParam(cx, param, field, `${name}.${i}`));
}

/** The fields of a tuple, taken one by one where it is not written out. */
function fieldsOf(l: Lowering, expr: Expr): readonly Expr[] {
  if (expr.kind === "tuple") return expr.fields;
  const count = expr.type?.kind === "tuple-type" ? expr.type.fields.length : 0;
  return Array.from({ length: count }, (_, i) => getItem(l.cx, expr, i, l.node.origin));
}
