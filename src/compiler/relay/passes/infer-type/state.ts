// What InferType knows while it works, and how it tells mistakes: each once, what hangs on it not at all.
import type { DiagnosticCode } from "../../../ir/diagnostic-codes.ts";
import { diagnostic, type DiagnosticParts } from "../../../ir/diagnostic.ts";
import type { OpCore } from "../../../ir/op.ts";
import { funcType, printType, type FuncType, type IncompleteType, type Type } from "../../../ir/type.ts";
import type { Call, Expr, Func, TupleGetItem, Var } from "../../expr.ts";
import { createSolver, freshHole, holesOf, resolve, unify, type Solver } from "./solver.ts";
import type { IRModule } from "../../module.ts";
import type { RelayContext } from "../../op.ts";

/** A call or projection whose result type follows from its argument types by a relation. */
export interface Constraint {
  readonly expr: Call | TupleGetItem;
  readonly op: OpCore | null;
  readonly args: readonly Type[];
  /** Made when the relation could not answer at once. */
  result: IncompleteType | null;
  done: boolean;
}

export interface Inference {
  readonly module: IRModule;
  readonly pass: RelayContext;
  readonly solver: Solver<Constraint>;
  readonly types: Map<Expr, Type>;
  readonly typeArgs: Map<Call, readonly Type[]>;
  readonly globals: Map<string, FuncType>;
  readonly constraints: Constraint[];
  /** Holes that a reported mistake left behind: what depends on them is not reported again. */
  readonly poisoned: Set<IncompleteType>;
  readonly rebuilt: Map<Expr, Expr>;
}

export function createInference(module: IRModule, pass: RelayContext): Inference {
  return {
    module,
    pass,
    solver: createSolver(),
    types: new Map(),
    typeArgs: new Map(),
    globals: new Map(),
    constraints: [],
    poisoned: new Set(),
    rebuilt: new Map(),
  };
}

/** A function's type by its annotations, holes for what they leave out. */
export function annotatedType(cx: Inference, func: Func): FuncType {
  return funcType(
    func.params.map((param) => varType(cx, param)),
    func.resultType ?? freshHole(),
    func.typeParams,
  );
}

/** A variable's type: what its annotation or an earlier pass says, else a hole. */
export function varType(cx: Inference, variable: Var): Type {
  let type = cx.types.get(variable);
  if (type === undefined)
    cx.types.set(variable, (type = variable.annotation ?? variable.type ?? freshHole()));
  return type;
}

/** A mistake at `expr`. */
export function report(
  cx: Inference,
  expr: Expr,
  code: DiagnosticCode,
  message: string,
  parts: DiagnosticParts = {},
): void {
  cx.pass.diagnostics.push(diagnostic(code, message, { span: expr.span, origin: expr.origin, ...parts }));
}

/** A type that stands for "there was a mistake". */
export function poison(cx: Inference): IncompleteType {
  const hole = freshHole();
  cx.poisoned.add(hole);
  return hole;
}

/** True if a mistake already told is behind `type`. */
export function isPoisoned(cx: Inference, type: Type): boolean {
  for (const hole of holesOf(cx.solver, type)) if (cx.poisoned.has(hole)) return true;
  return false;
}

/** Both are one type, or a mistake is reported at `expr`. Returns the common type. */
export function require(
  cx: Inference,
  expr: Expr,
  expected: Type,
  got: Type,
  [code, message]: readonly [code: DiagnosticCode, message: () => string],
): Type {
  const merged = unify(cx.solver, expected, got);
  if (merged !== null) return merged;
  if (!isPoisoned(cx, expected) && !isPoisoned(cx, got)) {
    report(cx, expr, code, message(), {
      expected: printType(resolve(cx.solver, expected)),
      got: printType(resolve(cx.solver, got)),
    });
  }
  // What hangs on the two is not told again.
  for (const hole of holesOf(cx.solver, got, holesOf(cx.solver, expected))) cx.poisoned.add(hole);
  return expected;
}
