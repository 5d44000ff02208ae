// Element-by-element operators.  TVM: python/tvm/relay/frontend/tflite.py (_convert_elemwise,
// _convert_unary_elemwise)
import { bool, float32, int64 } from "../../../ir/dtype.ts";
import type { Expr } from "../../../relay/expr.ts";
import { refuse, scalarOf, typeOf } from "../../import-node.ts";
import { call, dtypeOf, exprOf, input, option, output, type TfNode } from "../graph.ts";
import { byte, int, float, flag } from "../flatbuffer.ts";
import {
  activated,
  activatedQuantised,
  inFloats,
  isWide,
  quantOf,
  realInput,
  requantize,
  requireSameQuant,
  rescaledTwice,
  scaleOf,
  scaleValue,
  stored,
  storedInts,
  withActivation,
  zeroPointOf,
  zeroPointValue,
  type Activation,
} from "../quant.ts";
import { centredWide, isByte, roundsAsTflite, scaledTwice } from "../double-rounding.ts";
import type { TfTensor } from "../model.ts";
import { tfOp, type TfOp } from "./op-table.ts";

function operands(n: TfNode): readonly [Expr, Expr] {
  return [exprOf(n, input(n, 0)), exprOf(n, input(n, 1))];
}

/** ADD, SUB, MUL and DIV carry an activation in their first option. */
const fused = (n: TfNode): number => option(n, byte, 0, 0);

function arithmetic(op: string, relay: string, quantised: string | null): TfOp {
  return tfOp(op, (n) => {
    const [lhs, rhs] = operands(n);
    const [a, b, to] = [input(n, 0), input(n, 1), output(n)];
    if (a.quant === null) return withActivation(n, call(n, relay, [lhs, rhs]), fused(n));
    // Without an integer form the work is done in floats; TVM refuses.
    if (quantised === null || [a, b, to].some((tensor) => isWide(n, tensor)))
      return withActivation(n, stored(n, call(n, relay, [realInput(n, 0), realInput(n, 1)])), fused(n));
    quantOf(n, b);
    quantOf(n, to);
    if (roundsAsTflite(n)) return withActivation(n, arithmeticTwice(n, op, [a, b], to), fused(n));
    const params = [a, b, to].flatMap((tensor) => [scaleOf(n, tensor), zeroPointOf(n, tensor)]);
    return withActivation(n, call(n, quantised, [lhs, rhs, ...params]), fused(n));
  });
}

/**
 * ADD and SUB bring both sides to twice the greater scale, with 20 bits behind the point; MUL scales the
 * product. Scales are floats in these formulas. Source: tensorflow/lite/kernels/{add,sub,mul}.cc
 */
function arithmeticTwice(n: TfNode, op: string, [a, b]: readonly [TfTensor, TfTensor], to: TfTensor): Expr {
  const side = (tensor: TfTensor): Expr => centredWide(n, exprOf(n, tensor), zeroPointValue(n, tensor));
  const [first, second, result] = [scaleValue(n, a), scaleValue(n, b), scaleValue(n, to)];
  if (op === "MUL") {
    const factor = Math.fround(Math.fround(first * second) / result);
    return storedInts(n, scaledTwice(n, call(n, "multiply", [side(a), side(b)]), [factor]), to);
  }
  const twice = 2 * Math.max(first, second);
  const shifted = (tensor: TfTensor, scale: number): Expr =>
    scaledTwice(n, call(n, "multiply", [side(tensor), scalarOf(n, int64, 2 ** 20)]), [scale / twice]);
  const sum = call(n, op === "ADD" ? "add" : "subtract", [shifted(a, first), shifted(b, second)]);
  return storedInts(n, scaledTwice(n, sum, [twice / (2 ** 20 * result)]), to);
}

/** maximum and minimum work on integers as they are, if all have one scale. */
function extreme(op: string, relay: string): TfOp {
  return tfOp(op, (n) => {
    const [a, b, to] = [input(n, 0), input(n, 1), output(n)];
    if (a.quant !== null) requireSameQuant(n, [a, b, to]);
    return call(n, relay, [...operands(n)]);
  });
}

const binary = (op: string, relay: string): TfOp =>
  tfOp(op, (n) => stored(n, call(n, relay, [realInput(n, 0), realInput(n, 1)])));
const logical = (op: string, relay: string): TfOp =>
  tfOp(op, (n) =>
    call(
      n,
      relay,
      n.inputs.map((_, i) => exprOf(n, input(n, i))),
    ),
  );
const unary = (op: string, relay: string): TfOp => tfOp(op, (n) => inFloats(n, (x) => call(n, relay, [x])));

