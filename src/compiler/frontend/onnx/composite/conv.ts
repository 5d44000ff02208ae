// Convolutions.  TVM: python/tvm/relay/frontend/onnx.py (Conv, ConvTranspose)
import { at } from "../../../../support/assert.ts";
import type { Attrs } from "../../../ir/attrs.ts";
import type { Expr } from "../../../relay/expr.ts";
import { expandDims, squeeze } from "../arithmetic.ts";
import { dimsOf, shapeOf, listed, refuse } from "../../import-node.ts";
import { call, input, ints, optional, type Importer, type OnnxNode, intsOfLength } from "../graph.ts";
import { onnxOp, type OnnxOp } from "../ops/op-table.ts";
import {
  autoPad,
  dimensioned,
  groupsOf,
  halves,
  listsOf,
  windowOf,
  type Window,
  type WindowAxis,
} from "./window.ts";

function biased(n: OnnxNode, out: Expr): Expr {
  const bias = optional(n, 2);
  return bias === null ? out : call(n, "nn.bias_add", [out, bias], { axis: 1 });
}

/** Spatial extents of the data; refuses dynamic ones. */
const spatialOf = (n: OnnxNode, data: Expr) => (): readonly number[] => shapeOf(n, data).slice(2);

export interface ConvAttrs {
  readonly window: Window;
  readonly groups: number;
  readonly channels: number;
}

export function convAttrs(n: OnnxNode, data: Expr, weight: Expr): ConvAttrs {
  const [channels, , ...kernel] = shapeOf(n, weight, "its weights");
  if (channels === undefined || kernel.length === 0) return refuse(n, "its weights have too few axes");
  const window = windowOf(n, ints(n, "kernel_shape") ?? kernel, spatialOf(n, data));
  return { window, groups: groupsOf(n), channels };
}

const conv: Importer = (n) => {
  const [data, weight] = [input(n, 0), input(n, 1)];
  const attrs = convAttrs(n, data, weight);
  // A grouped convolution along one axis is one of two axes, the first of extent 1.
  if (attrs.window.length === 1 && attrs.groups !== 1) {
    const wide = { ...attrs, window: [oneElement, ...attrs.window] };
    return biased(n, squeeze(n, convolve(n, expandDims(n, data, 2), expandDims(n, weight, 2), wide), [2]));
  }
  return biased(n, convolve(n, data, weight, attrs));
};

export const oneElement: WindowAxis = { kernel: 1, stride: 1, dilation: 1, before: 0, after: 0 };

/** Attributes of nn.conv* and qnn.conv2d. */
export function relayAttrs({ window, groups, channels }: ConvAttrs): Attrs {
  const { kernel, ...lists } = listsOf(window);
  return { ...lists, groups, channels, kernel_size: kernel };
}

function convolve(n: OnnxNode, data: Expr, weight: Expr, attrs: ConvAttrs): Expr {
  const { suffix } = dimensioned(n, attrs.window.length);
  return call(n, `nn.conv${suffix}`, [data, weight], relayAttrs(attrs));
}

/** One axis of a transposed convolution: elements that its output gets beside the padding's. */
interface TransposedAxis extends WindowAxis {
  readonly extra: number;
}

/**
 * Padding of a transposed convolution: given, or what makes the output `output_shape` or stride times the
 * input.
 */
function transposedWindow(n: OnnxNode, data: Expr, window: Window): readonly TransposedAxis[] {
  const extras = intsOfLength(n, "output_padding", window.length, 0);
  const axes = window.map((axis, i) => ({ ...axis, extra: at(extras, i, "output padding") }));
  const mode = autoPad(n);
  const wanted = ints(n, "output_shape");
  if (wanted === null && (mode === "NOTSET" || mode === "VALID")) return axes;
  const spatial = spatialOf(n, data)();
  const targets = wanted?.slice(-window.length);
  return axes.map((axis, i): TransposedAxis => {
    const extent = listed(n, spatial, i, "spatial axes");
    const target =
      targets === undefined ? extent * axis.stride : listed(n, targets, i, "extents in output_shape");
    const whole = (extent - 1) * axis.stride + axis.extra + (axis.kernel - 1) * axis.dilation + 1;
    const total = whole - target;
    return {
      ...axis,
      ...halves(Math.max(total, 0), mode !== "SAME_UPPER"),
      extra: axis.extra + Math.max(-total, 0),
    };
  });
}

const convTranspose: Importer = (n) => {
  const [data, weight] = [input(n, 0), input(n, 1)];
  const [, channels, ...shape] = shapeOf(n, weight, "its weights");
  if (channels === undefined) return refuse(n, "its weights have too few axes");
  const kernel = ints(n, "kernel_shape") ?? shape;
  const window = transposedWindow(
    n,
    data,
    windowOf(n, kernel, () => kernel),
  );
  const { suffix } = dimensioned(n, dimsOf(n, data).length - 2);
  const { kernel: kernel_size, ...lists } = listsOf(window);
  return biased(
    n,
    call(n, `nn.conv${suffix}_transpose`, [data, weight], {
      ...lists,
      channels: channels * groupsOf(n),
      kernel_size,
      output_padding: window.map(({ extra }) => extra),
      groups: groupsOf(n),
      ...(suffix === "2d" ? { kernel_layout: "IOHW" } : {}),
    }),
  );
};

export const convOps: readonly OnnxOp[] = [onnxOp("Conv", conv), onnxOp("ConvTranspose", convTranspose)];
