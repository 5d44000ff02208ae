// A seeded constant does not know what it is for. Where it stands as the moving variance of a batch norm its
// values become
// |v| + 0.5, as the fill rule does for bound parameters called …var: the square root of a negative variance
// is NaN.
import {
  functionOf,
  makeCall,
  makeConstant,
  type Constant,
  type Expr,
  type Func,
  calledOp,
} from "../expr.ts";
import type { IdSource } from "../../ir/ids.ts";
import { tensorData } from "../../ir/tensor-data.ts";
import { rewrite } from "../visit.ts";

/** Position of moving_var among nn.batch_norm's arguments. */
const movingVariance = 4;

export function positiveVariances(ids: IdSource, func: Func): Func {
  const made = new Map<Constant, Constant>();
  return functionOf(rewrite(ids, func, (expr) => withPositiveVariance(ids, expr, made)));
}

function withPositiveVariance(ids: IdSource, expr: Expr, made: Map<Constant, Constant>): Expr {
  if (expr.kind !== "call" || calledOp(expr) !== "nn.batch_norm") return expr;
  const variance = expr.args[movingVariance];
  if (variance?.kind !== "constant" || variance.data.provenance !== "seeded") return expr;
  const args = expr.args.with(movingVariance, made.get(variance) ?? positive(ids, variance, made));
  return makeCall(ids, expr.callee, args, expr.attrs, {
    origin: expr.origin,
    span: expr.span,
    type: expr.type,
    typeArgs: expr.typeArgs,
  });
}

function positive(ids: IdSource, of: Constant, made: Map<Constant, Constant>): Constant {
  const { dtype, shape, data } = of.data;
  if (!(data instanceof Float32Array || data instanceof Float64Array)) return of;
  const values = data.map((value) => Math.abs(value) + 0.5);
  const constant = makeConstant(ids, tensorData(dtype, shape, values, "seeded"), {
    origin: of.origin,
    span: of.span,
    type: of.type,
  });
  made.set(of, constant);
  return constant;
}
