// Transposed convolution over any number of spatial axes, in any layout, with groups and dilation: zeros
// between the data's elements, padding, then a convolution with the kernel turned around.
// TVM: python/tvm/topi/nn/conv2d_transpose.py
import { get, at } from "../../support/assert.ts";
import type { DType } from "../ir/dtype.ts";
import { axisOf, type Layout } from "../ir/layout.ts";
import type { Origin } from "../ir/origin.ts";
import { add, all, cast, eq, floorDiv, floorMod, ifThenElse, imm, mul, sub, knownInt } from "../tir/build.ts";
import type { PrimExpr } from "../tir/expr.ts";
import { compute, reduceAxis, sum } from "../te/compute.ts";
import type { Tensor } from "../te/tensor.ts";
import { withIndices } from "./indexing.ts";
import { logicalExtent, logicalIndices, physicalIndices, storedShape } from "./layout.ts";
import { pad } from "./pad.ts";

export interface ConvTransposeSpec {
  readonly name: string;
  readonly spatial: string;
  readonly dataLayout: Layout;
  readonly kernelLayout: Layout;
  /**
   * The kernel's axis that counts input channels; the other of O and I counts output channels of one group.
   */
  readonly inputLetter: "I" | "O";
  readonly outLayout: Layout;
  readonly strides: readonly number[];
  readonly dilation: readonly number[];
  readonly padding: readonly (readonly [number, number])[];
  readonly outputPadding: readonly number[];
  readonly groups: number;
  readonly outDType: DType;
}

/** `strides[i] - 1` zeros between neighbours along axis axes[i]. */
export function dilate(
  x: Tensor,
  axes: readonly number[],
  strides: readonly number[],
  parts: { readonly name: string; readonly origin: Origin; readonly fill?: PrimExpr },
): Tensor {
  if (strides.every((stride) => stride === 1)) return x;
  const stride = new Map(axes.map((axis, i) => [axis, at(strides, i, "stride")]));
  const shape = x.shape.map((extent, axis) => add(mul(sub(extent, 1), stride.get(axis) ?? 1), 1));
  return compute(
    shape,
    (indices) => {
      const onElement: PrimExpr[] = [];
      const source = indices.map((index, axis) => {
        const step = stride.get(axis) ?? 1;
        if (step === 1) return index;
        onElement.push(eq(floorMod(index, step), 0));
        return floorDiv(index, step);
      });
      return ifThenElse(all(onElement), x.at(...source), parts.fill ?? imm(0, x.dtype));
    },
    { name: parts.name, tag: "injective,dilate", origin: parts.origin },
  );
}

export function convTranspose(data: Tensor, weight: Tensor, spec: ConvTransposeSpec, origin: Origin): Tensor {
  const letters = spec.spatial.split("");
  const axes = letters.map((letter) => axisOf(spec.dataLayout, letter));
  const kernels = letters.map((letter) => logicalExtent(spec.kernelLayout, weight.shape, letter));
  const before = data.shape.map(() => 0);
  const after = data.shape.map(() => 0);
  axes.forEach((axis, i) => {
    const reach = (knownInt(at(kernels, i, "kernel")) - 1) * at(spec.dilation, i, "dilation");
    before[axis] = reach - at(spec.padding, i, "padding")[0];
    after[axis] = reach - at(spec.padding, i, "padding")[1] + at(spec.outputPadding, i, "output padding");
  });
  const spread = dilate(data, axes, spec.strides, { name: "data_dilate", origin });
  const padded = pad(spread, { before, after }, imm(0, data.dtype), { name: "data_pad", origin });
  const turned = compute(
    weight.shape,
    (indices) =>
      weight.at(
        ...withIndices(
          indices,
          new Map(
            letters.map((letter, i) => {
              const axis = axisOf(spec.kernelLayout, letter);
              return [axis, sub(sub(at(kernels, i, "kernel"), 1), at(indices, axis, "index"))];
            }),
          ),
        ),
      ),
    { name: "kernel_transform", tag: "injective", origin },
  );

  const outputLetter = spec.inputLetter === "I" ? "O" : "I";
  const outPerGroup = logicalExtent(spec.kernelLayout, weight.shape, outputLetter);
  const inPerGroup = floorDiv(logicalExtent(spec.kernelLayout, weight.shape, spec.inputLetter), spec.groups);
  const extents = new Map<string, PrimExpr>([
    ["N", logicalExtent(spec.dataLayout, data.shape, "N")],
    ["C", mul(outPerGroup, spec.groups)],
  ]);
  letters.forEach((letter, i) =>
    extents.set(
      letter,
      sub(
        at(padded.shape, at(axes, i, "spatial axis"), "padded data axis"),
        mul(sub(at(kernels, i, "kernel"), 1), at(spec.dilation, i, "dilation")),
      ),
    ),
  );
  const channel = reduceAxis(inPerGroup, "dc");
  const window = kernels.map((kernel, i) => reduceAxis(kernel, `d${at(letters, i, "letter").toLowerCase()}`));
  return compute(
    storedShape(spec.outLayout, extents),
    (indices) => {
      const out = logicalIndices(spec.outLayout, indices);
      const outChannel = get(out, "C", "result");
      const group = floorDiv(outChannel, outPerGroup);
      const inChannel = spec.groups === 1 ? channel.variable : add(mul(group, inPerGroup), channel.variable);
      const source = new Map(out).set("C", inChannel);
      const kernel = new Map<string, PrimExpr>([
        [spec.inputLetter, inChannel],
        [outputLetter, spec.groups === 1 ? outChannel : floorMod(outChannel, outPerGroup)],
      ]);
      letters.forEach((letter, i) => {
        source.set(
          letter,
          add(
            get(out, letter, "result"),
            mul(at(window, i, "window axis").variable, at(spec.dilation, i, "dilation")),
          ),
        );
        kernel.set(letter, at(window, i, "window axis").variable);
      });
      const x = cast(padded.at(...physicalIndices(spec.dataLayout, source)), spec.outDType);
      return sum(mul(x, cast(turned.at(...physicalIndices(spec.kernelLayout, kernel)), spec.outDType)), [
        channel,
        ...window,
      ]);
    },
    { name: spec.name, tag: spec.name, origin, attrs: { convTranspose: spec } },
  );
}
