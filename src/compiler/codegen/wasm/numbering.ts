// Value numbering of TIR expressions: structurally equal ones get one number, with what code motion needs to
// know of them. TVM 0.8 leaves this to LLVM; its later CommonSubexprElimTIR is the nearest relative.
import { callsOutside } from "../../tir/build.ts";
import { invariant } from "../../../support/assert.ts";
import type { DType } from "../../ir/dtype.ts";
import type { Buffer, PrimExpr, TirVar } from "../../tir/expr.ts";
import { children, visitStmt } from "../../tir/visit.ts";
import type { Stmt } from "../../tir/stmt.ts";

interface ValueFacts {
  /** Numbers of the operands. */
  readonly operands: readonly number[];
  readonly variable: TirVar | null;
  /** Buffers that it reads, through its operands too. */
  readonly reads: readonly Buffer[];
  /**
   * Integer division by something that may be zero, or a call outside: not to be run earlier than written.
   */
  readonly mayTrap: boolean;
  /** Has an effect or binds a variable: computed where it stands, each time. */
  readonly pinned: boolean;
  /** How often it occurs in the function as written. */
  uses: number;
}

export interface Numbering {
  /** By operator and up to two operands, packed into one number. */
  readonly byOperands: Map<number, number>;
  /** Everything that does not fit byOperands. */
  readonly byText: Map<string, number>;
  readonly byExpr: Map<PrimExpr, number>;
  readonly identities: Map<object, number>;
  /** Small numbers of operators, by dtype and name. */
  readonly operators: Map<DType, Map<string, number>>;
  operatorCount: number;
  readonly reads: Map<Buffer, readonly Buffer[]>;
  readonly facts: ValueFacts[];
}

const noBuffers: readonly Buffer[] = [];

export function numbering(): Numbering {
  return {
    byOperands: new Map(),
    byText: new Map(),
    byExpr: new Map(),
    identities: new Map(),
    operators: new Map(),
    operatorCount: 0,
    reads: new Map(),
    facts: [],
  };
}

/** Numbers every expression in `stmt` and counts its uses. */
export function numberStmt(to: Numbering, stmt: Stmt): void {
  visitStmt(
    stmt,
    () => undefined,
    (expr) => countUses(to, expr),
  );
}

export function countUses(to: Numbering, expr: PrimExpr): void {
  const fact = to.facts[numberOf(to, expr)]!;
  fact.uses++;
  // The operands of a value that is kept are computed once, however often it is used.
  if (fact.uses > 1) return;
  for (const child of children(expr)) countUses(to, child);
}

/** The number of `expr`; equal expressions (variables and buffers by identity) have equal numbers. */
export function numberOf(to: Numbering, expr: PrimExpr): number {
  const known = to.byExpr.get(expr);
  if (known !== undefined) return known;
  const number = numberNew(to, expr);
  to.byExpr.set(expr, number);
  return number;
}

/** Operands and operators are counted in 20 and 12 bits, which one number of 53 bits holds twice and once. */
const operandLimit = 2 ** 20;
const operatorLimit = 2 ** 12;

function numberNew(to: Numbering, expr: PrimExpr): number {
  const [x, y] =
    expr.kind === "binary"
      ? [expr.a, expr.b]
      : expr.kind === "cast" || expr.kind === "broadcast"
        ? [expr.value, null]
        : expr.kind === "ramp"
          ? [expr.base, expr.stride]
          : expr.kind === "load" && expr.indices.length === 1
            ? [expr.indices[0]!, null]
            : [null, null];
  if (x !== null) {
    const a = numberOf(to, x);
    const b = y === null ? 0 : numberOf(to, y);
    const name =
      expr.kind === "binary"
        ? expr.op
        : expr.kind === "load"
          ? `load#${identityOf(to, expr.buffer)}`
          : expr.kind;
    const operator = operatorNumber(to, expr.dtype, name);
    if (a < operandLimit && b < operandLimit && operator < operatorLimit) {
      const key = (operator * operandLimit + a) * operandLimit + b;
      let number = to.byOperands.get(key);
      if (number === undefined) {
        number = to.facts.length;
        to.byOperands.set(key, number);
        to.facts.push(factsOf(to, expr, y === null ? [a] : [a, b]));
      }
      return number;
    }
  }
  const operands = children(expr).map((child) => numberOf(to, child));
  return intern(to, `${describe(to, expr)}(${operands.join(",")})`, () => factsOf(to, expr, operands));
}

