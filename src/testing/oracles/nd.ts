// Tensors as the oracles see them: a shape, and elements row-major, integers and bool as bigint, floats as
// number. Nothing here comes from the compiler but the names of dtypes and the reading of stored halves.
import { elementsOf, fromNumbers, numbersOf } from "../../compiler/frontend/values.ts";
import { isFloat, type DType } from "../../compiler/ir/dtype.ts";
import type { TensorData } from "../../compiler/ir/tensor-data.ts";
import { at, present } from "../../support/assert.ts";

export type Element = number | bigint;
export type Index = readonly number[];

export interface Nd {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly elements: readonly Element[];
}

export function ndOf(tensor: TensorData): Nd {
  const { dtype, shape } = tensor;
  const elements = isFloat(dtype) ? numbersOf(tensor) : Array.from(elementsOf(tensor), BigInt);
  return { dtype, shape, elements };
}

export const tensorOf = ({ dtype, shape, elements }: Nd): TensorData => fromNumbers(dtype, shape, elements);

export const count = (shape: readonly number[]): number => shape.reduce((a, b) => a * b, 1);

/** The tensor whose element at every index is f(index). */
export function build(dtype: DType, shape: readonly number[], f: (index: Index) => Element): Nd {
  const elements = Array.from({ length: count(shape) }, (_, flat) => f(indexOf(shape, flat)));
  return { dtype, shape, elements };
}

export function indexOf(shape: readonly number[], flat: number): Index {
  const index = new Array<number>(shape.length);
  let rest = flat;
  for (let i = shape.length - 1; i >= 0; i--) {
    const extent = at(shape, i, "axis");
    index[i] = rest % extent;
    rest = Math.floor(rest / extent);
  }
  return index;
}

/** The element at `index`, which must be inside. */
export function get({ shape, elements }: Nd, index: Index): Element {
  let flat = 0;
  shape.forEach((extent, i) => {
    const place = at(index, i, "index");
    if (place < 0 || place >= extent)
      throw new Error(`${index.join(", ")} is outside of ${shape.join(", ")}`);
    flat = flat * extent + place;
  });
  return present(elements[flat], "element");
}

export const number = (value: Element): number => Number(value);

/** The index in a tensor of `shape` that broadcasts to `index`. */
export function broadcastIndex(shape: readonly number[], index: Index): Index {
  const behind = index.slice(index.length - shape.length);
  return shape.map((extent, i) => (extent === 1 ? 0 : at(behind, i, "index")));
}

export function broadcastShape(...shapes: readonly (readonly number[])[]): readonly number[] {
  const rank = Math.max(0, ...shapes.map(({ length }) => length));
  return Array.from({ length: rank }, (_, i) => {
    const extents = shapes.map((shape) => shape[i - rank + shape.length] ?? 1);
    return extents.find((extent) => extent !== 1) ?? 1;
  });
}

export const fromFront = (axis: number, rank: number): number => (axis < 0 ? axis + rank : axis);

/** All indices of `shape`. */
export const indices = (shape: readonly number[]): readonly Index[] =>
  Array.from({ length: count(shape) }, (_, flat) => indexOf(shape, flat));
