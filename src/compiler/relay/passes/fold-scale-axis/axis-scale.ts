// What both directions of FoldScaleAxis share: messages about axes that may be scaled, matching a broadcast
// operand to axes, and giving a scale vector the rank of the tensor it multiplies.
// TVM: src/relay/transforms/fold_scale_axis.cc, pattern_utils.h
import { bool } from "../../../ir/dtype.ts";
import { decodeBfloat16, decodeFloat16 } from "../../../ir/float16.ts";
import { mergeOrigins, type Origin } from "../../../ir/origin.ts";
import { sameDim, type Dim, type TensorType } from "../../../ir/type.ts";
import { first } from "../../../../support/assert.ts";
import { call as callOf } from "../../build.ts";
import { calledOp, type Call, type Constant, type Expr, type Func, argOf } from "../../expr.ts";
import { postOrder } from "../../visit.ts";
import { tensorTypeOf, type RelayContext } from "../../op.ts";

/** A value may be scaled along `axes` (ascending), if need be by positive factors only. */
export interface ScaleMessage {
  readonly axes: readonly number[];
  readonly positive: boolean;
}

/** Whether there is a convolution to fold into and a multiplication to fold. */
export function mayFold(func: Func): boolean {
  let convolutions = false;
  let multiplications = false;
  postOrder(func, (expr) => {
    const op = calledOp(expr);
    convolutions ||= op === "nn.conv2d";
    multiplications ||= op === "multiply";
  });
  return convolutions && multiplications;
}

export function sameAxes(a: ScaleMessage, b: ScaleMessage): boolean {
  return a.axes.length === b.axes.length && a.axes.every((axis, i) => axis === b.axes[i]);
}

/** What both allow; null if nothing. */
export function intersect(a: ScaleMessage | null, b: ScaleMessage | null): ScaleMessage | null {
  if (a === null || b === null) return null;
  const axes = a.axes.filter((axis) => b.axes.includes(axis));
  return axes.length === 0 ? null : { axes, positive: a.positive || b.positive };
}

/**
 * Whether `small` broadcasts into `big` along exactly `axes` of `big` (equal there, 1 elsewhere); if so, the
 * axes of `small` to squeeze so that only the matched ones remain.
 */
export function broadcastAlong(
  big: TensorType,
  small: TensorType,
  axes: readonly number[],
): readonly number[] | null {
  const base = big.shape.length - small.shape.length;
  if (base < 0) return null;
  const squeezed: number[] = [];
  for (let i = 0; i < big.shape.length; i++) {
    const dim: Dim | undefined = i >= base ? small.shape[i - base] : undefined;
    if (axes.includes(i)) {
      if (dim === undefined || !sameDim(big.shape[i]!, dim)) return null;
    } else if (dim !== undefined) {
      if (dim !== 1) return null;
      squeezed.push(i - base);
    }
  }
  return squeezed;
}

export function squeeze(cx: RelayContext, value: Expr, axes: readonly number[], origin: Origin): Expr {
  return axes.length === 0 ? value : callOf(cx, "squeeze", [value], { axis: axes }, origin);
}

/** Whether `scale` can be given the rank of `shape` (several axes need their extents known). */
export function canExpand(shape: readonly Dim[], axes: readonly number[]): boolean {
  return axes.length === 1 || axes.every((axis) => typeof shape[axis] === "number");
}

/** `scale`, one dimension for each of `axes`, with the rank of `shape` and 1 on the other axes. */
export function expandScale(
  cx: RelayContext,
  scale: Expr,
  shape: readonly Dim[],
  axes: readonly number[],
): Expr {
  if (axes.length > 1) {
    return callOf(
      cx,
      "reshape",
      [scale],
      { newshape: shape.map((dim, i) => (axes.includes(i) ? (dim as number) : 1)) },
      scale.origin,
    );
  }
  const trailing = shape.length - first(axes, "scaled axis") - 1;
  return trailing > 0
    ? callOf(cx, "expand_dims", [scale], { axis: 1, num_newaxis: trailing }, scale.origin)
    : scale;
}

export function multiply(cx: RelayContext, value: Expr, scale: Expr, by: Origin): Expr {
  return callOf(cx, "multiply", [value, scale], {}, mergeOrigins([value.origin, by]));
}

/**
 * Whether every element is known to be at least 0: a constant, seen through operators that only move
 * elements.
 */
export function isAllPositive(expr: Expr): boolean {
  let at = expr;
  while (
    at.kind === "call" &&
    ["expand_dims", "reshape", "transpose", "squeeze"].includes(calledOp(at) ?? "")
  )
    at = argOf(at, 0);
  return at.kind === "constant" && nonNegative(at);
}

function nonNegative({ data: { data, dtype } }: Constant): boolean {
  if (dtype === bool) return true;
  const decode =
    dtype.code === "bfloat"
      ? decodeBfloat16
      : dtype.code === "float" && dtype.bits === 16
        ? decodeFloat16
        : Number;
  for (let i = 0; i < data.length; i++) {
    if (!(decode(data[i] as number) >= 0)) return false;
  }
  return true;
}

/** Axis letters of a layout in order, "NCHW4c" -> N C H W c. */
function layoutAxes(layout: string): readonly string[] {
  return layout.replaceAll(/\d/g, "").split("");
}

/**
 * Where a convolution's layouts put what scaling needs; null for a grouped one that is not depthwise, or
 * mixed blocking.
 */
interface ConvAxes {
  readonly depthwise: boolean;
  /** Axes of the data / result that run over channels: big, and small where the layout is blocked. */
  readonly data: readonly number[];
  readonly out: readonly number[];
  /** Axes of the kernel over output and input channels. */
  readonly outKernel: readonly number[];
  readonly inKernel: readonly number[];
}

export function convAxes(call: Call): ConvAxes | null {
  const { groups, data_layout: dataText, kernel_layout: kernelText, out_layout: outText } = call.attrs;
  const data = layoutAxes(String(dataText));
  const out = layoutAxes(String(outText) === "" ? String(dataText) : String(outText));
  const kernel = layoutAxes(String(kernelText));
  const weight = tensorTypeOf(call.args[1]!);
  const channels = (letter: string): number =>
    kernel.reduce((product, axis, i) => {
      const dim = weight.shape[i];
      return axis.toUpperCase() === letter ? product * (typeof dim === "number" ? dim : NaN) : product;
    }, 1);
  const depthwise = channels("O") === groups && channels("I") === 1;
  const blocked = kernel.includes("o") && kernel.includes("i");
  const simple = !kernel.includes("o") && !kernel.includes("i");
  if (groups !== 1 && !depthwise) return null;
  const over = (layout: readonly string[], letter: string): readonly number[] =>
    [layout.indexOf(letter), layout.indexOf(letter.toLowerCase())].filter((axis) => axis >= 0);
  const axes = {
    depthwise,
    data: over(data, "C"),
    out: over(out, "C"),
    outKernel: over(kernel, "O"),
    inKernel: over(kernel, "I"),
  };
  const expected = simple ? 1 : blocked ? 2 : -1;
  const fits = [axes.data, axes.out, axes.outKernel, axes.inKernel].every(
    (found) => found.length === expected,
  );
  return fits ? axes : null;
}
