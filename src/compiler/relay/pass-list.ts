// The Relay passes that relay.build runs before it lowers primitive functions, in its order and with its
// names: the first file to read on this stage.  TVM: src/relay/backend/utils.cc (GetPassPrefix),
// build_module.cc (OptimizeImpl)
import type { Options } from "../options.ts";
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
import { inferTypeOnce } from "./passes/infer-type/infer-type-once.ts";
import { inlineGlobals } from "./passes/inline-globals.ts";
import { labelOps } from "./passes/label-ops.ts";
import { legalize, qnnCanonicalize, qnnLegalize } from "./passes/legalize.ts";
import { annotateTarget } from "./passes/partition/annotate-target.ts";
import { mergeCompilerRegions } from "./passes/partition/merge-compiler-regions.ts";
import { partitionGraph } from "./passes/partition/partition-graph.ts";
import { planDevices } from "./passes/plan-devices/plan-devices.ts";
import { removeUnusedFunctions } from "./passes/remove-unused-functions.ts";
import { scheduled } from "./passes/sequential.ts";
import { simplifyExpr } from "./passes/simplify-expr/simplify-expr.ts";
import { simplifyInference } from "./passes/simplify-inference.ts";
import { splitArgs } from "./passes/split-args.ts";
import { toBasicBlockNormalForm } from "./passes/to-basic-block-normal-form/to-basic-block-normal-form.ts";

interface PassEntry {
  readonly pass: RelayPass;
  /**
   * Runs whatever the level and the lists of disabled passes say: relay.build calls it outside its
   * Sequential.
   */
  readonly always: boolean;
}

const listed = (pass: RelayPass): PassEntry => ({ pass, always: false });
const afterwards = (pass: RelayPass): PassEntry => ({ pass, always: true });

/**
 * Every pass that relay.build has on its list for these targets; which of them run is passEnabled's to say.
 */
export function relayPassList(options: Options): readonly PassEntry[] {
  const oneTarget = options.targets.length === 1;
  // Who wants external code generators partitions before relay.build.
  const partition =
    options.partition.length === 0
      ? []
      : [annotateTarget, mergeCompilerRegions, partitionGraph].map(afterwards);
  return [
    ...partition,
    listed(removeUnusedFunctions),
    listed(toBasicBlockNormalForm),
    listed(qnnLegalize),
    listed(qnnCanonicalize),
    ...(oneTarget ? [listed(legalize)] : []),
    listed(simplifyInference),
    listed(dynamicToStatic),
    listed(eliminateCommonSubexpr),
    listed(simplifyExpr),
    listed(combineParallelConv2d),
    listed(combineParallelDense),
    listed(combineParallelBatchMatmul),
    listed(foldConstant),
    listed(foldScaleAxis),
    listed(canonicalizeCast),
    listed(canonicalizeOps),
    ...(oneTarget ? [listed(inferTypeOnce), listed(alterOpLayout)] : []),
    listed(fastMath),
    listed(foldConstant),
    ...(oneTarget ? [listed(splitArgs)] : []),
    listed(planDevices),
    listed(fuseOps),
    afterwards(inferTypeOnce),
    afterwards(inlineGlobals),
    afterwards(inferTypeOnce),
    afterwards(labelOps),
  ];
}

/**
 * What runs under `options`, in order: disabled passes gone, required ones written out right before what
 * requires them.
 */
export function relayPrefix(options: Options): readonly RelayPass[] {
  return relayPassList(options).flatMap((entry) =>
    entry.always ? [entry.pass] : scheduled([entry.pass], options),
  );
}

/**
 * Runs relayPrefix on a module; `onStep` hears of every pass: the module before and after (the same object if
 * unchanged).
 */
export function runRelayPrefix(
  module: IRModule,
  cx: RelayContext,
  onStep: (pass: RelayPass, before: IRModule, after: IRModule) => void = () => {},
): IRModule {
  return relayPrefix(cx.options).reduce((before, pass) => {
    const after = pass.run(before, cx);
    onStep(pass, before, after);
    return after;
  }, module);
}