/** RELU, RELU6, RELU_N1_TO_1: integers are clipped in the input's scale, then brought to the output's. */
function relu(op: string, activation: Activation): TfOp {
  return tfOp(op, (n) => {
    const from = input(n, 0);
    const x = exprOf(n, from);
    if (from.quant === null) return activated(n, x, activation);
    if (roundsAsTflite(n) && isByte(dtypeOf(n, from)) && output(n).quant !== null) {
      const factor = Math.fround(scaleValue(n, from) / scaleValue(n, output(n)));
      return activatedQuantised(
        n,
        rescaledTwice(n, x, { from, to: output(n), factor }),
        activation,
        output(n),
      );
    }
    const clipped = activatedQuantised(n, x, activation, from, output(n));
    return output(n).quant === null ? clipped : requantize(n, clipped, from, output(n));
  });
}

const reluBelowOne = tfOp("RELU_0_TO_1", (n) =>
  inFloats(n, (x) => call(n, "clip", [x], { a_min: 0, a_max: 1 })),
);

/** Below zero times alpha; TFLite's integers have a factor for either side. */
const leakyRelu = tfOp("LEAKY_RELU", (n) => {
  const [from, to] = [input(n, 0), output(n)];
  const alpha = option(n, float, 0, 0);
  if (!roundsAsTflite(n) || from.quant === null || !isByte(dtypeOf(n, from)) || alpha < 0)
    return inFloats(n, (x) => call(n, "nn.leaky_relu", [x], { alpha }));
  const x = centredWide(n, exprOf(n, from), zeroPointValue(n, from));
  const [before, after] = [scaleValue(n, from), scaleValue(n, to)];
  const sides = [before, Math.fround(before * alpha)].map((scale) =>
    scaledTwice(n, x, [Math.fround(scale / after)]),
  );
  const isPositive = call(n, "greater_equal", [x, scalarOf(n, int64, 0)]);
  return storedInts(n, call(n, "where", [isPositive, ...sides]), to);
});

/** Halves go to the even neighbour, where Relay's round takes them away from zero. */
const round = tfOp("ROUND", (n) =>
  inFloats(n, (x) => {
    const value = (number: number): Expr => scalarOf(n, typeOf(n, x).dtype, number);
    const distance = call(n, "abs", [call(n, "subtract", [x, call(n, "trunc", [x])])]);
    const even = call(n, "multiply", [call(n, "round", [call(n, "multiply", [x, value(0.5)])]), value(2)]);
    return call(n, "where", [call(n, "equal", [distance, value(0.5)]), even, call(n, "round", [x])]);
  }),
);

/** x * relu6(x + 3) / 6 */
const hardSwish = tfOp("HARD_SWISH", (n) =>
  inFloats(n, (x) => {
    const gate = call(n, "clip", [call(n, "add", [x, scalarOf(n, float32, 3)])], { a_min: 0, a_max: 6 });
    return call(n, "divide", [call(n, "multiply", [x, gate]), scalarOf(n, float32, 6)]);
  }),
);

/** exp(x) - 1 below zero, x above. */
const elu = tfOp("ELU", (n) =>
  inFloats(n, (x) => {
    const { dtype } = typeOf(n, x);
    const below = call(n, "nn.relu", [call(n, "subtract", [scalarOf(n, dtype, 1), call(n, "exp", [x])])]);
    return call(n, "add", [call(n, "multiply", [scalarOf(n, dtype, -1), below]), call(n, "nn.relu", [x])]);
  }),
);

/** x Phi(x), or its tanh approximation. */
const gelu = tfOp("GELU", (n) =>
  inFloats(n, (x) => {
    const value = (number: number): Expr => scalarOf(n, typeOf(n, x).dtype, number);
    const times = (a: Expr, b: Expr): Expr => call(n, "multiply", [a, b]);
    if (!option(n, flag, 0, false)) {
      const phi = call(n, "add", [
        value(0.5),
        times(call(n, "erf", [times(x, value(Math.SQRT1_2))]), value(0.5)),
      ]);
      return times(x, phi);
    }
    const inner = times(
      value(Math.sqrt(2 / Math.PI)),
      call(n, "add", [x, times(value(0.044715), times(x, times(x, x)))]),
    );
    return times(times(value(0.5), x), call(n, "add", [value(1), call(n, "tanh", [inner])]));
  }),
);

/** alpha x below zero. One alpha a channel of NHWC is nn.prelu; any other shape is spelled out. */
const prelu = tfOp("PRELU", (n) => {
  return inFloats(n, (x) => {
    const { shape } = typeOf(n, x);
    const slope = realInput(n, 1);
    const dims = typeOf(n, slope).shape;
    const channels = shape[3];
    if (
      shape.length === 4 &&
      dims[dims.length - 1] === channels &&
      dims.slice(0, -1).every((dim) => dim === 1)
    ) {
      const flat = dims.length === 1 ? slope : call(n, "reshape", [slope], { newshape: [-1] });
      return call(n, "nn.prelu", [x, flat], { axis: 3 });
    }
    const positive = call(n, "greater", [x, scalarOf(n, typeOf(n, x).dtype, 0)]);
    return call(n, "where", [positive, x, call(n, "multiply", [x, slope])]);
  });
});

