// Windows that slide: kernel, strides, dilations, and padding, given or by auto_pad.  TVM: onnx.py (autopad, get_pad_pair)
import { refuse } from "../../import-node.ts";
import { int, ints, text, type OnnxNode } from "../graph.ts";

export interface Window {
  readonly kernel: readonly number[];
  readonly strides: readonly number[];
  readonly dilations: readonly number[];
  /** All begins, then all ends. */
  readonly pads: readonly number[];
}

/** `spatial` is the input's shape behind batch and channel; null entries of auto_pad's shape are refused by the caller's shapeOf. */
export function windowOf(n: OnnxNode, kernel: readonly number[], spatial: () => readonly number[]): Window {
  const strides = ints(n, "strides") ?? kernel.map(() => 1);
  const dilations = ints(n, "dilations") ?? kernel.map(() => 1);
  if (strides.length !== kernel.length || dilations.length !== kernel.length)
    refuse(n, "strides and dilations need one number an axis", {
      expected: `${kernel.length} numbers`,
      got: `${strides.length} and ${dilations.length}`,
    });
  return { kernel, strides, dilations, pads: padsOf(n, { kernel, strides, dilations, spatial }) };
}

interface PadsOf {
  readonly kernel: readonly number[];
  readonly strides: readonly number[];
  readonly dilations: readonly number[];
  readonly spatial: () => readonly number[];
}

function padsOf(n: OnnxNode, { kernel, strides, dilations, spatial }: PadsOf): readonly number[] {
  const mode = autoPad(n);
  if (mode === "VALID") return kernel.flatMap(() => [0, 0]);
  if (mode === "NOTSET") {
    const pads = ints(n, "pads") ?? kernel.flatMap(() => [0, 0]);
    return pads.length === 2 * kernel.length
      ? pads
      : refuse(n, "pads need two numbers an axis", {
          expected: `${2 * kernel.length} numbers`,
          got: String(pads.length),
        });
  }
  const totals = spatial().map((extent, i) => {
    const output = Math.ceil(extent / strides[i]!);
    return Math.max((output - 1) * strides[i]! + (kernel[i]! - 1) * dilations[i]! + 1 - extent, 0);
  });
  return spread(totals, mode === "SAME_LOWER");
}

/** Halves of each total; the odd one goes to the begin or to the end. */
export function spread(totals: readonly number[], moreBefore: boolean): readonly number[] {
  const before = totals.map((total) => (moreBefore ? Math.ceil(total / 2) : Math.floor(total / 2)));
  return [...before, ...totals.map((total, i) => total - before[i]!)];
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
