// What every Relay module between passes must satisfy. Run in tests after every pass, in production at the ends of stages.
// TVM: src/relay/analysis/well_formed.cc. Invariants: each variable is bound once, and before it is used anywhere; operators exist
// and have their arguments and complete attributes in schema order; projections are in range; everything is typed (if asked).
import type { OpTable } from "../ir/op.ts";
import { calledOp, type Call, type Expr, type Pattern, type Var } from "./expr.ts";
import type { IRModule } from "./module.ts";
import type { RelayOp } from "./op.ts";
import { postOrder } from "./visit.ts";

export interface VerifyOptions {
  readonly ops: OpTable<RelayOp>;
  /** False before InferType has run. */
  readonly typed: boolean;
}

/** What is wrong with `module`, one sentence each; empty if nothing is. A finding is a bug of ours. */
export function verifyModule(module: IRModule, options: VerifyOptions): readonly string[] {
  const problems: string[] = [];
  for (const [name, func] of module.functions) {
    const bound = new Set<Var>();
    const used = new Set<Var>();
    const say = (problem: string) => problems.push(`@${name}: ${problem}`);
    const bind = (variable: Var) => {
      if (bound.has(variable)) say(`%${variable.name} is bound twice`);
      bound.add(variable);
    };
    postOrder(func, (expr) => {
      if (expr.kind === "var") used.add(expr);
      if (expr.kind === "function") expr.params.forEach(bind);
      if (expr.kind === "let") bind(expr.variable);
      if (expr.kind === "match") expr.clauses.forEach((clause) => bindPattern(clause.pattern, bind));
      verifyNode(expr, module, options, say);
    });
    for (const variable of used) if (!bound.has(variable)) say(`%${variable.name} is free`);
  }
  return problems;
}

function bindPattern(pattern: Pattern, bind: (variable: Var) => void): void {
  if (pattern.kind === "bind") bind(pattern.variable);
  else if (pattern.kind !== "wildcard") pattern.patterns.forEach((part) => bindPattern(part, bind));
}

function verifyNode(
  expr: Expr,
  module: IRModule,
  options: VerifyOptions,
  say: (problem: string) => void,
): void {
  if (options.typed && expr.type === null && expr.kind !== "op") say(`${describe(expr)} has no type`);
  if (expr.kind === "global" && !module.functions.has(expr.name)) say(`@${expr.name} is not in the module`);
  if (
    expr.kind === "tuple-get-item" &&
    expr.tuple.type?.kind === "tuple-type" &&
    expr.index >= expr.tuple.type.fields.length
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