const power = (n: TfNode, x: Expr): Expr =>
  stored(n, call(n, "power", [x, scalarOf(n, typeOf(n, x).dtype, 2)]));
const square = tfOp("SQUARE", (n) => power(n, realInput(n, 0)));
const squaredDifference = tfOp("SQUARED_DIFFERENCE", (n) =>
  power(n, call(n, "subtract", [realInput(n, 0), realInput(n, 1)])),
);

const addN = tfOp("ADD_N", (n) =>
  stored(
    n,
    n.inputs.slice(1).reduce((sum, _, i) => call(n, "add", [sum, realInput(n, i + 1)]), realInput(n, 0)),
  ),
);

const select = (op: string): TfOp =>
  tfOp(op, (n) => {
    if (n.inputs.length !== 3)
      return refuse(n, "it is supported with three inputs only", {
        expected: "a condition and two tensors",
        got: `${n.inputs.length} inputs`,
      });
    const condition = exprOf(n, input(n, 0));
    const flags =
      typeOf(n, condition).dtype === bool ? condition : call(n, "cast", [condition], { dtype: "bool" });
    return call(n, "where", [flags, exprOf(n, input(n, 1)), exprOf(n, input(n, 2))]);
  });

/** Codes of TensorType are what the output tensor says too, so the options are not needed. */
const cast = tfOp("CAST", (n) =>
  call(n, "cast", [exprOf(n, input(n, 0))], { dtype: dtypeOf(n, output(n)).name }),
);

/** Rounds to the levels of an integer dtype, in floats. */
const fakeQuant = tfOp("FAKE_QUANT", (n) => {
  const x = exprOf(n, input(n, 0));
  const [min, max] = [option(n, float, 0, 0), option(n, float, 1, 0)];
  const bits = option(n, int, 2, 0);
  if (bits < 2 || bits > 16)
    return refuse(n, "num_bits is not usable", { expected: "2 to 16", got: String(bits) });
  const [low, high] = [option(n, flag, 3, false) ? 1 : 0, 2 ** bits - 1];
  const scale = (max - min) / (high - low);
  const fromMin = low - min / scale;
  const zero = Math.min(Math.max(Math.round(fromMin), low), high);
  const [nudgedMin, nudgedMax] = [(low - zero) * scale, (high - zero) * scale];
  const value = (number: number): Expr => scalarOf(n, float32, number);
  const shifted = call(n, "subtract", [
    call(n, "clip", [x], { a_min: nudgedMin, a_max: nudgedMax }),
    value(nudgedMin),
  ]);
  const steps = call(n, "floor", [
    call(n, "add", [call(n, "multiply", [shifted, call(n, "divide", [value(1), value(scale)])]), value(0.5)]),
  ]);
  return call(n, "add", [call(n, "multiply", [steps, value(scale)]), value(nudgedMin)]);
});

export const elementwiseOps: readonly TfOp[] = [
  arithmetic("ADD", "add", "qnn.add"),
  arithmetic("SUB", "subtract", "qnn.subtract"),
  arithmetic("MUL", "multiply", "qnn.mul"),
  arithmetic("DIV", "divide", null),
  extreme("MAXIMUM", "maximum"),
  extreme("MINIMUM", "minimum"),
  addN,
  binary("POW", "power"),
  binary("FLOOR_DIV", "floor_divide"),
  binary("FLOOR_MOD", "floor_mod"),
  binary("GREATER", "greater"),
  binary("GREATER_EQUAL", "greater_equal"),
  binary("LESS", "less"),
  binary("LESS_EQUAL", "less_equal"),
  binary("EQUAL", "equal"),
  binary("NOT_EQUAL", "not_equal"),
  logical("LOGICAL_AND", "logical_and"),
  logical("LOGICAL_OR", "logical_or"),
  logical("LOGICAL_NOT", "logical_not"),
  unary("ABS", "abs"),
  unary("CEIL", "ceil"),
  unary("FLOOR", "floor"),
  round,
  unary("EXP", "exp"),
  unary("LOG", "log"),
  unary("SIN", "sin"),
  unary("COS", "cos"),
  unary("TAN", "tan"),
  unary("SQRT", "sqrt"),
  unary("RSQRT", "rsqrt"),
  unary("NEG", "negative"),
  unary("SIGN", "sign"),
  unary("TANH", "tanh"),
  unary("LOGISTIC", "sigmoid"),
  relu("RELU", "RELU"),
  relu("RELU6", "RELU6"),
  relu("RELU_N1_TO_1", "RELU_N1_TO_1"),
  reluBelowOne,
  leakyRelu,
  hardSwish,
  elu,
  gelu,
  prelu,
  square,
  squaredDifference,
  select("SELECT"),
  select("SELECT_V2"),
  select("WHERE"),
  cast,
  fakeQuant,
];
