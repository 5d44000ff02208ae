// Reading and writing tensors in a module's memory, and making an instance.
import { allocateArray, elementCount, tensorData, type TensorData } from "../compiler/ir/tensor-data.ts";
import { byteSize, type DType } from "../compiler/ir/dtype.ts";
import { dividedByZero } from "../compiler/ir/arithmetic-fault.ts";
import { hostMaths } from "./host-maths.ts";

export interface Instance {
  readonly memory: WebAssembly.Memory;
  readonly functions: ReadonlyMap<string, (...addresses: number[]) => void>;
}

/**
 * Compiles and instantiates at once: for workers and Node, where the main thread's size limit does not hold.
 */
export function instantiate(bytes: Uint8Array<ArrayBuffer>): Instance {
  return start(new WebAssembly.Module(bytes));
}

function start(code: WebAssembly.Module): Instance {
  const { exports } = new WebAssembly.Instance(code, { env: hostMaths });
  const functions = new Map<string, (...addresses: number[]) => void>();
  for (const [name, value] of Object.entries(exports)) {
    if (typeof value === "function") functions.set(name, value as (...addresses: number[]) => void);
  }
  return { memory: exports["memory"] as WebAssembly.Memory, functions };
}

/**
 * Runs code of a module; a trap of its arithmetic is the model's fault and becomes a diagnostic, any other is
 * ours.
 */
export function trapped(run: () => void, where?: string): void {
  try {
    run();
  } catch (error) {
    if (error instanceof WebAssembly.RuntimeError && /by zero|unrepresentable|overflow/i.test(error.message))
      dividedByZero(where);
    throw error;
  }
}

export function writeBytes(memory: WebAssembly.Memory, offset: number, bytes: Uint8Array): void {
  new Uint8Array(memory.buffer).set(bytes, offset);
}

/** A copy of the tensor at byte `offset`. */
export function readTensor(
  memory: WebAssembly.Memory,
  offset: number,
  dtype: DType,
  shape: readonly number[],
): TensorData {
  const count = elementCount(shape);
  const data = allocateArray(dtype, count);
  const bytes = new Uint8Array(data.buffer);
  bytes.set(new Uint8Array(memory.buffer, offset, count * byteSize(dtype)));
  return tensorData(dtype, shape, data, "folded");
}
