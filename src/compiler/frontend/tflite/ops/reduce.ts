// Reductions.  TVM: python/tvm/relay/frontend/tflite.py (_convert_reduce, _convert_arg_min_max)
import { int32, int64 } from "../../../ir/dtype.ts";
import { flag } from "../flatbuffer.ts";
import { call, dtypeOf, exprOf, input, intOf, intsOf, option, output } from "../graph.ts";
import { requantize } from "../quant.ts";
import { tfOp, type TfOp } from "./op-table.ts";

/** Integers are combined as int32 and then brought to the scale of the output. */
function reduction(op: string, relay: string): TfOp {
  return tfOp(op, (n) => {
    const from = input(n, 0);
    const data = exprOf(n, from);
    const wide = from.quant === null ? data : call(n, "cast", [data], { dtype: int32.name });
    const result = call(n, relay, [wide], {
      axis: intsOf(n, 1, "the axes"),
      keepdims: option(n, flag, 0, false),
      exclude: false,
    });
    return output(n).quant === null ? result : requantize(n, result, from, output(n));
  });
}

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
  reduction("MEAN", "mean"),
  reduction("SUM", "sum"),
  reduction("REDUCE_MAX", "max"),
  reduction("REDUCE_MIN", "min"),
  reduction("REDUCE_PROD", "prod"),
  reduction("REDUCE_ANY", "any"),
  reduction("REDUCE_ALL", "all"),
  position("ARG_MAX", "argmax"),
  position("ARG_MIN", "argmin"),
];
