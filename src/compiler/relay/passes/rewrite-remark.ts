// What a rewrite did to a call, as a remark: which operators stand for it now.
import { remark } from "../../ir/remark.ts";
import { calledOp, type Call, type Expr } from "../expr.ts";
import type { RelayContext } from "../op.ts";
import { postOrder } from "../visit.ts";

/** More operators than these are not listed. */
const mostNamed = 6;

/** Notes that `pass` wrote `call` as `result`. What `call` computed on is not a part of what is new. */
export function noteRewrite(cx: RelayContext, pass: string, call: Call, result: Expr): void {
  const op = calledOp(call) ?? "a call";
  const given = new Set<Expr>(call.args);
  const names = new Set<string>();
  postOrder(
    result,
    (expr) => {
      const name = given.has(expr) ? null : calledOp(expr);
      if (name !== null) names.add(name);
    },
    (expr) => !given.has(expr),
  );
  const listed =
    [...names].slice(0, mostNamed).join(", ") +
    (names.size > mostNamed ? `, and ${names.size - mostNamed} more` : "");
  const text =
    names.size === 0
      ? `${op} falls away: its result is known without it`
      : names.size === 1 && names.has(op)
        ? `${op} is written with other operands or attributes`
        : `${op} is written as ${listed}`;
  cx.remarks.push(
    remark(pass, "rewrite.hit", text, {
      origin: call.origin,
      other: result.origin,
      facts: { op, operators: names.size },
    }),
  );
}
