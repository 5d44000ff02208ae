// The four sums of a quantised convolution, for whole and depthwise weights.
// TVM: src/relay/qnn/op/convolution.cc
import type { Attrs } from "../../ir/attrs.ts";
import { int16, int32 } from "../../ir/dtype.ts";
import type { Call, Expr } from "../../relay/expr.ts";
import { fourPads } from "./legalize-int16.ts";
import { reshapeTo } from "../../relay/build.ts";
import { alongAxis, isInt, scalarValue, type Lowering } from "./lowering.ts";
import { combineTerms, timesZeroPoint } from "./terms.ts";

interface ConvWindow {
  readonly kernel_size: readonly number[] | null;
  readonly strides: readonly number[];
  readonly padding: readonly number[];
  readonly dilation: readonly number[];
  readonly groups: number;
}

/** A convolution whose shapes and layouts were checked. */
export interface QnnConv {
  readonly data: Expr;
  readonly weight: Expr;
  readonly dataZero: Expr;
  readonly weightZero: Expr;
  readonly attrs: Attrs & ConvWindow;
  readonly dataLayout: "NCHW" | "NHWC";
  readonly kernelLayout: "OIHW" | "HWIO" | "HWOI";
  readonly inChannels: number;
  /** The kernel's extents by letter. */
  readonly kernel: Readonly<Record<"O" | "I" | "H" | "W", number>>;
  readonly depthwise: boolean;
}

/**
 * Zero points are subtracted first, in int16: for dilated windows with a zero point of the weight, and for
 * groups.
 */
export function convShifted(l: Lowering, conv: QnnConv): Call {
  const known = scalarValue(conv.dataZero) !== null && scalarValue(conv.weightZero) !== null;
  const weightZero = known
    ? conv.weightZero
    : alongAxis(l, flat(l, conv.weightZero), 4, conv.kernelLayout.indexOf("O"));
  const shifted = (x: Expr, zero: Expr): Expr =>
    isInt(zero, 0) ? l.cast(x, int16) : l.make("subtract", [l.cast(x, int16), l.cast(zero, int16)]);
  return l.make(
    "nn.conv2d",
    [shifted(conv.data, conv.dataZero), shifted(conv.weight, weightZero)],
    conv.attrs,
  );
}

const flat = (l: Lowering, x: Expr): Expr => l.make("reshape", [x], { newshape: [-1] });

/** The convolution as four sums; the data is padded with its zero point. */
export function convByTerms(l: Lowering, conv: QnnConv): Call {
  const known = scalarValue(conv.dataZero) !== null && scalarValue(conv.weightZero) !== null;
  const channelAxis = conv.dataLayout.indexOf("C");
  const weightZero = known ? conv.weightZero : alongAxis(l, flat(l, conv.weightZero), 4, channelAxis);
  const padded = padInput(l, conv);
  const count = conv.kernel.H * conv.kernel.W * (conv.depthwise ? 1 : conv.inChannels);
  const shaped: QnnConv = { ...conv, weightZero };
  return combineTerms(
    l,
    {
      product: l.make("nn.conv2d", [padded, conv.weight], { ...conv.attrs, padding: [0, 0, 0, 0] }),
      dataSums: () => (conv.depthwise ? depthwiseDataSums(l, padded, shaped) : dataSums(l, padded, shaped)),
      weightSums: () => weightSums(l, shaped),
      count,
      zeroPointProduct: () =>
        l.make("multiply", [l.int(count), l.make("multiply", [conv.dataZero, weightZero])]),
    },
    { data: conv.dataZero, weight: weightZero },
  );
}

function padInput(l: Lowering, conv: QnnConv): Expr {
  const [top, left, bottom, right] = fourPads(conv.attrs.padding);
  if ([top, left, bottom, right].every((pad) => pad === 0)) return conv.data;
  const padsOf = (letter: string): readonly number[] =>
    letter === "H" ? [top, bottom] : letter === "W" ? [left, right] : [0, 0];
  return l.make("nn.pad", [conv.data, conv.dataZero], {
    pad_width: conv.dataLayout.split("").map(padsOf),
    pad_mode: "constant",
  });
}

/**
 * Sums over windows by way of averages: sums are multiplied by the window's size first, so that the division
 * is exact.
 */
function overWindows(l: Lowering, x: Expr, conv: QnnConv): Expr {
  const size = conv.kernel.H * conv.kernel.W;
  const { strides, dilation, kernel_size: window } = conv.attrs;
  const stride = strides.reduce((a, b) => a * b, 1);
  if (size === 1 && stride === 1) return x;
  const scaled = size === 1 ? x : l.make("multiply", [x, l.int(size)]);
  return l.make("nn.avg_pool2d", [scaled], {
    pool_size: window,
    strides,
    dilation,
    padding: [0, 0],
    layout: conv.dataLayout,
  });
}

function dataSums(l: Lowering, padded: Expr, conv: QnnConv): Expr {
  const channelAxis = conv.dataLayout.indexOf("C");
  const sums = overWindows(
    l,
    l.make("sum", [l.cast(padded, int32)], { axis: [channelAxis], keepdims: true }),
    conv,
  );
  const spread =
    scalarValue(conv.weightZero) === null
      ? l.make("repeat", [sums], { repeats: conv.kernel.O, axis: channelAxis })
      : sums;
  return timesZeroPoint(l, conv.weightZero, spread);
}

function depthwiseDataSums(l: Lowering, padded: Expr, conv: QnnConv): Expr {
  const multiplier = conv.kernel.I;
  const sums = overWindows(l, l.cast(padded, int32), conv);
  const zero =
    scalarValue(conv.weightZero) === null
      ? l.make("repeat", [conv.weightZero], { repeats: multiplier, axis: 0 })
      : conv.weightZero;
  const product = timesZeroPoint(l, zero, sums);
  return multiplier === 1
    ? product
    : l.make("repeat", [product], { repeats: multiplier, axis: conv.dataLayout.indexOf("C") });
}

function weightSums(l: Lowering, conv: QnnConv): Expr {
  const summed = conv.depthwise ? "HW" : "IHW";
  const axis = conv.kernelLayout.split("").flatMap((letter, i) => (summed.includes(letter) ? [i] : []));
  const channels = conv.kernel.O * (conv.depthwise ? conv.kernel.I : 1);
  const sums = l.make("sum", [l.cast(conv.weight, int32)], { axis });
  return timesZeroPoint(
    l,
    conv.dataZero,
    reshapeTo(
      l.cx,
      sums,
      conv.dataLayout.split("").map((letter) => (letter === "C" ? channels : 1)),
      l.node.origin,
    ),
  );
}
