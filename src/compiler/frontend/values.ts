// Tensors from numbers and back, all dtypes.
import { isInteger, type DType } from "../ir/dtype.ts";
import { decodeBfloat16, decodeFloat16, encodeBfloat16, encodeFloat16 } from "../ir/float16.ts";
import { allocateArray, tensorData, type TensorArray, type TensorData } from "../ir/tensor-data.ts";

const isHalf = (dtype: DType): boolean => dtype.code === "float" && dtype.bits === 16;

/** `items` as elements of `dtype`, as they are stored: halves in their bits. */
export function arrayOf(dtype: DType, items: ArrayLike<number | bigint>): TensorArray {
  const array = allocateArray(dtype, items.length);
  if (array instanceof BigInt64Array || array instanceof BigUint64Array) {
    for (let i = 0; i < items.length; i++) array[i] = BigInt(items[i] ?? 0);
    return array;
  }
  for (let i = 0; i < items.length; i++) {
    const item = items[i] ?? 0;
    // Narrow integers wrap, as they do in a kernel.
    array[i] = typeof item === "bigint" ? Number(BigInt.asIntN(54, item)) : item;
  }
  return array;
}

/** A tensor of `dtype`; integers are truncated, bigints keep 64 bits. */
export function fromNumbers(
  dtype: DType,
  shape: readonly number[],
  values: readonly (number | bigint)[],
): TensorData {
  const data = arrayOf(
    dtype,
    values.map((value) => (typeof value === "bigint" ? value : encoded(dtype, value))),
  );
  return tensorData(dtype, shape, data, "folded");
}

function encoded(dtype: DType, value: number): number {
  if (isInteger(dtype)) return Math.trunc(value);
  if (isHalf(dtype)) return encodeFloat16(value);
  return dtype.code === "bfloat" ? encodeBfloat16(value) : value;
}

/** The elements, 64-bit integers as bigints, as they are stored. */
export function elementsOf({ data }: TensorData): ArrayLike<number | bigint> {
  return data;
}

/**
 * The elements as numbers, halves decoded; int64 beyond 2^53 loses its last digits, which no shape or index
 * has.
 */
export function numbersOf(tensor: TensorData): number[] {
  const list = Array.from(elementsOf(tensor), Number);
  if (isHalf(tensor.dtype)) return list.map(decodeFloat16);
  return tensor.dtype.code === "bfloat" ? list.map(decodeBfloat16) : list;
}
