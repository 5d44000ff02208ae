// Factories of TIR nodes. Arithmetic on constants folds and identities (x+0, x*1) vanish here, as TVM's
// operators do; anything deeper is arith/'s work.  TVM: src/tir/op/op.cc
import { invariant, present } from "../../support/assert.ts";
import {
  bool,
  dtype as makeDType,
  handle,
  int32,
  isFloat,
  isInteger,
  scalarOf,
  withLanes,
  type DType,
} from "../ir/dtype.ts";
import type { Origin } from "../ir/origin.ts";
import type {
  Binary,
  BinaryOp,
  Broadcast,
  Buffer,
  BufferLoad,
  BufferRef,
  Cast,
  Combiner,
  FloatImm,
  IntImm,
  IterVar,
  Not,
  PrimExpr,
  ProducerLoad,
  Ramp,
  Reduce,
  Select,
  Storage,
  StorageScope,
  StringImm,
  TensorLike,
  TirCall,
  TirLet,
  TirVar,
} from "./expr.ts";
import type {
  Allocation,
  AttrStmt,
  Evaluate,
  For,
  ForKind,
  IfThenElse,
  LetStmt,
  Seq,
  Stmt,
  Store,
  While,
} from "./stmt.ts";

export function tirVar(name: string, dtype: DType = int32): TirVar {
  return { kind: "tir-var", name, dtype };
}

/** Wraps to the width of `dtype`; a safe integer stays a number. */
export function intImm(value: number | bigint, dtype: DType = int32): IntImm {
  return { kind: "int", dtype, value: wrapInt(value, dtype) };
}

function wrapInt(value: number | bigint, dtype: DType): number | bigint {
  if (dtype.code === "bool") return Number(value) === 0 ? 0 : 1;
  if (dtype.bits <= 32) {
    if (typeof value === "bigint") value = Number(BigInt.asIntN(64, value) & 0xffffffffn);
    if (dtype.bits === 32) return dtype.code === "uint" ? value >>> 0 : value | 0;
    if (dtype.code === "uint") return value & (2 ** dtype.bits - 1);
    const shift = 32 - dtype.bits;
    return (value << shift) >> shift;
  }
  if (typeof value === "number" && Number.isSafeInteger(value) && (dtype.code === "int" || value >= 0))
    return value;
  const wide = typeof value === "bigint" ? value : BigInt(Math.trunc(value));
  const wrapped = dtype.code === "int" ? BigInt.asIntN(64, wide) : BigInt.asUintN(64, wide);
  return wrapped >= BigInt(Number.MIN_SAFE_INTEGER) && wrapped <= BigInt(Number.MAX_SAFE_INTEGER)
    ? Number(wrapped)
    : wrapped;
}

export function floatImm(value: number, dtype: DType): FloatImm {
  return { kind: "float", dtype, value: dtype.bits === 32 ? Math.fround(value) : value };
}

export function stringImm(value: string): StringImm {
  return { kind: "string", dtype: handle, value };
}

/** A constant of any scalar dtype (broadcast if `dtype` has lanes). */
export function imm(value: number, dtype: DType): PrimExpr {
  if (dtype.lanes > 1) return broadcast(imm(value, scalarOf(dtype)), dtype.lanes);
  return isFloat(dtype) ? floatImm(value, dtype) : intImm(value, dtype);
}

export const trueImm: IntImm = { kind: "int", dtype: bool, value: 1 };
export const falseImm: IntImm = { kind: "int", dtype: bool, value: 0 };

/** The value of an integer constant as a number, or null. */
export function constInt(expr: PrimExpr): number | null {
  return expr.kind === "int" ? Number(expr.value) : null;
}

/** The value of an integer that must be constant by now, as a number. */
export function knownInt(expr: PrimExpr): number {
  return present(constInt(expr), `constant: got a ${expr.kind}`);
}

function isConst(expr: PrimExpr, value: number): boolean {
  return (
    (expr.kind === "int" || expr.kind === "float") &&
    Number(expr.value) === value &&
    !Object.is(expr.value, -0)
  );
}

type Operand = PrimExpr | number;

