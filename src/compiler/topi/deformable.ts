// Convolution whose window elements are moved by amounts that another tensor gives.
// TVM: python/tvm/topi/nn/deformable_conv2d.py
// Known difference: groups work (TVM's kernels refuse them), and a group of offsets goes for in_channels /
// deformable_groups channels.
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

/** The extent of the axis `letter`. */
function extentOf(of: Tensor, layout: Layout, letter: string): number {
  return knownInt(logicalExtent(layout, of.shape, letter));
}

/**
 * Elements (N, C, KH, KW, H, W) of the data that meet element (KH, KW) of the kernel in the window of (H, W).
 */
function movedData(
  data: Tensor,
  offset: Tensor,
  [kh, kw]: readonly [number, number],
  spec: DeformableSpec,
  origin: Origin,
): Tensor {
  const { dataLayout } = spec;
  const each = extentOf(data, dataLayout, "C") / spec.deformableGroups;
  return compute(
    [
      logicalExtent(dataLayout, data.shape, "N"),
      logicalExtent(dataLayout, data.shape, "C"),
      intImm(kh),
      intImm(kw),
      logicalExtent(dataLayout, offset.shape, "H"),
      logicalExtent(dataLayout, offset.shape, "W"),
    ],
    ([n, c, ky, kx, y, x]) => {
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
}

/**
 * The convolution, in the layouts of `spec`; `offset` holds a pair (y, x) for each element of the kernel and
 * each result.
 */
export function deformableConv2d(
  data: Tensor,
  offset: Tensor,
  weight: Tensor,
  spec: DeformableSpec,
  origin: Origin,
): Tensor {
  const { kernelLayout, outLayout } = spec;
  const [kh, kw] = [extentOf(weight, kernelLayout, "H"), extentOf(weight, kernelLayout, "W")];
  const perGroup = extentOf(weight, kernelLayout, "I");
  const outPerGroup = extentOf(weight, kernelLayout, "O") / spec.groups;
  const moved = movedData(data, offset, [kh, kw], spec, origin);
  const [rc, ry, rx] = [reduceAxis(perGroup, "rc"), reduceAxis(kh, "ry"), reduceAxis(kw, "rx")];
  return compute(
    spec.outShape,
    (i) => {
      const logical = logicalIndices(outLayout, i);
      const index = (letter: string): PrimExpr => get(logical, letter, `axis ${letter}`);
      const channel =
        spec.groups === 1 ? rc.variable : add(mul(floorDiv(index("C"), outPerGroup), perGroup), rc.variable);
      const factor = weight.at(
        ...physicalIndices(
          kernelLayout,
          new Map<string, PrimExpr>([
            ["O", index("C")],
            ["I", rc.variable],
            ["H", ry.variable],
            ["W", rx.variable],
          ]),
        ),
      );
      const element = moved.at(index("N"), channel, ry.variable, rx.variable, index("H"), index("W"));
      return sum(mul(cast(element, spec.outDType), cast(factor, spec.outDType)), [rc, ry, rx]);
    },
    { name: "deformable_conv2d", tag: "deformable_conv2d", origin },
  );
}
