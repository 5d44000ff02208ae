// Devices for what the constraints leave free: a function's result gets the default device, its free
// parameters follow the result; the same for each operator call, outermost first; a let-bound variable
// follows its let.
// TVM: src/relay/transforms/device_planner.cc (DeviceDefaulter)
import type { Expr } from "../../expr.ts";
import { children } from "../../visit.ts";
import { calleeDomain, domainOf, type DeviceDomains } from "./analyze.ts";
import { anyFree, resultDevice, setDefault, setResultDefaultThenParams } from "./device-domains.ts";
import { isSealed } from "./sealed.ts";

/** Fills `domains` in place; afterwards nothing in the module is free. */
export function defaultDevices(domains: DeviceDomains, device: number): void {
  const seen = new Set<Expr>();
  for (const func of domains.module.functions.values()) {
    const stack: Expr[] = [func];
    for (let expr = stack.pop(); expr !== undefined; expr = stack.pop()) {
      if (seen.has(expr) || isSealed(expr)) continue;
      seen.add(expr);
      decide(domains, expr, device);
      stack.push(...children(expr).toReversed());
    }
  }
  for (const domain of [...domains.of.values(), ...domains.ofGlobal.values()]) setDefault(domain, device);
}

function decide(domains: DeviceDomains, expr: Expr, device: number): void {
  if (expr.kind === "function") setResultDefaultThenParams(domainOf(domains, expr), device);
  else if (expr.kind === "call") {
    const callee = calleeDomain(domains, expr);
    if (anyFree(callee)) setResultDefaultThenParams(callee, device);
  } else if (expr.kind === "let") {
    const own = resultDevice(domainOf(domains, expr));
    setDefault(domainOf(domains, expr.variable), own === 0 ? device : own);
  }
}
