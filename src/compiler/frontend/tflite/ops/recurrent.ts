// Layers that keep a state between runs. TVM has none of them in this form: a run is a function of its
// inputs, so states begin at 0. Source: tensorflow/lite/kernels/internal/reference/svdf.h,
// tensorflow/lite/kernels/lstm_eval.cc (LstmStepFloat)
// Known difference: an LSTM of integers is computed in floats.
import { tuple } from "../../../../support/assert.ts";
import { diagnostic } from "../../../ir/diagnostic.ts";
import { float32, int32, type DType } from "../../../ir/dtype.ts";
import type { Expr } from "../../../relay/expr.ts";
import { field, fields, isOfLength, refuse, scalarOf, shapeOf, shapeOfRank } from "../../import-node.ts";
import { byte, flag, float, int } from "../flatbuffer.ts";
import { call, exprOf, input, option, output, type TfNode } from "../graph.ts";
import type { TfTensor } from "../model.ts";
import {
  activated,
  activationOf,
  dequantize,
  realInput,
  rescaled,
  scaleOf,
  scaleValue,
  stored,
  withActivation,
  zeroPointOf,
  type Activation,
} from "../quant.ts";
import { tfOp, type TfOp } from "./op-table.ts";

const reshaped = (n: TfNode, x: Expr, newshape: readonly number[]): Expr =>
  call(n, "reshape", [x], { newshape });
const joined = (n: TfNode, parts: readonly Expr[], axis: number): Expr =>
  isOfLength(parts, 1) ? parts[0] : call(n, "concatenate", [fields(n, parts)], { axis });
const sum = (n: TfNode, a: Expr, b: Expr): Expr => call(n, "add", [a, b]);
const product = (n: TfNode, a: Expr, b: Expr): Expr => call(n, "multiply", [a, b]);

/** The state in `shape`: what an operator before left in it, else zeros, which is said once. */
function stateOf(n: TfNode, tensor: TfTensor, shape: readonly number[], dtype: DType): Expr {
  const known = n.state.values.get(tensor.index);
  if (known !== undefined) return reshaped(n, known, shape);
  if (!n.state.found.some(({ code }) => code === "RS1845"))
    n.state.found.push(
      diagnostic("RS1845", `${n.place} keeps a state between runs; here every run starts from zero.`, {
        severity: "info",
        because: "TFLite goes on from where the run before stopped",
        hint: "results are those of the first run after loading the file",
      }),
    );
  return call(n, "zeros", [], { shape, dtype: dtype.name });
}

/** The last column of every filter's memory is what the data give now; the others move one place. */
const svdf = tfOp("SVDF", (n) => {
  const [data, feature, time, to] = [input(n, 0), input(n, 1), input(n, 2), output(n)];
  const rank = option(n, int, 0, 1);
  const [batch] = shapeOfRank(n, exprOf(n, data), 2, "its data");
  const [filters, memory] = shapeOfRank(n, exprOf(n, time), 2, "its weights of time");
  if (rank < 1 || filters % rank !== 0)
    return refuse(n, "its rank does not divide its filters", {
      expected: `a divisor of ${filters}`,
      got: String(rank),
    });
  const whole = data.quant !== null;
  const state = input(n, 4);
  const now = whole ? integerFeatures(n, data, feature, state) : realFeatures(n, feature);
  const column = reshaped(n, now, [batch, filters, 1]);
  const before = stateOf(n, state, [batch, filters, memory], whole ? int32 : float32);
  const moved =
    memory === 1
      ? column
      : joined(
          n,
          [
            call(n, "strided_slice", [before], {
              begin: [0, 0, 1],
              end: [batch, filters, memory],
              strides: [1, 1, 1],
            }),
            column,
          ],
          2,
        );
  n.state.values.set(state.index, reshaped(n, moved, [batch, filters * memory]));
  const weights = whole ? call(n, "cast", [exprOf(n, time)], { dtype: int32.name }) : realInput(n, 2);
  const dots = call(n, "sum", [product(n, moved, weights)], { axis: [2], keepdims: false, exclude: false });
  const units = call(n, "sum", [reshaped(n, dots, [batch, filters / rank, rank])], {
    axis: [2],
    keepdims: false,
    exclude: false,
  });
  const bias = n.inputs[3] ?? null;
  const result = bias === null ? units : sum(n, units, exprOf(n, bias));
  return withActivation(
    n,
    whole ? rescaled(n, result, [scaleValue(n, state) * scaleValue(n, time)], to, null) : result,
    option(n, byte, 1, 0),
  );
});

