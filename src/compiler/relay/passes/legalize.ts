// Legalize: replaces calls by what a target or dialect can do, by each operator's own rule. Runs three times:
// qnn's legalization, qnn's canonicalization (into core operators), and the core operators' own.
// TVM: src/relay/transforms/legalize.cc, src/relay/qnn/pass/legalize.cc
import type { RelayOp } from "../op.ts";
import { functionPass, type RelayPass } from "./function-pass.ts";
import { rewriteCalls } from "./rewrite-calls.ts";

function legalizeBy(hook: "qnnLegalize" | "qnnCanonicalize" | "legalize"): RelayPass {
  return functionPass({
    name: "Legalize",
    optLevel: 1,
    requires: ["InferType"],
    run: (func, cx) =>
      rewriteCalls("Legalize", func, cx, (call) => {
        const op: RelayOp | undefined = call.callee.kind === "op" ? cx.ops.get(call.callee.name) : undefined;
        return op?.[hook]?.(call, cx) ?? null;
      }),
  });
}

export const qnnLegalize = legalizeBy("qnnLegalize");
export const qnnCanonicalize = legalizeBy("qnnCanonicalize");
export const legalize = legalizeBy("legalize");
