// What every Relay module between passes must satisfy. Run after every pass in tests (of large networks
// not) and under --verify, at the ends of stages in the page while developing.
// TVM: src/relay/analysis/well_formed.cc. Invariants: each variable is bound once, and used only inside what
// binds it; operators exist and have their arguments and complete attributes in schema order; projections are
// in range; everything has an origin and (if asked) a type without holes.
import type { OpTable } from "../ir/op.ts";
import { holeFinder } from "../ir/type.ts";
import { invariant } from "../../support/assert.ts";
import { calledOp, type Call, type Expr, type Pattern, type Var } from "./expr.ts";
import type { IRModule } from "./module.ts";
import type { RelayOp } from "./op.ts";
import { children, postOrder } from "./visit.ts";

interface VerifyOptions {
  readonly ops: OpTable<RelayOp>;
  /** False before InferType has run. */
  readonly typed: boolean;
  /** Variables that the source itself leaves free (the executors refuse them: RS5004); none if left out. */
  readonly freeNames?: ReadonlySet<string>;
}

/** Names of the variables in `module` that nothing binds. */
export function freeNames(module: IRModule): ReadonlySet<string> {
  const found = new Set<string>();
  for (const func of module.functions.values()) {
    const bound = new Set<Var>();
    const used: Var[] = [];
    postOrder(func, (expr) => {
      for (const variable of boundBy(expr)) bound.add(variable);
      if (expr.kind === "var") used.push(expr);
    });
    for (const variable of used) if (!bound.has(variable)) found.add(variable.name);
  }
  return found;
}

/** What is wrong with `module`, one sentence each; empty if nothing is. A finding is a bug of ours. */
export function verifyModule(module: IRModule, options: VerifyOptions): readonly string[] {
  const problems: string[] = [];
  const hasHole = holeFinder();
  const check = (expr: Expr, say: (problem: string) => void): void => {
    if (options.typed && expr.kind !== "op") {
      if (expr.type === null) say(`${describe(expr)} has no type`);
      else if (hasHole(expr.type)) say(`${describe(expr)} has a hole in its type`);
    }
    verifyNode(expr, module, options, say);
  };
  for (const [name, func] of module.functions) {
    const say = (problem: string) => problems.push(`@${name}: ${problem}`);
    const bound = new Set<Var>();
    const inScope = new Set<Var>();
    postOrder(
      func,
      (expr) => {
        for (const variable of boundBy(expr)) inScope.delete(variable);
        check(expr, say);
      },
      (expr) => {
        for (const variable of boundBy(expr)) {
          if (bound.has(variable)) say(`%${variable.name} is bound twice`);
          bound.add(variable);
          inScope.add(variable);
          if (expr.kind === "match") check(variable, say);
        }
        for (const kid of children(expr))
          if (kid.kind === "var" && !inScope.has(kid) && options.freeNames?.has(kid.name) !== true)
            say(`%${kid.name} is ${bound.has(kid) ? "used outside of what binds it" : "free"}`);
        return true;
      },
    );
  }
  return problems;
}

/** Throws InvariantError for what is wrong with `module`, made by `by`. */
export function checkModule(module: IRModule, options: VerifyOptions, by: string): void {
  const problems = verifyModule(module, options);
  invariant(problems.length === 0, `${by} broke the rules of Relay: ${problems.slice(0, 5).join("; ")}`);
}

/** The variables that `expr` binds in its parts. */
function boundBy(expr: Expr): readonly Var[] {
  if (expr.kind === "function") return expr.params;
  if (expr.kind === "let") return [expr.variable];
  if (expr.kind === "match") return expr.clauses.flatMap(({ pattern }) => patternVars(pattern));
  return none;
}

const none: readonly Var[] = [];

function patternVars(pattern: Pattern): readonly Var[] {
  if (pattern.kind === "bind") return [pattern.variable];
  return pattern.kind === "wildcard" ? none : pattern.patterns.flatMap(patternVars);
}

function verifyNode(
  expr: Expr,
  module: IRModule,
  options: VerifyOptions,
  say: (problem: string) => void,
): void {
  if (expr.origin.kind === "many" && expr.origin.parents.length === 0) say(`${describe(expr)} has no origin`);
  if (expr.kind === "global" && !module.functions.has(expr.name)) say(`@${expr.name} is not in the module`);
  if (
    expr.kind === "tuple-get-item" &&
    expr.tuple.type?.kind === "tuple-type" &&
    !(expr.index in expr.tuple.type.fields)
  )
    say(`${describe(expr)} is out of range`);
  if (expr.kind === "call" && expr.callee.kind === "op")
    verifyOpCall(expr, options.ops.get(expr.callee.name), say);
}

function verifyOpCall(call: Call, op: RelayOp | undefined, say: (problem: string) => void): void {
  if (op === undefined) return say(`${describe(call)}: no such operator`);
  if (call.args.length !== op.inputs.length)
    say(`${describe(call)} has ${call.args.length} arguments, needs ${op.inputs.length}`);
  const schema = Object.keys(op.attrs);
  const given = Object.keys(call.attrs);
  if (schema.length !== given.length || schema.some((key, i) => key !== given[i]))
    say(`${describe(call)} has attributes [${given.join(", ")}], its schema [${schema.join(", ")}]`);
}

function describe(expr: Expr): string {
  return `${calledOp(expr) ?? expr.kind} (node ${expr.id})`;
}
