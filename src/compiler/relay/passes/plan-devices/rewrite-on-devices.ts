// Before planning: annotations on a function's whole body and on let-bound values fix the value there, an
// annotated tuple's field is annotated too, and nested annotations that disagree are told (the inner one
// wins, as in TVM, which says nothing).
// TVM: src/relay/transforms/device_planner.cc (RewriteOnDevices)
import { functionOf, calledOp, type Call, type Expr, argOf } from "../../expr.ts";
import { diagnostic } from "../../../ir/diagnostic.ts";
import { mapFunctions, type IRModule } from "../../module.ts";
import type { RelayContext } from "../../op.ts";
import { onDevice, onDeviceOf } from "../../on-device.ts";
import { rewrite, withChildren } from "../../visit.ts";
import { isSealed } from "./sealed.ts";

export function rewriteOnDevices(module: IRModule, cx: RelayContext): IRModule {
  return mapFunctions(module, (func) =>
    functionOf(
      rewrite(
        cx.ids,
        func,
        (expr, original) => rewriteNode(expr, original, cx),
        (expr) => !isSealed(expr),
      ),
    ),
  );
}

function rewriteNode(expr: Expr, original: Expr, cx: RelayContext): Expr {
  if (expr.kind === "tuple-get-item") {
    const mark = onDeviceOf(expr.tuple);
    return mark === null || mark.fixed ? expr : onDevice(cx, expr, mark.device, false);
  }
  if (expr.kind === "let")
    return withChildren(cx.ids, expr, [expr.variable, fixed(expr.value, cx), expr.body]);
  if (expr.kind === "function")
    return isSealed(expr) ? expr : withChildren(cx.ids, expr, [...expr.params, fixed(expr.body, cx)]);
  if (expr.kind === "call" && calledOp(expr) === "on_device" && original.kind === "call")
    tellDisagreement(expr, original, cx);
  return expr;
}

function fixed(expr: Expr, cx: RelayContext): Expr {
  const mark = onDeviceOf(expr);
  return mark === null || mark.fixed ? expr : onDevice(cx, mark.body, mark.device, true);
}

/** Two annotations in a row that ask for different devices. */
function tellDisagreement(outer: Call, original: Call, cx: RelayContext): void {
  const inner = onDeviceOf(argOf(outer, 0));
  const wanted = Number(outer.attrs["device_type"]);
  if (inner === null || inner.device === wanted) return;
  const place = argOf(original, 0).span;
  cx.diagnostics.push(
    diagnostic(
      "RS3006",
      `device ${wanted} is asked for a value that is already annotated with device ${inner.device}; it stays on ${inner.device}`,
      {
        severity: "warning",
        span: original.span,
        origin: original.origin,
        expected: "one on_device around a value, or the same device in both",
        got: `on_device(on_device(…, device_type=${inner.device}), device_type=${wanted})`,
        because: "of nested annotations TVM follows the inner one and drops the other without a word",
        hint: `write device_copy(…, src_dev_type=${inner.device}, dst_dev_type=${wanted}) if the result is wanted on device ${wanted}`,
        related:
          place === null
            ? []
            : [{ span: place, text: `the inner annotation puts the value on device ${inner.device}` }],
      },
    ),
  );
}
