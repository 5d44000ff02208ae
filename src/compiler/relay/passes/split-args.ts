// SplitArgs: splits a concatenate of more operands than a kernel may take on the target into several.
// TVM: src/relay/transforms/split_args.cc
import type { Options } from "../../options.ts";
import { call as callOf, tuple as tupleOf } from "../build.ts";
import { isOpCall, type Call, type Expr } from "../expr.ts";
import { typeOf, type RelayContext } from "../op.ts";
import { functionPass } from "./function-pass.ts";
import { rewriteCalls } from "./rewrite-calls.ts";

/**
 * Most arguments of a kernel (the target's max_function_args), -1 for no limit; of the targets that we have
 * none has one.
 */
const maxFunctionArgs: Readonly<Record<Options["targets"][number]["kind"], number>> = {
  c: -1,
  wasm: -1,
  opencl: -1,
};

export const splitArgs = functionPass({
  name: "SplitArgs",
  optLevel: 1,
  requires: ["InferType"],
  run: (func, cx) => {
    const target = cx.options.targets[0];
    const limit = target === undefined ? -1 : maxFunctionArgs[target.kind];
    return limit < 0
      ? func
      : rewriteCalls("SplitArgs", func, cx, (call) => splitConcatenate(call, cx, limit));
  },
});

/**
 * Groups of at most `maxArgs - outputs` operands are concatenated apart, kept from fusing back by
 * stop_fusion, then joined.
 */
export function splitConcatenate(call: Call, cx: RelayContext, maxArgs: number): Expr | null {
  const operands = call.args[0];
  if (!isOpCall(call, "concatenate") || operands?.kind !== "tuple") return null;
  const type = typeOf(call);
  const limit = maxArgs - (type.kind === "tuple-type" ? type.fields.length : 1);
  if (limit < 2 || operands.fields.length < limit) return null;
  const parts: Expr[] = [];
  for (let start = 0; start < operands.fields.length; start += limit) {
    const some = tupleOf(cx, operands.fields.slice(start, start + limit), operands.origin);
    const part = callOf(cx, "concatenate", [some], call.attrs, call.origin);
    parts.push(callOf(cx, "annotation.stop_fusion", [part], {}, call.origin));
  }
  return callOf(cx, "concatenate", [tupleOf(cx, parts, operands.origin)], call.attrs, call.origin);
}
