// Convolution over any number of spatial axes, in any layout, with groups.
// TVM: python/tvm/topi/nn/{conv1d,conv2d,conv3d,depthwise_conv2d}.py
import { at, get, tuple } from "../../support/assert.ts";
import type { DType } from "../ir/dtype.ts";
import { axisOf, type Layout } from "../ir/layout.ts";
import type { Origin } from "../ir/origin.ts";
import { add, cast, floorDiv, floorMod, imm, mul, sub } from "../tir/build.ts";
import type { IterVar, PrimExpr } from "../tir/expr.ts";
import { compute, reduceAxis, sum } from "../te/compute.ts";
import type { Tensor } from "../te/tensor.ts";
import { logicalExtent, logicalIndices, physicalIndices, storedShape } from "./layout.ts";
import { windowExtent } from "./indexing.ts";
import { pad } from "./pad.ts";

interface ConvSpec {
  readonly name: string;
  readonly tag: string;
  /** Letters of the spatial axes in order: "HW". They may not be split by the layouts. */
  readonly spatial: string;
  readonly dataLayout: Layout;
  readonly kernelLayout: Layout;
  readonly outLayout: Layout;
  readonly strides: readonly number[];
  readonly dilation: readonly number[];
  /** [before, after], one per spatial axis. */
  readonly padding: readonly (readonly [number, number])[];
  readonly groups: number;
  /** The kernel's O axis counts input channels and its I axis the multiplier. */
  readonly depthwise: boolean;
  readonly outDType: DType;
}

/** What recipes find in the attrs of a convolution's operation. */
export interface ConvFacts {
  readonly conv: ConvSpec;
}

/** Data padded by `pad_temp`, then one reduction over input channels of the group and the kernel window. */
export function conv(data: Tensor, weight: Tensor, spec: ConvSpec, origin: Origin): Tensor {
  const padded = padSpatial(data, spec, origin);
  const letters = spec.spatial.split("");
  const channelsIn = logicalExtent(spec.dataLayout, data.shape, "C");
  const kernelOut = logicalExtent(spec.kernelLayout, weight.shape, "O");
  const kernelIn = logicalExtent(spec.kernelLayout, weight.shape, "I");
  const channels = spec.depthwise ? mul(kernelOut, kernelIn) : kernelOut;
  const extents = new Map<string, PrimExpr>([
    ["N", logicalExtent(spec.dataLayout, data.shape, "N")],
    ["C", channels],
  ]);
  const window: IterVar[] = letters.map((letter, i) => {
    const kernel = logicalExtent(spec.kernelLayout, weight.shape, letter);
    const dilated = add(mul(sub(kernel, 1), at(spec.dilation, i, "dilation")), 1);
    const size = at(padded.shape, axisOf(spec.dataLayout, letter), "padded data axis");
    extents.set(letter, windowExtent(sub(size, dilated), at(spec.strides, i, "stride")));
    return reduceAxis(kernel, `r${letter === "H" ? "y" : letter === "W" ? "x" : letter.toLowerCase()}`);
  });
  const channel = spec.depthwise ? null : reduceAxis(kernelIn, "rc");
  const perGroup = {
    in: kernelIn,
    out: floorDiv(channels, spec.groups),
    multiplier: kernelIn,
    all: channelsIn,
  };

  return compute(
    storedShape(spec.outLayout, extents),
    (indices) => {
      const out = logicalIndices(spec.outLayout, indices);
      const outChannel = get(out, "C", "result");
      const source = new Map(out);
      source.set("C", inputChannel(outChannel, channel, spec, perGroup));
      const kernel = new Map<string, PrimExpr>();
      kernel.set("O", spec.depthwise ? floorDiv(outChannel, perGroup.multiplier) : outChannel);
      kernel.set("I", channel === null ? floorMod(outChannel, perGroup.multiplier) : channel.variable);
      letters.forEach((letter, i) => {
        const k = at(window, i, "window axis").variable;
        source.set(
          letter,
          add(
            mul(get(out, letter, "result"), at(spec.strides, i, "stride")),
            mul(k, at(spec.dilation, i, "dilation")),
          ),
        );
        kernel.set(letter, k);
      });
      const x = cast(padded.at(...physicalIndices(spec.dataLayout, source)), spec.outDType);
      const w = cast(weight.at(...physicalIndices(spec.kernelLayout, kernel)), spec.outDType);
      return sum(mul(x, w), channel === null ? window : [channel, ...window]);
    },
    { name: spec.name, tag: spec.tag, origin, attrs: { conv: spec } satisfies ConvFacts },
  );
}

function inputChannel(
  outChannel: PrimExpr,
  channel: IterVar | null,
  spec: ConvSpec,
  group: { readonly in: PrimExpr; readonly out: PrimExpr; readonly multiplier: PrimExpr },
): PrimExpr {
  if (channel === null) return floorDiv(outChannel, group.multiplier);
  if (spec.groups === 1) return channel.variable;
  return add(mul(floorDiv(outChannel, group.out), group.in), channel.variable);
}

function padSpatial(data: Tensor, spec: ConvSpec, origin: Origin): Tensor {
  const before = data.shape.map(() => 0);
  const after = data.shape.map(() => 0);
  spec.spatial.split("").forEach((letter, i) => {
    const axis = axisOf(spec.dataLayout, letter);
    [before[axis], after[axis]] = tuple(at(spec.padding, i, "spatial axis padded"), 2, "ends of an axis");
  });
  return pad(data, { before, after }, imm(0, data.dtype), { name: "pad_temp", origin });
}
