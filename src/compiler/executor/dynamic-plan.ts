// The plan of a program whose shapes are known only when it runs: its calls in order, and for each call whose result type has a
// dynamic dimension the shape function that computes it. runtime/dynamic-run.ts follows it.
// TVM has its VM for such programs (src/relay/backend/vm): bytecode that calls shape functions, allocates, and calls kernels.
import { flattenTensorTypes, staticShape, type Type } from "../ir/type.ts";
import type { LoweredShapeFunc } from "../lower/shape-func.ts";
import type { TeCompiler } from "../lower/te-compiler.ts";
import type { Call, Func } from "../relay/expr.ts";
import { typeOf } from "../relay/op.ts";
import { postOrder } from "../relay/visit.ts";
import { asOutcome, readMain, type MainFlow } from "./main-flow.ts";
import type { Outcome } from "./plan.ts";

export interface DynamicPlan {
  readonly flow: MainFlow;
  /** Only calls whose result has an unknown dimension. */
  readonly shapeFuncs: ReadonlyMap<Call, LoweredShapeFunc>;
}

/** Whether a dimension of `type` is not known. */
export function hasDynamicShape(type: Type): boolean {
  return flattenTensorTypes(type).some((tensor) => staticShape(tensor) === null);
}

/** Whether anything in `main` has a dimension that is not known. */
export function isDynamic(main: Func): boolean {
  let found = main.params.some((param) => hasDynamicShape(typeOf(param)));
  postOrder(
    main.body,
    (expr) => {
      if (!found && (expr.kind === "call" || expr.kind === "if")) found = hasDynamicShape(typeOf(expr));
    },
    (expr) => expr.kind !== "function",
  );
  return found;
}

/** Plans `main` (after FuseOps). Refused: what main-flow.ts refuses but for unknown dimensions, and what lower/shape-func.ts refuses. */
export function planDynamic(main: Func, te: TeCompiler): Outcome<DynamicPlan> {
  return asOutcome(() => {
    const flow = readMain(main, te, "dynamic executor", false);
    const shapeFuncs = new Map<Call, LoweredShapeFunc>();
    for (const producer of flow.left) {
      const flowCall = producer.kind === "call" ? flow.calls.get(producer) : undefined;
      if (flowCall !== undefined && hasDynamicShape(typeOf(flowCall.call)))
        shapeFuncs.set(
          flowCall.call,
          te.lowerShapeFunc(flowCall.func, flowCall.call, flow.deviceOf(flowCall.call)),
        );
    }
    return { flow, shapeFuncs };
  });
}
