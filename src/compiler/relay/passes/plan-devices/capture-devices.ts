// Writes the plan into the program: copies where a value is wanted elsewhere, fixed annotations where a
// value's device differs from its surroundings', devices in every function's header. Annotations and copies
// that have done their work go.
// TVM: src/relay/transforms/device_planner.cc (DeviceCapturer)
// Known difference: readers on one device share the copy of a value that two devices read; TVM refuses such
// programs.
import { functionOf, makeFunction, type Call, type Expr, type Func, argOf } from "../../expr.ts";
import { assertNever, get, at } from "../../../../support/assert.ts";
import { sameAttrs } from "../../../ir/attrs.ts";
import { mapFunctions, type IRModule } from "../../module.ts";
import type { RelayContext } from "../../op.ts";
import { deviceCopy, deviceCopyOf, fixedOnDevice, ignoreOnDevice, onDeviceOf } from "../../on-device.ts";
import { postOrder, withChildren } from "../../visit.ts";
import { calleeDomain, domainOf, type DeviceDomains } from "./analyze.ts";
import { find, resultDevice } from "./device-domains.ts";
import { isSealed } from "./sealed.ts";

interface Capture {
  readonly domains: DeviceDomains;
  readonly cx: RelayContext;
  readonly done: Map<Expr, Expr>;
  /**
   * Copies of bare values, by value and destination; null where a branch or a function inside would have to
   * share one.
   */
  readonly copies: Map<Expr, Map<number, Expr>> | null;
}

export function captureDevices(module: IRModule, domains: DeviceDomains, cx: RelayContext): IRModule {
  return mapFunctions(module, (func) => {
    const capture: Capture = { domains, cx, done: new Map(), copies: isStraight(func) ? new Map() : null };
    postOrder(
      func,
      (expr) => capture.done.set(expr, isSealed(expr) ? expr : captured(capture, expr)),
      (expr) => !isSealed(expr),
    );
    return functionOf(capture.done.get(func));
  });
}

/** No branch and no function inside: a value made once is there for all that follows. */
function isStraight(func: Func): boolean {
  let straight = true;
  postOrder(
    func.body,
    (expr) => {
      if (expr.kind === "if" || expr.kind === "match" || (expr.kind === "function" && !isSealed(expr)))
        straight = false;
    },
    (expr) => expr.kind !== "function",
  );
  return straight;
}

/** Where `expr` lies, annotations around it looked through. */
function deviceOf(capture: Capture, expr: Expr): number {
  return resultDevice(domainOf(capture.domains, ignoreOnDevice(expr)));
}

function captured(capture: Capture, expr: Expr): Expr {
  const inside = (kid: Expr): Expr => placed(capture, kid, deviceOf(capture, expr), deviceOf(capture, expr));
  const rebuilt = (kids: readonly Expr[]): Expr => withChildren(capture.cx.ids, expr, kids);
  switch (expr.kind) {
    case "var":
    case "global":
    case "constant":
    case "op":
    case "constructor":
      return expr;
    case "call":
      return capturedCall(capture, expr);
    case "function":
      return capturedFunction(capture, expr);
    case "let": {
      const own = deviceOf(capture, expr);
      return rebuilt([
        expr.variable,
        placed(capture, expr.value, own, deviceOf(capture, expr.variable)),
        inside(expr.body),
      ]);
    }
    case "tuple":
      return rebuilt(expr.fields.map(inside));
    case "tuple-get-item":
      return rebuilt([inside(expr.tuple)]);
    case "if":
      return rebuilt([expr.condition, expr.then, expr.otherwise].map(inside));
    case "match":
      return rebuilt([expr.data, ...expr.clauses.map(({ body }) => body)].map(inside));
    case "ref-create":
      return rebuilt([inside(expr.value)]);
    case "ref-read":
      return rebuilt([inside(expr.ref)]);
    case "ref-write":
      return rebuilt([inside(expr.ref), inside(expr.value)]);
    default:
      return assertNever(expr, "Relay expression");
  }
}

function capturedCall(capture: Capture, call: Call): Expr {
  const mark = onDeviceOf(call);
  if (mark !== null) return get(capture.done, mark.body, "planned body of on_device");
  const copy = deviceCopyOf(call);
  if (copy !== null && copy[0] === copy[1])
    return get(capture.done, ignoreOnDevice(argOf(call, 0)), "planned operand");
  const own = deviceOf(capture, call);
  const callee = find(calleeDomain(capture.domains, call));
  const args = call.args.map((arg, i) =>
    placed(capture, arg, own, resultDevice(at(callee.parts!, i, "part"))),
  );
  return withChildren(capture.cx.ids, call, [placed(capture, call.callee, own, own), ...args]);
}

function capturedFunction(capture: Capture, func: Func): Func {
  const parts = find(domainOf(capture.domains, func)).parts;
  const result = resultDevice(domainOf(capture.domains, func));
  const params = func.params.map((_, i) => (parts === null ? result : resultDevice(at(parts, i, "part"))));
  const planned = functionOf(
    withChildren(capture.cx.ids, func, [...func.params, placed(capture, func.body, result, result)]),
  );
  const attrs = { ...func.attrs, param_device_types: params, result_device_type: result };
  if (sameAttrs(attrs, func.attrs)) return planned;
  return makeFunction(capture.cx.ids, planned.params, planned.body, {
    ...planned,
    resultType: planned.resultType,
    attrs,
    typeParams: planned.typeParams,
  });
}

/**
 * `expr` as a part of something on device `around`, wanted on device `wanted`: copied if it lies elsewhere,
 * and annotated if `wanted` is not `around`.
 */
function placed(capture: Capture, expr: Expr, around: number, wanted: number): Expr {
  if (expr.kind === "op" || expr.kind === "constructor") return expr;
  const lies = deviceOf(capture, expr);
  const there = get(capture.done, expr, "planned operand");
  const here = lies === wanted ? there : copied(capture, expr, there, lies, wanted);
  return wanted === around ? here : fixedOnDevice(capture.cx, here, wanted);
}

function copied(capture: Capture, original: Expr, value: Expr, from: number, to: number): Expr {
  const make = (): Expr => deviceCopy(capture.cx, fixedOnDevice(capture.cx, value, from), from, to);
  // An annotation asks for its own copy, as in TVM; a plain read takes part in one.
  if (onDeviceOf(original) !== null || capture.copies === null) return make();
  const known = capture.copies.get(value) ?? new Map<number, Expr>();
  capture.copies.set(value, known);
  let copy = known.get(to);
  if (copy === undefined) {
    copy = make();
    known.set(to, copy);
  }
  return copy;
}
