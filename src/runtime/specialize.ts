// A primitive function with the shapes at hand in place of its dynamic dimensions, to be compiled like any
// other. TVM has no counterpart: its kernels take extents as arguments.
import { CompileError, type Diagnostic } from "../compiler/ir/diagnostic.ts";
import {
  funcType,
  flattenTensorTypes,
  printType,
  staticShape,
  tensorType,
  tupleType,
  foldType,
  withTypeParts,
  type TensorType,
  type Type,
} from "../compiler/ir/type.ts";
import type { TeCompiler } from "../compiler/lower/te-compiler.ts";
import {
  makeFunction,
  makeTuple,
  makeTupleGetItem,
  makeVar,
  type Call,
  type Expr,
  type Func,
  type Var,
} from "../compiler/relay/expr.ts";
import { inferExpr } from "../compiler/relay/passes/infer-type/infer-type.ts";
import { typeOf, type RelayContext } from "../compiler/relay/op.ts";
import { postOrder, rewrite } from "../compiler/relay/visit.ts";
import { invariant } from "../support/assert.ts";

/** `type` with the given extents, one list a tensor, tuples flattened. */
export function withShapes(type: Type, shapes: readonly (readonly number[])[]): Type {
  let next = 0;
  return foldType<Type>(type, (one, parts) =>
    one.kind === "tensor-type" ? tensorType(shapes[next++]!, one.dtype) : withTypeParts(one, parts),
  );
}

/**
 * `func` for arguments of these shapes (one list a tensor, tuples flattened). Throws CompileError with the
 * operator's own message where they do not fit together. Dimensions that depend on values stay unknown.
 */
export function specialize(func: Func, shapes: readonly (readonly number[])[], te: TeCompiler): Func {
  const diagnostics: Diagnostic[] = [];
  const cx: RelayContext = {
    ids: te.cx.ids,
    ops: te.cx.ops,
    options: te.cx.options,
    verify: te.cx.verify,
    diagnostics,
    remarks: [],
    evaluate: null,
  };
  const by = new Map<Var, Var>();
  let next = 0;
  for (const param of func.params) {
    const type = typeOf(param);
    const count = flattenTensorTypes(type).length;
    by.set(param, makeVar(cx.ids, param.name, withShapes(type, shapes.slice(next, next + count)), param));
    next += count;
  }
  const body = rewrite(cx.ids, func.body, (expr) => (expr.kind === "var" ? (by.get(expr) ?? expr) : expr));
  const { Compiler: _, global_symbol: __, ...attrs } = func.attrs;
  const typed = inferExpr(
    makeFunction(cx.ids, [...by.values()], body, {
      origin: func.origin,
      span: func.span,
      resultType: null,
      attrs,
    }),
    cx,
  );
  const wrong = diagnostics.find((found) => found.severity === "error");
  if (wrong !== undefined) throw new CompileError(wrong);
  invariant(typed.kind === "function", "a function is typed as one");
  return typed;
}

/** The calls in `func` whose result types have a dynamic dimension. */
export function dynamicCalls(func: Func): readonly Call[] {
  const found: Call[] = [];
  postOrder(func.body, (expr) => {
    if (expr.kind === "call" && flattenTensorTypes(typeOf(expr)).some((type) => staticShape(type) === null))
      found.push(expr);
  });
  return found;
}

/** `func` with the result types of its calls given where `types` has them, and of what is made of them. */
export function withCallTypes(func: Func, types: ReadonlyMap<Call, Type>, te: TeCompiler): Func {
  const { ids } = te.cx;
  const known = new Map<Expr, Expr>();
  const now = (expr: Expr): Expr => known.get(expr) ?? expr;
  postOrder(func.body, (expr) => {
    if (expr.kind === "call") {
      const type = types.get(expr);
      const args = expr.args.map(now);
      if (type !== undefined || args.some((arg, i) => arg !== expr.args[i]))
        known.set(expr, { ...expr, args, type: type ?? expr.type });
    } else if (expr.kind === "tuple" && expr.fields.some((field) => known.has(field))) {
      const fields = expr.fields.map(now);
      known.set(expr, makeTuple(ids, fields, { ...expr, type: tupleType(fields.map(typeOf)) }));
    } else if (expr.kind === "tuple-get-item" && known.has(expr.tuple)) {
      const tuple = now(expr.tuple);
      const type = typeOf(tuple);
      invariant(type.kind === "tuple-type", "projection of what is not a tuple");
      known.set(expr, makeTupleGetItem(ids, tuple, expr.index, { ...expr, type: type.fields[expr.index]! }));
    }
  });
  const body = now(func.body);
  const type = funcType(func.params.map(typeOf), typeOf(body));
  return makeFunction(ids, func.params, body, {
    origin: func.origin,
    span: func.span,
    type,
    resultType: typeOf(body),
    attrs: func.attrs,
  });
}

/** Tensor types of `func`'s results, all dimensions known. */
export function resultTypes(func: Func): readonly TensorType[] {
  const types = flattenTensorTypes(typeOf(func.body));
  for (const type of types)
    invariant(staticShape(type) !== null, `a specialised function still gives ${printType(type)}`);
  return types;
}
