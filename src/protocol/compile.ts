// What both threads share of a compilation: its request, its facts, its reply. Plain data.

import type { CallArg } from "./call-arg.ts";
import type { ListingId } from "./listing-id.ts";
import type { DiagnosticCode, DiagnosticSubject } from "../compiler/ir/diagnostic-codes.ts";
import type { Options, StageId } from "../compiler/options.ts";

/**
 * What the user opened. A dropped file stays a handle: its bytes are read in the worker and never copied to
 * this thread.
 */
export type Source = RelaySource | FileSource;

interface RelaySource {
  readonly kind: "relay";
  readonly text: string;
  readonly name: string;
}

export interface FileSource {
  readonly kind: "onnx" | "tflite";
  /** Always empty: the Relay text of an imported model is the listing of step -1. */
  readonly text: "";
  readonly name: string;
  readonly file: Blob;
  /** External data dropped together with it. */
  readonly extra: readonly { readonly name: string; readonly file: Blob }[];
}

/** One per compilation, increasing. */
export type RunId = number;

export interface CompileRequest {
  readonly runId: RunId;
  readonly source: Source;
  readonly options: Options;
}

export interface DiagnosticView {
  readonly code: DiagnosticCode;
  readonly severity: "error" | "warning" | "info";
  readonly message: string;
  /** The parameter or file that it is about, null for others. */
  readonly subject: DiagnosticSubject | null;
  /** 1-based; 0 where the place is not in the source text. */
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  readonly expected: string | null;
  readonly got: string | null;
  readonly because: string | null;
  readonly hint: string | null;
  readonly notes: readonly string[];
  /** Stage that found it. */
  readonly stage: StageId;
}

export interface StepView {
  /** Index of the step, also in the ids of its listing. */
  readonly index: number;
  readonly stage: StageId;
  /** TVM's pass name. */
  readonly pass: string;
  readonly ms: number;
  readonly changed: boolean;
  /** Operator calls before and after, for the delta in the rail. */
  readonly opsBefore: number;
  readonly opsAfter: number;
}

export interface PrimitiveView {
  /** Index p in `pN`: hue and pattern follow from it. */
  readonly index: number;
  /** Without prefix: fused_nn_conv2d_add. */
  readonly name: string;
  /** Linker name: tvmgen_default_fused_nn_conv2d_add. */
  readonly symbol: string;
  readonly ops: readonly {
    readonly name: string;
    readonly pattern: string;
    readonly sources: readonly number[];
  }[];
  /** Call indices in the AOT runner. */
  readonly callSites: readonly number[];
  readonly workspaceBytes: number;
  /** Floating-point or integer operations of one call (multiply and add count 1 each). */
  readonly operations: number;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  /** 1-based line ranges in lib1, inclusive. */
  readonly cLines: readonly [number, number];
  /** Listing that cLines count in: lib1, of an external function its own file. */
  readonly cListing: ListingId;
  /** Code generator of an external function ("ccompiler"), null for what is lowered here. */
  readonly external: string | null;
  /** DLDeviceType that it is compiled for. */
  readonly device: number;
  /** Function index and body bytes in the WASM module. */
  readonly wasmFunction: number;
  readonly wasmBytes: number;
  readonly watLines: readonly [number, number];
  /** Compile cache: key text, how many call sites hit it. */
  readonly cacheKey: string;
  readonly cacheHits: number;
  /** What computes its result shapes when it runs; null where the types say them. */
  readonly shapeFunc: ShapeFuncView | null;
}

/** The shape function of a primitive with dynamic dimensions. */
export interface ShapeFuncView {
  /** "shape_func_add". */
  readonly name: string;
  /** What it asks of each parameter of the primitive: "no need", "data", "shape" or "data and shape". */
  readonly needs: readonly string[];
}

/** One call of the AOT runner in order of execution; copies to outputs have primitive -1. */
export interface CallView {
  readonly index: number;
  readonly primitive: number;
  readonly symbol: string;
  /** What it reads, then what it writes. */
  readonly args: readonly CallArg[];
  readonly inputCount: number;
  /** 1-based lines in lib0 or lib1 of the call in the runner. */
  readonly cLines: readonly [number, number];
  /** Node number in the graph JSON, -1 for copies. */
  readonly graphNode: number;
  /**
   * Source nodes that this call computes. Selection joins through this (and PrimitiveView.ops), never through
   * a listing.
   */
  readonly sources: readonly number[];
}

/** A node of the user's source that origins refer to, by SourceId. */
export interface SourceNodeView {
  /**
   * "%4", "%data", "meta[relay.Constant][0]" or "" where it has no name; of an imported model, the node's
   * name in the file.
   */
  readonly name: string;
  /** Relay's operator, or the file's word ("Conv", "CONV_2D"). */
  readonly op: string;
  /**
   * The local of the imported Relay that the file's node became, "%4"; "" for Relay text, and where it has
   * none.
   */
  readonly local: string;
  readonly start: number;
  readonly end: number;
  readonly line: number;
  readonly endLine: number;
  /** Printed type or "". */
  readonly type: string;
  /** The same as a record where it is one tensor, else null. */
  readonly tensor: TensorTypeView | null;
}

export interface DimView {
  /** null where it is dynamic. */
  readonly extent: number | null;
  /** The name of a dynamic dimension ("N"): dimensions of one name have one value. "" for none. */
  readonly symbol: string;
}

