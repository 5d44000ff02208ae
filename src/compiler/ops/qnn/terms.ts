// A product of two quantised tensors is four sums: sum(a w) - zw sum(a) - za sum(w) + n za zw. What dense,
// batch_matmul and conv2d share: which of the four are there, and how they are put together.
// TVM: src/relay/qnn/op/dense.cc (DenseCombineTerms), convolution.cc (Conv2DCombineTerms)
import type { Call, Expr } from "../../relay/expr.ts";
import { isInt, scalarValue, type Lowering } from "./lowering.ts";

interface Terms {
  /** sum(a w) */
  readonly product: Call;
  /** zw sum(a); built only where it is needed. */
  readonly dataSums: () => Expr;
  /** za sum(w) */
  readonly weightSums: () => Expr;
  /** n */
  readonly count: number;
  /** n za zw where the zero points are not both constant scalars. */
  readonly zeroPointProduct: () => Expr;
}

/** The zero points are what the terms multiply with; those of constant value 0 drop their terms. */
export function combineTerms(
  l: Lowering,
  terms: Terms,
  zeroPoints: { readonly data: Expr; readonly weight: Expr },
): Call {
  const [data, weight] = [scalarValue(zeroPoints.data), scalarValue(zeroPoints.weight)];
  const known = data !== null && weight !== null;
  if (known && data === 0 && weight === 0) return terms.product;
  if (known && data === 0) return l.make("subtract", [terms.product, terms.dataSums()]);
  if (known && weight === 0) return l.make("subtract", [terms.product, terms.weightSums()]);
  const constant = known ? l.int(data * weight * terms.count) : terms.zeroPointProduct();
  // The terms without data stand together, so that they fold.
  return l.make("add", [
    l.make("subtract", [terms.product, terms.dataSums()]),
    l.make("subtract", [constant, terms.weightSums()]),
  ]);
}

/** x times a zero point; a constant 1 needs no product. */
export function timesZeroPoint(l: Lowering, zeroPoint: Expr, x: Expr): Expr {
  return isInt(zeroPoint, 1) ? x : l.make("multiply", [zeroPoint, x]);
}
