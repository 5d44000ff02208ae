// What Relay passes may ask of an operator beyond OpCore: the hooks that an operator's one file gives.
// TVM: include/tvm/relay/op_attr_types.h (FTVMLegalize, FForwardRewrite, FScaleAxis…, FInferCorrectLayout)
import { invariant } from "../../support/assert.ts";
import type { IdSource } from "../ir/ids.ts";
import type { OpCore } from "../ir/op.ts";
import type { PassContext } from "../ir/pass.ts";
import type { TensorData } from "../ir/tensor-data.ts";
import type { TensorType, Type } from "../ir/type.ts";
import type { Call, Expr, Func } from "./expr.ts";

/**
 * Replaces a call by what it means, or returns null to leave it. `call` has typed arguments. Must carry the
 * call's origin over.
 */
export type CallRewrite = (call: Call, cx: RelayContext) => Expr | null;

export interface RelayOp extends OpCore {
  /** SimplifyInference: what this operator becomes at inference (batch_norm, dropout, …). */
  readonly simplify: CallRewrite | null;
  /** Legalize (op's own, FTVMLegalize). */
  readonly legalize: CallRewrite | null;
  readonly qnnLegalize: CallRewrite | null;
  readonly qnnCanonicalize: CallRewrite | null;
  /** DynamicToStatic: a dyn.* call whose operands are constants becomes its static twin. */
  readonly toStatic: CallRewrite | null;
  /** CanonicalizeOps: bias_add -> expand_dims + add. */
  readonly canonicalize: CallRewrite | null;
  /** How the operator takes other layouts: what layout inference (AlterOpLayout, ConvertLayout) will ask. */
  readonly layout: unknown;
}

export interface RelayContext extends PassContext<RelayOp> {
  /**
   * Runs one call on constants (the TE compiler's JIT), injected by compile.ts; null where none is available.
   */
  readonly evaluate: ((func: Func, args: readonly TensorData[]) => readonly TensorData[]) | null;
}

/** The type of `expr`; a bug of ours if InferType has not run. */
export function typeOf(expr: Expr): Type {
  if (expr.type === null) throw new Error(`untyped ${expr.kind}`);
  return expr.type;
}

/** The type of `expr`, which must be a tensor. */
export function tensorTypeOf(expr: Expr): TensorType {
  const type = typeOf(expr);
  invariant(type.kind === "tensor-type", `expected a tensor, got ${type.kind}`);
  return type;
}

export type { IdSource };
