// What the normalisations become at inference, in TVM's order of operators.
// TVM: src/relay/transforms/simplify_inference.cc, pattern_utils.h (ExpandBiasToMatchAxis)
import type { DType } from "../../ir/dtype.ts";
import type { Origin } from "../../ir/origin.ts";
import { call, scalar } from "../../relay/build.ts";
import type { Call, Expr } from "../../relay/expr.ts";
import type { RelayContext } from "../../relay/op.ts";
import type { OpCall } from "../define.ts";

/**
 * A vector that runs along `axis` of a tensor of rank `rank`, with axes of extent 1 after it so that it
 * broadcasts.
 */
export function alongAxis(
  cx: RelayContext,
  vector: Expr,
  at: { readonly axis: number; readonly rank: number },
  origin: Origin,
): Expr {
  const after = at.rank - at.axis - 1;
  return after > 0 ? call(cx, "expand_dims", [vector], { axis: 1, num_newaxis: after }, origin) : vector;
}

/** A call of a normalisation that scales and shifts at its end. */
type NormCall = OpCall<"data" | "gamma" | "beta", { readonly scale: boolean; readonly center: boolean }>;

interface NormParts {
  /** The axes that mean and variance combine. */
  readonly axes: readonly number[];
  /** Dtype of the epsilon constant. */
  readonly epsilonDType: DType;
  readonly epsilon: number;
}

/** (data - mean) / sqrt(variance + epsilon) */
export function normalise(cx: RelayContext, data: Expr, parts: NormParts, origin: Origin): Call {
  const epsilon = scalar(cx, parts.epsilonDType, Math.fround(parts.epsilon), origin);
  const over = { axis: parts.axes, keepdims: true };
  // Over no axes an element is its own mean; an empty list means all axes to mean, and to TVM here.
  const alone = parts.axes.length === 0;
  const mean = alone ? data : call(cx, "mean", [data], over, origin);
  const variance = alone
    ? call(cx, "subtract", [data, mean], {}, origin)
    : call(cx, "variance", [data, mean], over, origin);
  const deviation = call(cx, "sqrt", [call(cx, "add", [variance, epsilon], {}, origin)], {}, origin);
  return call(cx, "divide", [call(cx, "subtract", [data, mean], {}, origin), deviation], {}, origin);
}

/** Multiplies by gamma and adds beta along the channel axis, as `scale` and `center` say. */
export function scaleAndCenter(
  cx: RelayContext,
  normal: Expr,
  { node, args, attrs }: NormCall,
  at: { readonly axis: number; readonly rank: number },
): Expr {
  let out = normal;
  if (attrs.scale)
    out = call(cx, "multiply", [out, alongAxis(cx, args.gamma, at, node.origin)], {}, node.origin);
  if (attrs.center) out = call(cx, "add", [out, alongAxis(cx, args.beta, at, node.origin)], {}, node.origin);
  return out;
}
