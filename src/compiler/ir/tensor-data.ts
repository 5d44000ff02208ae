// Values of constants, inputs and outputs. Constants hold one of these; passes hand it on and never copy it.
import { byteSize, type DType } from "./dtype.ts";
import { invariant } from "../../support/assert.ts";

/**
 * float16, bfloat16 are raw bits in Uint16Array; bool is 0/1 in Uint8Array; int64/uint64 are bigint arrays.
 */
export type TensorArray =
  | Float32Array
  | Float64Array
  | Int8Array
  | Int16Array
  | Int32Array
  | BigInt64Array
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | BigUint64Array;

export interface TensorData {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly data: TensorArray;
  /**
   * Where the values came from: the file or text, the documented seeded recipe (metadata left out), or
   * constant folding.
   */
  readonly provenance: "given" | "seeded" | "folded";
}

export function elementCount(shape: readonly number[]): number {
  return shape.reduce((a, b) => a * b, 1);
}

/** A zeroed array for `count` elements of `type`. */
export function allocateArray(type: DType, count: number): TensorArray {
  return viewArray(type, new ArrayBuffer(byteSize(type) * count), 0, count);
}

/**
 * A typed view on `count` elements of `type` at byte `offset` of `buffer`; offset must be aligned to the
 * element.
 */
export function viewArray(type: DType, buffer: ArrayBufferLike, offset: number, count: number): TensorArray {
  switch (type.code) {
    case "float":
      if (type.bits === 32) return new Float32Array(buffer, offset, count);
      if (type.bits === 64) return new Float64Array(buffer, offset, count);
      return new Uint16Array(buffer, offset, count);
    case "bfloat":
      return new Uint16Array(buffer, offset, count);
    case "bool":
      return new Uint8Array(buffer, offset, count);
    case "int":
      if (type.bits <= 8) return new Int8Array(buffer, offset, count);
      if (type.bits === 16) return new Int16Array(buffer, offset, count);
      if (type.bits === 32) return new Int32Array(buffer, offset, count);
      return new BigInt64Array(buffer, offset, count);
    case "uint":
      if (type.bits <= 8) return new Uint8Array(buffer, offset, count);
      if (type.bits === 16) return new Uint16Array(buffer, offset, count);
      if (type.bits === 32) return new Uint32Array(buffer, offset, count);
      return new BigUint64Array(buffer, offset, count);
    case "handle":
      return new BigUint64Array(buffer, offset, count);
  }
}

export function tensorData(
  dtype: DType,
  shape: readonly number[],
  data: TensorArray,
  provenance: TensorData["provenance"] = "given",
): TensorData {
  invariant(
    data.length === elementCount(shape),
    `tensor of shape (${shape.join(", ")}) needs ${elementCount(shape)} elements, got ${data.length}`,
  );
  return { dtype, shape, data, provenance };
}

/** The raw bytes behind `tensor`, without a copy. */
export function tensorBytes(tensor: TensorData): Uint8Array {
  return new Uint8Array(tensor.data.buffer, tensor.data.byteOffset, tensor.data.byteLength);
}
