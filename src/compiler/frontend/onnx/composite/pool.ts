// Pooling.  TVM: python/tvm/relay/frontend/onnx.py (Pool, GlobalAveragePool, LpPool)
import { at } from "../../../../support/assert.ts";
import { int64, isFloat, type DType } from "../../../ir/dtype.ts";
import type { Attrs } from "../../../ir/attrs.ts";
import { elementCount, tensorData, type TensorData } from "../../../ir/tensor-data.ts";
import type { Expr } from "../../../relay/expr.ts";
import { number, reduce, scaled, slice } from "../arithmetic.ts";
import { constantOf, rankOf, refuse, scalarOf, shapeOf, listed } from "../../import-node.ts";
import { writable } from "../../within.ts";
import { call, dtypeOf, input, int, ints, type Importer, type OnnxNode } from "../graph.ts";
import { onnxOp, type OnnxOp } from "../ops/op-table.ts";
import { dimensioned, listsOf, windowOf, type Window, type WindowAxis } from "./window.ts";

function poolWindow(n: OnnxNode, data: Expr): Window {
  const kernel = ints(n, "kernel_shape") ?? refuse(n, "kernel_shape is missing");
  return windowOf(n, kernel, () => shapeOf(n, data).slice(2));
}

const roundsUp = (n: OnnxNode): boolean => int(n, "ceil_mode", 0) !== 0;

/**
 * How many windows fit along an axis. With ceil_mode one that begins behind the data and the padding before
 * it is dropped, as ONNX Runtime and PyTorch do and the operator's text says since opset 22; TVM keeps it.
 */
function windowCount(extent: number, axis: WindowAxis, up: boolean): number {
  const room = extent + axis.before + axis.after - (axis.kernel - 1) * axis.dilation - 1;
  if (!up) return Math.floor(room / axis.stride) + 1;
  const count = Math.ceil(room / axis.stride) + 1;
  return (count - 1) * axis.stride >= extent + axis.before ? count - 1 : count;
}

/** Whether no extent makes a window that begins behind the data: TVM's ceil_mode is ONNX's then. */
const neverDrops = (axis: WindowAxis): boolean =>
  axis.after + axis.stride <= (axis.kernel - 1) * axis.dilation + 1;

/** How the windows of a pool come to lie on its data. */
interface Fitted {
  /** The padding at the end makes room for the windows that there are. */
  readonly window: Window;
  /** Whether Relay's ceil_mode finds the number of windows. */
  readonly ceil: boolean;
  /** Whether a window reaches further than the node's padding does. */
  readonly beyond: boolean;
}

function fitted(n: OnnxNode, data: Expr): Fitted {
  const window = poolWindow(n, data);
  if (!roundsUp(n)) return { window, ceil: false, beyond: false };
  if (window.every(neverDrops)) return { window, ceil: true, beyond: true };
  const extents = shapeOf(n, data, "its input (ceil_mode drops windows by it)").slice(2);
  const ends = window.map((axis, i) => {
    const extent = listed(n, extents, i, "spatial axes");
    const count = windowCount(extent, axis, true);
    const least = (count - 1) * axis.stride + (axis.kernel - 1) * axis.dilation + 1 - extent - axis.before;
    return Math.min(Math.max(axis.after, least), least + axis.stride - 1);
  });
  return {
    window: window.map((axis, i) => ({ ...axis, after: at(ends, i, "padding") })),
    ceil: false,
    beyond: window.some((axis, i) => at(ends, i, "padding") > axis.after),
  };
}

function poolOver(n: OnnxNode, relay: string, data: Expr, { window, ceil }: Fitted, extra: Attrs): Expr {
  const { suffix, layout } = dimensioned(n, window.length);
  const { kernel, ...lists } = listsOf(window);
  return call(n, `${relay}${suffix}`, [data], {
    pool_size: kernel,
    ...lists,
    layout,
    ceil_mode: ceil,
    ...extra,
  });
}

/** The mean of each window. What lies behind the padding is not counted, with count_include_pad neither. */
export function averages(n: OnnxNode, data: Expr): Expr {
  const fit = fitted(n, data);
  const included = int(n, "count_include_pad", 0) !== 0;
  if (!included || !fit.beyond) return poolOver(n, "nn.avg_pool", data, fit, { count_include_pad: included });
  // Padded first, so that only what ceil_mode adds is left out of the count.
  const own = poolWindow(n, data);
  const padded = call(n, "nn.pad", [data, scalarOf(n, dtypeOf(n, data), 0)], {
    pad_width: [
      [0, 0],
      [0, 0],
      ...own.map(({ before, after }, i) => [before, Math.min(after, endOf(fit, i))]),
    ],
    pad_mode: "constant",
  });
  const rest = own.map((axis, i) => ({ ...axis, before: 0, after: Math.max(endOf(fit, i) - axis.after, 0) }));
  return poolOver(n, "nn.avg_pool", padded, { ...fit, window: rest }, { count_include_pad: false });
}

const endOf = ({ window }: Fitted, axis: number): number => at(window, axis, "axis of a window").after;

const maxPool: Importer = (n) => {
  const data = input(n, 0);
  return (n.proto.output[1] ?? "") === ""
    ? poolOver(n, "nn.max_pool", data, fitted(n, data), {})
    : maxPoolWithIndices(n, data);
};

/** The least value of a dtype. */
function leastOf(dtype: DType): number {
  if (isFloat(dtype)) return -Infinity;
  return dtype.code === "int" ? -(2 ** (dtype.bits - 1)) : 0;
}

