// Building calls by operator name, so that passes need not import ops/. Infers the type at once when the
// arguments are typed.
import { invariant } from "../../support/assert.ts";
import { madeAttrs, type Attrs } from "../ir/attrs.ts";
import type { Origin } from "../ir/origin.ts";
import type { TypeReporter } from "../ir/op.ts";
import { sameDim, sameType, tensorType, tupleType, type Type } from "../ir/type.ts";
import type { DType } from "../ir/dtype.ts";
import { elementCount, tensorData, allocateArray, type TensorData } from "../ir/tensor-data.ts";
import { encodeBfloat16, encodeFloat16 } from "../ir/float16.ts";
import {
  makeCall,
  makeConstant,
  makeOpRef,
  makeTuple,
  makeTupleGetItem,
  type Call,
  type Constant,
  type Expr,
  type Tuple,
  type TupleGetItem,
} from "./expr.ts";
import { tensorTypeOf, type RelayContext } from "./op.ts";

/** Relations run on known types here; a mismatch in a pass is a bug of ours. */
const strict: TypeReporter = {
  unify: (a, b) => sameType(a, b),
  dimEqual: (a, b) =>
    sameDim(a, b) ||
    (typeof a !== "number" && a.kind === "any") ||
    (typeof b !== "number" && b.kind === "any"),
  error: () => null,
};

/** A call of operator `name`; attrs are completed with defaults. Typed if all arguments are. */
export function call(
  cx: RelayContext,
  name: string,
  args: readonly Expr[],
  attrs: Attrs,
  origin: Origin,
): Call {
  const op = cx.ops.get(name);
  invariant(op !== undefined, `no operator ${name}`);
  const complete = madeAttrs(op.attrs, attrs);
  const types = args.map((arg) => arg.type);
  const type: Type | null = types.every((t): t is Type => t !== null)
    ? op.relation(types, complete, strict)
    : null;
  return makeCall(cx.ids, makeOpRef(cx.ids, name, { origin }), args, complete, { origin, type });
}

/** `expr` in `shape`, made anew where that has no elements: in reshape's attribute 0 copies a dimension. */
export function reshapeTo(cx: RelayContext, expr: Expr, shape: readonly number[], origin: Origin): Call {
  return shape.includes(0)
    ? call(cx, "zeros", [], { shape, dtype: tensorTypeOf(expr).dtype.name }, origin)
    : call(cx, "reshape", [expr], { newshape: shape }, origin);
}

export function tuple(cx: RelayContext, fields: readonly Expr[], origin: Origin): Tuple {
  const types = fields.map((field) => field.type);
  return makeTuple(cx.ids, fields, {
    origin,
    type: types.every((t): t is Type => t !== null) ? tupleType(types) : null,
  });
}

export function getItem(cx: RelayContext, of: Expr, index: number, origin: Origin): TupleGetItem {
  const type = of.type?.kind === "tuple-type" ? (of.type.fields[index] ?? null) : null;
  return makeTupleGetItem(cx.ids, of, index, { origin, type });
}

export function constant(cx: RelayContext, data: TensorData, origin: Origin): Constant {
  return makeConstant(cx.ids, data, { origin, type: tensorType(data.shape, data.dtype) });
}

/** A tensor constant of `shape` filled with `value`, rounded to `dtype`. */
export function filled(
  cx: RelayContext,
  dtype: DType,
  shape: readonly number[],
  value: number,
  origin: Origin,
): Constant {
  const data = allocateArray(dtype, elementCount(shape));
  if (data instanceof BigInt64Array || data instanceof BigUint64Array) data.fill(BigInt(Math.trunc(value)));
  else if (dtype.code === "bfloat") data.fill(encodeBfloat16(value));
  else if (dtype.code === "float" && dtype.bits === 16) data.fill(encodeFloat16(value));
  else data.fill(value);
  return constant(cx, tensorData(dtype, shape, data, "folded"), origin);
}

/** A rank-0 constant. */
export function scalar(cx: RelayContext, dtype: DType, value: number, origin: Origin): Constant {
  return filled(cx, dtype, [], value, origin);
}
