// Folding one function bottom-up: calls on constants are run, shapes of static tensors read off, projections
// of tuples, branches on constants and lets of constants resolved.
// TVM: src/relay/transforms/fold_constant.cc (ConstantFolder)
import {
  functionOf,
  makeCall,
  makeFunction,
  makeTuple,
  makeVar,
  type Call,
  type Constant,
  type Expr,
  type Func,
  type Var,
  argOf,
} from "../expr.ts";
import { get } from "../../../support/assert.ts";
import { CompileError } from "../../ir/diagnostic.ts";
import { isHalf, parseDType, type DType } from "../../ir/dtype.ts";
import { encodeBfloat16, encodeFloat16 } from "../../ir/float16.ts";
import { mergeOrigins, type Origin } from "../../ir/origin.ts";
import { remark } from "../../ir/remark.ts";
import { allocateArray, elementCount, tensorData, type TensorData } from "../../ir/tensor-data.ts";
import {
  foldType,
  funcType,
  printType,
  someType,
  staticShape,
  tensorType,
  type Type,
} from "../../ir/type.ts";
import { constant as constantOf, tuple as tupleOf } from "../build.ts";
import { typeOf, type RelayContext } from "../op.ts";
import { children, postOrder, withChildren } from "../visit.ts";

/** Changes a node whose operands are folded, before folding is tried on it (DynamicToStatic's rules). */
type BeforeFold = (expr: Expr, original: Expr) => Expr;

interface Fold {
  readonly cx: RelayContext;
  readonly beforeFold: BeforeFold;
  readonly done: Map<Expr, Expr>;
  /** Variables that lets bind, by value and the other way round. */
  readonly varsOf: Map<Expr, Var[]>;
  readonly valueOf: Map<Expr, Expr>;
}

/** The same function comes back if nothing folds. Primitive functions inside are left whole. */
export function foldFunction(func: Func, cx: RelayContext, beforeFold: BeforeFold = (expr) => expr): Func {
  const fold: Fold = { cx, beforeFold, done: new Map(), varsOf: new Map(), valueOf: new Map() };
  postOrder(
    func,
    (expr) => setResult(fold, expr, isPrimitiveFunction(expr) ? expr : foldNode(fold, expr)),
    (expr) => {
      if (expr.kind === "let") {
        fold.varsOf.set(expr.value, [...(fold.varsOf.get(expr.value) ?? []), expr.variable]);
        fold.valueOf.set(expr.variable, expr.value);
      }
      return !isPrimitiveFunction(expr);
    },
  );
  return functionOf(fold.done.get(func));
}

function isPrimitiveFunction(expr: Expr): boolean {
  return expr.kind === "function" && expr.attrs["Primitive"] !== undefined && expr.attrs["Primitive"] !== 0;
}

function setResult(fold: Fold, expr: Expr, result: Expr): void {
  fold.done.set(expr, result);
  // A let's value is visited before its body: uses of the variable there see the constant.
  if (ignoringOnDevice(result).kind !== "constant") return;
  for (const variable of fold.varsOf.get(expr) ?? []) fold.done.set(variable, result);
}

function foldNode(fold: Fold, original: Expr): Expr {
  const { cx, done } = fold;
  if (original.kind === "var") {
    const bound = fold.valueOf.get(original);
    const value = bound === undefined ? undefined : done.get(bound);
    return value !== undefined && ignoringOnDevice(value).kind === "constant" ? value : original;
  }
  if (
    original.kind === "let" &&
    ignoringOnDevice(get(done, original.value, "folded value of a let")).kind === "constant"
  )
    return get(done, original.body, "folded body of a let");
  // TVM takes what is called without arguments for a maker of tensors, which is smaller than its value, and
  // leaves it whole.
  if (original.kind === "call" && original.args.length === 0 && original.callee.kind === "function")
    return original;
  const expr = fold.beforeFold(
    withChildren(
      cx.ids,
      original,
      children(original).map((kid) => get(done, kid, "folded operand")),
    ),
    original,
  );
  if (expr.kind === "call") return foldCall(expr, original, cx) ?? expr;
  if (expr.kind === "tuple-get-item") return foldProjection(expr.tuple, expr.index) ?? expr;
  if (expr.kind === "if") {
    const condition = ignoringOnDevice(expr.condition);
    if (condition.kind === "constant")
      return Number(condition.data.data[0]) !== 0 ? expr.then : expr.otherwise;
  }
  return expr;
}

function foldProjection(tuple: Expr, index: number): Expr | null {
  // A projection of an annotated tuple keeps the annotation, so only bare tuples resolve.
  return tuple.kind === "tuple" ? (tuple.fields[index] ?? null) : null;
}

/** `expr` without the on_device annotations around it. */
function ignoringOnDevice(expr: Expr): Expr {
  let inner = expr;
  while (inner.kind === "call" && inner.callee.kind === "op" && inner.callee.name === "on_device")
    inner = argOf(inner, 0);
  return inner;
}

const shapeOperators: ReadonlySet<string> = new Set(["shape_of", "vm.shape_of", "ndarray_size"]);

