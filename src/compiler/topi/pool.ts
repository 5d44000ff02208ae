// Pooling windows over any number of axes, and adaptive pooling.  TVM: include/tvm/topi/nn/pooling.h
import { at, zip } from "../../support/assert.ts";
import { int32 } from "../ir/dtype.ts";
import type { Origin } from "../ir/origin.ts";
import {
  add,
  cast,
  constInt,
  div,
  eq,
  floorDiv,
  floorMod,
  imm,
  intImm,
  max,
  min,
  mul,
  select,
  sub,
  knownInt,
} from "../tir/build.ts";
import type { IterVar, PrimExpr } from "../tir/expr.ts";
import { compute, maxReduce, minValue, reduceAxis, sum } from "../te/compute.ts";
import type { Tensor } from "../te/tensor.ts";
import { windowExtent, withIndices } from "./indexing.ts";
import { pad } from "./pad.ts";

export interface PoolSpec {
  readonly kind: "max" | "avg";
  /** Axes of the data that are pooled, in the order of the window's entries. */
  readonly axes: readonly number[];
  readonly window: readonly number[];
  readonly strides: readonly number[];
  readonly dilation: readonly number[];
  /** [before, after], one per pooled axis. */
  readonly padding: readonly (readonly [number, number])[];
  readonly ceilMode: boolean;
  readonly countIncludePad: boolean;
}

/** Max or average of windows. The average divides by the window, or by its elements that are not padding. */
export function pool(x: Tensor, spec: PoolSpec, origin: Origin): Tensor {
  const before = x.shape.map(() => 0);
  const after = x.shape.map(() => 0);
  const shape = [...x.shape];
  spec.axes.forEach((axis, i) => {
    before[axis] = at(spec.padding, i, "padding")[0];
    after[axis] = at(spec.padding, i, "padding")[1] + (spec.ceilMode ? at(spec.strides, i, "stride") - 1 : 0);
    const dilated = (at(spec.window, i, "window extent") - 1) * at(spec.dilation, i, "dilation") + 1;
    shape[axis] = windowExtent(
      sub(add(at(x.shape, axis, "input axis"), before[axis] + after[axis]), dilated),
      at(spec.strides, i, "stride"),
    );
  });
  const fill = spec.kind === "max" ? minValue(x.dtype) : imm(0, x.dtype);
  const padded = pad(x, { before, after }, fill, { name: "pad_temp", origin });
  const rv = spec.axes.map((_, i) => reduceAxis(at(spec.window, i, "window extent"), `rv${i}`));
  const inWindow = (indices: readonly PrimExpr[]): PrimExpr =>
    padded.at(
      ...withIndices(
        indices,
        new Map(
          spec.axes.map((axis, i) => [
            axis,
            add(
              mul(at(indices, axis, "index"), at(spec.strides, i, "stride")),
              mul(at(rv, i, "window axis").variable, at(spec.dilation, i, "dilation")),
            ),
          ]),
        ),
      ),
    );
  const attrs = { pool: spec };
  if (spec.kind === "max") {
    return compute(shape, (indices) => maxReduce(inWindow(indices), rv), {
      name: "tensor",
      tag: "pool_max",
      origin,
      attrs,
    });
  }
  const total = compute(shape, (indices) => sum(inWindow(indices), rv), {
    name: "tensor",
    tag: "pool_sum",
    origin,
    attrs,
  });
  return compute(shape, (indices) => div(total.at(...indices), cast(divisor(x, spec, indices), x.dtype)), {
    name: "tensor",
    tag: "elemwise",
    origin,
  });
}

/** How many elements of the window at `indices` count. */
function divisor(x: Tensor, spec: PoolSpec, indices: readonly PrimExpr[]): PrimExpr {
  if (spec.countIncludePad) return intImm(spec.window.reduce((a, b) => a * b, 1));
  const counts = spec.axes.map((axis, i): PrimExpr => {
    const dilation = at(spec.dilation, i, "dilation");
    const start = sub(
      mul(at(indices, axis, "index"), at(spec.strides, i, "stride")),
      at(spec.padding, i, "padding")[0],
    );
    const last = min(
      add(start, (at(spec.window, i, "window extent") - 1) * dilation),
      sub(at(x.shape, axis, "input axis"), 1),
    );
    // steps of the dilated window that lie before the data
    const skipped = max(floorDiv(sub(dilation - 1, start), dilation), 0);
    return add(floorDiv(sub(last, add(start, mul(skipped, dilation))), dilation), 1);
  });
  return max(
    counts.reduce<PrimExpr>((a, b) => mul(a, b), intImm(1)),
    1,
  );
}

