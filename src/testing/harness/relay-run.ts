// Test help: runs Relay functions call by call through the JIT, so that a program can be compared before and
// after a pass.
import { createTeCompiler } from "../../compiler/lower/te-compiler.ts";
import { ops } from "../../compiler/ops/index.ts";
import type { TensorData } from "../../compiler/ir/tensor-data.ts";
import { flattenTensorTypes, funcType, type Type } from "../../compiler/ir/type.ts";
import {
  makeFunction,
  makeTuple,
  makeVar,
  type Call,
  type Expr,
  type Func,
  type Var,
} from "../../compiler/relay/expr.ts";
import { typeOf, type RelayContext } from "../../compiler/relay/op.ts";
import { makeCall } from "../../compiler/relay/expr.ts";
import { children } from "../../compiler/relay/visit.ts";
import { runPrimitive } from "../../runtime/jit.ts";

/** cx with an evaluator: what compile.ts injects. */
export function withJit(cx: RelayContext): RelayContext {
  const compiler = createTeCompiler({ ...cx, ops, modName: cx.options.modName });
  return { ...cx, evaluate: (func, args) => runPrimitive(compiler.jit(func), args) };
}

type Value = TensorData | readonly Value[];

/** Result tensors of `func` on `inputs` (one per parameter), tuples flattened. Iterative. */
export function runRelay(func: Func, inputs: readonly TensorData[], cx: RelayContext): readonly TensorData[] {
  const values = new Map<Expr, Value>(func.params.map((param, i) => [param, inputs[i]!]));
  return flat(valueOf(func.body, values, cx));
}

function flat(value: Value): readonly TensorData[] {
  return Array.isArray(value) ? (value as readonly Value[]).flatMap(flat) : [value as TensorData];
}

/** What has to be known before `expr` is: of a conditional only its condition. */
function needs(expr: Expr, values: ReadonlyMap<Expr, Value>): readonly Expr[] {
  if (expr.kind === "call") return expr.args;
  if (expr.kind === "let") return values.has(expr.value) ? [expr.body] : [expr.value];
  if (expr.kind === "if") {
    const condition = values.get(expr.condition) as TensorData | undefined;
    return condition === undefined
      ? [expr.condition]
      : [condition.data[0] === 0 ? expr.otherwise : expr.then];
  }
  return expr.kind === "function" ? [] : children(expr);
}

function valueOf(root: Expr, values: Map<Expr, Value>, cx: RelayContext): Value {
  const stack: Expr[] = [root];
  while (stack.length > 0) {
    const top = stack[stack.length - 1]!;
    if (top.kind === "let" && values.has(top.value)) values.set(top.variable, values.get(top.value)!);
    const missing = values.has(top) ? [] : needs(top, values).filter((need) => !values.has(need));
    if (missing.length > 0) {
      stack.push(...missing.reverse());
      continue;
    }
    stack.pop();
    if (!values.has(top)) values.set(top, compute(top, values, cx));
  }
  return values.get(root)!;
}

function compute(expr: Expr, values: Map<Expr, Value>, cx: RelayContext): Value {
  switch (expr.kind) {
    case "constant":
      return expr.data;
    case "tuple":
      return expr.fields.map((field) => values.get(field)!);
    case "tuple-get-item":
      return (values.get(expr.tuple) as readonly Value[])[expr.index]!;
    case "let":
      return values.get(expr.body)!;
    case "if":
      return values.get(needs(expr, values)[0]!)!;
    case "call":
      return callValue(expr, values, cx);
    case "var":
    case "global":
    case "op":
    case "function":
    case "ref-create":
    case "ref-read":
    case "ref-write":
    case "constructor":
    case "match":
      throw new Error(`runRelay does not know ${expr.kind}`);
  }
}

function callValue(call: Call, values: ReadonlyMap<Expr, Value>, cx: RelayContext): Value {
  const args = call.args.map((arg) => values.get(arg)!);
  if (call.callee.kind === "function" && call.callee.attrs["Primitive"] !== 1) {
    const inner = new Map<Expr, Value>(values);
    call.callee.params.forEach((param, i) => inner.set(param, args[i]!));
    return valueOf(call.callee.body, inner, cx);
  }
  const func = call.callee.kind === "function" ? call.callee : asPrimitive(call, cx);
  return unflatten(typeOf(call), [...cx.evaluate!(func, args.flatMap(flat))]);
}

function unflatten(type: Type, results: TensorData[]): Value {
  return type.kind === "tuple-type"
    ? type.fields.map((field) => unflatten(field, results))
    : results.shift()!;
}

/** The call alone as a primitive function of its tensors. */
function asPrimitive(call: Call, cx: RelayContext): Func {
  const params: Var[] = [];
  const parameter = (type: Type): Expr => {
    if (type.kind === "tuple-type")
      return makeTuple(cx.ids, type.fields.map(parameter), { origin: call.origin, type });
    const param = makeVar(cx.ids, `p${params.length}`, type, { origin: call.origin });
    params.push(param);
    return param;
  };
  const args = call.args.map((arg) => parameter(typeOf(arg)));
  const types = call.args.flatMap((arg) => flattenTensorTypes(typeOf(arg)));
  const body = makeCall(cx.ids, call.callee, args, call.attrs, call);
  return makeFunction(cx.ids, params, body, {
    origin: call.origin,
    type: funcType(types, typeOf(call)),
    resultType: call.type,
    attrs: { Primitive: 1 },
  });
}