function foldCall(call: Call, original: Expr, cx: RelayContext): Expr | null {
  // Operators without operands are left: zeros(shape=…) is smaller than its value.
  if (call.callee.kind !== "op" || call.args.length === 0) return null;
  const op = cx.ops.get(call.callee.name);
  if (op === undefined || op.stateful) return null;
  if (shapeOperators.has(op.name)) return foldShapeOperator(call, original, op.name, cx);
  if (op.nonComputational || op.name === "device_copy" || op.name === "on_device") return null;
  if (!call.args.every(isConstantTree)) return null;
  return evaluateCall(call, cx);
}

/** A constant, or a tuple of nothing but constants. */
function isConstantTree(expr: Expr): boolean {
  const inner = ignoringOnDevice(expr);
  return inner.kind === "constant" || (inner.kind === "tuple" && inner.fields.every(isConstantTree));
}

/**
 * shape_of and ndarray_size look at the type of their operand only. TVM answers 0 for the size of a scalar;
 * it is 1.
 */
function foldShapeOperator(call: Call, original: Expr, name: string, cx: RelayContext): Expr | null {
  const operand = argOf(call, 0).type ?? (original.kind === "call" ? argOf(original, 0).type : null);
  const shape = operand?.kind === "tensor-type" ? staticShape(operand) : null;
  const dtype = parseDType(String(call.attrs["dtype"] ?? "int32"));
  if (shape === null || dtype === null) return null;
  // The shape of a scalar is typed as a scalar; TVM leaves its value as memory was, it is 0.
  const ofScalar = name === "shape_of" && shape.length === 0;
  const values = name === "ndarray_size" ? [elementCount(shape)] : ofScalar ? [0] : shape;
  const data = tensorData(
    dtype,
    name === "ndarray_size" || ofScalar ? [] : [shape.length],
    integers(dtype, values),
    "folded",
  );
  return constantOf(cx, data, call.origin);
}

/** Whole numbers as elements of `dtype`, as they are stored. */
function integers(dtype: DType, values: readonly number[]): TensorData["data"] {
  const data = allocateArray(dtype, values.length);
  const stored = dtype.code === "bfloat" ? encodeBfloat16 : isHalf(dtype) ? encodeFloat16 : Number;
  values.forEach((value, i) => {
    if (data instanceof BigInt64Array || data instanceof BigUint64Array) data[i] = BigInt(value);
    else data[i] = stored(value);
  });
  return data;
}

/** Runs `call` on its constant operands by the injected JIT; null where that cannot be done here. */
function evaluateCall(call: Call, cx: RelayContext): Expr | null {
  if (cx.evaluate === null || call.type === null || !isStatic(call.type)) return null;
  const inputs: Constant[] = [];
  const params: Var[] = [];
  const args = call.args.map((arg) => asParameters(arg, inputs, params, cx));
  const body = makeCall(cx.ids, call.callee, args, call.attrs, call);
  const type = funcType(
    params.map((param) => typeOf(param)),
    call.type,
  );
  const func = makeFunction(cx.ids, params, body, {
    origin: call.origin,
    span: call.span,
    type,
    resultType: call.type,
    attrs: { Primitive: 1 },
  });
  const name = call.callee.kind === "op" ? call.callee.name : "";
  try {
    const results = cx.evaluate(
      func,
      inputs.map((input) => input.data),
    );
    const bytes = results.reduce((sum, { data }) => sum + data.byteLength, 0);
    cx.remarks.push(
      remark(
        "FoldConstant",
        "fold.hit",
        `${name} of constants is computed when compiling: ${printType(call.type)}`,
        { origin: call.origin, facts: { op: name, bytes } },
      ),
    );
    return asConstants(
      call.type,
      [...results],
      mergeOrigins([call.origin, ...inputs.map((input) => input.origin)]),
      cx,
    );
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    const name = call.callee.kind === "op" ? call.callee.name : "";
    const why = `${name} on constants could not be run: ${error.diagnostic.message}`;
    cx.remarks.push(
      remark("FoldConstant", "fold.refused", why, { origin: call.origin, facts: { op: name } }),
    );
    return null;
  }
}

function isStatic(type: Type): boolean {
  return !someType(type, (part) =>
    part.kind === "tensor-type" ? staticShape(part) === null : part.kind !== "tuple-type",
  );
}

/**
 * Constants become parameters (so that equal calls share one compiled kernel); tuples are rebuilt from them
 * (operators take flat ones, so this recurses once).
 */
function asParameters(arg: Expr, inputs: Constant[], params: Var[], cx: RelayContext): Expr {
  const inner = ignoringOnDevice(arg);
  if (inner.kind === "tuple") {
    return makeTuple(
      cx.ids,
      inner.fields.map((field) => asParameters(field, inputs, params, cx)),
      inner,
    );
  }
  const input = inner as Constant;
  const type = tensorType(input.data.shape, input.data.dtype);
  const param = makeVar(cx.ids, `p${params.length}`, type, { origin: input.origin, span: input.span });
  inputs.push(input);
  params.push(param);
  return param;
}

/** `results` in order as constants in the shape of `type`; consumes them. */
function asConstants(type: Type, results: TensorData[], origin: Origin, cx: RelayContext): Expr {
  return foldType<Expr>(type, (part, fields) =>
    part.kind === "tuple-type"
      ? tupleOf(cx, fields, origin)
      : constantOf(cx, { ...results.shift()!, provenance: "folded" }, origin),
  );
}