export interface TensorTypeView {
  readonly dims: readonly DimView[];
  readonly dtype: string;
}

export interface RemarkView {
  readonly pass: string;
  /** Index of the step that decided, -1 where no Relay pass did. */
  readonly step: number;
  readonly kind: string;
  readonly text: string;
  readonly sources: readonly number[];
  readonly otherSources: readonly number[];
  readonly primitive: number;
}

/**
 * Owner rows of one listing (ListingView.owners): its lineOwner holds row number + 1, 0 = nobody. A row says
 * which source nodes (CSR), primitive, call and sid a line belongs to; -1 where a column does not apply. A
 * pane lights a line by intersecting its row with the resolved selection. There is no table for the whole
 * run: rows are numbered per listing.
 */
export interface OwnerTable {
  readonly sourceStart: Uint32Array;
  readonly sources: Uint32Array;
  readonly primitive: Int32Array;
  readonly call: Int32Array;
  readonly storage: Int32Array;
}

export interface TensorSpecView {
  readonly name: string;
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly bytes: number;
}

/** An input of main with dimensions that are not known when compiling. */
export interface DynamicInputView {
  readonly name: string;
  readonly dtype: string;
  /** null where the extent is known only when the program runs. */
  readonly dims: readonly (number | null)[];
}

/** An entry of the TE compiler's cache. TVM: ListItems */
export interface CacheItemView {
  readonly kind: "function" | "external" | "shape function";
  /** Symbol, or the shape function's name. */
  readonly name: string;
  readonly key: string;
  /** Kind of the target that it was made for; "ext_dev" for external functions. */
  readonly target: string;
  readonly useCount: number;
  /** The primitive that it is, or whose shapes it computes; -1 for none. */
  readonly primitive: number;
}

export interface Summary {
  readonly totalMs: number;
  readonly steps: readonly StepView[];
  readonly stageMs: Readonly<Record<StageId, number>>;
  readonly primitives: readonly PrimitiveView[];
  readonly cache: readonly CacheItemView[];
  /** Key of the entry that was made or found last, null where nothing was lowered. */
  readonly currentKey: string | null;
  readonly calls: readonly CallView[];
  readonly sources: readonly SourceNodeView[];
  readonly remarks: readonly RemarkView[];
  readonly inputs: readonly TensorSpecView[];
  readonly outputs: readonly TensorSpecView[];
  /**
   * Whether shapes are known only when it runs: no memory plan and no C, kernels are made for the shapes at
   * hand.
   */
  readonly dynamic: boolean;
  /** Inputs that need a shape (options.shapes, or values) before it can run. */
  readonly dynamicInputs: readonly DynamicInputView[];
  /**
   * Arena bytes of the executor chosen, largest workspace of one call, and the largest sum of both at one
   * call.
   */
  readonly arenaBytes: number;
  readonly workspaceBytes: number;
  readonly worstCallBytes: number;
  readonly constantBytes: number;
  /** Constants whose values come from the seeded recipe because the paste had no metadata. */
  readonly seededConstants: number;
  readonly listings: readonly ListingInfo[];
  readonly wasmBytes: number;
  /** What an imported file looks like, null for Relay text. */
  readonly model: ModelFactsView | null;
  /** Why an executor refused, null where it did not. */
  readonly aotError: string | null;
  readonly graphError: string | null;
}

/** An input or output of a model file, as the file states it. */
export interface FileTensorView {
  readonly name: string;
  /** What main calls it: its parameter's name; of what is no parameter, the name that it would have. */
  readonly relayName: string;
  /** For people: "float[N, 3, 224, 224]", with scale and bytes where the file says them. */
  readonly type: string;
  /** The file's word for its elements; "" for what is no tensor. */
  readonly dtype: string;
  /** Whether its elements are whole numbers or booleans. */
  readonly isWhole: boolean;
  /** null where not even the rank is known, and for what is no tensor. */
  readonly dims: readonly DimView[] | null;
}

export interface ModelFactsView {
  /** "ONNX opset 13", "TFLite schema 3". */
  readonly format: string;
  readonly producer: string;
  readonly details: readonly (readonly [name: string, value: string])[];
  readonly inputs: readonly FileTensorView[];
  readonly outputs: readonly FileTensorView[];
  readonly operators: readonly (readonly [op: string, count: number])[];
}

export interface ListingInfo {
  readonly id: ListingId;
  readonly title: string;
  readonly language: "relay" | "c" | "wat" | "json" | "tir";
}

/**
 * `failed` still carries what was reached (steps, listings); `crashed` is a bug of ours with a repro text.
 */
export type CompileReply =
  | {
      readonly status: "ok" | "failed";
      readonly runId: RunId;
      readonly diagnostics: readonly DiagnosticView[];
      readonly summary: Summary;
      readonly stoppedAt: StageId | null;
    }
  | { readonly status: "cancelled"; readonly runId: RunId }
  | { readonly status: "crashed"; readonly runId: RunId; readonly message: string; readonly repro: string };

/** Pushed through Progress (polled by the client through a MessagePort), not a comlink callback. */
export interface Progress {
  readonly runId: RunId;
  readonly stage: StageId;
  readonly pass: string;
  readonly done: number;
}
