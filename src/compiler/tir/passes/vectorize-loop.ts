// VectorizeLoop: a loop of kind "vectorized" becomes its body with the variable replaced by a ramp. A
// statement that has no vector form (a branch on the variable, a lazy load, several widths of elements) stays
// a loop of its own around it.
// TVM: src/tir/transforms/vectorize_loop.cc
import { createAnalyzer, type Analyzer } from "../../arith/analyzer.ts";
import { scalarOf, withLanes, type DType } from "../../ir/dtype.ts";
import type { Pass, PassContext } from "../../ir/pass.ts";
import {
  add,
  binary,
  broadcast,
  cast,
  constInt,
  forLoop,
  ifThenElse,
  intImm,
  load,
  lt,
  makeBinary,
  mul,
  not,
  ramp,
  select,
  seq,
  store,
  sub,
  tirCall,
  tirVar,
  callsOutside,
} from "../build.ts";
import type { Binary, PrimExpr } from "../expr.ts";
import type { PrimFunc } from "../prim-func.ts";
import type { For, Stmt, Store } from "../stmt.ts";
import {
  mapStmtChildren,
  stmtExprs,
  stmtUsesVar,
  substituteStmt,
  usesVar,
  visitExpr,
  visitStmt,
} from "../visit.ts";

/** Longer loops become a loop over vectors of `chunkLanes`, and a last shorter vector. */
const maxLanes = 64;
const chunkLanes = 16;

export const vectorizeLoop: Pass<PrimFunc> = {
  name: "VectorizeLoop",
  optLevel: 0,
  requires: [],
  run: (f, cx) => {
    if (isDisabled(cx)) return skipVectorize.run(f, cx);
    const body = vectorizeStmt(createAnalyzer(), f.body);
    return body === f.body ? f : { ...f, body };
  },
};

/** For a target whose compiler vectorizes by itself: vectorized loops become plain ones. */
export const skipVectorize: Pass<PrimFunc> = {
  name: "VectorizeLoop",
  optLevel: 0,
  requires: [],
  run: (f) => {
    const body = serialStmt(f.body);
    return body === f.body ? f : { ...f, body };
  },
};

/** PassContext's tir.disable_vectorize; options-check.ts says what it may be. */
function isDisabled({ options }: PassContext): boolean {
  const text = (options.config["tir.disable_vectorize"] ?? "false").trim().toLowerCase();
  return text !== "false" && Number(text) !== 0;
}

function serialStmt(stmt: Stmt): Stmt {
  const inner = mapStmtChildren(stmt, serialStmt);
  return inner.kind === "for" && inner.forKind === "vectorized" ? serial(inner) : inner;
}

function serial(stmt: For): For {
  return { ...stmt, forKind: "serial" };
}

function vectorizeStmt(analyzer: Analyzer, stmt: Stmt): Stmt {
  if (stmt.kind !== "for") return mapStmtChildren(stmt, (inner) => vectorizeStmt(analyzer, inner));
  analyzer.bind(stmt.variable, stmt.min, stmt.extent);
  const body = vectorizeStmt(analyzer, stmt.body);
  const loop: For = body === stmt.body ? stmt : { ...stmt, body };
  if (stmt.forKind !== "vectorized") return loop;
  const lanes = constInt(stmt.extent);
  if (lanes === null || lanes < 2) return serial(loop);
  return lanes > maxLanes ? inChunks(analyzer, loop, lanes) : vectorBody({ analyzer, loop, lanes }, body);
}

function inChunks(analyzer: Analyzer, loop: For, lanes: number): Stmt {
  const { variable, min } = loop;
  const whole = Math.floor(lanes / chunkLanes);
  const outer = tirVar(`${variable.name}.o`, variable.dtype);
  analyzer.bind(outer, 0, whole);
  const piece = (from: PrimExpr, length: number): Stmt => {
    if (length === 1) return substituteStmt(loop.body, new Map([[variable, from]]));
    const inner = tirVar(`${variable.name}.i`, variable.dtype);
    const body = substituteStmt(loop.body, new Map([[variable, add(from, inner)]]));
    return vectorBody(
      {
        analyzer,
        loop: {
          ...loop,
          variable: inner,
          min: intImm(0, variable.dtype),
          extent: intImm(length, variable.dtype),
          body,
        },
        lanes: length,
      },
      body,
    );
  };
  const main = piece(add(min, mul(outer, chunkLanes)), chunkLanes);
  // Nothing is won where a statement had to stay a loop.
  if (countLoops(main) > countLoops(loop.body)) return serial(loop);
  const chunks = forLoop(
    outer,
    { min: intImm(0, variable.dtype), extent: intImm(whole, variable.dtype) },
    main,
    loop.origin,
  );
  const rest = lanes % chunkLanes;
  return rest === 0 ? chunks : seq([chunks, piece(add(min, whole * chunkLanes), rest)], loop.origin);
}