function operands(a: Operand, b: Operand): readonly [PrimExpr, PrimExpr] {
  if (typeof a === "number") {
    invariant(typeof b !== "number", "one operand must be an expression");
    return [imm(a, b.dtype), b];
  }
  if (typeof b === "number") return [a, imm(b, a.dtype)];
  if (a.dtype === b.dtype) return [a, b];
  if (a.dtype.lanes !== b.dtype.lanes) {
    if (a.dtype.lanes === 1) return operands(broadcast(a, b.dtype.lanes), b);
    if (b.dtype.lanes === 1) return operands(a, broadcast(b, a.dtype.lanes));
    invariant(false, `lanes differ: ${a.dtype.name} and ${b.dtype.name}`);
  }
  // TVM's BinaryOpMatchTypes: float wins over integer, then the wider one.
  if (isFloat(a.dtype) && !isFloat(b.dtype)) return [a, cast(b, a.dtype)];
  if (!isFloat(a.dtype) && isFloat(b.dtype)) return [cast(a, b.dtype), b];
  return a.dtype.bits >= b.dtype.bits ? [a, cast(b, a.dtype)] : [cast(a, b.dtype), b];
}

/** The raw node, no folding. */
export function binary(op: BinaryOp, a: PrimExpr, b: PrimExpr): Binary {
  const compares =
    op === "eq" ||
    op === "ne" ||
    op === "lt" ||
    op === "le" ||
    op === "gt" ||
    op === "ge" ||
    op === "and" ||
    op === "or";
  return { kind: "binary", op, dtype: compares ? withLanes(bool, a.dtype.lanes) : a.dtype, a, b };
}

/** Integer arithmetic as the target does it, wrapped to dtype; null where undefined (division by zero). */
export function foldInt(
  op: BinaryOp,
  a: number | bigint,
  b: number | bigint,
  dtype: DType,
): number | bigint | null {
  const x = BigInt(a);
  const y = BigInt(b);
  switch (op) {
    case "add":
      return wrapInt(x + y, dtype);
    case "sub":
      return wrapInt(x - y, dtype);
    case "mul":
      return wrapInt(x * y, dtype);
    case "div":
      return y === 0n ? null : wrapInt(x / y, dtype);
    case "mod":
      return y === 0n ? null : wrapInt(x % y, dtype);
    case "floordiv":
      return y === 0n ? null : wrapInt(floorDivide(x, y), dtype);
    case "floormod":
      return y === 0n ? null : wrapInt(x - floorDivide(x, y) * y, dtype);
    case "min":
      return x < y ? a : b;
    case "max":
      return x > y ? a : b;
    case "eq":
      return x === y ? 1 : 0;
    case "ne":
      return x !== y ? 1 : 0;
    case "lt":
      return x < y ? 1 : 0;
    case "le":
      return x <= y ? 1 : 0;
    case "gt":
      return x > y ? 1 : 0;
    case "ge":
      return x >= y ? 1 : 0;
    case "and":
      return x !== 0n && y !== 0n ? 1 : 0;
    case "or":
      return x !== 0n || y !== 0n ? 1 : 0;
  }
}

function floorDivide(x: bigint, y: bigint): bigint {
  const q = x / y;
  return x % y !== 0n && x < 0n !== y < 0n ? q - 1n : q;
}

/** Folds constants and identities, else makes the node. Operand types are matched as TVM matches them. */
export function makeBinary(op: BinaryOp, left: Operand, right: Operand): PrimExpr {
  const [a, b] = operands(left, right);
  if (a.kind === "int" && b.kind === "int") {
    const folded = foldInt(op, a.value, b.value, a.dtype);
    const node = binary(op, a, b);
    if (folded !== null)
      return node.dtype.code === "bool" ? (folded === 0 ? falseImm : trueImm) : intImm(folded, a.dtype);
    return node;
  }
  if (isInteger(a.dtype)) {
    if ((op === "add" || op === "sub") && isConst(b, 0)) return a;
    if (op === "add" && isConst(a, 0)) return b;
    if (op === "mul" && isConst(b, 1)) return a;
    if (op === "mul" && isConst(a, 1)) return b;
    if (op === "mul" && (isConst(a, 0) || isConst(b, 0))) return imm(0, a.dtype);
    if ((op === "div" || op === "floordiv") && isConst(b, 1)) return a;
    if ((op === "mod" || op === "floormod") && isConst(b, 1)) return imm(0, a.dtype);
  }
  if (a.dtype.code === "uint" && a.dtype.lanes === 1) {
    // C compilers warn of what cannot be otherwise.
    if ((op === "lt" && isConst(b, 0)) || (op === "gt" && isConst(a, 0))) return falseImm;
    if ((op === "ge" && isConst(b, 0)) || (op === "le" && isConst(a, 0))) return trueImm;
  }
  if (op === "and" && a.dtype.lanes === 1) {
    if (isConst(a, 1)) return b;
    if (isConst(b, 1)) return a;
    if (isConst(a, 0) || isConst(b, 0)) return falseImm;
  }
  if (op === "or" && a.dtype.lanes === 1) {
    if (isConst(a, 0)) return b;
    if (isConst(b, 0)) return a;
    if (isConst(a, 1) || isConst(b, 1)) return trueImm;
  }
  return binary(op, a, b);
}

