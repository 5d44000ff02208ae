// Elementwise operators that are one Relay operator each.  TVM: python/tvm/relay/frontend/onnx.py (Unary,
// Elemwise)
import { bool, float32 } from "../../../ir/dtype.ts";
import type { Expr } from "../../../relay/expr.ts";
import { alignAt, divide, roundEven, maximum, minimum, number, add, stack, reduce } from "../arithmetic.ts";
import { rankOf, refuse, typeOf } from "../../import-node.ts";
import {
  allInputs,
  call,
  cast,
  dtypeOf,
  elementOf,
  has,
  input,
  int,
  text,
  type Importer,
  type OnnxNode,
} from "../graph.ts";
import { onnxOp, type OnnxOp } from "./op-table.ts";
import { powerOf } from "./power.ts";

const unary = (op: string, relay: string): OnnxOp => onnxOp(op, (n) => call(n, relay, [input(n, 0)]));

/** Before opset 7, B lined up with A from `axis` on when `broadcast` was set. */
function operands(n: OnnxNode): readonly [Expr, Expr] {
  const [a, b] = [input(n, 0), input(n, 1)];
  if (n.opset >= 7 || int(n, "broadcast", 0) === 0 || !has(n, "axis")) return [a, b];
  const rank = rankOf(n, a);
  const axis = int(n, "axis", 0);
  return [a, alignAt(n, b, axis < 0 ? axis + rank : axis, rank)];
}

const binary = (op: string, relay: string): OnnxOp => onnxOp(op, (n) => call(n, relay, operands(n)));

const identity: Importer = (n) => n.inputs[0] ?? refuse(n, "input 0 is missing");

const mod: Importer = (n) =>
  call(n, int(n, "fmod", 0) === 0 ? "floor_mod" : "mod", [input(n, 0), input(n, 1)]);

const bitShift: Importer = (n) =>
  call(n, text(n, "direction", "LEFT") === "LEFT" ? "left_shift" : "right_shift", [input(n, 0), input(n, 1)]);

const isInf: Importer = (n) => {
  const x = input(n, 0);
  const found = call(n, "isinf", [x]);
  const [below, above] = [int(n, "detect_negative", 1) !== 0, int(n, "detect_positive", 1) !== 0];
  if (below && above) return found;
  if (!below && !above) return call(n, "not_equal", [found, found]);
  return call(n, "logical_and", [found, call(n, below ? "less" : "greater", [x, number(n, 0, x)])]);
};

function variadic(f: (n: OnnxNode, a: Expr, b: Expr) => Expr): Importer {
  return (n) => allInputs(n).reduce((a, b) => f(n, a, b));
}

/**
 * TVM stacks the operands and takes the mean; with broadcasting that needs one shape, so here they are added
 * and divided.
 */
const mean: Importer = (n) => {
  const all = allInputs(n);
  if (all.length === 1) return all[0];
  const same = all.every((part) => typeOf(n, part) === typeOf(n, all[0]));
  if (same) return reduce(n, "mean", stack(n, all, 0), [0], false);
  const sum = all.reduce((a, b) => add(n, a, b));
  return divide(n, sum, number(n, all.length, sum));
};

const castTo: Importer = (n) => cast(n, input(n, 0), elementOf(n, "to", float32));
const castLike: Importer = (n) => cast(n, input(n, 0), dtypeOf(n, input(n, 1)));

/** Numbers that are not zero are true. */
const not: Importer = (n) => call(n, "logical_not", [cast(n, input(n, 0), bool)]);

const xor: Importer = (n) => call(n, "logical_xor", operands(n));

const prelu: Importer = (n) => {
  const x = input(n, 0);
  const slope =
    n.opset < 7 && rankOf(n, input(n, 1)) === 1 ? alignAt(n, input(n, 1), 1, rankOf(n, x)) : input(n, 1);
  const zero = number(n, 0, x);
  return call(n, "where", [call(n, "less", [x, zero]), call(n, "multiply", [x, slope]), x]);
};

export const elementwiseOps: readonly OnnxOp[] = [
  unary("Abs", "abs"),
  unary("Acos", "acos"),
  unary("Acosh", "acosh"),
  unary("Asin", "asin"),
  unary("Asinh", "asinh"),
  unary("Atan", "atan"),
  unary("Atanh", "atanh"),
  unary("Ceil", "ceil"),
  unary("Cos", "cos"),
  unary("Cosh", "cosh"),
  unary("Erf", "erf"),
  unary("Exp", "exp"),
  unary("Floor", "floor"),
  unary("IsNaN", "isnan"),
  unary("Log", "log"),
  unary("Neg", "negative"),
  unary("Relu", "nn.relu"),
  onnxOp("Round", (n) => roundEven(n, input(n, 0))),
  unary("Sigmoid", "sigmoid"),
  unary("Sign", "sign"),
  unary("Sin", "sin"),
  unary("Sinh", "sinh"),
  unary("Sqrt", "sqrt"),
  unary("Tan", "tan"),
  unary("Tanh", "tanh"),
  binary("Add", "add"),
  binary("Sub", "subtract"),
  binary("Mul", "multiply"),
  binary("Div", "divide"),
  binary("Equal", "equal"),
  binary("Greater", "greater"),
  binary("GreaterOrEqual", "greater_equal"),
  binary("Less", "less"),
  binary("LessOrEqual", "less_equal"),
  binary("And", "logical_and"),
  binary("Or", "logical_or"),
  onnxOp("Xor", xor),
  onnxOp("Not", not),
  binary("BitwiseAnd", "bitwise_and"),
  binary("BitwiseOr", "bitwise_or"),
  binary("BitwiseXor", "bitwise_xor"),
  unary("BitwiseNot", "bitwise_not"),
  onnxOp("BitShift", bitShift),
  onnxOp("Mod", mod),
  onnxOp("Pow", (n) => powerOf(n, operands(n))),
  onnxOp("IsInf", isInf),
  onnxOp("Max", variadic(maximum)),
  onnxOp("Min", variadic(minimum)),
  onnxOp("Sum", variadic(add)),
  onnxOp("Mean", mean),
  onnxOp("Cast", castTo),
  onnxOp("CastLike", castLike),
  onnxOp("Identity", identity),
  onnxOp("PRelu", prelu),
  onnxOp("Reciprocal", (n) => divide(n, number(n, 1, input(n, 0)), input(n, 0))),
];
