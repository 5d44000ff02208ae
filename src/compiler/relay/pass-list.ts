// The Relay passes that relay.build runs before it lowers primitive functions, in its order and with its names: the first
// file to read on this stage.  TVM: src/relay/backend/utils.cc (GetPassPrefix), build_module.cc (OptimizeImpl)
import type { Options } from "../../protocol/compile.ts";
import { inferType } from "./infer-type.ts";
import type { IRModule } from "./module.ts";
import type { RelayContext } from "./op.ts";
import { alterOpLayout } from "./passes/alter-op-layout.ts";
import { canonicalizeCast } from "./passes/canonicalize-cast.ts";
import { canonicalizeOps } from "./passes/canonicalize-ops.ts";
import { combineParallelBatchMatmul } from "./passes/combine-parallel/batch-matmul.ts";
import { combineParallelConv2d } from "./passes/combine-parallel/conv2d.ts";
import { combineParallelDense } from "./passes/combine-parallel/dense.ts";
import { dynamicToStatic } from "./passes/dynamic-to-static.ts";
import { eliminateCommonSubexpr } from "./passes/eliminate-common-subexpr.ts";
import { fastMath } from "./passes/fast-math.ts";
import { foldConstant } from "./passes/fold-constant.ts";
import { foldScaleAxis } from "./passes/fold-scale-axis/fold-scale-axis.ts";
import type { RelayPass } from "./passes/function-pass.ts";
import { fuseOps } from "./passes/fuse-ops/fuse-ops.ts";
import { inlineGlobals } from "./passes/inline-globals.ts";
import { labelOps } from "./passes/label-ops.ts";
import { legalize, qnnCanonicalize, qnnLegalize } from "./passes/legalize.ts";
import { planDevices } from "./passes/plan-devices.ts";
import { removeUnusedFunctions } from "./passes/remove-unused-functions.ts";
import { passEnabled, scheduled } from "./passes/sequential.ts";
import { simplifyExpr } from "./passes/simplify-expr/simplify-expr.ts";
import { simplifyInference } from "./passes/simplify-inference.ts";
import { splitArgs } from "./passes/split-args.ts";
import { toBasicBlockNormalForm } from "./passes/to-basic-block-normal-form/to-basic-block-normal-form.ts";

export interface PassEntry {
  readonly pass: RelayPass;
  /** "optimize": relay.optimize up to PlanDevices; "fuse": from FuseOps on. */
  readonly stage: "optimize" | "fuse";
  /** Runs whatever the level and the lists of disabled passes say: relay.build calls it outside its Sequential. */
  readonly always: boolean;
}

const optimize = (pass: RelayPass): PassEntry => ({ pass, stage: "optimize", always: false });
const fuse = (pass: RelayPass): PassEntry => ({ pass, stage: "fuse", always: false });
const afterwards = (pass: RelayPass): PassEntry => ({ pass, stage: "fuse", always: true });

/** Every pass that relay.build has on its list for these targets; which of them run is passEnabled's to say. */
export function relayPrefix(options: Options): readonly PassEntry[] {
  const oneTarget = options.targets.length === 1;
  return [
    optimize(removeUnusedFunctions),
    optimize(toBasicBlockNormalForm),
    optimize(qnnLegalize),
    optimize(qnnCanonicalize),
    ...(oneTarget ? [optimize(legalize)] : []),
    optimize(simplifyInference),
    optimize(dynamicToStatic),
    optimize(eliminateCommonSubexpr),
    optimize(simplifyExpr),
    optimize(combineParallelConv2d),
    optimize(combineParallelDense),
    optimize(combineParallelBatchMatmul),
    optimize(foldConstant),
    optimize(foldScaleAxis),
    optimize(canonicalizeCast),
    optimize(canonicalizeOps),
    ...(oneTarget ? [optimize(inferType), optimize(alterOpLayout)] : []),
    optimize(fastMath),
    optimize(foldConstant),
    ...(oneTarget ? [optimize(splitArgs)] : []),
    optimize(planDevices),
    fuse(fuseOps),
    afterwards(inferType),
    afterwards(inlineGlobals),
    afterwards(inferType),
    afterwards(labelOps),
  ];
}

/** What really runs, in order: disabled entries gone, required passes written out before what requires them. */
export function scheduledPrefix(options: Options): readonly PassEntry[] {
  return relayPrefix(options).flatMap((entry) => {
    if (entry.always) return [entry];
    return passEnabled(entry.pass, options) ? scheduled([entry.pass], options).map((pass) => ({ ...entry, pass })) : [];
  });
}

/** Hears of every step: the module before and after it (the same object if the pass changed nothing). */
export type StepListener = (entry: PassEntry, before: IRModule, after: IRModule) => void;

/** Runs the whole prefix on a typed module. */
export function runRelayPrefix(module: IRModule, cx: RelayContext, onStep: StepListener = () => {}): IRModule {
  return scheduledPrefix(cx.options).reduce((before, entry) => {
    const after = entry.pass.run(before, cx);
    onStep(entry, before, after);
    return after;
  }, module);
}
