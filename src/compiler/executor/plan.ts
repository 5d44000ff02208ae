// What the AOT executor hands to code generation, running and the page, and what both executors answer with.
// Facts only; how they come about: aot-main.ts. The graph executor's: graph-plan.ts.
import type { Diagnostic } from "../ir/diagnostic.ts";
import type { Origin } from "../ir/origin.ts";
import type { TensorData } from "../ir/tensor-data.ts";
import type { TensorType } from "../ir/type.ts";
import type { PrimFunc } from "../tir/prim-func.ts";

export type { LoweredPrimitive } from "../lower/lowered.ts";

/** An argument of a call of the runner. */
export type AotArg =
  | { readonly kind: "input"; readonly index: number }
  | { readonly kind: "output"; readonly index: number }
  | { readonly kind: "sid"; readonly sid: number }
  | { readonly kind: "param"; readonly name: string };

/**
 * A step of the runner. "copy" moves bytes: to an output or a result of an if (memcpy, primitive -1) or
 * between devices (__copy, a primitive of its own); args are source and destination. "call" runs a primitive.
 * An if is flat: an "if" row (args: its condition, a bool), the rows of its first branch, "else", the rows of
 * the second, "end"; ifs nest.
 */
export interface AotCall {
  readonly kind: "call" | "copy" | "if" | "else" | "end";
  readonly primitive: number;
  readonly symbol: string;
  readonly args: readonly AotArg[];
  readonly bytes: number;
  readonly origin: Origin;
}

/** DLDeviceType that each tensor of a plan lies on. */
interface AotDevices {
  readonly inputs: readonly number[];
  readonly outputs: readonly number[];
  readonly storage: ReadonlyMap<number, number>;
  readonly params: ReadonlyMap<string, number>;
}

export interface AotPlan {
  /** "tvmgen_default_run_model". */
  readonly entry: string;
  /** C names: input, input1, …, output, output1, …. */
  readonly parameters: readonly string[];
  readonly inputs: readonly { readonly name: string; readonly type: TensorType }[];
  readonly outputs: readonly { readonly name: string; readonly type: TensorType }[];
  /** [sid, bytes] ascending, before StorageRewrite. */
  readonly onDemand: readonly (readonly [number, number])[];
  /** [sid, bytes] in StorageRewrite's entry order. */
  readonly allocs: readonly (readonly [number, number])[];
  /** main row by row. */
  readonly calls: readonly AotCall[];
  /** The same rows before StorageRewrite (every tensor its own sid). */
  readonly onDemandCalls: readonly AotCall[];
  /** The sid in main of each sid on demand. */
  readonly storageOf: ReadonlyMap<number, number>;
  /** Linked parameters by name, p0 …. */
  readonly params: ReadonlyMap<string, TensorData>;
  /** Constants of external functions, which their own code holds. */
  readonly externalParams: ReadonlyMap<string, TensorData>;
  readonly devices: AotDevices;
  /** The main PrimFunc after StorageRewrite: what the listing shows and the back ends print. */
  readonly main: PrimFunc;
}

/** An executor that refused says why; the other one still answers. */
export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly diagnostic: Diagnostic };

/** Of each "if" row the index of its "else", of each "else" that of its "end". */
export function matchingRows(calls: readonly AotCall[]): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  const open: number[] = [];
  calls.forEach((call, i) => {
    if (call.kind === "else" || call.kind === "end") found.set(open.pop()!, i);
    if (call.kind === "if" || call.kind === "else") open.push(i);
  });
  return found;
}