/**
 * Relay's max_pool does not say where the maximum was: the places of the window are compared one after the
 * other, each with the index that it has in the whole input (row-major; column-major in the plane with
 * storage_order).
 */
function maxPoolWithIndices(n: OnnxNode, data: Expr): readonly Expr[] {
  const [batch = 1, channels = 1, ...plane] = shapeOf(n, data);
  const window = poolWindow(n, data).map((axis, i): PlaneAxis => {
    const extent = listed(n, plane, i, "spatial axes");
    return { ...axis, extent, count: windowCount(extent, axis, roundsUp(n)) };
  });
  const widths = window.map(({ before, after, stride }) => [before, after + stride - 1]);
  const lowest = scalarOf(n, dtypeOf(n, data), leastOf(dtypeOf(n, data)));
  const padded = call(n, "nn.pad", [data, lowest], {
    pad_width: [[0, 0], [0, 0], ...widths],
    pad_mode: "constant",
  });
  const candidates: readonly (readonly [Expr, Expr])[] = places(window.map(({ kernel }) => kernel)).map(
    (place) => {
      const axes = window.map((axis, i) => ({
        ...axis,
        begin: at(place, i, "axis of a place") * axis.dilation,
      }));
      const part = slice(n, padded, {
        begin: axes.map(({ begin }) => begin),
        end: axes.map(({ begin, count, stride }) => begin + (count - 1) * stride + 1),
        strides: axes.map(({ stride }) => stride),
        axes: axes.map((_, i) => i + 2),
      });
      return [part, constantOf(n, indices(n, [batch, channels], axes))] as const;
    },
  );
  if (candidates.length === 0) return refuse(n, "its window is empty");
  return candidates.reduce(([best, where], [part, index]) => {
    const better = call(n, "greater", [part, best]);
    return [call(n, "where", [better, part, best]), call(n, "where", [better, index, where])];
  });
}

/** A spatial axis of the input, and how many windows fit along it. */
interface PlaneAxis extends WindowAxis {
  readonly extent: number;
  readonly count: number;
}

/** All positions of a window, row-major. */
function places(kernel: readonly number[]): readonly (readonly number[])[] {
  return kernel.reduce<readonly (readonly number[])[]>(
    (all, extent) => all.flatMap((place) => Array.from({ length: extent }, (_, i) => [...place, i])),
    [[]],
  );
}

/**
 * For each window the index in the whole input of its element that lies `begin` behind the window's first.
 */
function indices(
  n: OnnxNode,
  [batch, channels]: readonly [number, number],
  axes: readonly (PlaneAxis & { readonly begin: number })[],
): TensorData {
  const columnMajor = int(n, "storage_order", 0) !== 0;
  const planeSize = elementCount(axes.map(({ extent }) => extent));
  const counts = axes.map(({ count }) => count);
  writable(n, batch * channels * elementCount(counts));
  const offsets = places(counts).map((place) => {
    const steps = axes.map((axis, i) => ({
      extent: axis.extent,
      index: at(place, i, "axis of a place") * axis.stride + axis.begin - axis.before,
    }));
    return (columnMajor ? steps.toReversed() : steps).reduce(
      (sum, step) => sum * step.extent + step.index,
      0,
    );
  });
  const images = Array.from({ length: batch * channels }, (_, image) => image * planeSize);
  const out = images.flatMap((image) => offsets.map((offset) => BigInt(image + offset)));
  return tensorData(int64, [batch, channels, ...counts], BigInt64Array.from(out), "folded");
}

function globalPool(relay: "avg" | "max"): Importer {
  return (n) => {
    const data = input(n, 0);
    const axes = rankOf(n, data) - 2;
    if (axes === 2) return call(n, `nn.global_${relay}_pool2d`, [data], { layout: "NCHW" });
    const { suffix, layout } = dimensioned(n, axes);
    return call(n, `nn.adaptive_${relay}_pool${suffix}`, [data], {
      output_size: Array.from({ length: axes }, () => 1),
      layout,
    });
  };
}

/** (sum |x|^p)^(1/p) as an average over the whole window, times the window's size. */
const lpPool: Importer = (n) => {
  const x = input(n, 0);
  const p = int(n, "p", 2);
  const powers = call(n, "power", [call(n, "abs", [x]), number(n, p, x)]);
  const size = (ints(n, "kernel_shape") ?? []).reduce((a, b) => a * b, 1);
  return call(n, "power", [
    scaled(n, poolOver(n, "nn.avg_pool", powers, fitted(n, powers), { count_include_pad: true }), size),
    number(n, 1 / p, x),
  ]);
};

const globalLpPool: Importer = (n) => {
  const x = input(n, 0);
  const p = int(n, "p", 2);
  const axes = Array.from({ length: rankOf(n, x) - 2 }, (_, i) => i + 2);
  const sum = reduce(n, "sum", call(n, "power", [call(n, "abs", [x]), number(n, p, x)]), axes, true);
  return call(n, "power", [sum, number(n, 1 / p, x)]);
};

export const poolOps: readonly OnnxOp[] = [
  onnxOp("AveragePool", (n) => averages(n, input(n, 0))),
  onnxOp("MaxPool", maxPool),
  onnxOp("GlobalAveragePool", globalPool("avg")),
  onnxOp("GlobalMaxPool", globalPool("max")),
  onnxOp("LpPool", lpPool),
  onnxOp("GlobalLpPool", globalLpPool),
];
