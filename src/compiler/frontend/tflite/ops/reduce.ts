// Reductions.  TVM: python/tvm/relay/frontend/tflite.py (_convert_reduce, _convert_arg_min_max)
// Known differences: sums leave out the zero point of every element, not of one; products are computed in
// floats; averages that change the scale are those of the numbers, not of integers that were rounded before.
import { int32, int64, type DType } from "../../../ir/dtype.ts";
import { elementCount } from "../../../ir/tensor-data.ts";
import type { Expr } from "../../../relay/expr.ts";
import { scalarOf, shapeOf } from "../../import-node.ts";
import { flag } from "../flatbuffer.ts";
import { call, dtypeOf, exprOf, input, intOf, intsOf, option, output, type TfNode } from "../graph.ts";
import { centredWide, isByte, roundsAsTflite, scaledTwice } from "../double-rounding.ts";
import type { TfTensor } from "../model.ts";
import {
  inFloats,
  requantize,
  rescaled,
  sameQuant,
  scaleValue,
  storedInts,
  zeroPointValue,
} from "../quant.ts";
import { tfOp, type TfOp } from "./op-table.ts";

const reduced = (n: TfNode, relay: string, data: Expr): Expr =>
  call(n, relay, [data], {
    axis: intsOf(n, 1, "the axes"),
    keepdims: option(n, flag, 0, false),
    exclude: false,
  });

const wide = (n: TfNode, data: Expr, dtype: DType): Expr => call(n, "cast", [data], { dtype: dtype.name });

/**
 * The extreme integer, and whether any or all are true; the scale stays, or is brought to that of the output.
 */
function reduction(op: string, relay: string): TfOp {
  return tfOp(op, (n) => {
    const from = input(n, 0);
    const data = exprOf(n, from);
    if (from.quant === null) return reduced(n, relay, data);
    const result = reduced(n, relay, wide(n, data, int32));
    return output(n).quant === null ? result : requantize(n, result, from, output(n));
  });
}

/** The sum of what the integers stand for, `share` of it. 16-bit integers may need more than 32 bits. */
function quantisedSum(n: TfNode, share: (count: number) => number): Expr {
  const from = input(n, 0);
  const data = exprOf(n, from);
  const dtype = dtypeOf(n, from).bits > 8 ? int64 : int32;
  const zero = zeroPointValue(n, from);
  const ints = wide(n, data, dtype);
  const sum = reduced(n, "sum", zero === 0 ? ints : call(n, "subtract", [ints, scalarOf(n, dtype, zero)]));
  const count = elementCount(shapeOf(n, data)) / Math.max(elementCount(shapeOf(n, sum)), 1);
  return rescaled(n, sum, [scaleValue(n, from) * share(count)], output(n), null);
}

const sum = tfOp("SUM", (n) =>
  input(n, 0).quant === null || output(n).quant === null
    ? reduced(n, "sum", exprOf(n, input(n, 0)))
    : quantisedSum(n, () => 1),
);

/**
 * The sum scaled, then divided by the count, halves away from zero.
 * Source: tensorflow/lite/kernels/internal/reference/integer_ops/mean.h
 */
function meanTwice(n: TfNode, from: TfTensor, to: TfTensor): Expr {
  const data = exprOf(n, from);
  const sum = reduced(n, "sum", centredWide(n, data, zeroPointValue(n, from)));
  const count = elementCount(shapeOf(n, data)) / Math.max(elementCount(shapeOf(n, sum)), 1);
  const scaled = scaledTwice(n, sum, [scaleValue(n, from) / scaleValue(n, to)]);
  const value = (number: number): Expr => scalarOf(n, int64, number);
  const half = call(n, "multiply", [call(n, "sign", [scaled]), value(Math.floor(count / 2))]);
  const [away, by] = [call(n, "add", [scaled, half]), value(Math.max(count, 1))];
  // Relay divides integers towards zero.
  return storedInts(n, call(n, "divide", [away, by]), to);
}

const mean = tfOp("MEAN", (n) => {
  const [from, to] = [input(n, 0), output(n)];
  if (from.quant === null) return reduced(n, "mean", exprOf(n, from));
  if (roundsAsTflite(n) && to.quant !== null && isByte(dtypeOf(n, from))) return meanTwice(n, from, to);
  if (to.quant !== null && !sameQuant(n, from, to)) return quantisedSum(n, (count) => 1 / Math.max(count, 1));
  const result = reduced(n, "mean", wide(n, exprOf(n, from), int32));
  return to.quant === null ? result : requantize(n, result, from, to);
});

const product = tfOp("REDUCE_PROD", (n) => inFloats(n, (x) => reduced(n, "prod", x)));

/** The position of the extreme element; order does not depend on the scale. */
function position(op: string, relay: string): TfOp {
  return tfOp(op, (n) => {
    const found = call(n, relay, [exprOf(n, input(n, 0))], {
      axis: [intOf(n, 1, "the axis")],
      keepdims: false,
      exclude: false,
    });
    return dtypeOf(n, output(n)) === int64 ? call(n, "cast", [found], { dtype: int64.name }) : found;
  });
}

export const reduceOps: readonly TfOp[] = [
  mean,
  sum,
  product,
  reduction("REDUCE_MAX", "max"),
  reduction("REDUCE_MIN", "min"),
  reduction("REDUCE_ANY", "any"),
  reduction("REDUCE_ALL", "all"),
  position("ARG_MAX", "argmax"),
  position("ARG_MIN", "argmin"),
];
