// LowerIntrin: intrinsics that a back end lacks, by ones that it has. Each back end declares what it has;
// float division and multiplication it always has.  TVM: src/tir/transforms/lower_intrin.cc,
// src/target/intrin_rule.cc
import { tuple } from "../../../support/assert.ts";
import type { Pass } from "../../ir/pass.ts";
import { isFloat } from "../../ir/dtype.ts";
import { add, div, imm, mul, sub, tirCall, unary } from "../build.ts";
import type { PrimExpr, TirCall } from "../expr.ts";
import type { PrimFunc } from "../prim-func.ts";
import { mapExpr, mapStmt, someExpr } from "../visit.ts";

/** Calls that the target prints or encodes itself. */
export interface TargetIntrinsics {
  readonly has: (op: string) => boolean;
}

export function lowerIntrin(target: TargetIntrinsics): Pass<PrimFunc> {
  return {
    name: "LowerIntrin",
    optLevel: 0,
    requires: [],
    run: (f) => {
      const body = mapStmt(
        f.body,
        (stmt) => stmt,
        (expr) => mapExpr(expr, (part) => (part.kind === "tir-call" ? lower(target, part) : part)),
      );
      return body === f.body ? f : { ...f, body };
    },
  };
}

function lower(target: TargetIntrinsics, call: TirCall): PrimExpr {
  const [x, y] = call.args;
  if (call.op === "tir.pow" && isFloat(call.dtype)) return lowerPower(call);
  if (target.has(call.op)) return call;
  switch (call.op) {
    case "tir.sigmoid":
      return div(imm(1, call.dtype), add(unary("tir.exp", sub(imm(0, call.dtype), x!)), 1));
    case "tir.rsqrt":
      return div(imm(1, call.dtype), unary("tir.sqrt", x!));
    case "tir.exp10":
      return tirCall("tir.pow", call.dtype, [imm(10, call.dtype), x!]);
    case "tir.fmod":
      return y === undefined ? call : { kind: "binary", op: "mod", dtype: call.dtype, a: x!, b: y };
    default:
      return call;
  }
}

/**
 * Small constant powers by multiplication, square roots by sqrt: the same value but for the last place, many
 * times faster.
 */
function lowerPower(call: TirCall): PrimExpr {
  const [x, y] = tuple(call.args, 2, "operands of pow");
  const exponent =
    y.kind === "float" ? y.value : y.kind === "broadcast" && y.value.kind === "float" ? y.value.value : null;
  // Half floats round after each step here and once in pow.
  if (exponent === null || call.dtype.bits < 32) return call;
  switch (exponent) {
    case 1:
      return x;
    case 2:
      return isCheap(x) ? mul(x, x) : call;
    case 3:
      return isCheap(x) ? mul(mul(x, x), x) : call;
    case -1:
      return div(imm(1, call.dtype), x);
    case 0.5:
      return unary("tir.sqrt", x);
    default:
      return call;
  }
}

/** Nodes above which an operand is not written twice: a square of a square of … doubles at every level. */
const cheapNodes = 64;

/** Small and without calls: it may be written twice. */
function isCheap(x: PrimExpr): boolean {
  let nodes = 0;
  return !someExpr(x, (part) => part.kind === "tir-call" || ++nodes > cheapNodes);
}
