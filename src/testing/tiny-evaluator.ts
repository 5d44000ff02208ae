// Test help: runs one operator call on constants with plain loops, for tests of passes that fold. Knows a few operators and
// throws on any other, so that a test cannot pass by folding nothing.
import { scalarOf } from "../compiler/ir/dtype.ts";
import { allocateArray, elementCount, tensorData, type TensorData } from "../compiler/ir/tensor-data.ts";
import { staticShape } from "../compiler/ir/type.ts";
import { calledOp, type Call, type Expr, type Func } from "../compiler/relay/expr.ts";

type Unary = (x: number) => number;
type Binary = (x: number, y: number) => number;

const unary: Readonly<Record<string, Unary>> = {
  abs: Math.abs, negative: (x) => -x, sqrt: Math.sqrt, rsqrt: (x) => 1 / Math.sqrt(x), exp: Math.exp, tanh: Math.tanh, "nn.relu": (x) => Math.max(x, 0),
  cast: (x) => x, copy: (x) => x,
};
const binary: Readonly<Record<string, Binary>> = {
  add: (x, y) => x + y, subtract: (x, y) => x - y, multiply: (x, y) => x * y, divide: (x, y) => x / y, power: Math.pow,
  maximum: Math.max, minimum: Math.min, greater: (x, y) => Number(x > y),
};
const reshaping: ReadonlySet<string> = new Set(["expand_dims", "squeeze", "reshape", "nn.batch_flatten"]);

export function evaluateTiny(func: Func, args: readonly TensorData[]): readonly TensorData[] {
  const call = func.body as Call;
  const bound = new Map<Expr, TensorData>(func.params.map((param, i) => [param, args[i]!]));
  const type = call.type;
  const shape = type?.kind === "tensor-type" ? staticShape(type) : null;
  if (type?.kind !== "tensor-type" || shape === null) throw new Error("the tiny evaluator knows static tensors only");
  const name = calledOp(call)!;
  const operands = (call.args[0]?.kind === "tuple" ? call.args[0].fields : call.args).map((arg) => bound.get(arg)!);
  const out = allocateArray(scalarOf(type.dtype), elementCount(shape));
  const put = (i: number, value: number): void => {
    if (out instanceof BigInt64Array || out instanceof BigUint64Array) out[i] = BigInt(value);
    else out[i] = value;
  };
  const result = (): readonly TensorData[] => [tensorData(type.dtype, shape, out, "folded")];
  const first = operands[0]!;
  const one = reshaping.has(name) ? (x: number) => x : unary[name];
  if (one !== undefined) {
    for (let i = 0; i < out.length; i++) put(i, one(Number(first.data[i])));
    return result();
  }
  const two = binary[name];
  if (two === undefined) throw new Error(`the tiny evaluator does not know ${name}`);
  const at = operands.map((operand) => broadcastIndex(operand.shape, shape));
  for (let i = 0; i < out.length; i++) put(i, two(Number(first.data[at[0]!(i)]), Number(operands[1]!.data[at[1]!(i)])));
  return result();
}

/** Flat index into a tensor of shape `from` that is broadcast to `to`, for a flat index into `to`. */
function broadcastIndex(from: readonly number[], to: readonly number[]): (flat: number) => number {
  return (flat) => {
    let rest = flat;
    let index = 0;
    let stride = 1;
    for (let i = to.length - 1; i >= 0; i--) {
      const position = rest % to[i]!;
      rest = Math.floor(rest / to[i]!);
      const dim = from[i - to.length + from.length];
      if (dim === undefined) continue;
      if (dim !== 1) index += position * stride;
      stride *= dim;
    }
    return index;
  };
}
