// Tensors as they cross to the page and back: halves decoded, int64 as decimal text.
import type { TensorValueView } from "../protocol/runner.ts";
import { parseDType } from "../compiler/ir/dtype.ts";
import { decodeBfloat16, decodeFloat16 } from "../compiler/ir/float16.ts";
import { allocateArray, type TensorData } from "../compiler/ir/tensor-data.ts";

/** A value as the page shows it: halves decoded, int64 as decimal text. */
export function toView(name: string, tensor: TensorData): TensorValueView {
  const { dtype, shape, data } = tensor;
  const spec = { name, shape, dtype: dtype.name };
  if (data instanceof BigInt64Array || data instanceof BigUint64Array)
    return { ...spec, values: Array.from(data, String) };
  if (dtype.code === "bfloat") return { ...spec, values: Float32Array.from(data, decodeBfloat16) };
  if (dtype.code === "float" && dtype.bits === 16)
    return { ...spec, values: Float32Array.from(data, decodeFloat16) };
  if (data instanceof Float32Array) return { ...spec, values: new Float32Array(data) };
  if (data instanceof Float64Array) return { ...spec, values: new Float64Array(data) };
  return { ...spec, values: dtype.code === "uint" ? Uint32Array.from(data) : Int32Array.from(data) };
}

/** Throws Error for a dtype that there is not. */
export function fromView(view: TensorValueView): TensorData {
  const dtype = parseDType(view.dtype);
  if (dtype === null) throw new Error(`input ${view.name}: no dtype ${view.dtype}`);
  const data = allocateArray(dtype, view.values.length);
  if (data instanceof BigInt64Array || data instanceof BigUint64Array)
    for (const [i, value] of view.values.entries()) data[i] = BigInt(value);
  else for (const [i, value] of view.values.entries()) data[i] = Number(value);
  return { dtype, shape: view.shape, data, provenance: "given" };
}
