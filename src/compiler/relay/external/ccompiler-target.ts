// What `ccompiler` can compile: sums, differences and products, as TVM's example code generator.
// TVM: src/relay/backend/contrib/codegen_c/codegen.cc
// Wider than TVM: any rank, operands that broadcast, and every integer and float dtype that C has.
import type { Type } from "../../ir/type.ts";
import { staticShape } from "../../ir/type.ts";
import { calledOp } from "../expr.ts";
import type { ExternalTarget } from "./external-target.ts";

/** Operator -> C operator. */
export const ccompilerOperators: Readonly<Record<string, string>> = {
  add: "+",
  subtract: "-",
  multiply: "*",
};

export const ccompilerTarget: ExternalTarget = {
  name: "ccompiler",
  refuses: (call) => {
    const op = calledOp(call);
    if (op === null || ccompilerOperators[op] === undefined)
      return `it knows ${Object.keys(ccompilerOperators).join(", ")} only`;
    return (
      [call, ...call.args].map(({ type }) => typeRefused(type)).find((reason) => reason !== null) ?? null
    );
  },
};

function typeRefused(type: Type | null): string | null {
  if (type?.kind !== "tensor-type") return "it takes tensors only";
  if (staticShape(type) === null) return "it takes static shapes only";
  const { code, bits, lanes } = type.dtype;
  const known =
    lanes === 1 && ((code === "float" && bits >= 32) || ((code === "int" || code === "uint") && bits >= 8));
  return known ? null : `it has no C type for ${type.dtype.name}`;
}
