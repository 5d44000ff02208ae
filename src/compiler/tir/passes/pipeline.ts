// The TIR passes of a kernel, in order, for each target. TVM's names, so that a person who knows TVM finds
// them.
// TVM: src/driver/driver_api.cc (CreatePassList)
import type { Pass, PassContext } from "../../ir/pass.ts";
import type { PrimFunc } from "../prim-func.ts";
import { checkPrimFunc } from "../verify.ts";
import { flattenBuffer } from "./flatten-buffer.ts";
import { kernelStorageRewrite } from "./kernel-storage-rewrite.ts";
import { loopPartition } from "./loop-partition.ts";
import { lowerIntrin, type TargetIntrinsics } from "./lower-intrin.ts";
import { narrowDataType } from "./narrow-data-type.ts";
import { removeNoOp } from "./remove-no-op.ts";
import { rewriteUnsafeSelect } from "./rewrite-unsafe-select.ts";
import { simplifyPass } from "./simplify.ts";
import { unrollLoop } from "./unroll-loop.ts";
import { skipVectorize, vectorizeLoop } from "./vectorize-loop.ts";

/** The C back end prints every intrinsic itself, through libm and its own header. */
const cIntrinsics: TargetIntrinsics = { has: () => true };
/** The WebAssembly back end has instructions or helper functions for all but these. */
const missingInWasm: ReadonlySet<string> = new Set(["tir.sigmoid", "tir.exp10"]);
const wasmIntrinsics: TargetIntrinsics = { has: (op) => !missingInWasm.has(op) };

export function lowerPasses(target: "c" | "wasm"): readonly Pass<PrimFunc>[] {
  return [
    narrowDataType,
    flattenBuffer,
    simplifyPass,
    loopPartition,
    target === "wasm" ? vectorizeLoop : skipVectorize,
    kernelStorageRewrite,
    unrollLoop,
    simplifyPass,
    removeNoOp,
    rewriteUnsafeSelect,
    lowerIntrin(target === "wasm" ? wasmIntrinsics : cIntrinsics),
  ];
}

/**
 * `lowered`, as the schedule made it, with the passes of `target` run; throws InvariantError for what
 * verifying finds.
 */
export function runLowerPasses(cx: PassContext, lowered: PrimFunc, target: "c" | "wasm"): PrimFunc {
  if (cx.verify === "passes") checkPrimFunc(lowered, "ScheduleOps");
  let f = lowered;
  for (const [step, pass] of lowerPasses(target).entries()) {
    f = pass.run(f, cx);
    if (cx.verify === "passes") checkPrimFunc(f, `${pass.name} (step ${step} for ${target})`);
  }
  if (cx.verify === "stages") checkPrimFunc(f, `the TIR passes for ${target}`);
  return f;
}
