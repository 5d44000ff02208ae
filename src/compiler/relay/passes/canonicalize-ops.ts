// CanonicalizeOps: writes sugar operators out (nn.bias_add as expand_dims and add), by each operator's own
// rule.
// TVM: src/relay/transforms/canonicalize_ops.cc
import { functionPass } from "./function-pass.ts";
import { rewriteCalls } from "./rewrite-calls.ts";

export const canonicalizeOps = functionPass({
  name: "CanonicalizeOps",
  optLevel: 3,
  requires: ["InferType"],
  run: (func, cx) =>
    rewriteCalls("CanonicalizeOps", func, cx, (call) =>
      call.callee.kind === "op" ? (cx.ops.get(call.callee.name)?.canonicalize?.(call, cx) ?? null) : null,
    ),
});
