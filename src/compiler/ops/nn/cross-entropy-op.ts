// What the cross entropies share.
import { first } from "../../../support/assert.ts";
import type { TypeReporter } from "../../ir/op.ts";
import type { Origin } from "../../ir/origin.ts";
import { printType, scalarType, type TensorType, type Type } from "../../ir/type.ts";
import { cast, div, imm, sub } from "../../tir/build.ts";
import type { PrimExpr } from "../../tir/expr.ts";
import { compute, sum } from "../../te/compute.ts";
import type { Tensor } from "../../te/tensor.ts";
import { reduce } from "../../topi/reduction.ts";
import { acceptsDType } from "../math/unary.ts";
import { asker, checkRank, sameDTypes, shapesMatch, tensorArg } from "../_shared/type-helpers.ts";

export function crossEntropyRelation(op: string, x: Type, y: Type, t: TypeReporter): TensorType | null {
  const cx = asker(t, op);
  const predictions = tensorArg(cx, "x", x);
  const targets = tensorArg(cx, "y", y);
  if (
    predictions === null ||
    targets === null ||
    !checkRank(cx, "x", predictions, [2]) ||
    !checkRank(cx, "y", targets, [2])
  )
    return null;
  if (!acceptsDType(cx, "x", predictions, "float") || !sameDTypes(cx, ["x", predictions], ["y", targets]))
    return null;
  if (shapesMatch(cx, predictions.shape, targets.shape)) return scalarType(predictions.dtype);
  return t.error("RS2105", `${op}: the shapes of \`x\` and \`y\` differ`, {
    expected: printType(predictions),
    got: printType(targets),
  });
}

/** Minus the sum of all terms, divided by the batch. */
export function crossEntropyCompute(
  x: Tensor,
  origin: Origin,
  term: (indices: readonly PrimExpr[]) => PrimExpr,
): Tensor {
  const terms = compute(x.shape, term, { name: "T_multiply", tag: "broadcast", origin });
  const total = reduce(terms, { axes: [0, 1], keepdims: false, origin }, sum);
  return compute(
    [],
    () => div(sub(imm(0, x.dtype), total.at()), cast(first(x.shape, "input axis"), x.dtype)),
    { name: "T_divide", tag: "elemwise", origin },
  );
}
