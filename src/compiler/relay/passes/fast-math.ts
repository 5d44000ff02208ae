// FastMath: exp, erf, tanh and softmax by their approximations.  TVM: src/relay/transforms/fast_math.cc
import { remark } from "../../ir/remark.ts";
import { call as makeCallOf } from "../build.ts";
import type { Call, Expr } from "../expr.ts";
import type { RelayContext } from "../op.ts";
import { functionPass } from "./function-pass.ts";
import { rewriteCalls } from "./rewrite-calls.ts";

const fastTwins: ReadonlyMap<string, string> = new Map([
  ["exp", "fast_exp"],
  ["erf", "fast_erf"],
  ["tanh", "fast_tanh"],
  ["nn.softmax", "nn.fast_softmax"],
]);

export const fastMath = functionPass({
  name: "FastMath",
  optLevel: 4,
  requires: ["InferType"],
  run: (func, cx) => rewriteCalls("FastMath", func, cx, (call) => fastTwin(call, cx)),
});

function fastTwin(call: Call, cx: RelayContext): Expr | null {
  const name = call.callee.kind === "op" ? call.callee.name : "";
  const twin = fastTwins.get(name);
  if (twin === undefined) return null;
  if (!cx.ops.has(twin)) {
    const why = `${name} stays exact: there is no operator ${twin} here`;
    cx.remarks.push(
      remark("FastMath", "fast-math.unavailable", why, { origin: call.origin, facts: { op: name } }),
    );
    return null;
  }
  return makeCallOf(cx, twin, call.args, call.attrs, call.origin);
}
