// The order of everything, to be read top to bottom. Names are TVM's.
//   source -> parse -> types (InferType, as TVM's parser does at its end) -> passes and fuse (relay/pass-list.ts)
//          -> lower (te compiler: te -> tir) -> aot (executor/aot-main.ts, StorageRewrite) and storage (executor/graph-plan.ts,
//          memory/graph-plan-memory.ts) -> tir (tir/passes/pipeline.ts, once a primitive and target) -> c (codegen/c) and wasm (codegen/wasm)
import type { Options, StageId } from "./options.ts";
import type { Pass } from "./ir/pass.ts";
import { inferType } from "./relay/passes/infer-type/infer-type.ts";
import type { IRModule } from "./relay/module.ts";
import type { RelayContext } from "./relay/op.ts";
import { relayPrefix } from "./relay/pass-list.ts";

export interface PipelineStep {
  readonly stage: StageId;
  readonly pass: Pass<IRModule, RelayContext>;
}

/** Stages of the rail, in order, with what a person reads there. */
export const stageTitles: Readonly<Record<StageId, string>> = {
  parse: "Parse",
  types: "Types",
  passes: "Passes",
  fuse: "Fuse",
  lower: "Lower TE",
  aot: "AOT main",
  storage: "Storage",
  tir: "TIR passes",
  c: "C",
  wasm: "WASM",
};

/** Relay passes that run under `options`, in order, each with its stage: from FuseOps on "fuse". */
export function relaySteps(options: Options): readonly PipelineStep[] {
  const passes = relayPrefix(options);
  const fuseAt = passes.findIndex((pass) => pass.name === "FuseOps");
  const prefix = passes.map((pass, i): PipelineStep => ({
    pass,
    stage: fuseAt >= 0 && i >= fuseAt ? "fuse" : "passes",
  }));
  return [{ stage: "types", pass: inferType }, ...prefix];
}