function realFeatures(n: TfNode, feature: TfTensor): Expr {
  return call(n, "nn.dense", [realInput(n, 0), realInput(n, 1)], { units: feature.shape[0] ?? null });
}

/** In the state's scale, held in 16 bits, as int32. */
function integerFeatures(n: TfNode, data: TfTensor, feature: TfTensor, state: TfTensor): Expr {
  const dots = call(
    n,
    "qnn.dense",
    [
      exprOf(n, data),
      exprOf(n, feature),
      zeroPointOf(n, data),
      zeroPointOf(n, feature),
      scaleOf(n, data),
      scaleOf(n, feature),
    ],
    { units: feature.shape[0] ?? null, out_dtype: int32.name },
  );
  const scale = scalarOf(n, float32, scaleValue(n, data) * scaleValue(n, feature));
  const scaled = call(
    n,
    "qnn.requantize",
    [dots, scale, scalarOf(n, int32, 0), scaleOf(n, state), scalarOf(n, int32, 0)],
    { out_dtype: int32.name },
  );
  return call(n, "clip", [scaled], { a_min: -32768, a_max: 32767 });
}

/** Inputs of the LSTM by their first number; gates follow in the order input, forget, cell, output. */
const at = {
  weights: 1,
  recurrent: 5,
  peepholes: 9,
  biases: 12,
  projection: 16,
  projectionBias: 17,
  output: 18,
  cell: 19,
  norms: 20,
};

/** An input that may be left out, in floats. */
function optional(n: TfNode, index: number): Expr | null {
  const tensor = n.inputs[index] ?? null;
  if (tensor === null) return null;
  const expr = exprOf(n, tensor);
  return tensor.quant === null ? expr : dequantize(n, expr, tensor);
}

const needed = (n: TfNode, index: number): Expr =>
  optional(n, index) ?? refuse(n, `input ${index} is missing`);

interface Gate {
  readonly peephole: Expr | null;
  readonly norm: Expr | null;
  readonly bias: Expr;
}

interface Lstm {
  readonly cells: number;
  readonly outputs: number;
  /** Input, forget, cell, output; the first is null where forget stands for it. */
  readonly gates: readonly [Gate | null, Gate, Gate, Gate];
  readonly recurrent: Expr;
  readonly projection: Expr | null;
  readonly projectionBias: Expr | null;
  readonly activation: Activation;
  readonly cellClip: number;
  readonly projectionClip: number;
}

function gateOf(n: TfNode, gate: number): Gate {
  const peephole = gate === 2 ? null : at.peepholes + (gate === 3 ? 2 : gate);
  return {
    peephole: peephole === null ? null : optional(n, peephole),
    norm: optional(n, at.norms + gate),
    bias: needed(n, at.biases + gate),
  };
}

/** What goes into the gate's function: normalised first where the layer is, then the bias. */
function gated(n: TfNode, gate: Gate, dots: Expr, cell: Expr | null): Expr {
  const seen = gate.peephole === null || cell === null ? dots : sum(n, dots, product(n, cell, gate.peephole));
  if (gate.norm === null) return sum(n, seen, gate.bias);
  const over = { axis: [1], keepdims: true, exclude: false };
  const centred = call(n, "subtract", [seen, call(n, "mean", [seen], over)]);
  const variance = call(n, "mean", [product(n, centred, centred)], over);
  const spread = call(n, "sqrt", [sum(n, variance, scalarOf(n, float32, 1e-8))]);
  return sum(n, product(n, call(n, "divide", [centred, spread]), gate.norm), gate.bias);
}

const clipped = (n: TfNode, x: Expr, limit: number): Expr =>
  limit > 0 ? call(n, "clip", [x], { a_min: -limit, a_max: limit }) : x;

