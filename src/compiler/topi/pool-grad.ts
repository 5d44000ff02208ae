// Gradients of pools: each window gives its gradient back to the elements it came from.
// TVM: include/tvm/topi/nn/pooling.h (pool_grad)
import { at, zip } from "../../support/assert.ts";
import { int32 } from "../ir/dtype.ts";
import type { Origin } from "../ir/origin.ts";
import {
  add,
  allocate,
  and,
  buffer,
  cast,
  div,
  ge,
  gt,
  ifStmt,
  imm,
  intImm,
  load,
  lt,
  max,
  mul,
  or,
  eq,
  seq,
  store,
  sub,
} from "../tir/build.ts";
import type { Buffer, PrimExpr } from "../tir/expr.ts";
import type { Stmt } from "../tir/stmt.ts";
import { extern, minValue } from "../te/compute.ts";
import type { Tensor } from "../te/tensor.ts";
import { cell, nest, withCells, type Cell } from "./extern-loops.ts";
import { withIndices } from "./indexing.ts";
import type { PoolSpec } from "./pool.ts";

/**
 * Gradient with respect to `data` of a pool whose result has the gradient `grad`. Of equal maxima the first
 * gets all.
 */
export function poolGrad(grad: Tensor, data: Tensor, spec: PoolGradSpec, origin: Origin): Tensor {
  return extern(
    [grad, data],
    [{ shape: data.shape, dtype: data.dtype }],
    ([given, from], [to]) => {
      const pool: PoolGrad = { spec, given, from, to, count: cell("count", int32, origin), origin };
      const clear = nest(data.shape, origin, (i) => store(to, i, imm(0, data.dtype), origin), "z");
      if (spec.kind !== "max") {
        const body = seq([clear, nest(grad.shape, origin, (i) => toAverage(pool, i))], origin);
        return spec.countIncludePad ? body : withCells([pool.count], body, origin);
      }
      const best = buffer("best", int32, [spec.axes.length], "local");
      const greatest = cell("greatest", data.dtype, origin);
      const all = nest(grad.shape, origin, (i) => toMaximum(pool, i, best, greatest));
      return allocate(best, withCells([greatest, pool.count], seq([clear, all], origin), origin), origin);
    },
    { name: "T_pool_grad", tag: `pool_grad_${spec.kind}`, origin },
  )[0];
}

type PoolGradSpec = Omit<PoolSpec, "ceilMode">;

interface PoolGrad {
  readonly spec: PoolGradSpec;
  /** The gradient of the result, the data, and the gradient that is made. */
  readonly given: Buffer;
  readonly from: Buffer;
  readonly to: Buffer;
  /** Elements of the window that lie in the data. */
  readonly count: Cell;
  readonly origin: Origin;
}

/** `body` for each element of the data in the window of result i; `prefix` names its loops. */
function window(
  { spec, from, origin }: PoolGrad,
  i: readonly PrimExpr[],
  prefix: string,
  body: (position: readonly PrimExpr[]) => Stmt,
): Stmt {
  const element = (k: readonly PrimExpr[]): Stmt => {
    const places = spec.axes.map((axis, n) =>
      sub(
        add(
          mul(at(i, axis, "index"), at(spec.strides, n, "stride")),
          mul(at(k, n, "index in the window"), at(spec.dilation, n, "dilation")),
        ),
        at(spec.padding, n, "padding")[0],
      ),
    );
    const inside = zip(spec.axes, places, "axes")
      .map(([axis, place]) => and(ge(place, 0), lt(place, at(from.shape, axis, "input axis"))))
      .reduce((a, b) => and(a, b));
    const position = withIndices(i, new Map(zip(spec.axes, places, "axes")));
    return ifStmt(inside, body(position), null, origin);
  };
  return nest(
    spec.window.map((size) => intImm(size)),
    origin,
    element,
    prefix,
  );
}

function give({ to, origin }: PoolGrad, position: readonly PrimExpr[], value: PrimExpr): Stmt {
  return store(to, position, add(load(to, position), value), origin);
}

/** The gradient of result i goes to the first of the greatest elements of its window. */
function toMaximum(pool: PoolGrad, i: readonly PrimExpr[], best: Buffer, greatest: Cell): Stmt {
  const { spec, from, given, count, origin } = pool;
  const found = withIndices(i, new Map(spec.axes.map((axis, n) => [axis, load(best, [intImm(n)])])));
  const look = (position: readonly PrimExpr[]): Stmt =>
    ifStmt(
      or(eq(count.value, 0), gt(load(from, position), greatest.value)),
      seq(
        [
          greatest.set(load(from, position)),
          count.set(intImm(1)),
          ...spec.axes.map((axis, n) => store(best, [intImm(n)], at(position, axis, "position"), origin)),
        ],
        origin,
      ),
      null,
      origin,
    );
  return seq(
    [
      greatest.set(minValue(from.dtype)),
      count.set(intImm(0)),
      ...spec.axes.map((_, n) => store(best, [intImm(n)], intImm(0), origin)),
      window(pool, i, "k", look),
      ifStmt(gt(count.value, 0), give(pool, found, load(given, i)), null, origin),
    ],
    origin,
  );
}

/** The gradient of result i goes to all elements of its window, in equal parts. */
function toAverage(pool: PoolGrad, i: readonly PrimExpr[]): Stmt {
  const { spec, given, from, count, origin } = pool;
  const all = spec.window.reduce((a, b) => a * b, 1);
  const divisor = spec.countIncludePad ? intImm(all) : max(count.value, 1);
  const share = window(pool, i, "g", (position) =>
    give(pool, position, div(load(given, i), cast(divisor, from.dtype))),
  );
  if (spec.countIncludePad) return share;
  return seq(
    [count.set(intImm(0)), window(pool, i, "k", () => count.set(add(count.value, 1))), share],
    origin,
  );
}
