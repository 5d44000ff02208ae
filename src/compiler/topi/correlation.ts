// Patches of two images compared.  TVM: python/tvm/topi/nn/correlation.py
import { at, first } from "../../support/assert.ts";
import type { Origin } from "../ir/origin.ts";
import { add, div, floorDiv, floorMod, imm, intImm, mul, sub, unary, knownInt } from "../tir/build.ts";
import type { PrimExpr } from "../tir/expr.ts";
import { compute, reduceAxis, sum } from "../te/compute.ts";
import type { Tensor } from "../te/tensor.ts";
import { pad } from "./pad.ts";

interface CorrelationSpec {
  readonly kernel: number;
  readonly reach: number;
  readonly stride1: number;
  readonly stride2: number;
  /** [before, after] of height and width. */
  readonly padding: readonly (readonly [number, number])[];
  /** Products of elements, else absolute differences. */
  readonly product: boolean;
}

export function correlation(one: Tensor, other: Tensor, spec: CorrelationSpec, origin: Origin): Tensor {
  const padding = {
    before: [0, 0, ...spec.padding.map(([before]) => before)],
    after: [0, 0, ...spec.padding.map(([, after]) => after)],
  };
  const padded = (x: Tensor): Tensor => pad(x, padding, imm(0, x.dtype), { name: "pad_temp", origin });
  const [a, b] = [padded(one), padded(other)];
  const radius = Math.floor(spec.reach / spec.stride2);
  const side = 2 * radius + 1;
  const border = spec.reach + (spec.kernel - 1) / 2;
  const count = (axis: number): PrimExpr =>
    floorDiv(add(sub(at(a.shape, axis, "left operand axis"), 2 * border), spec.stride1 - 1), spec.stride1);
  const [c, y, x] = [
    reduceAxis(at(a.shape, 1, "left operand axis"), "rc"),
    reduceAxis(spec.kernel, "ry"),
    reduceAxis(spec.kernel, "rx"),
  ];
  const total = compute(
    [first(a.shape, "left operand axis"), intImm(side * side), count(2), count(3)],
    ([n, q, i, j]) => {
      const placed = (index: PrimExpr): PrimExpr => add(mul(index, spec.stride1), spec.reach);
      const moved = (index: PrimExpr): PrimExpr => mul(sub(index, radius), spec.stride2);
      const [y1, x1] = [placed(i), placed(j)];
      const [dy, dx] = [moved(floorDiv(q, side)), moved(floorMod(q, side))];
      const left = a.at(n, c.variable, add(y1, y.variable), add(x1, x.variable));
      const right = b.at(n, c.variable, add(add(y1, dy), y.variable), add(add(x1, dx), x.variable));
      return sum(spec.product ? mul(left, right) : unary("tir.fabs", sub(left, right)), [c, y, x]);
    },
    { name: "correlation", tag: "correlation_nchw", origin },
  );
  const elements = mul(at(a.shape, 1, "left operand axis"), spec.kernel * spec.kernel);
  return compute(total.shape, (i) => div(total.at(...i), imm(knownInt(elements), total.dtype)), {
    name: "T_divide",
    tag: "elemwise",
    origin,
  });
}