/** One step: the next output and cell. */
function step(n: TfNode, lstm: Lstm, dots: readonly Expr[], cell: Expr): readonly [Expr, Expr] {
  const [inputGate, forgetGate, cellGate, outputGate] = lstm.gates;
  const [forgetDots, cellDots, outputDots] = tuple(dots.slice(-3), 3, "products of the last three gates");
  const sigmoid = (x: Expr): Expr => call(n, "sigmoid", [x]);
  const forget = sigmoid(gated(n, forgetGate, forgetDots, cell));
  const take =
    inputGate === null || dots[0] === undefined
      ? call(n, "subtract", [scalarOf(n, float32, 1), forget])
      : sigmoid(gated(n, inputGate, dots[0], cell));
  const fresh = activated(n, gated(n, cellGate, cellDots, null), lstm.activation);
  const next = clipped(n, sum(n, product(n, forget, cell), product(n, take, fresh)), lstm.cellClip);
  const shown = product(
    n,
    sigmoid(gated(n, outputGate, outputDots, next)),
    activated(n, next, lstm.activation),
  );
  if (lstm.projection === null) return [shown, next];
  const projected = call(n, "nn.dense", [shown, lstm.projection], { units: lstm.outputs });
  const moved = lstm.projectionBias === null ? projected : sum(n, projected, lstm.projectionBias);
  return [clipped(n, moved, lstm.projectionClip), next];
}

function lstmOf(n: TfNode, present: readonly number[]): Lstm {
  const recurrent = present.map((gate) => needed(n, at.recurrent + gate));
  const [first] = recurrent;
  if (first === undefined || recurrent.some((weight) => shapeOf(n, weight).length !== 2))
    return refuse(n, "its recurrent weights must be matrices", {
      hint: "export it without diagonal weights",
    });
  const [cells, outputs] = shapeOfRank(n, first, 2, "its recurrent weights");
  return {
    cells,
    outputs,
    gates: [present.includes(0) ? gateOf(n, 0) : null, gateOf(n, 1), gateOf(n, 2), gateOf(n, 3)],
    recurrent: joined(n, recurrent, 0),
    projection: optional(n, at.projection),
    projectionBias: optional(n, at.projectionBias),
    activation: activationOf(n, option(n, byte, 0, 0)),
    cellClip: option(n, float, 1, 0),
    projectionClip: option(n, float, 2, 0),
  };
}

/** The steps are unrolled; products with the data are one for all of them. */
const sequenceLstm = tfOp("UNIDIRECTIONAL_SEQUENCE_LSTM", (n) => {
  const timeMajor = option(n, flag, 3, false);
  const present = (n.inputs[at.weights] ?? null) === null ? [1, 2, 3] : [0, 1, 2, 3];
  const lstm = lstmOf(n, present);
  const data = realInput(n, 0);
  const [outer, inner, width] = shapeOfRank(n, data, 3, "its data");
  const [steps, batch] = timeMajor ? [outer, inner] : [inner, outer];
  const rows = timeMajor ? data : call(n, "transpose", [data], { axes: [1, 0, 2] });
  const all = present.length * lstm.cells;
  const weights = joined(
    n,
    present.map((gate) => needed(n, at.weights + gate)),
    0,
  );
  const seen = call(n, "nn.dense", [reshaped(n, rows, [steps * batch, width]), weights], { units: all });
  const parts = (x: Expr, count: number, axis: number): readonly Expr[] => {
    if (count === 1) return [x];
    const made = call(n, "split", [x], { indices_or_sections: count, axis });
    return Array.from({ length: count }, (_, i) => field(n, made, i));
  };
  let out = stateOf(n, input(n, at.output), [batch, lstm.outputs], float32);
  let cell = stateOf(n, input(n, at.cell), [batch, lstm.cells], float32);
  const results = parts(seen, steps, 0).map((own) => {
    const dots = sum(n, own, call(n, "nn.dense", [out, lstm.recurrent], { units: all }));
    [out, cell] = step(n, lstm, parts(dots, present.length, 1), cell);
    return reshaped(n, out, timeMajor ? [1, batch, lstm.outputs] : [batch, 1, lstm.outputs]);
  });
  n.state.values.set(input(n, at.output).index, out);
  n.state.values.set(input(n, at.cell).index, cell);
  return stored(n, joined(n, results, timeMajor ? 0 : 1));
});

export const recurrentOps: readonly TfOp[] = [svdf, sequenceLstm];
