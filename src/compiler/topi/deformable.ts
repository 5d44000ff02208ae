// Convolution whose window elements are moved by amounts that another tensor gives.  TVM: python/tvm/topi/nn/deformable_conv2d.py
// Known difference: groups work (TVM's kernels refuse them), and a group of offsets goes for in_channels / deformable_groups channels.
import { get, at } from "../../support/assert.ts";
import { int32, type DType } from "../ir/dtype.ts";
import type { Layout } from "../ir/layout.ts";
import type { Origin } from "../ir/origin.ts";
import {
  add,
  cast,
  floorDiv,
  ge,
  ifThenElse,
  imm,
  intImm,
  lt,
  max,
  min,
  mul,
  or,
  sub,
  unary,
  knownInt,
} from "../tir/build.ts";
import type { PrimExpr } from "../tir/expr.ts";
import { compute, reduceAxis, sum } from "../te/compute.ts";
import type { Tensor } from "../te/tensor.ts";
import { logicalExtent, logicalIndices, physicalIndices } from "./layout.ts";

interface DeformableSpec {
  readonly dataLayout: Layout;
  readonly kernelLayout: Layout;
  readonly outLayout: Layout;
  readonly outShape: readonly PrimExpr[];
  readonly strides: readonly number[];
  readonly padding: readonly (readonly [number, number])[];
  readonly dilation: readonly number[];
  readonly groups: number;
  readonly deformableGroups: number;
  readonly outDType: DType;
}

/** The element at a real position between pixels; 0 outside the image. */
function sampled(
  data: Tensor,
  layout: Layout,
  n: PrimExpr,
  c: PrimExpr,
  [y, x]: readonly [PrimExpr, PrimExpr],
): PrimExpr {
  const [height, width] = [logicalExtent(layout, data.shape, "H"), logicalExtent(layout, data.shape, "W")];
  const real = (value: PrimExpr): PrimExpr => cast(value, data.dtype);
  const whole = (value: PrimExpr, extent: PrimExpr): PrimExpr =>
    max(min(cast(unary("tir.floor", value), int32), sub(extent, 1)), 0);
  const [top, left] = [whole(y, height), whole(x, width)];
  const [bottom, right] = [min(add(top, 1), sub(height, 1)), min(add(left, 1), sub(width, 1))];
  const position = (row: PrimExpr, column: PrimExpr): PrimExpr =>
    data.at(
      ...physicalIndices(
        layout,
        new Map([
          ["N", n],
          ["C", c],
          ["H", row],
          ["W", column],
        ]),
      ),
    );
  const mix = (a: PrimExpr, b: PrimExpr, part: PrimExpr): PrimExpr =>
    add(mul(a, sub(imm(1, data.dtype), part)), mul(b, part));
  const [fy, fx] = [sub(y, unary("tir.floor", y)), sub(x, unary("tir.floor", x))];
  const value = mix(
    mix(position(top, left), position(top, right), fx),
    mix(position(bottom, left), position(bottom, right), fx),
    fy,
  );
  const outside = or(
    or(lt(y, imm(0, data.dtype)), lt(x, imm(0, data.dtype))),
    or(ge(y, real(height)), ge(x, real(width))),
  );
  return ifThenElse(outside, imm(0, data.dtype), value);
}

export function deformableConv2d(
  data: Tensor,
  offset: Tensor,
  weight: Tensor,
  spec: DeformableSpec,
  origin: Origin,
): Tensor {
  const { dataLayout, kernelLayout, outLayout } = spec;
  const extent = (of: Tensor, layout: Layout, letter: string): number =>
    knownInt(logicalExtent(layout, of.shape, letter));
  const [kh, kw] = [extent(weight, kernelLayout, "H"), extent(weight, kernelLayout, "W")];
  const channels = extent(data, dataLayout, "C");
  const perGroup = extent(weight, kernelLayout, "I");
  const each = channels / spec.deformableGroups;
  const moved = compute(
    [
      ...["N", "C"].map((letter) => logicalExtent(dataLayout, data.shape, letter)),
      intImm(kh),
      intImm(kw),
      ...["H", "W"].map((letter) => logicalExtent(dataLayout, offset.shape, letter)),
    ],
    (i) => {
      const [n, c, ky, kx, y, x] = i as [PrimExpr, PrimExpr, PrimExpr, PrimExpr, PrimExpr, PrimExpr];
      const first = mul(add(mul(floorDiv(c, each), kh * kw), add(mul(ky, kw), kx)), 2);
      const shift = (axis: 0 | 1): PrimExpr =>
        offset.at(
          ...physicalIndices(
            dataLayout,
            new Map([
              ["N", n],
              ["C", add(first, axis)],
              ["H", y],
              ["W", x],
            ]),
          ),
        );
      const place = (index: PrimExpr, k: PrimExpr, axis: 0 | 1): PrimExpr =>
        add(
          cast(
            add(
              sub(mul(index, at(spec.strides, axis, "stride")), at(spec.padding, axis, "padding")[0]),
              mul(k, at(spec.dilation, axis, "dilation")),
            ),
            data.dtype,
          ),
          shift(axis),
        );
      return sampled(data, dataLayout, n, c, [place(y, ky, 0), place(x, kx, 1)]);
    },
    { name: "data_deform", tag: "data_deform", origin },
  );
  const [rc, ry, rx] = [reduceAxis(perGroup, "rc"), reduceAxis(kh, "ry"), reduceAxis(kw, "rx")];
  const outPerGroup = extent(weight, kernelLayout, "O") / spec.groups;
  return compute(
    spec.outShape,
    (i) => {
      const logical = logicalIndices(outLayout, i);
      const [n, f, y, x] = ["N", "C", "H", "W"].map((letter) => get(logical, letter, "logical")) as [
        PrimExpr,
        PrimExpr,
        PrimExpr,
        PrimExpr,
      ];
      const channel =
        spec.groups === 1 ? rc.variable : add(mul(floorDiv(f, outPerGroup), perGroup), rc.variable);
      const factor = weight.at(
        ...physicalIndices(
          kernelLayout,
          new Map<string, PrimExpr>([
            ["O", f],
            ["I", rc.variable],
            ["H", ry.variable],
            ["W", rx.variable],
          ]),
        ),
      );
      return sum(
        mul(
          cast(moved.at(n, channel, ry.variable, rx.variable, y, x), spec.outDType),
          cast(factor, spec.outDType),
        ),
        [rc, ry, rx],
      );
    },
    { name: "deformable_conv2d", tag: "deformable_conv2d", origin },
  );
}
