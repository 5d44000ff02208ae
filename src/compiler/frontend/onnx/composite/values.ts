// Tensors from numbers and back, all dtypes.
import { type DType } from "../../../ir/dtype.ts";
import { decodeBfloat16, decodeFloat16, encodeBfloat16, encodeFloat16 } from "../../../ir/float16.ts";
import { allocateArray, elementCount, tensorData, type TensorData } from "../../../ir/tensor-data.ts";

const isHalf = (dtype: DType): boolean => dtype.code === "float" && dtype.bits === 16;

/** A tensor of `dtype`; integers are truncated, bigints keep 64 bits. */
export function fromNumbers(dtype: DType, shape: readonly number[], values: readonly (number | bigint)[]): TensorData {
  const data = allocateArray(dtype, elementCount(shape));
  const wide = data instanceof BigInt64Array || data instanceof BigUint64Array;
  values.forEach((value, i) => {
    const item = wide ? BigInt(typeof value === "bigint" ? value : Math.trunc(value)) : isHalf(dtype) ? encodeFloat16(Number(value)) : dtype.code === "bfloat" ? encodeBfloat16(Number(value)) : Number(value);
    (data as { [index: number]: number | bigint })[i] = item;
  });
  return tensorData(dtype, shape, data, "folded");
}

/** The elements as numbers, halves decoded. */
export function toNumbers({ dtype, data }: TensorData): number[] {
  const list = Array.from(data as ArrayLike<number | bigint>, Number);
  return isHalf(dtype) ? list.map(decodeFloat16) : dtype.code === "bfloat" ? list.map(decodeBfloat16) : list;
}