export const add = (a: Operand, b: Operand): PrimExpr => makeBinary("add", a, b);
export const sub = (a: Operand, b: Operand): PrimExpr => makeBinary("sub", a, b);
export const mul = (a: Operand, b: Operand): PrimExpr => makeBinary("mul", a, b);
/** Truncating for integers, true division for floats. */
export const div = (a: Operand, b: Operand): PrimExpr => makeBinary("div", a, b);
export const truncMod = (a: Operand, b: Operand): PrimExpr => makeBinary("mod", a, b);
export const floorDiv = (a: Operand, b: Operand): PrimExpr => makeBinary("floordiv", a, b);
export const floorMod = (a: Operand, b: Operand): PrimExpr => makeBinary("floormod", a, b);
export const min = (a: Operand, b: Operand): PrimExpr => makeBinary("min", a, b);
export const max = (a: Operand, b: Operand): PrimExpr => makeBinary("max", a, b);
export const eq = (a: Operand, b: Operand): PrimExpr => makeBinary("eq", a, b);
export const ne = (a: Operand, b: Operand): PrimExpr => makeBinary("ne", a, b);
export const lt = (a: Operand, b: Operand): PrimExpr => makeBinary("lt", a, b);
export const le = (a: Operand, b: Operand): PrimExpr => makeBinary("le", a, b);
export const gt = (a: Operand, b: Operand): PrimExpr => makeBinary("gt", a, b);
export const ge = (a: Operand, b: Operand): PrimExpr => makeBinary("ge", a, b);
export const and = (a: PrimExpr, b: PrimExpr): PrimExpr => makeBinary("and", a, b);
export const or = (a: PrimExpr, b: PrimExpr): PrimExpr => makeBinary("or", a, b);

/** Conjunction of all; true for none. */
export function all(conditions: readonly PrimExpr[]): PrimExpr {
  return conditions.reduce<PrimExpr>((a, b) => and(a, b), trueImm);
}

export function not(a: PrimExpr): PrimExpr {
  if (a.kind === "int") return a.value === 0 ? trueImm : falseImm;
  const node: Not = { kind: "not", dtype: a.dtype, a };
  return node;
}

export function select(condition: PrimExpr, then: PrimExpr, otherwise: PrimExpr): PrimExpr {
  if (condition.kind === "int") return condition.value === 0 ? otherwise : then;
  invariant(then.dtype === otherwise.dtype, `select of ${then.dtype.name} and ${otherwise.dtype.name}`);
  const node: Select = { kind: "select", dtype: then.dtype, condition, then, otherwise };
  return node;
}

/** Evaluates only the branch taken: guards loads that may be out of bounds. */
export function ifThenElse(condition: PrimExpr, then: PrimExpr, otherwise: PrimExpr): PrimExpr {
  if (condition.kind === "int") return condition.value === 0 ? otherwise : then;
  return tirCall("tir.if_then_else", then.dtype, [condition, then, otherwise]);
}

export function cast(value: PrimExpr, dtype: DType): PrimExpr {
  const to = dtype.lanes === value.dtype.lanes ? dtype : withLanes(dtype, value.dtype.lanes);
  if (value.dtype === to) return value;
  if (value.kind === "int" && to.lanes === 1) {
    if (isFloat(to)) return floatImm(Number(value.value), to);
    if (to.code !== "handle") return intImm(value.value, to);
  }
  if (value.kind === "float" && to.code === "float" && to.bits >= 32) return floatImm(value.value, to);
  const node: Cast = { kind: "cast", dtype: to, value };
  return node;
}

export function ramp(base: PrimExpr, stride: PrimExpr, lanes: number): Ramp {
  return { kind: "ramp", dtype: withLanes(base.dtype, lanes), base, stride, lanes };
}

export function broadcast(value: PrimExpr, lanes: number): PrimExpr {
  if (lanes === 1) return value;
  const node: Broadcast = { kind: "broadcast", dtype: withLanes(value.dtype, lanes), value, lanes };
  return node;
}

export function tirLet(variable: TirVar, value: PrimExpr, body: PrimExpr): TirLet {
  return { kind: "tir-let", dtype: body.dtype, variable, value, body };
}

export function tirCall(op: string, dtype: DType, args: readonly PrimExpr[], primitive = -1): TirCall {
  return { kind: "tir-call", dtype, op, args, primitive };
}

