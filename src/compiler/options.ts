// What a compilation may be asked for, and the names of its stages: plain data that every part of the
// compiler, the page and the command line read.
// TVM: python/tvm/ir/transform.py (PassContext), python/tvm/relay/build_module.py, python/tvm/micro (executor
// and runtime options)

/** DLDeviceType -> target kind; the first is the only one where one device is meant. */
export interface TargetSpec {
  readonly device: number;
  readonly kind: "c" | "wasm" | "opencl";
}

export interface Options {
  /** Which executor the page drives; compile --json answers both whatever this says. */
  readonly executor: "aot" | "graph";
  readonly targets: readonly TargetSpec[];
  readonly optLevel: 0 | 1 | 2 | 3 | 4;
  readonly disabledPasses: readonly string[];
  readonly requiredPasses: readonly string[];
  /** PassContext's config, "relay.FuseOps.max_depth": "10". */
  readonly config: Readonly<Record<string, string>>;
  readonly unpackedApi: boolean;
  readonly interfaceApi: "packed" | "c";
  readonly linkParams: boolean;
  readonly modName: string;
  /** Fixes dynamic dimensions: parameter name -> shape. */
  readonly shapes: Readonly<Record<string, readonly number[]>>;
  /** Parameters of main bound as constants by the fill rule before compiling. */
  readonly bindFill: readonly string[];
  /**
   * Values of small inputs, row-major, by name: constants before compiling, so that shapes and branches that
   * they decide settle.
   */
  readonly bindValues: Readonly<Record<string, readonly number[]>>;
  /**
   * External code generators that the program is partitioned for before its passes, by priority: "ccompiler",
   * or "NAME=op,op" to say which operators go there.
   */
  readonly partition: readonly string[];
  /**
   * Integers of TFLite files are scaled as TFLite's own kernels do, which round twice; TVM rounds once, and
   * differs in the last bit now and then.
   */
  readonly tfliteRounding: boolean;
}

/** AlterOpLayout is off by default: blocked layouts are for who asks. TVM's own default level is 2. */
export const defaultOptions: Options = {
  executor: "aot",
  targets: [{ device: 1, kind: "c" }],
  optLevel: 3,
  disabledPasses: ["AlterOpLayout"],
  requiredPasses: [],
  config: {},
  unpackedApi: true,
  interfaceApi: "c",
  linkParams: true,
  modName: "default",
  shapes: {},
  bindFill: [],
  bindValues: {},
  partition: [],
  tfliteRounding: false,
};

/**
 * Passes that may be switched off, in pipeline order: those of relay/pass-list.ts but InferType and
 * PlanDevices, which what follows needs.
 */
export const switchablePasses = [
  "RemoveUnusedFunctions",
  "ToBasicBlockNormalForm",
  "Legalize",
  "SimplifyInference",
  "DynamicToStatic",
  "EliminateCommonSubexpr",
  "SimplifyExpr",
  "CombineParallelConv2d",
  "CombineParallelDense",
  "CombineParallelBatchMatmul",
  "FoldConstant",
  "FoldScaleAxis",
  "CanonicalizeCast",
  "CanonicalizeOps",
  "AlterOpLayout",
  "FastMath",
  "SplitArgs",
  "FuseOps",
] as const;

/** Stages of a compilation, in order. */
export const stageIds = [
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
] as const;

export type StageId = (typeof stageIds)[number];

/** What a person reads where a stage stands. */
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
