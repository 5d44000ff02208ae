// Gradients of pools: each window gives its gradient back to the elements it came from.  TVM: include/tvm/topi/nn/pooling.h (pool_grad)
import { at } from "../../support/assert.ts";
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
import type { PrimExpr } from "../tir/expr.ts";
import type { Stmt } from "../tir/stmt.ts";
import { extern, minValue } from "../te/compute.ts";
import type { Tensor } from "../te/tensor.ts";
import { cell, nest, withCells } from "./extern-loops.ts";
import { withIndices } from "./indexing.ts";
import type { PoolSpec } from "./pool.ts";

/** Gradient with respect to `data` of a pool whose result has the gradient `grad`. Of equal maxima the first gets all. */
export function poolGrad(
  grad: Tensor,
  data: Tensor,
  spec: Omit<PoolSpec, "ceilMode">,
  origin: Origin,
): Tensor {
  return extern(
    [grad, data],
    [{ shape: data.shape, dtype: data.dtype }],
    ([given, from], [to]) => {
      const best = buffer("best", int32, [spec.axes.length], "local");
      const [greatest, count] = [cell("greatest", data.dtype, origin), cell("count", int32, origin)];
      const inWindow = (
        i: readonly PrimExpr[],
        k: readonly PrimExpr[],
        body: (at: readonly PrimExpr[]) => Stmt,
      ): Stmt => {
        const places = spec.axes.map((axis, n) =>
          sub(
            add(
              mul(at(i, axis, "index"), at(spec.strides, n, "stride")),
              mul(at(k, n, "k"), at(spec.dilation, n, "dilation")),
            ),
            at(spec.padding, n, "padding")[0],
          ),
        );
        const inside = places
          .map((place, n) => and(ge(place, 0), lt(place, at(data.shape, at(spec.axes, n, "axis"), "axis"))))
          .reduce((a, b) => and(a, b));
        return ifStmt(
          inside,
          body(withIndices(i, new Map(spec.axes.map((axis, n) => [axis, at(places, n, "place")])))),
          null,
          origin,
        );
      };
      const window = (
        i: readonly PrimExpr[],
        body: (at: readonly PrimExpr[]) => Stmt,
        prefix: string,
      ): Stmt =>
        nest(
          spec.window.map((size) => intImm(size)),
          origin,
          (k) => inWindow(i, k, body),
          prefix,
        );
      const give = (position: readonly PrimExpr[], value: PrimExpr): Stmt =>
        store(to, position, add(load(to, position), value), origin);
      const ofMaximum = (i: readonly PrimExpr[]): Stmt => {
        const found = withIndices(i, new Map(spec.axes.map((axis, n) => [axis, load(best, [intImm(n)])])));
        const look = (position: readonly PrimExpr[]): Stmt =>
          ifStmt(
            or(eq(count.value, 0), gt(load(from, position), greatest.value)),
            seq(
              [
                greatest.set(load(from, position)),
                count.set(intImm(1)),
                ...spec.axes.map((axis, n) =>
                  store(best, [intImm(n)], at(position, axis, "position"), origin),
                ),
              ],
              origin,
            ),
            null,
            origin,
          );
        return seq(
          [
            greatest.set(minValue(data.dtype)),
            count.set(intImm(0)),
            window(i, look, "k"),
            ifStmt(gt(count.value, 0), give(found, load(given, i)), null, origin),
          ],
          origin,
        );
      };
      const ofAverage = (i: readonly PrimExpr[]): Stmt => {
        const divisor = spec.countIncludePad
          ? intImm(spec.window.reduce((a, b) => a * b, 1))
          : max(count.value, 1);
        return seq(
          [
            ...(spec.countIncludePad
              ? []
              : [count.set(intImm(0)), window(i, () => count.set(add(count.value, 1)), "k")]),
            window(i, (position) => give(position, div(load(given, i), cast(divisor, data.dtype))), "g"),
          ],
          origin,
        );
      };
      const clear = nest(data.shape, origin, (i) => store(to, i, imm(0, data.dtype), origin), "z");
      const all = nest(grad.shape, origin, spec.kind === "max" ? ofMaximum : ofAverage);
      const body = seq([clear, all], origin);
      if (spec.kind === "max") return allocate(best, withCells([greatest, count], body, origin), origin);
      return spec.countIncludePad ? body : withCells([count], body, origin);
    },
    { name: "T_pool_grad", tag: `pool_grad_${spec.kind}`, origin },
  )[0];
}
