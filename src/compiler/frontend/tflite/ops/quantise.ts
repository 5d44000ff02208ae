// Between floats and integers, and unpacking of weights.  TVM: python/tvm/relay/frontend/tflite.py
// (convert_quantize, convert_dequantize, convert_densify)
import { float16, float32 } from "../../../ir/dtype.ts";
import { refuse } from "../../import-node.ts";
import { call, dataOf, dtypeOf, exprOf, input, output } from "../graph.ts";
import { dequantize, quantize, quantOf, requantize } from "../quant.ts";
import { tfOp, type TfOp } from "./op-table.ts";

const quantiseOp = tfOp("QUANTIZE", (n) => {
  const [from, to] = [input(n, 0), output(n)];
  quantOf(n, to);
  return from.quant === null ? quantize(n, exprOf(n, from), to) : requantize(n, exprOf(n, from), from, to);
});

/** 16-bit floats become 32-bit ones: how weights of half the size are stored. */
const dequantiseOp = tfOp("DEQUANTIZE", (n) => {
  const from = input(n, 0);
  const expr = exprOf(n, from);
  return dtypeOf(n, from) === float16
    ? call(n, "cast", [expr], { dtype: float32.name })
    : dequantize(n, expr, from);
});

/** Nothing is left to compute: the constant is unpacked when importing. */
const densify = tfOp("DENSIFY", (n) => {
  const from = input(n, 0);
  if (n.state.values.has(from.index))
    return refuse(n, "its input must be a constant", { got: `"${from.name}", which is computed` });
  n.state.dense.set(output(n).index, dataOf(n, from));
  return null;
});

export const quantiseOps: readonly TfOp[] = [quantiseOp, dequantiseOp, densify];
