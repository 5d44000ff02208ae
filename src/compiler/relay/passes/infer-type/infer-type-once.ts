// InferType as passes require it: a module that it has typed already, the same object, is not walked again.
// Requirements run before nearly every pass, and most passes change nothing.
import { inferType } from "./infer-type.ts";
import type { IRModule } from "../../module.ts";
import type { RelayContext } from "../../op.ts";
import type { Pass } from "../../../ir/pass.ts";

/** Modules are immutable, so this is a memo and no state: membership never changes an answer. */
const typedModules = new WeakSet<IRModule>();

export const inferTypeOnce: Pass<IRModule, RelayContext> = { ...inferType, run: typeOnce };

/** A module in which something could not be typed is tried again, as its diagnostics depend on the run. */
function typeOnce(module: IRModule, cx: RelayContext): IRModule {
  if (typedModules.has(module)) return module;
  const before = cx.diagnostics.length;
  const typed = inferType.run(module, cx);
  if (cx.diagnostics.length === before) typedModules.add(typed);
  return typed;
}
