// Factory of element-by-element operators of one tensor.  TVM: src/relay/op/tensor/unary.cc,
// include/tvm/topi/elemwise.h
import { bool, isFloat, isInteger, type DType } from "../../ir/dtype.ts";
import { tensorType, type TensorType } from "../../ir/type.ts";
import type { PrimExpr } from "../../tir/expr.ts";
import { elementwise } from "../../topi/elementwise.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { defineOp, type Example, type Op } from "../define.ts";
import { sameShape } from "../_shape-funcs/same.ts";
import { asker, tensorArg, type Asker } from "../_shared/type-helpers.ts";

/** Which dtypes an operator takes; "any" asks nothing. */
export type Accepts = "any" | "float" | "integer" | "bool" | "number";

interface UnarySpec {
  readonly name: string;
  /** Name of the te stage; default T_<name>. */
  readonly stage?: string;
  readonly doc: string;
  readonly examples?: readonly Example[];
  /** The result is bool: IdentityCompRel. */
  readonly tests?: boolean;
  readonly accepts?: Accepts;
  readonly value: (x: PrimExpr, dtype: DType) => PrimExpr;
}

const wanted: Readonly<
  Record<
    Exclude<Accepts, "any">,
    { readonly test: (dtype: DType) => boolean; readonly words: string; readonly hint: string }
  >
> = {
  float: {
    test: isFloat,
    words: "float32, float64, float16 or bfloat16",
    hint: 'convert it, as in cast(%x, dtype="float32")',
  },
  integer: {
    test: isInteger,
    words: "an int or uint dtype",
    hint: 'convert it, as in cast(%x, dtype="int32")',
  },
  bool: {
    test: (dtype) => dtype.code === "bool",
    words: "bool",
    hint: "compare first, as in not_equal(%x, 0f)",
  },
  number: {
    test: (dtype) => dtype.code !== "bool",
    words: "a number dtype",
    hint: 'convert it, as in cast(%x, dtype="int32")',
  },
};

/** The operator takes the argument's dtype; false after reporting. */
export function acceptsDType(cx: Asker, name: string, type: TensorType, accepts: Accepts): boolean {
  if (accepts === "any" || wanted[accepts].test(type.dtype)) return true;
  cx.t.error("RS2110", `${cx.op}: argument \`${name}\` has a dtype that this operator does not take`, {
    expected: wanted[accepts].words,
    got: type.dtype.name,
    hint: wanted[accepts].hint,
  });
  return false;
}

export function defineUnary(spec: UnarySpec): Op {
  return defineOp({
    name: spec.name,
    inputs: ["data"],
    attrs: {},
    pattern: "elemWise",
    type: ({ data }, _, t) => {
      const cx = asker(t, spec.name);
      const type = tensorArg(cx, "data", data);
      if (type === null || !acceptsDType(cx, "data", type, spec.accepts ?? "any")) return null;
      return spec.tests === true ? tensorType(type.shape, bool) : type;
    },
    compute: ({ data }, _, cx) =>
      elementwise(data, spec.stage ?? `T_${spec.name}`, cx.origin, (x) => spec.value(x, data.dtype)),
    shapeFunc: sameShape,
    schedule: injectiveRecipe,
    doc: spec.doc,
    examples: spec.examples ?? [{ name: "matrix", args: ["Tensor[(2, 3), float32]"] }],
  });
}
