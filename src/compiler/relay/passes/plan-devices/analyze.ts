// The constraints that a module puts on its values' devices. Hard ones are what annotations, copies and
// headers say; where they contradict each other the program is refused. Soft ones are reads: a value that is
// read where it does not lie is copied.
// TVM: src/relay/transforms/device_planner.cc (DeviceAnalyzer), device_domains.cc (DomainForCallee)
// Known difference: TVM refuses a value that is read on two devices ("Inconsistent device types"); here the
// read gets a copy. Hard constraints are united first, so that annotations win over where a reader happens to
// be.
import { last } from "../../../../support/assert.ts";
import { diagnostic, fail } from "../../../ir/diagnostic.ts";
import { remark } from "../../../ir/remark.ts";
import { funcType, type Type } from "../../../ir/type.ts";
import { calledOp, type Call, type Expr, type Func, type Match, type Pattern, argOf } from "../../expr.ts";
import type { IRModule } from "../../module.ts";
import type { RelayContext } from "../../op.ts";
import { deviceCopyOf, functionDevices, onDeviceOf } from "../../on-device.ts";
import { postOrder } from "../../visit.ts";
import {
  boundDomain,
  freeDomain,
  functionDomain,
  unify,
  type Conflict,
  type Domain,
  type Reason,
} from "./device-domains.ts";
import { isSealed } from "./sealed.ts";

export interface DeviceDomains {
  readonly module: IRModule;
  readonly of: Map<Expr, Domain>;
  readonly ofGlobal: Map<string, Domain>;
  readonly ofCallee: Map<Call, Domain>;
}

/** A value and where it is wanted. */
interface Read {
  readonly value: Expr;
  readonly wanted: Domain;
  /** Who reads. */
  readonly at: Expr;
}

interface Analysis {
  readonly domains: DeviceDomains;
  readonly reads: Read[];
}

/** Throws CompileError RS3005 where two hard constraints contradict each other. */
export function analyzeDevices(module: IRModule, cx: RelayContext): DeviceDomains {
  const domains: DeviceDomains = { module, of: new Map(), ofGlobal: new Map(), ofCallee: new Map() };
  const analysis: Analysis = { domains, reads: [] };
  for (const [name, func] of module.functions) {
    must(analysis, globalDomain(domains, name), domainOf(domains, func), func);
    postOrder(
      func,
      (expr) => collect(analysis, expr),
      (expr) => !isSealed(expr),
    );
  }
  for (const read of analysis.reads) {
    const conflict = unify(domainOf(domains, read.value), read.wanted);
    if (conflict !== null) tellCopy(read, conflict, cx);
  }
  return domains;
}

export function domainOf(domains: DeviceDomains, expr: Expr): Domain {
  if (expr.kind === "global") return globalDomain(domains, expr.name);
  let domain = domains.of.get(expr);
  if (domain === undefined) {
    domain = freeDomain(typeOf(expr));
    domains.of.set(expr, domain);
  }
  return domain;
}

function globalDomain(domains: DeviceDomains, name: string): Domain {
  let domain = domains.ofGlobal.get(name);
  if (domain === undefined) {
    const func = domains.module.functions.get(name);
    domain = freeDomain(func === undefined ? null : typeOf(func));
    domains.ofGlobal.set(name, domain);
  }
  return domain;
}

function typeOf(expr: Expr): Type | null {
  if (expr.type !== null || expr.kind !== "function") return expr.type;
  const result = expr.body.type ?? expr.resultType;
  const params = expr.params.map((param) => param.type);
  return result === null || params.includes(null) ? null : funcType(params as Type[], result);
}

function must(analysis: Analysis, a: Domain, b: Domain, at: Expr): void {
  const conflict = unify(a, b);
  if (conflict !== null) refuse(conflict, at, analysis);
}

/**
 * `value` is read where `wanted` lies. What is fixed by an annotation or a copy stays there; so do functions.
 */
