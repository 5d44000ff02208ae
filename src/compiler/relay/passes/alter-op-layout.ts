// AlterOpLayout: the slot of the pass that gives operators their target's blocked layouts. Layouts are not
// altered yet: a program passes through unchanged, which is right but not blocked, and the user is told.
// TVM: src/relay/transforms/alter_op_layout.cc
import { diagnostic } from "../../ir/diagnostic.ts";
import { calledOp } from "../expr.ts";
import type { IRModule } from "../module.ts";
import type { RelayContext } from "../op.ts";
import { postOrder } from "../visit.ts";
import type { RelayPass } from "./function-pass.ts";

export const alterOpLayout: RelayPass = {
  name: "AlterOpLayout",
  optLevel: 3,
  requires: ["InferType"],
  run: keepLayouts,
};

/** Operators that TVM 0.8 gives other layouts on a CPU target. */
const layoutSensitive: ReadonlySet<string> = new Set([
  "nn.conv2d",
  "nn.dense",
  "nn.batch_matmul",
  "nn.conv2d_transpose",
]);

function keepLayouts(module: IRModule, cx: RelayContext): IRModule {
  let affected = 0;
  for (const func of module.functions.values()) {
    postOrder(func, (expr) => {
      if (layoutSensitive.has(calledOp(expr) ?? "")) affected++;
    });
  }
  if (affected > 0) {
    cx.diagnostics.push(
      diagnostic("RS3004", "AlterOpLayout is enabled, but layouts are not altered yet", {
        severity: "warning",
        because: `${affected} calls keep the layout they were written in; results are the same`,
        hint: "disable the pass AlterOpLayout to silence this",
      }),
    );
  }
  return module;
}
