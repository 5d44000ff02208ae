// The plan of a program whose shapes are known only when it runs: its calls in order, and for each call whose
// result type has a dynamic dimension the shape function that computes it. runtime/dynamic-run.ts follows it.
// TVM has its VM for such programs (src/relay/backend/vm): bytecode that calls shape functions, allocates,
// and calls kernels.
import { hasDynamicShape } from "../ir/type.ts";
import type { LoweredShapeFunc } from "../lower/shape-func.ts";
import type { TeCompiler } from "../lower/te-compiler.ts";
import type { Call } from "../relay/expr.ts";
import { typeOf } from "../relay/op.ts";
import { loweredFlow, type LoweredFlow, type MainReading } from "./main-flow.ts";
import type { Outcome } from "./plan.ts";
import { asOutcome } from "./refusals.ts";

export interface DynamicPlan {
  readonly flow: LoweredFlow;
  /** Only calls whose result has a dynamic dimension. */
  readonly shapeFuncs: ReadonlyMap<Call, LoweredShapeFunc>;
}

/** Plans main. Refused: what loweredFlow refuses, and what lower/shape-func.ts does. */
export function planDynamic(reading: MainReading, te: TeCompiler): Outcome<DynamicPlan> {
  return asOutcome(() => {
    const flow = loweredFlow(reading, te, "dynamic executor");
    const shapeFuncs = new Map<Call, LoweredShapeFunc>();
    for (const { call, func, device } of flow.calls.values())
      if (hasDynamicShape(typeOf(call))) shapeFuncs.set(call, te.lowerShapeFunc(func, call, device));
    return { flow, shapeFuncs };
  });
}
