// Reductions, index of the greatest, and the softmax family.  TVM: python/tvm/relay/frontend/onnx.py
// (Reduce*, ArgMax, Softmax)
import { int64 } from "../../../ir/dtype.ts";
import type { Expr } from "../../../relay/expr.ts";
import { add, divide, exp, log, multiply, number, reduce, sqrt, subtract } from "../arithmetic.ts";
import { dimsOf, rankOf, shapeOf, extentOf, listed } from "../../import-node.ts";
import {
  axisIn,
  call,
  cast,
  dtypeOf,
  input,
  int,
  ints,
  intsOf,
  optional,
  reshape,
  type Importer,
  type OnnxNode,
} from "../graph.ts";
import { onnxOp, type OnnxOp } from "./op-table.ts";

const range = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(to - from, 0) }, (_, i) => from + i);

/**
 * Axes by attribute or, from opset 13 (ReduceSum) and 18 on, by input; none means all, or nothing to do with
 * noop_with_empty_axes.
 */
function axesOf(n: OnnxNode): readonly number[] {
  const rank = rankOf(n, input(n, 0));
  const second = optional(n, 1);
  const given = second === null ? ints(n, "axes") : intsOf(n, second, "the axes");
  if (given === null || given.length === 0)
    return int(n, "noop_with_empty_axes", 0) !== 0 ? [] : range(0, rank);
  return given.map((axis) => axisIn(n, axis, rank));
}

type Wrap = (n: OnnxNode, x: Expr) => Expr;
const asIs: Wrap = (_, x) => x;

function reduction(relay: string, before: Wrap = asIs, after: Wrap = asIs): Importer {
  return (n) => {
    const axes = axesOf(n);
    const x = before(n, input(n, 0));
    return after(n, axes.length === 0 ? x : reduce(n, relay, x, axes, int(n, "keepdims", 1) !== 0));
  };
}

/**
 * Of booleans "any" and "all"; of no floats at all the infinity that ONNX says, not the least or greatest
 * float.
 */
function extreme(relay: "max" | "min"): Importer {
  const ofNothing = relay === "max" ? -Infinity : Infinity;
  return (n) => {
    const { code } = dtypeOf(n, input(n, 0));
    if (code === "bool") return reduction(relay === "max" ? "any" : "all")(n);
    const isEmpty = dimsOf(n, input(n, 0)).includes(0) && (code === "float" || code === "bfloat");
    return reduction(relay, asIs, isEmpty ? (_, x) => add(n, x, number(n, ofNothing, x)) : asIs)(n);
  };
}

const square: Wrap = (n, x) => multiply(n, x, x);

/** log(sum(exp(x - max))) + max, so that nothing overflows. */
const logSumExp: Importer = (n) => {
  const x = input(n, 0);
  const axes = axesOf(n);
  if (axes.length === 0) return x;
  const greatest = reduce(n, "max", x, axes, true);
  const sum = add(n, log(n, reduce(n, "sum", exp(n, subtract(n, x, greatest)), axes, true)), greatest);
  return int(n, "keepdims", 1) !== 0 ? sum : call(n, "squeeze", [sum], { axis: axes });
};

function arg(relay: string): Importer {
  return (n) => {
    const axis = axisIn(n, int(n, "axis", 0), rankOf(n, input(n, 0)));
    const found = call(n, relay, [input(n, 0)], {
      axis: [axis],
      keepdims: int(n, "keepdims", 1) !== 0,
      select_last_index: int(n, "select_last_index", 0) !== 0,
    });
    return cast(n, found, int64);
  };
}

/** Before opset 13 everything from `axis` on is one row. */
function softmaxAxes(n: OnnxNode): readonly number[] {
  const rank = rankOf(n, input(n, 0));
  const axis = axisIn(n, int(n, "axis", n.opset < 13 ? 1 : -1), rank);
  return n.opset < 13 ? range(axis, rank) : [axis];
}

const softmax: Importer = (n) => {
  const axes = softmaxAxes(n);
  const x = input(n, 0);
  const e = exp(n, subtract(n, x, reduce(n, "max", x, axes, true)));
  return divide(n, e, reduce(n, "sum", e, axes, true));
};

export function logSoftmaxOf(n: OnnxNode, x: Expr, axes: readonly number[]): Expr {
  const shifted = subtract(n, x, reduce(n, "max", x, axes, true));
  return subtract(n, shifted, log(n, reduce(n, "sum", exp(n, shifted), axes, true)));
}

/** 1 where the first greatest of each row stands. */
const hardmax: Importer = (n) => {
  const x = input(n, 0);
  const axes = softmaxAxes(n);
  const shape = shapeOf(n, x);
  const rows =
    axes.length === 1
      ? x
      : reshape(n, x, [...shape.slice(0, axes[0]), shape.slice(axes[0]).reduce((a, b) => a * b, 1)]);
  const axis = listed(n, axes, 0, "axes");
  const at = call(n, "argmax", [rows], { axis: [axis], keepdims: false });
  const hot = call(n, "one_hot", [at, number(n, 1, x), number(n, 0, x)], {
    depth: extentOf(n, rows, axis),
    axis,
    dtype: dtypeOf(n, x).name,
  });
  return reshape(n, hot, shape);
};

export const reduceOps: readonly OnnxOp[] = [
  onnxOp("ReduceSum", reduction("sum"), { values: [1] }),
  onnxOp("ReduceMean", reduction("mean"), { values: [1] }),
  onnxOp("ReduceMax", extreme("max"), { values: [1] }),
  onnxOp("ReduceMin", extreme("min"), { values: [1] }),
  onnxOp("ReduceProd", reduction("prod"), { values: [1] }),
  onnxOp(
    "ReduceL1",
    reduction("sum", (n, x) => call(n, "abs", [x])),
    { values: [1] },
  ),
  onnxOp("ReduceL2", reduction("sum", square, sqrt), { values: [1] }),
  onnxOp("ReduceSumSquare", reduction("sum", square), { values: [1] }),
  onnxOp("ReduceLogSum", reduction("sum", asIs, log), { values: [1] }),
  onnxOp("ReduceLogSumExp", logSumExp, { values: [1] }),
  onnxOp("ArgMax", arg("argmax")),
  onnxOp("ArgMin", arg("argmin")),
  onnxOp("Softmax", softmax),
  onnxOp("LogSoftmax", (n) => logSoftmaxOf(n, input(n, 0), softmaxAxes(n))),
  onnxOp("Hardmax", hardmax),
];
