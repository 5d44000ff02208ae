// Windows that slide: kernel, strides, dilations, and padding, given or by auto_pad.  TVM: onnx.py (autopad,
// get_pad_pair)
import { at } from "../../../../support/assert.ts";
import { refuse, listed } from "../../import-node.ts";
import { int, text, type OnnxNode, intsOfLength } from "../graph.ts";

/** One axis of a window, and the padding that its input gets. */
export interface WindowAxis {
  readonly kernel: number;
  readonly stride: number;
  readonly dilation: number;
  readonly before: number;
  readonly after: number;
}

/** One entry a spatial axis. */
export type Window = readonly WindowAxis[];

/**
 * What Relay's convolutions and pools want of a window: one list a property, all begins of the padding before
 * all ends.
 */
interface WindowLists {
  readonly kernel: readonly number[];
  readonly strides: readonly number[];
  readonly dilation: readonly number[];
  readonly padding: readonly number[];
}

export function listsOf(window: Window): WindowLists {
  return {
    kernel: window.map(({ kernel }) => kernel),
    strides: window.map(({ stride }) => stride),
    dilation: window.map(({ dilation }) => dilation),
    padding: [...window.map(({ before }) => before), ...window.map(({ after }) => after)],
  };
}

/** `spatial` is the input's shape behind batch and channel, asked for where auto_pad needs it. */
export function windowOf(n: OnnxNode, kernel: readonly number[], spatial: () => readonly number[]): Window {
  const strides = intsOfLength(n, "strides", kernel.length, 1);
  const dilations = intsOfLength(n, "dilations", kernel.length, 1);
  const bare = kernel.map((extent, i) => ({
    kernel: extent,
    stride: positive(n, "strides", at(strides, i, "stride")),
    dilation: positive(n, "dilations", at(dilations, i, "dilation")),
  }));
  const mode = autoPad(n);
  if (mode === "VALID") return bare.map((axis) => ({ ...axis, before: 0, after: 0 }));
  if (mode === "NOTSET") {
    const pads = intsOfLength(n, "pads", 2 * kernel.length, 0);
    return bare.map((axis, i) => ({
      ...axis,
      before: at(pads, i, "pad"),
      after: at(pads, i + kernel.length, "pad"),
    }));
  }
  const extents = spatial();
  return bare.map((axis, i) => {
    const extent = listed(n, extents, i, "spatial axes");
    const output = Math.ceil(extent / axis.stride);
    const total = Math.max((output - 1) * axis.stride + (axis.kernel - 1) * axis.dilation + 1 - extent, 0);
    return { ...axis, ...halves(total, mode === "SAME_LOWER") };
  });
}

function positive(n: OnnxNode, name: string, value: number): number {
  return value > 0
    ? value
    : refuse(n, `its attribute ${name} must be positive`, { expected: "1 or more", got: String(value) });
}

/** Two halves of `total`; the odd one goes before or after. */
export function halves(
  total: number,
  moreBefore: boolean,
): { readonly before: number; readonly after: number } {
  const before = moreBefore ? Math.ceil(total / 2) : Math.floor(total / 2);
  return { before, after: total - before };
}

export function autoPad(n: OnnxNode): "NOTSET" | "VALID" | "SAME_UPPER" | "SAME_LOWER" {
  const mode = text(n, "auto_pad", "NOTSET");
  if (mode === "" || mode === "NOTSET" || mode === "VALID" || mode === "SAME_UPPER" || mode === "SAME_LOWER")
    return mode === "" ? "NOTSET" : mode;
  return refuse(n, "auto_pad is not one of ONNX's words", {
    expected: "NOTSET, VALID, SAME_UPPER or SAME_LOWER",
    got: mode,
  });
}

/** "conv2d" for two axes, with the layout that goes with it. */
export function dimensioned(n: OnnxNode, axes: number): { readonly suffix: string; readonly layout: string } {
  const layout = ["", "NCW", "NCHW", "NCDHW"][axes];
  return layout === undefined || layout === ""
    ? refuse(n, "only one, two or three spatial axes", { got: String(axes) })
    : { suffix: `${axes}d`, layout };
}

export const groupsOf = (n: OnnxNode): number => int(n, "group", 1);