function read(analysis: Analysis, value: Expr, wanted: Domain, at: Expr): void {
  const explicit =
    onDeviceOf(value)?.fixed === true || deviceCopyOf(value) !== null || value.type?.kind === "func-type";
  if (explicit) must(analysis, domainOf(analysis.domains, value), wanted, at);
  else analysis.reads.push({ value, wanted, at });
}

function collect(analysis: Analysis, expr: Expr): void {
  const own = (): Domain => domainOf(analysis.domains, expr);
  switch (expr.kind) {
    case "call":
      collectCall(analysis, expr);
      return;
    case "function":
      if (!isSealed(expr)) collectFunction(analysis, expr);
      return;
    case "let":
      read(analysis, expr.value, domainOf(analysis.domains, expr.variable), expr);
      read(analysis, expr.body, own(), expr);
      return;
    case "tuple":
      for (const field of expr.fields) read(analysis, field, own(), expr);
      return;
    case "tuple-get-item":
      read(analysis, expr.tuple, own(), expr);
      return;
    case "if":
      for (const part of [expr.condition, expr.then, expr.otherwise]) read(analysis, part, own(), expr);
      return;
    case "match":
      collectMatch(analysis, expr);
      return;
    case "ref-create":
      read(analysis, expr.value, own(), expr);
      return;
    case "ref-read":
      must(analysis, domainOf(analysis.domains, expr.ref), own(), expr);
      return;
    case "ref-write":
      must(analysis, domainOf(analysis.domains, expr.ref), own(), expr);
      read(analysis, expr.value, domainOf(analysis.domains, expr.ref), expr);
      return;
    case "var":
    case "global":
    case "constant":
    case "op":
    case "constructor":
      return;
  }
}

function collectCall(analysis: Analysis, call: Call): void {
  const callee = calleeDomain(analysis.domains, call);
  const parts = callee.parts!;
  const asks = calledOp(call) === "on_device";
  call.args.forEach((arg, i) => {
    if (asks) must(analysis, domainOf(analysis.domains, arg), parts[i]!, call);
    else read(analysis, arg, parts[i]!, call);
  });
  must(analysis, last(parts, "part"), domainOf(analysis.domains, call), call);
}

/**
 * What a call's callee takes and gives, as domains. An operator runs on any device, but on one: all its parts
 * are equal.
 */
export function calleeDomain(domains: DeviceDomains, call: Call): Domain {
  const known = domains.ofCallee.get(call);
  if (known !== undefined) return known;
  const domain = makeCalleeDomain(domains, call);
  domains.ofCallee.set(call, domain);
  return domain;
}

function makeCalleeDomain(domains: DeviceDomains, call: Call): Domain {
  const type = call.args[0]?.type ?? null;
  const mark = onDeviceOf(call);
  if (mark !== null) {
    const asked = boundDomain(type, {
      device: mark.device,
      text: `on_device(…, device_type=${mark.device}${mark.fixed ? ", is_fixed=True" : ""})`,
      at: call,
    });
    return functionDomain([asked, mark.fixed ? asked : freeDomain(type)]);
  }
  const copy = deviceCopyOf(call);
  if (copy !== null) {
    const side = (device: number): Domain =>
      boundDomain(type, {
        device,
        text: `device_copy(…, src_dev_type=${copy[0]}, dst_dev_type=${copy[1]})`,
        at: call,
      });
    return functionDomain([side(copy[0]), side(copy[1])]);
  }
  if (call.callee.kind === "op" || call.callee.kind === "constructor") {
    const shared = freeDomain(null);
    return functionDomain([...call.args.map(() => shared), shared]);
  }
  const domain = domainOf(domains, call.callee);
  return domain.parts === null ? functionDomain([...call.args.map(() => domain), domain]) : domain;
}

function collectFunction(analysis: Analysis, func: Func): void {
  const { domains } = analysis;
  const parts = domainOf(domains, func).parts;
  if (parts === null) return;
  func.params.forEach((param, i) => must(analysis, domainOf(domains, param), parts[i]!, func));
  const devices = functionDevices(func);
  if (devices !== null) {
    const said = (device: number): Reason => ({
      device,
      text: `the header of the function (param_device_types=[${devices.params.join(", ")}], result_device_type=${devices.result})`,
      at: func,
    });
    func.params.forEach((param, i) =>
      must(analysis, parts[i]!, boundDomain(typeOf(param), said(devices.params[i] ?? devices.result)), func),
    );
    must(analysis, last(parts, "part"), boundDomain(typeOf(func.body), said(devices.result)), func);
  }
  read(analysis, func.body, last(parts, "part"), func);
}

