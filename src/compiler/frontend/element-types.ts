// What files call their element types, by number, and their bytes as typed arrays.
import { byteSize, parseDType, type DType } from "../ir/dtype.ts";
import { viewArray, type TensorArray } from "../ir/tensor-data.ts";

/** The file format's word, and the dtype that holds such elements; null where none does. */
interface ElementType {
  readonly word: string;
  readonly dtype: DType | null;
}

/** A table by number, from words and the names of their dtypes. */
export function elementTypes(
  rows: readonly (readonly [word: string, dtype: string | null])[],
): readonly ElementType[] {
  return rows.map(([word, dtype]) => ({ word, dtype: dtype === null ? null : parseDType(dtype) }));
}

/** `count` elements at the start of `bytes`, without a copy where they are aligned. */
export function elementsOf(type: DType, bytes: Uint8Array, count: number): TensorArray {
  const size = byteSize(type);
  if (bytes.byteOffset % size === 0) return viewArray(type, bytes.buffer, bytes.byteOffset, count);
  return viewArray(type, bytes.slice(0, count * size).buffer, 0, count);
}
