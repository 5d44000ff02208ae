// Unpacking sparse tensors (DENSIFY, and sparse weights): levels of dense or compressed dimensions, blocks
// inside.
// TVM: python/tvm/relay/frontend/tflite.py (prepare_dense_matrix_from_sparse);
// tensorflow/lite/schema/schema.fbs (SparsityParameters)
import { maxTensorBytes } from "../../limits.ts";
import { at } from "../../../support/assert.ts";
import { byteSize, type DType } from "../../ir/dtype.ts";
import {
  allocateArray,
  elementCount,
  tensorData,
  type TensorArray,
  type TensorData,
} from "../../ir/tensor-data.ts";
import { byte, bytesOf, child, children, int, ints, shorts, type FlatTable } from "./flatbuffer.ts";

interface Level {
  /** Elements of a dense level; null for a compressed one. */
  readonly size: number | null;
  readonly segments: readonly number[];
  readonly indices: readonly number[];
}

/** The tensor of `shape` with its zeros written out, or what is wrong with the file. */
export function densified(
  sparsity: FlatTable,
  shape: readonly number[],
  dtype: DType,
  values: TensorArray,
): TensorData | string {
  const order = ints(sparsity, 0) ?? [];
  const blockMap = ints(sparsity, 1) ?? [];
  const levels = children(sparsity, 2).map(readLevel);
  const rank = shape.length;
  const fits =
    levels.length === order.length &&
    order.length === rank + blockMap.length &&
    new Set(order).size === order.length &&
    order.every((axis) => axis >= 0 && axis < order.length) &&
    blockMap.every((axis) => axis >= 0 && axis < rank);
  if (!fits)
    return `order [${order.join(", ")}] and blocks [${blockMap.join(", ")}] do not name its ${rank} dimensions`;
  const count = elementCount(shape);
  if (count * byteSize(dtype) > maxTensorBytes) return `it has ${count} elements`;
  // Levels that are stored whole cannot be larger than the tensor: nothing to count through for long.
  if (levels.reduce((product, level) => product * Math.max(level.size ?? 1, 0), 1) > count)
    return "its levels are larger than its shape";
  const out = allocateArray(dtype, count);
  let next = 0;
  for (const index of positions(levels)) {
    const flat = flatIndex(index, { order, blockMap, levels, shape });
    const value = values[next++];
    if (value === undefined || flat >= out.length)
      return `its index names more elements than its ${values.length} values, or elements outside its shape`;
    out[flat] = value;
  }
  return tensorData(dtype, shape, out);
}

function readLevel(table: FlatTable): Level {
  if (byte(table, 0) === 0) return { size: int(table, 1), segments: [], indices: [] };
  return { size: null, segments: indexVector(table, 2), indices: indexVector(table, 4) };
}

/** A union of vectors of int32, uint16 and uint8: its kind stands in the field before. */
function indexVector(table: FlatTable, kindField: number): readonly number[] {
  const kind = byte(table, kindField);
  const vector = child(table, kindField + 1);
  if (vector === null) return [];
  return (
    (kind === 1 ? ints(vector, 0) : kind === 2 ? shorts(vector, 0) : Array.from(bytesOf(vector, 0) ?? [])) ??
    []
  );
}

/** Indices of the stored values, one per level, in the order in which they are stored. */
function* positions(
  levels: readonly Level[],
  index: number[] = [],
  parent = 0,
): Generator<readonly number[]> {
  const level = levels[index.length];
  if (level === undefined) {
    yield index;
    return;
  }
  if (level.size !== null) {
    for (let i = 0; i < level.size; i++) yield* positions(levels, [...index, i], parent * level.size + i);
    return;
  }
  for (let entry = level.segments[parent] ?? 0; entry < (level.segments[parent + 1] ?? 0); entry++)
    yield* positions(levels, [...index, level.indices[entry] ?? 0], entry);
}

interface Layout {
  readonly order: readonly number[];
  readonly blockMap: readonly number[];
  readonly levels: readonly Level[];
  readonly shape: readonly number[];
}

function flatIndex(index: readonly number[], { order, blockMap, levels, shape }: Layout): number {
  const stored = order.map((axis, i) => ({
    axis,
    index: at(index, i, "index"),
    size: at(levels, i, "level").size ?? 1,
  }));
  const place = shape.map((_, axis) => stored.find((level) => level.axis === axis)?.index ?? 0);
  for (const level of stored) {
    if (level.axis < shape.length) continue;
    const of = at(blockMap, level.axis - shape.length, "block");
    place[of] = at(place, of, "axis of the dense tensor") * level.size + level.index;
  }
  return place.reduce((flat, value, axis) => flat * at(shape, axis, "extent") + value, 0);
}
