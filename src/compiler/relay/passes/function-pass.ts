// Passes that work function by function. Functions for an external compiler are left alone, and types are
// made complete again after a change, as TVM does.  TVM: src/relay/ir/transform.cc (FunctionPass)
import type { Pass } from "../../ir/pass.ts";
import type { Func } from "../expr.ts";
import { mapFunctions, type IRModule } from "../module.ts";
import type { RelayContext } from "../op.ts";
import { inferTypeOnce } from "./infer-type/infer-type-once.ts";

export type RelayPass = Pass<IRModule, RelayContext>;

interface FunctionPassSpec {
  readonly name: string;
  readonly optLevel: RelayPass["optLevel"];
  readonly requires?: readonly string[];
  readonly run: (func: Func, cx: RelayContext, module: IRModule) => Func;
}

export function functionPass(spec: FunctionPassSpec): RelayPass {
  return {
    name: spec.name,
    optLevel: spec.optLevel,
    requires: spec.requires ?? [],
    run: (module, cx) => {
      const next = mapFunctions(module, (func) =>
        skipsOptimization(func) ? func : spec.run(func, cx, module),
      );
      return next === module ? module : inferTypeOnce.run(next, cx);
    },
  };
}

/** Whether relay's passes must leave `func` alone: it is for an external compiler, or says so itself. */
export function skipsOptimization(func: Func): boolean {
  const skip = func.attrs["SkipOptimization"];
  return func.attrs["Compiler"] !== undefined || (skip !== undefined && skip !== 0 && skip !== false);
}
