// Drops functions that main does not reach.  TVM: src/relay/backend/vm/removed_unused_funcs.cc
import { remark } from "../../ir/remark.ts";
import type { IRModule } from "../module.ts";
import type { RelayContext } from "../op.ts";
import { postOrder } from "../visit.ts";
import type { RelayPass } from "./function-pass.ts";

export const removeUnusedFunctions: RelayPass = {
  name: "RemoveUnusedFunctions",
  optLevel: 1,
  requires: [],
  run: keepReachable,
};

/** A module without main is left alone: the executors say what is missing. */
function keepReachable(module: IRModule, cx: RelayContext): IRModule {
  if (!module.functions.has("main")) return module;
  const reached = new Set<string>(["main"]);
  // A set grows while it is iterated: this is the work list.
  for (const name of reached) {
    const func = module.functions.get(name);
    if (func === undefined) continue;
    postOrder(func, (expr) => {
      if (expr.kind === "global") reached.add(expr.name);
    });
  }
  const kept = [...module.functions].filter(([name]) => reached.has(name));
  for (const [name, func] of module.functions) {
    if (!reached.has(name))
      cx.remarks.push(
        remark("RemoveUnusedFunctions", "function.removed", `@${name} is dropped: @main does not reach it`, {
          origin: func.origin,
        }),
      );
  }
  return kept.length === module.functions.size ? module : { ...module, functions: new Map(kept) };
}
