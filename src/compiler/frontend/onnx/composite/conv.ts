// Convolutions.  TVM: python/tvm/relay/frontend/onnx.py (Conv, ConvTranspose)
import type { Expr } from "../../../relay/expr.ts";
import { expandDims, squeeze } from "../arithmetic.ts";
import { dimsOf, shapeOf } from "../../import-node.ts";
import { call, input, ints, optional, type Importer, type OnnxNode } from "../graph.ts";
import { onnxOp, type OnnxOp } from "../ops/op-table.ts";
import { autoPad, dimensioned, groupsOf, spread, windowOf, type Window } from "./window.ts";

function biased(n: OnnxNode, out: Expr): Expr {
  const bias = optional(n, 2);
  return bias === null ? out : call(n, "nn.bias_add", [out, bias], { axis: 1 });
}

/** Spatial extents of the data; refuses open ones. */
const spatialOf = (n: OnnxNode, data: Expr) => (): readonly number[] => shapeOf(n, data).slice(2);

export interface ConvAttrs extends Window {
  readonly groups: number;
  readonly channels: number;
}

export function convAttrs(n: OnnxNode, data: Expr, weight: Expr): ConvAttrs {
  const shape = shapeOf(n, weight, "its weights");
  const window = windowOf(n, ints(n, "kernel_shape") ?? shape.slice(2), spatialOf(n, data));
  return { ...window, groups: groupsOf(n), channels: shape[0]! };
}

const conv: Importer = (n) => {
  const [data, weight] = [input(n, 0), input(n, 1)];
  const attrs = convAttrs(n, data, weight);
  // A grouped convolution along one axis is one of two axes, the first of extent 1.
  if (attrs.kernel.length === 1 && attrs.groups !== 1)
    return biased(
      n,
      squeeze(n, convolve(n, expandDims(n, data, 2), expandDims(n, weight, 2), widened(attrs)), [2]),
    );
  return biased(n, convolve(n, data, weight, attrs));
};

function widened(attrs: ConvAttrs): ConvAttrs {
  const [before, after] = attrs.pads;
  return {
    ...attrs,
    kernel: [1, ...attrs.kernel],
    strides: [1, ...attrs.strides],
    dilations: [1, ...attrs.dilations],
    pads: [0, before!, 0, after!],
  };
}

function convolve(n: OnnxNode, data: Expr, weight: Expr, attrs: ConvAttrs): Expr {
  const { suffix } = dimensioned(n, attrs.kernel.length);
  return call(n, `nn.conv${suffix}`, [data, weight], {
    strides: attrs.strides,
    padding: attrs.pads,
    dilation: attrs.dilations,
    groups: attrs.groups,
    channels: attrs.channels,
    kernel_size: attrs.kernel,
  });
}

interface TransposedPads {
  readonly padding: readonly number[];
  readonly outputPadding: readonly number[];
}

/** Padding of a transposed convolution: given, or what makes the output `output_shape` or stride times the input. */
function transposedPads(n: OnnxNode, data: Expr, window: Window): TransposedPads {
  const given = ints(n, "output_padding") ?? window.kernel.map(() => 0);
  const mode = autoPad(n);
  const wanted = ints(n, "output_shape");
  if (wanted === null && (mode === "NOTSET" || mode === "VALID"))
    return { padding: window.pads, outputPadding: given };
  const spatial = spatialOf(n, data)();
  const target =
    wanted === null ? spatial.map((extent, i) => extent * window.strides[i]!) : wanted.slice(-spatial.length);
  const totals = spatial.map(
    (extent, i) =>
      (extent - 1) * window.strides[i]! +
      given[i]! +
      (window.kernel[i]! - 1) * window.dilations[i]! +
      1 -
      target[i]!,
  );
  return {
    padding: spread(
      totals.map((total) => Math.max(total, 0)),
      mode !== "SAME_UPPER",
    ),
    outputPadding: given.map((extra, i) => extra + Math.max(-totals[i]!, 0)),
  };
}

const convTranspose: Importer = (n) => {
  const [data, weight] = [input(n, 0), input(n, 1)];
  const shape = shapeOf(n, weight, "its weights");
  const kernel = ints(n, "kernel_shape") ?? shape.slice(2);
  const window = windowOf(n, kernel, () => kernel);
  const { padding, outputPadding } = transposedPads(n, data, window);
  const { suffix } = dimensioned(n, dimsOf(n, data).length - 2);
  return biased(
    n,
    call(n, `nn.conv${suffix}_transpose`, [data, weight], {
      channels: shape[1]! * groupsOf(n),
      kernel_size: kernel,
      strides: window.strides,
      output_padding: outputPadding,
      padding,
      dilation: window.dilations,
      groups: groupsOf(n),
      ...(suffix === "2d" ? { kernel_layout: "IOHW" } : {}),
    }),
  );
};

export const convOps: readonly OnnxOp[] = [onnxOp("Conv", conv), onnxOp("ConvTranspose", convTranspose)];
