// SparseTensorProto -> TensorData, zeros filled in. TVM reads no sparse initializers.
import { fail } from "../../ir/diagnostic.ts";
import { allocateArray, elementCount, tensorData, type TensorData } from "../../ir/tensor-data.ts";
import { mostElements } from "../../limits.ts";
import { elementsOf, numbersOf } from "../values.ts";
import type { GraphProto, SparseTensorProto } from "./model-proto.ts";
import { readTensor, type DataFiles } from "./tensor.ts";

/**
 * The values of `proto`: `values` (count), `indices` (count), row-major, or (count, rank). Throws
 * CompileError RS1822 where they do not fit its shape, RS1821 where there are more elements than are filled
 * in.
 */
export function readSparse(proto: SparseTensorProto, files: DataFiles): TensorData {
  const name = proto.values?.name ?? "";
  const wrong = (expected: string, got: string): never =>
    fail("RS1822", `The sparse tensor "${name}" is damaged.`, {
      expected,
      got,
      hint: "export the model again",
    });
  if (proto.values === null || proto.indices === null)
    return wrong("values and indices", proto.values === null ? "no values" : "no indices");
  const shape = [...proto.dims];
  const count = elementCount(shape);
  if (count > mostElements)
    return fail("RS1821", `The sparse tensor "${name}" has too many elements to be filled in.`, {
      expected: `at most ${mostElements}`,
      got: `${count}, as (${shape.join(", ")})`,
      hint: "compute with its values and indices in the model instead (ScatterND)",
    });
  const values = readTensor(proto.values, files);
  const indices = readTensor(proto.indices, files);
  const width = indices.shape.length === 2 ? shape.length : 1;
  const [given, stored] = [values.data.length, indices.data.length];
  if (stored !== given * width) return wrong(`${given * width} indices for ${given} values`, String(stored));
  const items = numbersOf(indices);
  const out = allocateArray(values.dtype, count);
  const set = (at: number, value: number | bigint): void => {
    // The array's kind is that of the values, whose elements these are.
    (out as { [place: number]: number | bigint })[at] = value;
  };
  Array.from(elementsOf(values)).forEach((value, i) => {
    const place = items.slice(i * width, (i + 1) * width);
    const limits = width === 1 ? [count] : shape;
    const outside = limits.some((extent, axis) => !inside(place[axis], extent));
    if (outside) wrong(`indices inside (${shape.join(", ")})`, `(${place.join(", ")})`);
    set(
      place.reduce((sum, index, axis) => sum * (limits[axis] ?? 1) + index, 0),
      value,
    );
  });
  return tensorData(values.dtype, shape, out, "folded");
}

const inside = (index: number | undefined, extent: number): boolean =>
  index !== undefined && index >= 0 && index < extent;

/** Names of the graph's inputs and constants that the file gives a value. */
export function initializedNames(graph: GraphProto): ReadonlySet<string> {
  return new Set([
    ...graph.initializer.map(({ name }) => name),
    ...graph.sparse_initializer.map(({ values }) => values?.name ?? ""),
  ]);
}
