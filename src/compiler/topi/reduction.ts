// Reductions over axes.  TVM: include/tvm/topi/reduction.h
import { at, first } from "../../support/assert.ts";
import { int32, isFloat, uint32, type DType } from "../ir/dtype.ts";
import type { Origin } from "../ir/origin.ts";
import {
  and,
  cast,
  constInt,
  eq,
  gt,
  imm,
  intImm,
  lt,
  or,
  reduceNode,
  select,
  tirVar,
  trueImm,
} from "../tir/build.ts";
import type { Combiner, IterVar, PrimExpr } from "../tir/expr.ts";
import { compute, computeMany, maxValue, minValue, reduceAxis, sum } from "../te/compute.ts";
import type { Tensor } from "../te/tensor.ts";
import { product, ravel } from "./indexing.ts";

interface ReduceSpec {
  /** Reduced axes, ascending, counted from the front; not empty. */
  readonly axes: readonly number[];
  readonly keepdims: boolean;
  readonly origin: Origin;
}

function reducedShape(shape: readonly PrimExpr[], spec: Pick<ReduceSpec, "axes" | "keepdims">): PrimExpr[] {
  return shape.flatMap((extent, i) =>
    spec.axes.includes(i) ? (spec.keepdims ? [intImm(1)] : []) : [extent],
  );
}

function reduceAxes(x: Tensor, axes: readonly number[]): IterVar[] {
  return axes.map((axis) => reduceAxis(at(x.shape, axis, "input axis"), `k${axis}`));
}

/** Indices into `x`: the reduced axes run, the others come from the result's indices. */
function sourceIndices(
  x: Tensor,
  spec: ReduceSpec,
  outer: readonly PrimExpr[],
  running: readonly IterVar[],
): PrimExpr[] {
  let next = 0;
  return x.shape.map((_, i) => {
    const place = spec.axes.indexOf(i);
    if (place < 0) return at(outer, spec.keepdims ? i : next++, "index of the result");
    return at(running, place, "reduced axis").variable;
  });
}

/** Combines the elements along the axes with `reducer` (te's sum, prod, maxReduce, …). */
export function reduce(
  x: Tensor,
  spec: ReduceSpec,
  reducer: (source: PrimExpr, axes: readonly IterVar[]) => PrimExpr,
): Tensor {
  const running = reduceAxes(x, spec.axes);
  return compute(
    reducedShape(x.shape, spec),
    (indices) => reducer(x.at(...sourceIndices(x, spec, indices, running)), running),
    { name: `${x.name}_red`, tag: "comm_reduce", origin: spec.origin },
  );
}

/** Number of elements that one result combines, in `dtype`. */
export function reducedCount(x: Tensor, axes: readonly number[]): PrimExpr {
  return product(axes.map((axis) => at(x.shape, axis, "input axis")));
}

/**
 * The pair (index, value) with the greatest or least value; equal values go to the first index, or to the
 * last. The start is index -1, which loses against every element: it is the greatest of all indices read as
 * unsigned, and its value the least of all values.
 */
function argCombiner(kind: "max" | "min", dtype: DType, last: boolean): Combiner {
  const lhs = [tirVar(`arg${kind}_lhs_0`, int32), tirVar(`arg${kind}_lhs_1`, dtype)];
  const rhs = [tirVar(`arg${kind}_rhs_0`, int32), tirVar(`arg${kind}_rhs_1`, dtype)];
  const better =
    kind === "max"
      ? gt(at(lhs, 1, "left side"), at(rhs, 1, "right side"))
      : lt(at(lhs, 1, "left side"), at(rhs, 1, "right side"));
  const sooner = last
    ? gt(first(lhs, "left side"), first(rhs, "right side"))
    : lt(cast(first(lhs, "left side"), uint32), cast(first(rhs, "right side"), uint32));
  const keep = or(better, and(eq(at(lhs, 1, "left side"), at(rhs, 1, "right side")), sooner));
  return {
    name: `arg${kind}`,
    lhs,
    rhs,
    result: [
      select(keep, first(lhs, "left side"), first(rhs, "right side")),
      select(keep, at(lhs, 1, "left side"), at(rhs, 1, "right side")),
    ],
    identity: [imm(-1, int32), worst(kind, dtype)],
  };
}

function worst(kind: "max" | "min", dtype: DType): PrimExpr {
  if (isFloat(dtype)) return imm(kind === "max" ? -Infinity : Infinity, dtype);
  return kind === "max" ? minValue(dtype) : maxValue(dtype);
}

/**
 * The row-major index among the reduced axes of the greatest or least element; 0 where there is none, and
 * where no axis is reduced.
 */
export function argReduce(x: Tensor, spec: ReduceSpec, kind: "max" | "min", last: boolean): Tensor {
  const running = reduceAxes(x, spec.axes);
  const shape = reducedShape(x.shape, spec);
  const combiner = argCombiner(kind, x.dtype, last);
  const [index] = computeMany(
    shape,
    (indices) => {
      const position = ravel(
        running.map((iter) => iter.variable),
        spec.axes.map((axis) => at(x.shape, axis, "input axis")),
      );
      const sources = [position, x.at(...sourceIndices(x, spec, indices, running))];
      return [
        reduceNode(combiner, sources, running, trueImm, 0),
        reduceNode(combiner, sources, running, trueImm, 1),
      ];
    },
    { name: `${x.name}_red_temp`, tag: "comm_reduce_idx", origin: spec.origin },
  );
  const empty =
    spec.axes.length === 0 || spec.axes.some((axis) => constInt(at(x.shape, axis, "input axis")) === 0);
  return compute(shape, (indices) => (empty ? intImm(0) : index.at(...indices)), {
    name: `${x.name}_red`,
    tag: "comm_reduce_idx",
    origin: spec.origin,
  });
}

/** Sums `x` down to `shape`, which broadcasts to x's: the reverse of broadcasting. */
export function collapseSum(x: Tensor, shape: readonly PrimExpr[], origin: Origin): Tensor {
  const lead = x.shape.length - shape.length;
  const collapsed = x.shape.map(
    (extent, i) => i < lead || (isOne(at(shape, i - lead, "axis of the shape to sum to")) && !isOne(extent)),
  );
  const axes = collapsed.flatMap((yes, i) => (yes ? [i] : []));
  if (axes.length === 0)
    return compute(shape, (indices) => x.at(...indices), { name: "tensor", tag: "comm_reduce", origin });
  const running = reduceAxes(x, axes);
  return compute(
    shape,
    (indices) => {
      const source = x.shape.map((_, i) =>
        collapsed[i] === true
          ? at(running, axes.indexOf(i), "reduced axis").variable
          : at(indices, i - lead, "index"),
      );
      return sum(x.at(...source), running);
    },
    { name: `${x.name}_red`, tag: "comm_reduce", origin },
  );
}

function isOne(extent: PrimExpr): boolean {
  return extent.kind === "int" && Number(extent.value) === 1;
}
