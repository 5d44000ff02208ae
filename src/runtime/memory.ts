// Reading and writing tensors in a module's memory, and making an instance.
import { allocateArray, elementCount, tensorBytes, tensorData, viewArray, type TensorData } from "../compiler/ir/tensor-data.ts";
import { byteSize, type DType } from "../compiler/ir/dtype.ts";
import type { WasmModule } from "../compiler/codegen/wasm/module.ts";
import { hostMaths } from "./host-maths.ts";

export interface Instance {
  readonly memory: WebAssembly.Memory;
  readonly functions: ReadonlyMap<string, (...addresses: number[]) => void>;
}

/** Compiles and instantiates at once: for workers and Node, where the main thread's size limit does not hold. */
export function instantiate(module: WasmModule): Instance {
  return start(module, new WebAssembly.Module(module.bytes));
}

/** Makes an instance of code that was compiled from `module.bytes`, and writes the constants if the module does not hold them. */
export function start(module: WasmModule, code: WebAssembly.Module): Instance {
  const { exports } = new WebAssembly.Instance(code, { env: hostMaths });
  const memory = exports["memory"] as WebAssembly.Memory;
  const functions = new Map<string, (...addresses: number[]) => void>();
  for (const [name, value] of Object.entries(exports)) {
    if (typeof value === "function") functions.set(name, value as (...addresses: number[]) => void);
  }
  if (!module.constantsEmbedded) for (const block of module.layout.constants.values()) writeBytes(memory, block.offset, tensorBytes(block.data));
  return { memory, functions };
}

export function writeBytes(memory: WebAssembly.Memory, offset: number, bytes: Uint8Array): void {
  new Uint8Array(memory.buffer).set(bytes, offset);
}

/** A copy of the tensor at byte `offset`. */
export function readTensor(memory: WebAssembly.Memory, offset: number, dtype: DType, shape: readonly number[]): TensorData {
  const count = elementCount(shape);
  const data = allocateArray(dtype, count);
  const bytes = new Uint8Array(data.buffer);
  bytes.set(new Uint8Array(memory.buffer, offset, count * byteSize(dtype)));
  return tensorData(dtype, shape, data, "folded");
}

/** A typed view of memory; valid until the memory grows. */
export function viewTensor(memory: WebAssembly.Memory, offset: number, dtype: DType, count: number): ReturnType<typeof viewArray> {
  return viewArray(dtype, memory.buffer, offset, count);
}
