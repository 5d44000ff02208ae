// Factory of quantised element-by-element operators of two tensors.  TVM: src/relay/qnn/op/op_common.h
import { tensorTypeOf } from "../../relay/op.ts";
import type { DType } from "../../ir/dtype.ts";
import type { TensorType } from "../../ir/type.ts";
import type { Expr } from "../../relay/expr.ts";
import { defineOp, type Op } from "../define.ts";
import { asker, broadcastRelation } from "../_shared/type-helpers.ts";
import { quantisedArg, quantisedTypes, scalarParams } from "./arguments.ts";
import { lowering, type Lowering } from "./lowering.ts";
import type { QuantParams } from "./requantize-lower.ts";

/** Argument 0, 1 or the result: the expression where there is one, its scale and zero point. */
interface QnnBinary {
  readonly l: Lowering;
  readonly lhs: { readonly value: Expr; readonly params: QuantParams };
  readonly rhs: { readonly value: Expr; readonly params: QuantParams };
  readonly out: { readonly dtype: DType; readonly params: QuantParams };
  /**
   * What every zero point is given axes of 1 for. TVM takes the type of `lhs`, whatever the rank of the
   * others.
   */
  readonly type: TensorType;
}

interface QnnBinarySpec {
  readonly name: string;
  readonly doc: string;
  readonly canonicalize: (parts: QnnBinary) => Expr | null;
}

export function defineQnnBinary(spec: QnnBinarySpec): Op {
  return defineOp({
    name: spec.name,
    inputs: [
      "lhs",
      "rhs",
      "lhs_scale",
      "lhs_zero_point",
      "rhs_scale",
      "rhs_zero_point",
      "output_scale",
      "output_zero_point",
    ],
    attrs: {},
    pattern: "opaque",
    type: ({ lhs, rhs, ...params }, _, t) => {
      const cx = asker(t, spec.name);
      if (
        quantisedArg(cx, "lhs", lhs, quantisedTypes) === null ||
        quantisedArg(cx, "rhs", rhs, quantisedTypes) === null ||
        !scalarParams(cx, params)
      )
        return null;
      return broadcastRelation(cx, [
        ["lhs", lhs],
        ["rhs", rhs],
      ]);
    },
    qnnCanonicalize: ({ node, args }, cx) => {
      const { lhs, rhs } = args;
      return spec.canonicalize({
        l: lowering(node, cx),
        lhs: { value: lhs, params: { scale: args.lhs_scale, zeroPoint: args.lhs_zero_point } },
        rhs: { value: rhs, params: { scale: args.rhs_scale, zeroPoint: args.rhs_zero_point } },
        out: {
          dtype: tensorTypeOf(node).dtype,
          params: { scale: args.output_scale, zeroPoint: args.output_zero_point },
        },
        type: tensorTypeOf(lhs),
      });
    },
    flags: { nonComputational: true, noPattern: true },
    doc: spec.doc,
    examples: [
      { name: "uint8", args: pair("Tensor[(2, 5), uint8]", "Tensor[(2, 5), uint8]") },
      { name: "int8, broadcast", args: pair("Tensor[(2, 3, 4), int8]", "Tensor[(4), int8]") },
    ],
  });
}

function pair(lhs: string, rhs: string): readonly string[] {
  return [lhs, rhs, "float32", "int32", "float32", "int32", "float32", "int32"];
}
