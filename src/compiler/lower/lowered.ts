// What the TE compiler makes of one primitive function.
import type { Origin } from "../ir/origin.ts";
import type { TensorType } from "../ir/type.ts";
import type { PrimFunc } from "../tir/prim-func.ts";
import type { ExternalFunction } from "./external/external-function.ts";

/** One primitive function after the TE compiler, in order of first call. */
export interface LoweredPrimitive {
  readonly index: number;
  /** "fused_nn_conv2d_add". */
  readonly name: string;
  /** "tvmgen_default_fused_nn_conv2d_add". */
  readonly symbol: string;
  readonly ops: readonly { readonly name: string; readonly pattern: number; readonly origin: Origin }[];
  /** Inputs then outputs; tuples flattened. */
  readonly inputTypes: readonly TensorType[];
  readonly outputTypes: readonly TensorType[];
  /** Scheduled and run through the TIR passes, for each target that was asked for. */
  readonly forC: PrimFunc;
  readonly forWasm: PrimFunc;
  /**
   * The schedule for that target, a line a call of it, in order; made anew when asked for. Absent for what
   * has none (shape functions).
   */
  readonly scheduleTrace?: (target: "c" | "wasm") => readonly string[];
  /** DLDeviceType of the first call site. */
  readonly device: number;
  /**
   * null: lowered here. Else its code generator writes the C, and forC and forWasm (constants after the
   * inputs) mean the same.
   */
  readonly external: ExternalFunction | null;
  /** A copy between devices: the executors move bytes and call no kernel. */
  readonly isCopy: boolean;
  readonly callSites: number;
  readonly cacheKey: string;
  readonly origin: Origin;
}
