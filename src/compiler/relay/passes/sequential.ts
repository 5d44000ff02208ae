// Sequential's rule: which passes run, and that what a pass requires runs right before it, each time.
// TVM: src/ir/transform.cc (SequentialNode, PassContext::PassEnabled)
import type { Options } from "../../options.ts";
import { invariant } from "../../../support/assert.ts";
import type { IRModule } from "../module.ts";
import type { RelayContext } from "../op.ts";
import type { RelayPass } from "./function-pass.ts";
import { inferTypeOnce } from "./infer-type/infer-type-once.ts";

/** Disabled by name wins over required by name, which wins over the level. */
export function passEnabled(pass: Pick<RelayPass, "name" | "optLevel">, options: Options): boolean {
  if (options.disabledPasses.includes(pass.name)) return false;
  return options.requiredPasses.includes(pass.name) || options.optLevel >= pass.optLevel;
}

/**
 * The passes that a list comes to under `options`, requirements written out. Requirements run whether enabled
 * or not.
 */
export function scheduled(passes: readonly RelayPass[], options: Options): readonly RelayPass[] {
  return passes
    .filter((pass) => passEnabled(pass, options))
    .flatMap((pass) => [...pass.requires.map(requiredPass), pass]);
}

/** InferType is the only pass that others require. */
function requiredPass(name: string): RelayPass {
  invariant(name === inferTypeOnce.name, `no pass ${name} to require`);
  return inferTypeOnce;
}

export function runScheduled(passes: readonly RelayPass[], module: IRModule, cx: RelayContext): IRModule {
  return scheduled(passes, cx.options).reduce((unit, pass) => pass.run(unit, cx), module);
}
