// Pooling.  TVM: python/tvm/relay/frontend/onnx.py (Pool, GlobalAveragePool, LpPool)
import { int64, isFloat, type DType } from "../../../ir/dtype.ts";
import type { Attrs } from "../../../ir/attrs.ts";
import { tensorData } from "../../../ir/tensor-data.ts";
import type { Expr } from "../../../relay/expr.ts";
import { number, reduce, scaled, slice } from "../arithmetic.ts";
import { constantOf, rankOf, refuse, scalarOf, shapeOf } from "../../import-node.ts";
import { call, dtypeOf, input, int, ints, type Importer, type OnnxNode } from "../graph.ts";
import { onnxOp, type OnnxOp } from "../ops/op-table.ts";
import { dimensioned, windowOf, type Window } from "./window.ts";

function poolWindow(n: OnnxNode, data: Expr): Window {
  const kernel = ints(n, "kernel_shape") ?? refuse(n, "kernel_shape is missing");
  return windowOf(n, kernel, () => shapeOf(n, data).slice(2));
}

export function pool(n: OnnxNode, relay: string, data: Expr, extra: Attrs = {}): Expr {
  const window = poolWindow(n, data);
  const { suffix, layout } = dimensioned(n, window.kernel.length);
  return call(n, `${relay}${suffix}`, [data], {
    pool_size: window.kernel,
    strides: window.strides,
    dilation: window.dilations,
    padding: window.pads,
    layout,
    ceil_mode: int(n, "ceil_mode", 0) !== 0,
    ...extra,
  });
}

const averagePool: Importer = (n) =>
  pool(n, "nn.avg_pool", input(n, 0), { count_include_pad: int(n, "count_include_pad", 0) !== 0 });

const maxPool: Importer = (n) => {
  const data = input(n, 0);
  return (n.proto.output[1] ?? "") === "" ? pool(n, "nn.max_pool", data) : maxPoolWithIndices(n, data);
};

/** The least value of a dtype. */
export function leastOf(dtype: DType): number {
  if (isFloat(dtype)) return -Infinity;
  return dtype.code === "int" ? -(2 ** (dtype.bits - 1)) : 0;
}

/**
 * Relay's max_pool does not say where the maximum was: the places of the window are compared one after the other, each with
 * the index that it has in the whole input (row-major; column-major in the plane with storage_order).
 */
function maxPoolWithIndices(n: OnnxNode, data: Expr): readonly Expr[] {
  const window = poolWindow(n, data);
  const shape = shapeOf(n, data);
  const axes = window.kernel.map((_, i) => i + 2);
  const lowest = leastOf(dtypeOf(n, data));
  const widths = shape.map((_, axis) =>
    axis < 2
      ? [0, 0]
      : [window.pads[axis - 2]!, window.pads[axis - 2 + axes.length]! + window.strides[axis - 2]! - 1],
  );
  const padded = call(n, "nn.pad", [data, scalarOf(n, dtypeOf(n, data), lowest)], {
    pad_width: widths,
    pad_mode: "constant",
  });
  const round = int(n, "ceil_mode", 0) !== 0 ? Math.ceil : Math.floor;
  const counts = axes.map((axis, i) => {
    const room =
      shape[axis]! +
      window.pads[i]! +
      window.pads[i + axes.length]! -
      (window.kernel[i]! - 1) * window.dilations[i]! -
      1;
    return round(room / window.strides[i]!) + 1;
  });
  let best: Expr | null = null;
  let at: Expr | null = null;
  for (const place of places(window.kernel)) {
    const begin = place.map((p, i) => p * window.dilations[i]!);
    const part = slice(n, padded, {
      begin,
      end: begin.map((b, i) => b + (counts[i]! - 1) * window.strides[i]! + 1),
      strides: window.strides,
      axes,
    });
    const index = constantOf(n, indices(n, { shape, window, counts, begin }));
    const better: Expr | null = best === null ? null : call(n, "greater", [part, best]);
    best = better === null ? part : call(n, "where", [better, part, best!]);
    at = better === null ? index : call(n, "where", [better, index, at!]);
  }
  return [best!, at!];
}

/** All positions of a window, row-major. */
function places(kernel: readonly number[]): readonly (readonly number[])[] {
  return kernel.reduce<readonly (readonly number[])[]>(
    (all, extent) => all.flatMap((place) => Array.from({ length: extent }, (_, i) => [...place, i])),
    [[]],
  );
}

interface IndicesOf {
  readonly shape: readonly number[];
  readonly window: Window;
  readonly counts: readonly number[];
  readonly begin: readonly number[];
}

function indices(n: OnnxNode, { shape, window, counts, begin }: IndicesOf) {
  const plane = shape.slice(2);
  const columnMajor = int(n, "storage_order", 0) !== 0;
  const planeSize = plane.reduce((a, b) => a * b, 1);
  const out: bigint[] = [];
  for (let image = 0; image < shape[0]! * shape[1]!; image++) {
    for (const place of places(counts)) {
      const index = place.map((p, i) => p * window.strides[i]! + begin[i]! - window.pads[i]!);
      const offset = columnMajor
        ? index.reduceRight((sum, v, i) => sum * plane[i]! + v, 0)
        : index.reduce((sum, v, i) => sum * plane[i]! + v, 0);
      out.push(BigInt(image * planeSize + offset));
    }
  }
  return tensorData(int64, [shape[0]!, shape[1]!, ...counts], BigInt64Array.from(out), "folded");
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
    scaled(n, pool(n, "nn.avg_pool", powers, { count_include_pad: true }), size),
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
  onnxOp("AveragePool", averagePool),
  onnxOp("MaxPool", maxPool),
  onnxOp("GlobalAveragePool", globalPool("avg")),
  onnxOp("GlobalMaxPool", globalPool("max")),
  onnxOp("LpPool", lpPool),
  onnxOp("GlobalLpPool", globalLpPool),
];
