// The anchor operator of a primitive function: its schedule serves the whole function.
// TVM: src/relay/backend/te_compiler_cache.cc (ScheduleBuilder::VisitExpr_(CallNode))
import { first } from "../../support/assert.ts";
import { fail } from "../ir/diagnostic.ts";
import { OpPattern } from "../ir/op.ts";
import type { Call } from "../relay/expr.ts";
import type { Op } from "../ops/define.ts";

/** A call inside a primitive function with the operator it calls. */
export interface PrimitiveCall {
  readonly call: Call;
  readonly op: Op;
}

/**
 * The call whose operator has the highest pattern, the last of them on a tie. Two operators that are
 * reductions or worse have two schedules to follow: refused (RS4106). `calls` is in order of evaluation and
 * not empty.
 */
export function anchorOf(calls: readonly PrimitiveCall[]): PrimitiveCall {
  let anchor = first(calls, "call");
  for (const next of calls.slice(1)) {
    if (next.op.pattern >= OpPattern.commReduce && anchor.op.pattern >= OpPattern.commReduce) {
      fail("RS4106", `one primitive function holds both ${anchor.op.name} and ${next.op.name}`, {
        span: next.call.span,
        origin: next.call.origin,
        expected: "at most one operator that is a reduction, a convolution or opaque",
        got: `${anchor.op.name} (pattern ${anchor.op.pattern}) and ${next.op.name} (pattern ${next.op.pattern})`,
        because: "the schedule of one operator, the anchor, shapes the loops of the whole function",
        hint: "let FuseOps make the primitive functions, or split this one",
      });
    }
    if (next.op.pattern >= anchor.op.pattern) anchor = next;
  }
  return anchor;
}
