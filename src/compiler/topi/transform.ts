// Computes that move elements without changing them.  TVM: include/tvm/topi/transform.h
import { last, at, first } from "../../support/assert.ts";
import type { Origin } from "../ir/origin.ts";
import {
  add,
  constInt,
  floorDiv,
  floorMod,
  ge,
  ifThenElse,
  imm,
  intImm,
  max,
  min,
  mul,
  sub,
  truncMod,
} from "../tir/build.ts";
import type { PrimExpr } from "../tir/expr.ts";
import { compute } from "../te/compute.ts";
import type { Tensor } from "../te/tensor.ts";
import { product, reshapedIndices, unravel, withIndices } from "./indexing.ts";

/** The same elements in row-major order under another shape. */
export function reshape(x: Tensor, shape: readonly PrimExpr[], origin: Origin): Tensor {
  const empty = shape.some((extent) => constInt(extent) === 0);
  return compute(
    shape,
    (indices) => (empty ? imm(0, x.dtype) : x.at(...reshapedIndices(indices, shape, x.shape))),
    { name: "T_reshape", tag: "injective", origin },
  );
}

export function transpose(x: Tensor, axes: readonly number[], origin: Origin): Tensor {
  return compute(
    axes.map((axis) => at(x.shape, axis, "input axis")),
    (indices) => {
      const source = new Array<PrimExpr>(axes.length);
      axes.forEach((axis, i) => {
        source[axis] = at(indices, i, "index");
      });
      return x.at(...source);
    },
    { name: "T_transpose", tag: "injective", origin },
  );
}

/** Without the given axes, whose extent is 1. */
export function squeeze(x: Tensor, axes: readonly number[], origin: Origin): Tensor {
  const kept = x.shape.map((_, i) => i).filter((i) => !axes.includes(i));
  return compute(
    kept.map((i) => at(x.shape, i, "input axis")),
    (indices) =>
      x.at(...x.shape.map((_, i) => (axes.includes(i) ? 0 : at(indices, kept.indexOf(i), "index")))),
    { name: "T_squeeze", tag: "injective", origin },
  );
}

/**
 * Tensors one after the other along `axis`. The choice between them is a balanced tree: thousands of tensors
 * must not nest as deep.
 */
export function concatenate(xs: readonly Tensor[], axis: number, origin: Origin): Tensor {
  const begins: PrimExpr[] = [intImm(0)];
  for (const x of xs) begins.push(add(last(begins, "begin"), at(x.shape, axis, "input axis")));
  return compute(
    withIndices(first(xs, "index").shape, new Map([[axis, begins.pop()!]])),
    (indices) => {
      const position = at(indices, axis, "index");
      const among = (from: number, to: number): PrimExpr => {
        if (to - from === 1)
          return at(xs, from, "index").at(
            ...withIndices(indices, new Map([[axis, sub(position, at(begins, from, "begin"))]])),
          );
        const middle = (from + to) >> 1;
        return ifThenElse(ge(position, at(begins, middle, "begin")), among(middle, to), among(from, middle));
      };
      return among(0, xs.length);
    },
    { name: "T_concat", tag: "injective", origin },
  );
}

/** Pieces of `x` along `axis`, piece i from begins[i] to begins[i + 1] (the last to the end). */
export function split(x: Tensor, begins: readonly number[], axis: number, origin: Origin): Tensor[] {
  return begins.map((begin, i) => {
    const end = begins[i + 1];
    const extent = end === undefined ? sub(at(x.shape, axis, "input axis"), begin) : intImm(end - begin);
    return compute(
      withIndices(x.shape, new Map([[axis, extent]])),
      (indices) => x.at(...withIndices(indices, new Map([[axis, add(at(indices, axis, "index"), begin)]]))),
      { name: "T_split", tag: "injective", origin },
    );
  });
}

interface Slice {
  readonly axis: number;
  /** In range. */
  readonly begin: number;
  readonly stride: number;
  /** Number of elements taken. */
  readonly count: number;
}

export function stridedSlice(x: Tensor, slices: readonly Slice[], origin: Origin): Tensor {
  const extents = new Map(slices.map((slice) => [slice.axis, intImm(slice.count)]));
  return compute(
    withIndices(x.shape, extents),
    (indices) => {
      const source = new Map(
        slices.map((slice) => [
          slice.axis,
          add(mul(at(indices, slice.axis, "index"), slice.stride), slice.begin),
        ]),
      );
      return x.at(...withIndices(indices, source));
    },
    { name: "T_strided_slice", tag: "injective", origin },
  );
}

export type TakeMode = "clip" | "wrap" | "fast";

/**
 * `index` brought into 0 … extent-1 as `mode` says. "fast" promises that it is there already; a broken
 * promise takes the nearest too, where TVM reads outside of the tensor. `extent` is at least 1, or nothing is
 * read.
 */
export function inRange(index: PrimExpr, extent: PrimExpr, mode: TakeMode): PrimExpr {
  if (mode === "wrap") return truncMod(add(truncMod(index, extent), extent), extent);
  return min(max(index, 0), sub(extent, 1));
}

/**
 * Elements of flattened `x`, or slices along `axis`, at `indices`; the first `batchDims` axes of both go
 * together.
 */
export function take(
  x: Tensor,
  indices: Tensor,
  spec: { readonly axis: number | null; readonly batchDims: number; readonly mode: TakeMode },
  origin: Origin,
): Tensor {
  const parts = { name: "T_take", tag: "injective", origin };
  const { axis, batchDims, mode } = spec;
  if (axis === null) {
    const size = product(x.shape);
    return compute(
      indices.shape,
      (i) => x.at(...unravel(inRange(indices.at(...i), size, mode), x.shape)),
      parts,
    );
  }
  const picked = indices.shape.slice(batchDims);
  const shape = [...x.shape.slice(0, axis), ...picked, ...x.shape.slice(axis + 1)];
  return compute(
    shape,
    (i) => {
      const position = [...i.slice(0, batchDims), ...i.slice(axis, axis + picked.length)];
      return x.at(
        ...i.slice(0, axis),
        inRange(indices.at(...position), at(x.shape, axis, "input axis"), mode),
        ...i.slice(axis + picked.length),
      );
    },
    parts,
  );
}

/** Each element `repeats` times in a row along `axis`. */
export function repeat(x: Tensor, repeats: number, axis: number, origin: Origin): Tensor {
  return compute(
    withIndices(x.shape, new Map([[axis, mul(at(x.shape, axis, "input axis"), repeats)]])),
    (indices) =>
      x.at(...withIndices(indices, new Map([[axis, floorDiv(at(indices, axis, "index"), repeats)]]))),
    { name: "T_repeat", tag: "broadcast", origin },
  );
}

/** The whole tensor repeated reps[i] times along axis i, aligned at the last axis. */
export function tile(x: Tensor, reps: readonly number[], origin: Origin): Tensor {
  const rank = Math.max(x.shape.length, reps.length);
  const lead = rank - x.shape.length;
  const times = [...Array.from({ length: rank - reps.length }, () => 1), ...reps];
  const shape = times.map((count, i) =>
    i < lead ? intImm(count) : mul(at(x.shape, i - lead, "input axis"), count),
  );
  return compute(
    shape,
    (indices) =>
      x.at(
        ...x.shape.map((extent, i) =>
          times[i + lead] === 1
            ? at(indices, i + lead, "index")
            : floorMod(at(indices, i + lead, "index"), extent),
        ),
      ),
    { name: "T_tile", tag: "broadcast", origin },
  );
}