function operatorNumber(to: Numbering, dtype: DType, name: string): number {
  let ofType = to.operators.get(dtype);
  if (ofType === undefined) {
    ofType = new Map();
    to.operators.set(dtype, ofType);
  }
  let number = ofType.get(name);
  if (number === undefined) {
    number = to.operatorCount++;
    ofType.set(name, number);
  }
  return number;
}

/** A number for a value that lowering invents (a pointer), made from the numbers that it depends on. */
export function numberInvented(to: Numbering, text: string, operands: readonly number[]): number {
  return intern(to, `@${text}`, () => ({
    operands,
    variable: null,
    reads: union(operands.map((operand) => to.facts[operand]!.reads)),
    mayTrap: operands.some((operand) => to.facts[operand]!.mayTrap),
    pinned: false,
    uses: 0,
  }));
}

function intern(to: Numbering, text: string, facts: () => ValueFacts): number {
  let number = to.byText.get(text);
  if (number === undefined) {
    number = to.facts.length;
    to.byText.set(text, number);
    to.facts.push(facts());
  }
  return number;
}

/** A number for an object compared by identity: a variable, a buffer. */
export function identityOf(to: Numbering, thing: object): number {
  let id = to.identities.get(thing);
  if (id === undefined) {
    id = to.identities.size;
    to.identities.set(thing, id);
  }
  return id;
}

function describe(to: Numbering, expr: PrimExpr): string {
  switch (expr.kind) {
    case "tir-var":
    case "buffer-ref":
      return `${expr.kind}#${identityOf(to, expr.kind === "tir-var" ? expr : expr.buffer)}`;
    case "int":
      return `int ${expr.dtype.name} ${expr.value}`;
    case "float":
      return `float ${expr.dtype.name} ${Object.is(expr.value, -0) ? "-0" : expr.value}`;
    case "string":
      return `string ${JSON.stringify(expr.value)}`;
    case "binary":
      return `${expr.op} ${expr.dtype.name}`;
    case "not":
    case "select":
    case "cast":
    case "ramp":
    case "broadcast":
      return `${expr.kind} ${expr.dtype.name}`;
    case "tir-let":
      return `let#${identityOf(to, expr.variable)}`;
    case "tir-call":
      return `${expr.op} ${expr.dtype.name}`;
    case "load":
      return `load#${identityOf(to, expr.buffer)} ${expr.dtype.name}`;
    case "producer-load":
    case "reduce":
      invariant(false, `${expr.kind} is left in TIR that goes to WebAssembly`);
  }
}

function factsOf(to: Numbering, expr: PrimExpr, operands: readonly number[]): ValueFacts {
  const outside = expr.kind === "tir-call" && callsOutside(expr);
  let reads = expr.kind === "load" ? readsOf(to, expr.buffer) : noBuffers;
  let mayTrap = outside || dividesByUnknown(expr);
  let pinned = outside || expr.kind === "tir-let";
  for (const operand of operands) {
    const below = to.facts[operand]!;
    if (below.reads.length > 0 && below.reads !== reads)
      reads = reads.length === 0 ? below.reads : union([reads, below.reads]);
    mayTrap ||= below.mayTrap;
    pinned ||= below.pinned;
  }
  return { operands, variable: expr.kind === "tir-var" ? expr : null, reads, mayTrap, pinned, uses: 0 };
}

/** The one list for loads of `buffer`, shared so that comparing lists is cheap. */
function readsOf(to: Numbering, buffer: Buffer): readonly Buffer[] {
  let list = to.reads.get(buffer);
  if (list === undefined) {
    list = [buffer];
    to.reads.set(buffer, list);
  }
  return list;
}

function dividesByUnknown(expr: PrimExpr): boolean {
  if (expr.kind !== "binary" || (expr.dtype.code !== "int" && expr.dtype.code !== "uint")) return false;
  if (expr.op !== "div" && expr.op !== "mod" && expr.op !== "floordiv" && expr.op !== "floormod")
    return false;
  return !(expr.b.kind === "int" && Number(expr.b.value) > 0);
}

function union(lists: readonly (readonly Buffer[])[]): readonly Buffer[] {
  let found = noBuffers;
  for (const list of lists) {
    if (list.length === 0 || list === found) continue;
    found =
      found.length === 0
        ? list
        : list.every((buffer) => found.includes(buffer))
          ? found
          : [...new Set([...found, ...list])];
  }
  return found;
}
