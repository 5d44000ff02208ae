// The ten stages in order, and what the page calls them.
import type { StageId } from "../../../compiler/options.ts";

export const stageOrder: readonly StageId[] = [
  "parse",
  "types",
  "passes",
  "fuse",
  "lower",
  "aot",
  "storage",
  "tir",
  "c",
  "wasm",
];

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