/**
 * Windows of varying size so that each pooled axis has `outSize` outputs: [floor(i*n/m), ceil((i+1)*n/m)).
 */
export function adaptivePool(
  x: Tensor,
  spec: {
    readonly kind: "max" | "avg";
    readonly axes: readonly number[];
    readonly outSize: readonly PrimExpr[];
  },
  origin: Origin,
): Tensor {
  const shape = withIndices(x.shape, new Map(zip(spec.axes, spec.outSize, "pooled axes")));
  const starts = (indices: readonly PrimExpr[]): PrimExpr[] =>
    spec.axes.map((axis) =>
      floorDiv(
        mul(at(indices, axis, "index"), at(x.shape, axis, "input axis")),
        at(shape, axis, "output axis"),
      ),
    );
  const sizes = (indices: readonly PrimExpr[]): PrimExpr[] =>
    spec.axes.map((axis, i) => {
      const outCount = at(shape, axis, "output axis");
      const inCount = at(x.shape, axis, "input axis");
      const next = mul(add(at(indices, axis, "index"), 1), inCount);
      const end = dividesEvenly(inCount, outCount)
        ? floorDiv(next, outCount)
        : add(floorDiv(next, outCount), select(eq(floorMod(next, outCount), 0), intImm(0), intImm(1)));
      return sub(end, at(starts(indices), i, "start of a window"));
    });
  const window = (indices: readonly PrimExpr[]): { readonly axes: IterVar[]; readonly value: PrimExpr } => {
    const begin = starts(indices);
    const axes = sizes(indices).map((size, i) => reduceAxis(constantSize(x, spec, i) ?? size, `rv${i}`));
    return {
      axes,
      value: x.at(
        ...withIndices(
          indices,
          new Map(
            spec.axes.map((axis, i) => [
              axis,
              add(at(begin, i, "start of a window"), at(axes, i, "window axis").variable),
            ]),
          ),
        ),
      ),
    };
  };
  if (spec.kind === "max") {
    return compute(
      shape,
      (indices) => {
        const w = window(indices);
        return maxReduce(w.value, w.axes);
      },
      { name: "adaptive_pool_max", tag: "adaptive_pool_max", origin },
    );
  }
  const total = compute(
    shape,
    (indices) => {
      const w = window(indices);
      return sum(w.value, w.axes);
    },
    { name: "adaptive_pool_sum", tag: "adaptive_pool_sum", origin },
  );
  return compute(
    shape,
    (indices) => {
      const counts = sizes(indices).map((size, i) => constantSize(x, spec, i) ?? size);
      return div(
        total.at(...indices),
        cast(
          counts.reduce<PrimExpr>((a, b) => mul(a, b), intImm(1)),
          x.dtype,
        ),
      );
    },
    { name: "adaptive_pool_avg", tag: "elemwise", origin },
  );
}

function dividesEvenly(inCount: PrimExpr, outCount: PrimExpr): boolean {
  const [n, m] = [constInt(inCount), constInt(outCount)];
  return n !== null && m !== null && n % m === 0;
}

/** The window's size where it is the same everywhere, else null. */
function constantSize(
  x: Tensor,
  spec: { readonly axes: readonly number[]; readonly outSize: readonly PrimExpr[] },
  i: number,
): PrimExpr | null {
  const inCount = at(x.shape, at(spec.axes, i, "pooled axis"), "input axis");
  const outCount = at(spec.outSize, i, "output extent");
  if (constInt(outCount) === 1) return inCount;
  return dividesEvenly(inCount, outCount) ? intImm(knownInt(inCount) / knownInt(outCount), int32) : null;
}