function countLoops(stmt: Stmt): number {
  let count = 0;
  visitStmt(stmt, (inner) => {
    if (inner.kind === "for") count++;
  });
  return count;
}

interface Vectorizer {
  readonly analyzer: Analyzer;
  readonly loop: For;
  readonly lanes: number;
}

/** Thrown inside one statement only: it has no vector form. */
class NoVectorForm extends Error {}

function vectorBody(cx: Vectorizer, stmt: Stmt): Stmt {
  const { variable } = cx.loop;
  const depends = (expr: PrimExpr): boolean => usesVar(expr, (used) => used === variable);
  if (!stmtUsesVar(stmt, (used) => used === variable)) return scalarLoop(cx, stmt);
  switch (stmt.kind) {
    case "seq":
      return seq(
        stmt.body.map((part) => vectorBody(cx, part)),
        stmt.origin,
      );
    case "store":
      return vectorStore(cx, stmt);
    case "for":
    case "if-then-else":
    case "attr-stmt":
      if (stmtExprs(stmt).some(depends)) return scalarLoop(cx, stmt);
      if (stmt.kind === "for") cx.analyzer.bind(stmt.variable, stmt.min, stmt.extent);
      return mapStmtChildren(stmt, (inner) => vectorBody(cx, inner));
    case "while":
    case "let-stmt":
    case "allocate":
    case "evaluate":
      return scalarLoop(cx, stmt);
  }
}

/**
 * The statement as it was, in a loop of its own. One that does the same in every round runs as often as it
 * did.
 */
function scalarLoop(cx: Vectorizer, stmt: Stmt): Stmt {
  const { loop } = cx;
  const variable = tirVar(loop.variable.name, loop.variable.dtype);
  return forLoop(
    variable,
    { min: loop.min, extent: loop.extent },
    substituteStmt(stmt, new Map([[loop.variable, variable]])),
    stmt.origin,
  );
}

function vectorStore(cx: Vectorizer, stmt: Store): Stmt {
  try {
    const indices = stmt.indices.map((index) => vector(cx, index));
    const value = vector(cx, stmt.value);
    // All lanes write one element: the order of rounds matters.
    if (indices.every((index) => index.dtype.lanes === 1)) return scalarLoop(cx, stmt);
    const made = store(stmt.buffer, indices, widen(value, cx.lanes), stmt.origin);
    return hasOneWidth(made as Store) ? made : scalarLoop(cx, stmt);
  } catch (error) {
    if (error instanceof NoVectorForm) return scalarLoop(cx, stmt);
    throw error;
  }
}

function widen(expr: PrimExpr, lanes: number): PrimExpr {
  return expr.dtype.lanes === 1 ? broadcast(expr, lanes) : expr;
}

/** `expr` with the loop's variable replaced by a ramp; scalar where it does not depend on it. */
function vector(cx: Vectorizer, expr: PrimExpr): PrimExpr {
  switch (expr.kind) {
    case "int":
    case "float":
    case "string":
    case "buffer-ref":
      return expr;
    case "tir-var":
      return expr === cx.loop.variable ? ramp(cx.loop.min, intImm(1, expr.dtype), cx.lanes) : expr;
    case "binary":
      return vectorBinary(cx, expr);
    case "not": {
      const a = vector(cx, expr.a);
      return a === expr.a ? expr : not(a);
    }
    case "select": {
      const [condition, then, otherwise] = [
        vector(cx, expr.condition),
        vector(cx, expr.then),
        vector(cx, expr.otherwise),
      ];
      if (condition === expr.condition && then === expr.then && otherwise === expr.otherwise) return expr;
      return select(widen(condition, cx.lanes), widen(then, cx.lanes), widen(otherwise, cx.lanes));
    }
    case "cast": {
      const value = vector(cx, expr.value);
      return value === expr.value ? expr : cast(value, expr.dtype);
    }
    case "load": {
      const indices = expr.indices.map((index) => vector(cx, index));
      if (indices.every((index, i) => index === expr.indices[i])) return expr;
      const same = indices.map((index) => (index.kind === "broadcast" ? index.value : index));
      return same.every((index) => index.dtype.lanes === 1)
        ? broadcast(load(expr.buffer, same), cx.lanes)
        : load(expr.buffer, indices);
    }
    case "tir-call":
      return vectorCall(cx, expr);
    case "ramp":
    case "broadcast":
    case "tir-let":
    case "producer-load":
    case "reduce":
      if (usesVar(expr, (variable) => variable === cx.loop.variable)) throw new NoVectorForm();
      return expr;
  }
}

