// How deep the scopes of a program nest: bodies of functions, branches, clauses, and lets that are the value
// of a let. Lines of text may nest them without end (`%1 = if (%c) { %0 } else { %x };`), and scopes, unlike
// calls, are printed and planned by recursion, one indentation a level. So there is a limit, which is told.
// TVM has none: its printer ends in a stack overflow.
import { maxScopes } from "../limits.ts";
import { fail } from "../ir/diagnostic.ts";
import type { Expr } from "./expr.ts";
import type { IRModule } from "./module.ts";
import { children, postOrder } from "./visit.ts";

/** Throws CompileError (RS1005) where scopes of a function nest more than `maxScopes` deep. */
export function checkNesting(module: IRModule): void {
  for (const func of module.functions.values()) checkScopes(func);
}

/** The same for the scopes under one expression. */
export function checkScopes(root: Expr): void {
  if (countScopes(root) <= maxScopes) return;
  const depths = new Map<Expr, number>();
  postOrder(root, (expr) => {
    let depth = 0;
    for (const kid of children(expr))
      depth = Math.max(depth, (depths.get(kid) ?? 0) + (opensScope(expr, kid) ? 1 : 0));
    depths.set(expr, depth);
    if (depth > maxScopes)
      fail("RS1005", `Branches and bodies of functions nest more than ${maxScopes} deep.`, {
        span: expr.span,
        origin: expr.origin,
        expected: `at most ${maxScopes} levels`,
        got: "one more, through the values that they use",
        because: "each branch is written, planned and run inside the one that uses it",
        hint: "Bind values with `let` ahead of the branch that uses them: `let %x = if (…) { … } else { … };`.",
      });
  });
}

function countScopes(root: Expr): number {
  let count = 0;
  postOrder(root, (expr) => {
    if (expr.kind === "if" || expr.kind === "match" || expr.kind === "function" || expr.kind === "let")
      count++;
  });
  return count;
}

function opensScope(expr: Expr, kid: Expr): boolean {
  if (expr.kind === "function") return kid === expr.body;
  if (expr.kind === "if") return kid !== expr.condition;
  if (expr.kind === "match") return kid !== expr.data;
  return expr.kind === "let" && kid === expr.value && kid.kind === "let";
}
