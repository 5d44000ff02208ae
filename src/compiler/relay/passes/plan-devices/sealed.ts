// Functions that device planning does not look into: each call site gives them their device.
import type { Expr } from "../../expr.ts";

export function isSealed(expr: Expr): boolean {
  if (expr.kind !== "function") return false;
  const primitive = expr.attrs["Primitive"];
  return (primitive !== undefined && primitive !== 0) || expr.attrs["Compiler"] !== undefined;
}
