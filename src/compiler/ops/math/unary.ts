// Factory of element-by-element operators of one tensor.  TVM: src/relay/op/tensor/unary.cc, include/tvm/topi/elemwise.h
import { bool, isFloat, type DType } from "../../ir/dtype.ts";
import { tensorType } from "../../ir/type.ts";
import type { PrimExpr } from "../../tir/expr.ts";
import { elementwise } from "../../te/topi/elementwise.ts";
import { defineOp, type Example, type Op } from "../define.ts";
import { asker, tensorArg } from "../type-helpers.ts";

export interface UnarySpec {
  readonly name: string;
  /** Name of the te stage; default T_<name>. */
  readonly stage?: string;
  readonly doc: string;
  readonly examples: readonly Example[];
  /** The result is bool: IdentityCompRel. */
  readonly tests?: boolean;
  /** Only floats have it; other dtypes are refused. */
  readonly floatOnly?: boolean;
  readonly value: (x: PrimExpr, dtype: DType) => PrimExpr;
}

export function defineUnary(spec: UnarySpec): Op {
  return defineOp({
    name: spec.name, inputs: ["data"], attrs: {}, pattern: "elemWise",
    type: ({ data }, _, t) => {
      const cx = asker(t, spec.name);
      const type = tensorArg(cx, "data", data);
      if (type === null) return null;
      if (spec.floatOnly === true && !isFloat(type.dtype)) {
        return t.error("RS2110", `${spec.name}: argument \`data\` has a dtype that this operator does not take`, {
          expected: "float32, float64, float16 or bfloat16", got: type.dtype.name, hint: "convert it, as in cast(%x, dtype=\"float32\")",
        });
      }
      return spec.tests === true ? tensorType(type.shape, bool) : type;
    },
    compute: ({ data }, _, cx) => elementwise(data, spec.stage ?? `T_${spec.name}`, cx.origin, (x) => spec.value(x, data.dtype)),
    doc: spec.doc, examples: spec.examples,
  });
}

export const unaryExamples: readonly Example[] = [{ name: "matrix", args: ["Tensor[(2, 3), float32]"] }];