/** A unary maths intrinsic with the operand's dtype: unary("tir.exp", x). */
export function unary(op: string, x: PrimExpr): TirCall {
  return tirCall(op, x.dtype, [x]);
}

/** A call of a function outside: name first. */
export function callExtern(dtype: DType, name: string, args: readonly PrimExpr[]): TirCall {
  return tirCall("tir.call_extern", dtype, [stringImm(name), ...args]);
}

export function buffer(
  name: string,
  dtype: DType,
  shape: readonly (PrimExpr | number)[],
  scope: StorageScope,
  storage: Storage | null = null,
): Buffer {
  return {
    kind: "buffer",
    name,
    dtype,
    shape: shape.map((dim) => (typeof dim === "number" ? intImm(dim) : dim)),
    scope,
    storage,
  };
}

/** dtype: of the buffer, with the lanes of the (only) vector index. */
export function load(from: Buffer, indices: readonly PrimExpr[]): BufferLoad {
  const lanes = indices.reduce((n, index) => Math.max(n, index.dtype.lanes), 1);
  const dtype =
    lanes === 1 ? from.dtype : makeDType(from.dtype.code, from.dtype.bits, lanes * from.dtype.lanes);
  return { kind: "load", dtype, buffer: from, indices };
}

export function bufferRef(of: Buffer): BufferRef {
  return { kind: "buffer-ref", dtype: handle, buffer: of };
}

export function producerLoad(producer: TensorLike, indices: readonly PrimExpr[]): ProducerLoad {
  return { kind: "producer-load", dtype: producer.dtype, producer, indices };
}

export function reduceNode(
  combiner: Combiner,
  sources: readonly PrimExpr[],
  axes: readonly IterVar[],
  condition: PrimExpr,
  valueIndex: number,
): Reduce {
  return {
    kind: "reduce",
    dtype: sources[valueIndex]!.dtype,
    combiner,
    sources,
    axes,
    condition,
    valueIndex,
  };
}

export function store(to: Buffer, indices: readonly PrimExpr[], value: PrimExpr, origin: Origin): Store {
  return { kind: "store", buffer: to, indices, value, origin };
}

/** What a loop runs over, and how; serial unless said. */
interface LoopRange {
  readonly min: PrimExpr;
  readonly extent: PrimExpr;
  readonly forKind?: ForKind;
}

export function forLoop(variable: TirVar, range: LoopRange, body: Stmt, origin: Origin): For {
  const { min: start, extent, forKind = "serial" } = range;
  return { kind: "for", variable, min: start, extent, forKind, body, origin };
}

/** Flattens nested sequences; a sequence of one is that one. */
export function seq(body: readonly Stmt[], origin: Origin): Stmt {
  const flat = body.flatMap((stmt) => (stmt.kind === "seq" ? stmt.body : [stmt]));
  if (flat.length === 1) return flat[0]!;
  const node: Seq = { kind: "seq", body: flat, origin };
  return node;
}

export function ifStmt(condition: PrimExpr, then: Stmt, otherwise: Stmt | null, origin: Origin): IfThenElse {
  return { kind: "if-then-else", condition, then, otherwise, origin };
}

export function whileLoop(condition: PrimExpr, body: Stmt, origin: Origin): While {
  return { kind: "while", condition, body, origin };
}

export function letStmt(variable: TirVar, value: PrimExpr, body: Stmt, origin: Origin): LetStmt {
  return { kind: "let-stmt", variable, value, body, origin };
}

export function allocate(of: Buffer, body: Stmt, origin: Origin): Stmt {
  return allocateAll([{ buffer: of, origin }], body, origin);
}

/** Joins with an Allocate directly inside; `body` itself where there is nothing to allocate. */
export function allocateAll(allocations: readonly Allocation[], body: Stmt, origin: Origin): Stmt {
  if (allocations.length === 0) return body;
  return body.kind === "allocate"
    ? { ...body, allocations: [...allocations, ...body.allocations], origin }
    : { kind: "allocate", allocations, body, origin };
}

export function evaluate(value: PrimExpr, origin: Origin): Evaluate {
  return { kind: "evaluate", value, origin };
}

export function attrStmt(key: string, value: PrimExpr, body: Stmt, origin: Origin): AttrStmt {
  return { kind: "attr-stmt", key, value, body, origin };
}

const outsideCalls: ReadonlySet<string> = new Set([
  "tir.call_extern",
  "tir.call_pure_extern",
  "tir.call_packed",
  "tir.tvm_call_cpacked",
]);

/** Whether it calls a function that is not TIR's: nothing is known of what that one does. */
export function callsOutside({ op }: TirCall): boolean {
  return outsideCalls.has(op);
}
