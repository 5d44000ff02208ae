// Tensors from numbers and back, all dtypes.
import { type DType } from "../../../ir/dtype.ts";
import { decodeBfloat16, decodeFloat16, encodeBfloat16, encodeFloat16 } from "../../../ir/float16.ts";
import { allocateArray, elementCount, tensorData, type TensorData } from "../../../ir/tensor-data.ts";

const isHalf = (dtype: DType): boolean => dtype.code === "float" && dtype.bits === 16;

/** A tensor of `dtype`; integers are truncated, bigints keep 64 bits. */
export function fromNumbers(
  dtype: DType,
  shape: readonly number[],
  values: readonly (number | bigint)[],
): TensorData {
  const data = allocateArray(dtype, elementCount(shape));
  const wide = data instanceof BigInt64Array || data instanceof BigUint64Array;
  values.forEach((value, i) => {
    (data as { [index: number]: number | bigint })[i] = wide
      ? BigInt(typeof value === "bigint" ? value : Math.trunc(value))
      : encoded(dtype, Number(value));
  });
  return tensorData(dtype, shape, data, "folded");
}

function encoded(dtype: DType, value: number): number {
  if (isHalf(dtype)) return encodeFloat16(value);
  return dtype.code === "bfloat" ? encodeBfloat16(value) : value;
}

/** The elements as numbers, halves decoded. */
export function toNumbers({ dtype, data }: TensorData): number[] {
  const list = Array.from(data as ArrayLike<number | bigint>, Number);
  return isHalf(dtype) ? list.map(decodeFloat16) : dtype.code === "bfloat" ? list.map(decodeBfloat16) : list;
}
