// How many tensors the values of a program hand over. Tuples share their fields, so a few lines hold any
// number of them (`%1 = (%0, %0); %2 = (%1, %1); …`): where one is flattened, it is counted first.
import { fail } from "../ir/diagnostic.ts";
import { typeParts, type Type } from "../ir/type.ts";
import { maxTupleFields } from "../limits.ts";
import type { Expr } from "./expr.ts";
import type { IRModule } from "./module.ts";
import { postOrder } from "./visit.ts";

/** Throws CompileError (RS2023) where an argument or a result has more than `maxTupleFields` tensors. */
export function checkTuples(module: IRModule): void {
  const counts = new Map<Type, number>();
  for (const func of module.functions.values()) {
    postOrder(func, (expr) => {
      if (expr.kind === "call") for (const arg of [expr, ...expr.args]) check(arg, counts);
      else if (expr.kind === "function") for (const part of [...expr.params, expr.body]) check(part, counts);
    });
  }
}

function check(expr: Expr, counts: Map<Type, number>): void {
  if (expr.type?.kind !== "tuple-type") return;
  const count = tensorCount(expr.type, counts);
  if (count <= maxTupleFields) return;
  fail("RS2023", `A value holds ${count <= 2 ** 53 ? count : "more than 2^53"} tensors.`, {
    span: expr.span,
    origin: expr.origin,
    expected: `at most ${maxTupleFields} tensors in one tuple, those of its tuples included`,
    got: String(count),
  });
}

/** The tensors in `type`; a type that stands in it twice is counted once and taken twice. */
function tensorCount(type: Type, counts: Map<Type, number>): number {
  const stack: Type[] = [type];
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const parts = top.kind === "tuple-type" ? typeParts(top) : [];
    const waiting = counts.has(top) ? [] : parts.filter((part) => !counts.has(part));
    if (waiting.length > 0) {
      stack.push(...waiting);
      continue;
    }
    if (!counts.has(top))
      counts.set(
        top,
        top.kind === "tuple-type" ? parts.reduce((sum, part) => sum + (counts.get(part) ?? 0), 0) : 1,
      );
    stack.pop();
  }
  return counts.get(type) ?? 0;
}
