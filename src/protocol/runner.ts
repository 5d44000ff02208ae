// Running a compiled model: request and reply of the runner.
import type { DiagnosticCode } from "../compiler/ir/diagnostic-codes.ts";
import type { RunId } from "./compile.ts";

export interface TensorValueView {
  readonly name: string;
  readonly shape: readonly number[];
  readonly dtype: string;
  /** float16/bfloat16 decoded; int64 as decimal text; bool 0/1. */
  readonly values: Float32Array | Float64Array | Int32Array | Uint32Array | readonly string[];
}

export interface RunRequest {
  readonly runId: RunId;
  readonly executor: "aot" | "graph";
  /** Inputs by the documented fill rule where a name is missing. */
  readonly inputs: Readonly<Record<string, TensorValueView>>;
  /** Shapes of filled inputs that have dynamic dimensions (Summary.dynamicInputs). */
  readonly shapes?: Readonly<Record<string, readonly number[]>>;
  /** Repeats for timing after one warm-up. */
  readonly repeats: number;
}

export type RunReply =
  | {
      readonly status: "ok";
      readonly runId: RunId;
      readonly outputs: readonly TensorValueView[];
      /** Milliseconds of one whole run, least of the repeats. */
      readonly ms: number;
      /** Microseconds a call, by call index, least of the repeats. */
      readonly callMicros: Float64Array;
    }
  | {
      readonly status: "failed";
      readonly runId: RunId;
      readonly code: DiagnosticCode;
      readonly message: string;
    };