function collectMatch(analysis: Analysis, match: Match): void {
  const { domains } = analysis;
  read(analysis, match.data, domainOf(domains, match), match);
  for (const { pattern, body } of match.clauses) {
    for (const variable of patternVariables(pattern))
      must(analysis, domainOf(domains, variable), domainOf(domains, match.data), match);
    read(analysis, body, domainOf(domains, match), match);
  }
}

function patternVariables(pattern: Pattern): readonly Expr[] {
  switch (pattern.kind) {
    case "wildcard":
      return [];
    case "bind":
      return [pattern.variable];
    case "constructor-pattern":
    case "tuple-pattern":
      return pattern.patterns.flatMap(patternVariables);
  }
}

function nameOf(expr: Expr): string {
  if (expr.kind === "var") return `%${expr.name}`;
  if (expr.kind === "call") return `the result of ${calledOp(expr) ?? "a call"}`;
  return expr.kind === "function" ? "the result of the function" : `a ${expr.kind}`;
}

function because({
  left,
  right,
}: Conflict): readonly { readonly device: number; readonly text: string; readonly at: Expr | null }[] {
  return [left, right].map(({ device, reason }) => ({
    device,
    text: reason?.text ?? "what reads it",
    at: reason?.at ?? null,
  }));
}

/** Both sides of a conflict with their places. */
function related(conflict: Conflict) {
  return because(conflict).flatMap(({ device, text, at }) =>
    at?.span == null ? [] : [{ span: at.span, text: `${text} asks for device ${device}` }],
  );
}

function refuse(conflict: Conflict, at: Expr, analysis: Analysis): never {
  const [a, b] = because(conflict);
  const value = at.kind === "call" && at.args.length === 1 ? nameOf(argOf(at, 0)) : nameOf(at);
  fail("RS3005", `${value} cannot lie on device ${a!.device} and on device ${b!.device}`, {
    span: at.span ?? [...analysis.domains.module.functions.values()][0]?.span ?? null,
    origin: at.origin,
    expected: "one device for one value",
    got: `device ${a!.device} by ${a!.text}, device ${b!.device} by ${b!.text}`,
    because:
      "an annotation with is_fixed=True, a device_copy and a function's header say where a value lies, and these two contradict each other",
    hint: `put device_copy(…, src_dev_type=${a!.device}, dst_dev_type=${b!.device}) between them, or drop one annotation`,
    related: related(conflict),
  });
}

/** The read stays apart: the capturer sees two devices and puts a copy between. */
function tellCopy({ value, at }: Read, conflict: Conflict, cx: RelayContext): void {
  const [lies, wanted] = because(conflict);
  cx.diagnostics.push(
    diagnostic(
      "RS3014",
      `${nameOf(value)} is needed on device ${lies!.device} and on device ${wanted!.device}: it is copied from ${lies!.device} to ${wanted!.device}`,
      {
        severity: "info",
        span: at.span,
        origin: at.origin,
        expected: "a value that all of its readers find on their device",
        got: `device ${lies!.device} by ${lies!.text}, device ${wanted!.device} by ${wanted!.text}`,
        because: "TVM refuses such a program; a copy does what it means",
        hint: `write device_copy(…, src_dev_type=${lies!.device}, dst_dev_type=${wanted!.device}) to say it yourself`,
        related: related(conflict),
      },
    ),
  );
  cx.remarks.push(
    remark(
      "PlanDevices",
      "device.copy",
      `${nameOf(value)} lies on device ${lies!.device} (${lies!.text}) and is read on device ${wanted!.device} (${wanted!.text}): it is copied`,
      { origin: value.origin, other: at.origin, facts: { from: lies!.device, to: wanted!.device } },
    ),
  );
}
