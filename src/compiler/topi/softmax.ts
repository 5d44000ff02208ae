// Softmax in four stages and log-softmax in three.  TVM: python/tvm/topi/nn/softmax.py
import { at } from "../../support/assert.ts";
import type { Origin } from "../ir/origin.ts";
import { div, sub, unary } from "../tir/build.ts";
import type { PrimExpr } from "../tir/expr.ts";
import { compute, maxReduce, reduceAxis, sum } from "../te/compute.ts";
import type { Tensor } from "../te/tensor.ts";
import { elementwise } from "./elementwise.ts";

function without(list: readonly PrimExpr[], axis: number): PrimExpr[] {
  return list.filter((_, i) => i !== axis);
}

function insert(list: readonly PrimExpr[], axis: number, index: PrimExpr): PrimExpr[] {
  return [...list.slice(0, axis), index, ...list.slice(axis)];
}

function maxElement(x: Tensor, axis: number, origin: Origin): Tensor {
  const k = reduceAxis(at(x.shape, axis, "input axis"), "k");
  return compute(without(x.shape, axis), (i) => maxReduce(x.at(...insert(i, axis, k.variable)), [k]), {
    name: "T_softmax_maxelem",
    origin,
  });
}

/** exp(x - max) / sum of exp(x - max) along `axis` (>= 0); `exp` may be an approximation. */
export function softmax(
  x: Tensor,
  axis: number,
  origin: Origin,
  exp: ((delta: Tensor) => Tensor) | null = null,
): Tensor {
  const greatest = maxElement(x, axis, origin);
  const shifted = (i: readonly PrimExpr[]): PrimExpr => sub(x.at(...i), greatest.at(...without(i, axis)));
  const power =
    exp === null
      ? compute(x.shape, (i) => unary("tir.exp", shifted(i)), { name: "T_softmax_exp", origin })
      : exp(compute(x.shape, shifted, { name: "T_softmax_delta", origin }));
  const k = reduceAxis(at(x.shape, axis, "input axis"), "k");
  const total = compute(without(x.shape, axis), (i) => sum(power.at(...insert(i, axis, k.variable)), [k]), {
    name: "T_softmax_expsum",
    origin,
  });
  return compute(x.shape, (i) => div(power.at(...i), total.at(...without(i, axis))), {
    name: "T_softmax_norm",
    tag: exp === null ? "softmax_output" : "fast_softmax_output",
    origin,
    attrs: { axis },
  });
}

/** x - max - log(sum of exp(x - max)) along `axis` (>= 0). */
export function logSoftmax(x: Tensor, axis: number, origin: Origin): Tensor {
  const greatest = maxElement(x, axis, origin);
  const k = reduceAxis(at(x.shape, axis, "input axis"), "k");
  const total = compute(
    without(x.shape, axis),
    (i) => {
      const place = insert(i, axis, k.variable);
      return sum(unary("tir.exp", sub(x.at(...place), greatest.at(...i))), [k]);
    },
    { name: "T_softmax_expsum", origin },
  );
  const log = elementwise(total, "T_log", origin, (value) => unary("tir.log", value));
  return compute(
    x.shape,
    (i) => sub(sub(x.at(...i), greatest.at(...without(i, axis))), log.at(...without(i, axis))),
    { name: "T_log_softmax", tag: "log_softmax_output", origin, attrs: { axis } },
  );
}