function vectorCall(cx: Vectorizer, expr: Extract<PrimExpr, { kind: "tir-call" }>): PrimExpr {
  const args = expr.args.map((arg) => vector(cx, arg));
  if (args.every((arg, i) => arg === expr.args[i])) return expr;
  if (callsOutside(expr)) throw new NoVectorForm();
  if (expr.op === "tir.if_then_else") {
    // Lazy lane by lane: only a condition that is the same for all lanes will do.
    if (args[0]!.dtype.lanes > 1) throw new NoVectorForm();
    return ifThenElse(args[0]!, widen(args[1]!, cx.lanes), widen(args[2]!, cx.lanes));
  }
  return tirCall(
    expr.op,
    withLanes(scalarOf(expr.dtype), cx.lanes),
    args.map((arg) => widen(arg, cx.lanes)),
  );
}

function vectorBinary(cx: Vectorizer, expr: Binary): PrimExpr {
  const a = vector(cx, expr.a);
  const b = vector(cx, expr.b);
  if (a === expr.a && b === expr.b) return expr;
  if (a.dtype.lanes === 1 && b.dtype.lanes === 1) return makeBinary(expr.op, a, b);
  return rampBinary(cx, expr, a, b) ?? makeRaw(expr, widen(a, cx.lanes), widen(b, cx.lanes));
}

function makeRaw(expr: Binary, a: PrimExpr, b: PrimExpr): PrimExpr {
  return binary(expr.op, a, b);
}

/** Arithmetic on ramps stays a ramp where it can: neighbouring lanes are neighbours in memory. */
function rampBinary(cx: Vectorizer, expr: Binary, a: PrimExpr, b: PrimExpr): PrimExpr | null {
  const { op } = expr;
  if (a.kind === "ramp" && b.kind === "ramp") {
    if (op === "add") return rampOf(cx, add(a.base, b.base), add(a.stride, b.stride));
    return op === "sub" ? rampOf(cx, sub(a.base, b.base), sub(a.stride, b.stride)) : null;
  }
  if (a.kind === "ramp" && b.dtype.lanes === 1) {
    if (op === "add" || op === "sub") return rampOf(cx, makeBinary(op, a.base, b), a.stride);
    if (op === "mul") return rampOf(cx, mul(a.base, b), mul(a.stride, b));
    if (op === "floordiv" || op === "floormod") return divideRamp(cx, op, a.base, a.stride, b);
    return null;
  }
  if (b.kind === "ramp" && a.dtype.lanes === 1) {
    if (op === "add") return rampOf(cx, add(a, b.base), b.stride);
    if (op === "sub") return rampOf(cx, sub(a, b.base), sub(0, b.stride));
    if (op === "mul") return rampOf(cx, mul(a, b.base), mul(a, b.stride));
  }
  return null;
}

function rampOf(cx: Vectorizer, base: PrimExpr, stride: PrimExpr): PrimExpr {
  return constInt(stride) === 0 ? broadcast(base, cx.lanes) : ramp(base, stride, cx.lanes);
}

/** If no lane crosses a multiple of the divisor, the quotient is one number and the rest a ramp. */
function divideRamp(
  cx: Vectorizer,
  op: "floordiv" | "floormod",
  base: PrimExpr,
  stride: PrimExpr,
  divisor: PrimExpr,
): PrimExpr | null {
  const by = constInt(divisor);
  const step = constInt(stride);
  if (by === null || step === null || by <= 0 || step < 0) return null;
  const rest = makeBinary("floormod", base, divisor);
  if (!cx.analyzer.canProve(lt(add(rest, step * (cx.lanes - 1)), by))) return null;
  return op === "floordiv"
    ? broadcast(makeBinary("floordiv", base, divisor), cx.lanes)
    : rampOf(cx, rest, stride);
}

/**
 * Vectors of one element width only (bool is a mask of any): values of several widths would be taken apart
 * lane by lane. Integer elements that are widened right where they are loaded are no other width.
 */
function hasOneWidth(stmt: Store): boolean {
  const widths = new Set<number>();
  const note = (dtype: DType): void => {
    if (dtype.lanes > 1 && dtype.code !== "bool")
      widths.add(dtype.code === "bfloat" || (dtype.code === "float" && dtype.bits === 16) ? 0 : dtype.bits);
  };
  const { buffer } = stmt;
  if (buffer.dtype.code === "bool") return false;
  note(withLanes(buffer.dtype, 2));
  visitExpr(stmt.value, (part) => {
    if (part.kind === "load") {
      if (part.dtype.code === "bool" && part.dtype.lanes > 1) widths.add(0);
      note(part.dtype);
      return false;
    }
    if (
      part.kind === "cast" &&
      part.value.kind === "load" &&
      part.value.dtype.bits < 32 &&
      part.value.dtype.code !== "bool" &&
      part.dtype.bits === 32
    ) {
      note(part.dtype);
      return false;
    }
    note(part.dtype);
    return undefined;
  });
  return widths.size === 1 && !widths.has(0);
}
