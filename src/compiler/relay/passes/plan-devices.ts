// PlanDevices for one device: every function says on which device its parameters and result live; on_device annotations
// and copies within a device have no work left and go.  TVM: src/relay/transforms/device_planner.cc
import { sameAttrs } from "../../ir/attrs.ts";
import { fail } from "../../ir/diagnostic.ts";
import { calledOp, makeFunction, type Call, type Expr, type Func } from "../expr.ts";
import { mapFunctions, type IRModule } from "../module.ts";
import type { RelayContext } from "../op.ts";
import { rewrite } from "../visit.ts";
import type { RelayPass } from "./function-pass.ts";

export const planDevices: RelayPass = { name: "PlanDevices", optLevel: 0, requires: [], run: planOneDevice };

function planOneDevice(module: IRModule, cx: RelayContext): IRModule {
  const { targets } = cx.options;
  if (targets.length > 1) {
    fail("RS3003", "planning for several devices is not done yet", {
      expected: "one target", got: targets.map((target) => `${target.device}=${target.kind}`).join(", "),
      hint: "compile for one device; annotations that ask for another are then ignored",
    });
  }
  const device = targets[0]?.device ?? 1;
  return mapFunctions(module, (func) => rewrite(cx.ids, func, (expr) => placed(expr, device, cx), (expr) => !isSealed(expr)) as Func);
}

function isSealed(expr: Expr): boolean {
  return expr.kind === "function" && expr.attrs["Primitive"] !== undefined && expr.attrs["Primitive"] !== 0;
}

function placedCall(call: Call, device: number): Expr {
  const op = calledOp(call);
  if (op === "on_device") return call.args[0]!;
  if (op !== "device_copy") return call;
  const { src_dev_type: from, dst_dev_type: to } = call.attrs;
  if (from === to) return call.args[0]!;
  return fail("RS3003", "a copy between devices needs a target for each of them", {
    origin: call.origin, span: call.span, expected: `device ${device} only`, got: `a copy from ${String(from)} to ${String(to)}`,
  });
}

function placed(expr: Expr, device: number, cx: RelayContext): Expr {
  if (expr.kind === "call") return placedCall(expr, device);
  if (expr.kind !== "function" || isSealed(expr)) return expr;
  const { attrs } = expr;
  const planned = { ...attrs, param_device_types: expr.params.map(() => device), result_device_type: device };
  if (sameAttrs(planned, attrs)) return expr;
  return makeFunction(cx.ids, expr.params, expr.body, expr.resultType, planned, expr, expr.typeParams);
}
