// Reading and writing the marks that device planning lives by: on_device and device_copy calls, devices in
// function headers.
// TVM: src/relay/op/annotation/annotation.cc, src/relay/op/memory/device_copy.cc,
// transforms/device_aware_visitors.h
import type { Origin } from "../ir/origin.ts";
import type { Type } from "../ir/type.ts";
import { completeAttrs, type Attrs } from "../ir/attrs.ts";
import { calledOp, makeCall, makeOpRef, type Call, type Expr, type Func, argOf } from "./expr.ts";
import type { RelayContext } from "./op.ts";
import { children } from "./visit.ts";

interface OnDevice {
  /** What is under the annotation, and under annotations in it. */
  readonly body: Expr;
  /** DLDeviceType. */
  readonly device: number;
  /** The result of the annotation lies there too. */
  readonly fixed: boolean;
}

/**
 * The annotation that `expr` is, or null. Of nested annotations the innermost says the device, and any of
 * them fixes it.
 */
export function onDeviceOf(expr: Expr): OnDevice | null {
  let at = expr;
  let fixed = false;
  let device: number | null = null;
  while (at.kind === "call" && calledOp(at) === "on_device") {
    device = Number(at.attrs["device_type"]);
    fixed ||= at.attrs["is_fixed"] === true;
    at = argOf(at, 0);
  }
  return device === null ? null : { body: at, device, fixed };
}

export function ignoreOnDevice(expr: Expr): Expr {
  return onDeviceOf(expr)?.body ?? expr;
}

/** [source, destination] of a device_copy call, or null. */
export function deviceCopyOf(expr: Expr): readonly [number, number] | null {
  if (expr.kind !== "call" || calledOp(expr) !== "device_copy") return null;
  return [Number(expr.attrs["src_dev_type"]), Number(expr.attrs["dst_dev_type"])];
}

/** [source, destination] of a primitive function that only copies, or null. */
export function copyFunction(func: Func): readonly [number, number] | null {
  return deviceCopyOf(func.body);
}

const bareKinds: ReadonlySet<Expr["kind"]> = new Set(["op", "constructor", "global", "var", "function"]);

/**
 * A fixed annotation around `expr`; variables, functions and operators are found without one and stay bare.
 */
export function fixedOnDevice(cx: RelayContext, expr: Expr, device: number): Expr {
  if (bareKinds.has(expr.kind)) return expr;
  return annotation(
    cx,
    "on_device",
    ignoreOnDevice(expr),
    { device_type: device, is_fixed: true },
    expr.origin,
  );
}

export function onDevice(cx: RelayContext, expr: Expr, device: number, fixed: boolean): Expr {
  return annotation(cx, "on_device", expr, { device_type: device, is_fixed: fixed }, expr.origin);
}

export function deviceCopy(cx: RelayContext, expr: Expr, from: number, to: number): Expr {
  return annotation(cx, "device_copy", expr, { src_dev_type: from, dst_dev_type: to }, expr.origin);
}

/** A call whose result has its argument's type. */
function annotation(cx: RelayContext, name: string, of: Expr, attrs: Attrs, origin: Origin): Call {
  const type: Type | null = of.type;
  return makeCall(
    cx.ids,
    makeOpRef(cx.ids, name, { origin }),
    [of],
    completeAttrs(cx.ops.get(name)!.attrs, attrs),
    { origin, span: of.span, type },
  );
}

/** Devices in a function's header, as PlanDevices writes them; null where it has not run. */
export function functionDevices(
  func: Func,
): { readonly params: readonly number[]; readonly result: number } | null {
  const { param_device_types: params, result_device_type: result } = func.attrs;
  if (typeof result !== "number" || !Array.isArray(params)) return null;
  return { params: params.map(Number), result };
}

/**
 * The device that each call and constant in `func` lies on, by the fixed annotation around it or the
 * function's header; `fallback` where there is neither. Functions inside are not entered. Iterative; a node
 * is decided where it is met first.
 */
export function devicesIn(func: Func, fallback: number): ReadonlyMap<Expr, number> {
  const header = functionDevices(func);
  const found = new Map<Expr, number>(func.params.map((param, i) => [param, header?.params[i] ?? fallback]));
  const stack: { readonly expr: Expr; readonly device: number }[] = [
    { expr: func.body, device: header?.result ?? fallback },
  ];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const { expr } = top;
    if (found.has(expr)) continue;
    found.set(expr, top.device);
    if (expr.kind === "function") continue;
    const mark = onDeviceOf(expr);
    const device = mark !== null && mark.fixed ? mark.device : top.device;
    for (const kid of children(expr).toReversed()) stack.push({ expr: kid, device });
  }
  return found;
}
