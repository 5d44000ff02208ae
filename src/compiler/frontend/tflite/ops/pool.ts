// Pools and normalisations of images.  TVM: python/tvm/relay/frontend/tflite.py (convert_pool2d, …)
import { float32, int32 } from "../../../ir/dtype.ts";
import type { Attrs } from "../../../ir/attrs.ts";
import type { Expr } from "../../../relay/expr.ts";
import { byte, float, int } from "../flatbuffer.ts";
import { rankOf, refuse, scalarOf, typeOf, shapeOfRank } from "../../import-node.ts";
import { call, dtypeOf, exprOf, input, option, output, type TfNode } from "../graph.ts";
import { inFloats, requireSameQuant, withActivation } from "../quant.ts";
import { paddingOf } from "./conv.ts";
import { samePadding } from "./padding.ts";
import { isByte, roundsAsTflite } from "../double-rounding.ts";
import { tfOp, type TfOp } from "./op-table.ts";

function poolAttrs(n: TfNode, data: Expr): Attrs {
  const [, height, width] = shapeOfRank(n, data, 4);
  const strides = [option(n, int, 2, 1), option(n, int, 1, 1)] as const;
  const window = [option(n, int, 4, 1), option(n, int, 3, 1)] as const;
  const [rows, columns] = [
    samePadding(height, window[0], strides[0]),
    samePadding(width, window[1], strides[1]),
  ];
  return {
    pool_size: window,
    strides,
    padding: paddingOf(n, 0) === "SAME" ? [rows[0], columns[0], rows[1], columns[1]] : [0, 0, 0, 0],
    layout: "NHWC",
  };
}

const activation = (n: TfNode): number => option(n, byte, 5, 0);

/** Integers are averaged as int32: the scale stays, and TFLite asks for one on both sides. */
const averagePool = tfOp("AVERAGE_POOL_2D", (n) => {
  const from = input(n, 0);
  const data = exprOf(n, from);
  const attrs = poolAttrs(n, data);
  if (from.quant === null) return withActivation(n, call(n, "nn.avg_pool2d", [data], attrs), activation(n));
  requireSameQuant(n, [from, output(n)]);
  if (roundsAsTflite(n) && isByte(dtypeOf(n, from))) {
    // Means of bytes are exact enough in floats to round as TFLite's division does: halves away from zero.
    const mean = call(n, "nn.avg_pool2d", [call(n, "cast", [data], { dtype: float32.name })], attrs);
    const rounded = call(n, "cast", [call(n, "round", [mean])], { dtype: dtypeOf(n, output(n)).name });
    return withActivation(n, rounded, activation(n));
  }
  const wide = call(n, "nn.avg_pool2d", [call(n, "cast", [data], { dtype: int32.name })], attrs);
  return withActivation(n, call(n, "cast", [wide], { dtype: dtypeOf(n, output(n)).name }), activation(n));
});

const maxPool = tfOp("MAX_POOL_2D", (n) => {
  const from = input(n, 0);
  if (from.quant !== null) requireSameQuant(n, [from, output(n)]);
  const data = exprOf(n, from);
  return withActivation(n, call(n, "nn.max_pool2d", [data], poolAttrs(n, data)), activation(n));
});

/** Root of the mean of squares. */
const l2Pool = tfOp("L2_POOL_2D", (n) => {
  if (input(n, 0).quant !== null) return refuse(n, "it is not supported on quantised tensors");
  const data = exprOf(n, input(n, 0));
  const squares = call(n, "power", [data, scalarOf(n, typeOf(n, data).dtype, 2)]);
  return withActivation(
    n,
    call(n, "sqrt", [call(n, "nn.avg_pool2d", [squares], poolAttrs(n, data))]),
    activation(n),
  );
});

const softmax = tfOp("SOFTMAX", (n) =>
  inFloats(n, (x) => {
    const beta = option(n, float, 0, 1);
    return call(
      n,
      "nn.softmax",
      [beta === 1 ? x : call(n, "multiply", [x, scalarOf(n, typeOf(n, x).dtype, beta)])],
      { axis: -1 },
    );
  }),
);

const logSoftmax = tfOp("LOG_SOFTMAX", (n) => inFloats(n, (x) => call(n, "nn.log_softmax", [x])));

const l2Normalization = tfOp("L2_NORMALIZATION", (n) =>
  withActivation(
    n,
    inFloats(n, (x) => call(n, "nn.l2_normalize", [x], { eps: 1e-12, axis: [rankOf(n, x) - 1] })),
    option(n, byte, 0, 0),
  ),
);

/** TFLite's alpha is that of one element, Relay's of the whole window. */
const localResponse = tfOp("LOCAL_RESPONSE_NORMALIZATION", (n) =>
  inFloats(n, (x) => {
    const size = option(n, int, 0, 0) * 2 + 1;
    return call(n, "nn.lrn", [x], {
      size,
      axis: 3,
      bias: option(n, float, 1, 0),
      alpha: option(n, float, 2, 0) * size,
      beta: option(n, float, 3, 0),
    });
  }),
);

export const poolOps: readonly TfOp[] = [
  averagePool,
  maxPool,
  l2Pool,
  softmax,
  logSoftmax,
  l2Normalization,
  localResponse,
];
