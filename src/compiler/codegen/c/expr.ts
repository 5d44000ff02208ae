// TIR expressions as C text: a walk of the tree, parentheses where C's precedence (or a gcc warning) asks for
// them.
// TVM: src/target/source/codegen_c.cc. Known differences: integer data wraps (TVM leaves overflow to C's
// undefined behaviour), float to integer saturates, intrinsics that TVM's C target leaves unresolved (fabs,
// trunc, isfinite, isinf) are there.
import { InvariantError, invariant } from "../../../support/assert.ts";
import { dtype as dtypeOf, isFloat, isHalf, type DType } from "../../ir/dtype.ts";
import type { Binary, BinaryOp, Buffer, BufferLoad, PrimExpr, TirCall, TirVar } from "../../tir/expr.ts";
import { someExpr } from "../../tir/visit.ts";
import { add, mul } from "../../tir/build.ts";
import { nameOf, type Names } from "./names.ts";
import { floatLiteral, intLiteral, valueType } from "./types.ts";
import { useHelper, type CHelper, type HelperSet, type TypedHelper } from "./helpers.ts";

export interface CScope {
  readonly names: Names;
  /** Helper functions used so far, of the whole file. */
  readonly helpers: HelperSet;
  /** Values of let expressions, put in place of their variables. */
  readonly lets: Map<TirVar, Text>;
}

/** A piece of C and how strongly it binds (as `level` below). */
interface Text {
  readonly text: string;
  readonly level: number;
}

/** Strength of C's operators, weakest first. */
const level = {
  ternary: 1,
  or: 2,
  and: 3,
  bitOr: 4,
  bitXor: 5,
  bitAnd: 6,
  equality: 7,
  relation: 8,
  shift: 9,
  sum: 10,
  product: 11,
  prefix: 12,
  primary: 13,
};

const operators: Readonly<Partial<Record<BinaryOp, readonly [symbol: string, level: number]>>> = {
  add: ["+", level.sum],
  sub: ["-", level.sum],
  mul: ["*", level.product],
  div: ["/", level.product],
  mod: ["%", level.product],
  eq: ["==", level.equality],
  ne: ["!=", level.equality],
  lt: ["<", level.relation],
  le: ["<=", level.relation],
  gt: [">", level.relation],
  ge: [">=", level.relation],
  and: ["&&", level.and],
  or: ["||", level.or],
};

export function exprText(cx: CScope, expr: PrimExpr): string {
  return show(cx, expr).text;
}

function show(cx: CScope, expr: PrimExpr): Text {
  switch (expr.kind) {
    case "tir-var":
      return cx.lets.get(expr) ?? primary(nameOf(cx.names, expr));
    case "int":
      return signed(
        expr.dtype.code === "bool" ? (expr.value === 0 ? "0" : "1") : intLiteral(expr.value, expr.dtype),
      );
    case "float":
      return signed(floatLiteral(expr.value, expr.dtype));
    case "string":
      return primary(JSON.stringify(expr.value));
    case "binary":
      return binaryText(cx, expr);
    case "not":
      return { text: `!${at(cx, expr.a, level.prefix)}`, level: level.prefix };
    case "select":
      return ternary(cx, expr.condition, expr.then, expr.otherwise);
    case "cast":
      return castText(cx, show(cx, expr.value), expr.value.dtype, expr.dtype);
    case "tir-let":
      cx.lets.set(expr.variable, parenthesised(show(cx, expr.value)));
      return show(cx, expr.body);
    case "tir-call":
      return callText(cx, expr);
    case "load":
      return loadText(cx, expr);
    case "buffer-ref":
      return primary(nameOf(cx.names, expr.buffer));
    case "ramp":
    case "broadcast":
    case "producer-load":
    case "reduce":
      throw new InvariantError(
        `${expr.kind} reached C: the passes before make vectors scalar and reductions loops`,
      );
  }
}

function primary(text: string): Text {
  return { text, level: level.primary };
}

function signed(text: string): Text {
  return { text, level: text.startsWith("-") ? level.prefix : level.primary };
}

function parenthesised(of: Text): Text {
  return of.level === level.primary ? of : primary(`(${of.text})`);
}

function bracket(of: Text, need: number): string {
  return of.level < need ? `(${of.text})` : of.text;
}

function at(cx: CScope, expr: PrimExpr, need: number): string {
  return bracket(show(cx, expr), need);
}

function helper(cx: CScope, called: CHelper, ...args: readonly string[]): Text {
  return primary(`${useHelper(cx.helpers, called)}(${args.join(", ")})`);
}

function typed(what: TypedHelper, type: DType): CHelper {
  return { kind: "typed", what, type };
}

function ternary(cx: CScope, condition: PrimExpr, then: PrimExpr, otherwise: PrimExpr): Text {
  return {
    text: `${at(cx, condition, level.or + 1)} ? ${at(cx, then, level.ternary + 1)} : ${at(cx, otherwise, level.ternary + 1)}`,
    level: level.ternary,
  };
}

function binaryText(cx: CScope, expr: Binary): Text {
  const { op, a, b } = expr;
  if (op === "min" || op === "max")
    return helper(cx, typed(op, computed(a.dtype)), exprText(cx, a), exprText(cx, b));
  if (op === "floordiv" || op === "floormod") return floorText(cx, expr, op);
  const [symbol, own] = operators[op]!;
  if (own <= level.and) {
    // a && b && c stays as it is; && inside || gets parentheses: -Wparentheses wants them.
    const left = show(cx, a);
    return {
      text: `${left.level === own ? left.text : bracket(left, level.equality)} ${symbol} ${at(cx, b, level.equality)}`,
      level: own,
    };
  }
  if (own <= level.relation) {
    // !a == b stays what it is with parentheses: -Wlogical-not-parentheses wants them.
    const left = at(cx, a, a.kind === "not" ? level.primary : level.shift);
    return { text: `${left} ${symbol} ${at(cx, b, level.shift)}`, level: own };
  }
  if (isFloat(expr.dtype)) return floatArithmetic(cx, expr, symbol, own);
  if ((op === "div" || op === "mod") && mayOverflow(expr))
    return helper(cx, typed(op, expr.dtype), exprText(cx, a), exprText(cx, b));
  return intArithmetic(cx, expr, symbol, own);
}

/** The least integer by -1 (below 32 bits C computes it in an int, which holds the quotient). */
function mayOverflow({ dtype, b }: Binary): boolean {
  return dtype.code === "int" && dtype.bits >= 32 && (b.kind !== "int" || b.value === -1);
}

function floatArithmetic(cx: CScope, expr: Binary, symbol: string, own: number): Text {
  const fmod = expr.dtype.bits === 64 ? "fmod" : "fmodf";
  const plain =
    expr.op === "mod"
      ? primary(`${fmod}(${exprText(cx, expr.a)}, ${exprText(cx, expr.b)})`)
      : { text: `${at(cx, expr.a, own)} ${symbol} ${at(cx, expr.b, own + 1)}`, level: own };
  return rounded(cx, plain, expr.dtype);
}

/**
 * Data may overflow and must wrap; indices do not, and stay readable. Operands are shown once: twice a level
 * is exponential.
 */
function intArithmetic(cx: CScope, expr: Binary, symbol: string, own: number): Text {
  const { dtype, op } = expr;
  const a = show(cx, expr.a);
  const b = show(cx, expr.b);
  const plain: Text = { text: `${bracket(a, own)} ${symbol} ${bracket(b, own + 1)}`, level: own };
  const as = (type: string): string =>
    `(${type})${bracket(a, level.prefix)} ${symbol} (${type})${bracket(b, level.prefix)}`;
  if (dtype.code === "bool") return { text: `(${plain.text}) != 0`, level: level.equality };
  if (dtype.bits < 32) {
    const wide = dtype.bits === 16 && op === "mul" ? as("uint32_t") : plain.text;
    return { text: `(${valueType(dtype)})(${wide})`, level: level.prefix };
  }
  const wraps =
    (op === "add" || op === "sub" || op === "mul") && someExpr(expr, (part) => part.kind === "load");
  if (!wraps || dtype.code === "uint") return plain;
  return { text: `(${valueType(dtype)})(${as(`uint${dtype.bits}_t`)})`, level: level.prefix };
}

function floorText(cx: CScope, expr: Binary, op: "floordiv" | "floormod"): Text {
  if (expr.dtype.code === "uint" || expr.dtype.code === "bool") {
    return {
      text: `${at(cx, expr.a, level.product)} ${op === "floordiv" ? "/" : "%"} ${at(cx, expr.b, level.product + 1)}`,
      level: level.product,
    };
  }
  return rounded(
    cx,
    helper(cx, typed(op, computed(expr.dtype)), exprText(cx, expr.a), exprText(cx, expr.b)),
    expr.dtype,
  );
}

/** Halves are computed as float. */
function computed(dtype: DType): DType {
  return isHalf(dtype) ? { ...dtype, code: "float", bits: 32 } : dtype;
}

/** A float result rounded to half where the dtype is one. */
function rounded(cx: CScope, value: Text, dtype: DType): Text {
  return isHalf(dtype) ? helper(cx, { kind: "half", what: "round", type: dtype }, value.text) : value;
}

function castText(cx: CScope, value: Text, from: DType, to: DType): Text {
  if (to.code === "bool") return { text: `${bracket(value, level.shift)} != 0`, level: level.equality };
  if (isHalf(to))
    return rounded(
      cx,
      isFloat(from) && from.bits < 64
        ? value
        : { text: `(float)${bracket(value, level.prefix)}`, level: level.prefix },
      to,
    );
  if (isFloat(to) && isHalf(from) && to.bits === 32) return value;
  if (!isFloat(to) && isFloat(from))
    return helper(cx, { kind: "cast", from: computed(from), to }, value.text);
  return { text: `(${valueType(to)})${bracket(value, level.prefix)}`, level: level.prefix };
}

function loadText(cx: CScope, expr: BufferLoad): Text {
  const element = primary(elementText(cx, expr.buffer, expr.indices));
  return isHalf(expr.dtype)
    ? helper(cx, { kind: "half", what: "load", type: expr.dtype }, element.text)
    : element;
}

/** `name[index]`; several indices are made one, row-major. */
export function elementText(cx: CScope, buffer: Buffer, indices: readonly PrimExpr[]): string {
  const flat =
    indices.length === 0
      ? null
      : indices.slice(1).reduce((sum, index, i) => add(mul(sum, buffer.shape[i + 1]!), index), indices[0]!);
  return `${nameOf(cx.names, buffer)}[${flat === null ? "0" : exprText(cx, flat)}]`;
}

/** libm functions by intrinsic; the float form has an f behind. */
const libm: Readonly<Record<string, string>> = {
  "tir.exp": "exp",
  "tir.exp2": "exp2",
  "tir.log": "log",
  "tir.log2": "log2",
  "tir.log10": "log10",
  "tir.log1p": "log1p",
  "tir.sqrt": "sqrt",
  "tir.tanh": "tanh",
  "tir.erf": "erf",
  "tir.sin": "sin",
  "tir.cos": "cos",
  "tir.tan": "tan",
  "tir.asin": "asin",
  "tir.acos": "acos",
  "tir.atan": "atan",
  "tir.sinh": "sinh",
  "tir.cosh": "cosh",
  "tir.asinh": "asinh",
  "tir.acosh": "acosh",
  "tir.atanh": "atanh",
  "tir.floor": "floor",
  "tir.ceil": "ceil",
  "tir.trunc": "trunc",
  "tir.round": "round",
  "tir.nearbyint": "nearbyint",
  "tir.fabs": "fabs",
  "tir.pow": "pow",
  "tir.atan2": "atan2",
  "tir.fmod": "fmod",
  "tir.hypot": "hypot",
  "tir.copysign": "copysign",
};

const bitwise: Readonly<Record<string, readonly [symbol: string, level: number]>> = {
  "tir.bitwise_and": ["&", level.bitAnd],
  "tir.bitwise_or": ["|", level.bitOr],
  "tir.bitwise_xor": ["^", level.bitXor],
};

function callText(cx: CScope, expr: TirCall): Text {
  const { op, args } = expr;
  const [x] = args;
  if (op === "tir.if_then_else") return ternary(cx, x!, args[1]!, args[2]!);
  if (op === "tir.likely") return show(cx, x!);
  const operand = x?.dtype ?? expr.dtype;
  if (op === "tir.isnan" || op === "tir.isinf" || op === "tir.isfinite")
    return questionText(cx, op.slice(4), x!);
  if (op === "tir.reinterpret") return reinterpretText(cx, x!, expr.dtype);
  const found = isFloat(operand) ? floatCall(cx, expr) : intCall(cx, expr);
  invariant(found !== null, `C has no ${op} of ${operand.name}`);
  return found;
}

function reinterpretText(cx: CScope, x: PrimExpr, to: DType): Text {
  invariant(x.dtype.bits === to.bits && to.bits >= 32, `reinterpret of ${x.dtype.name} as ${to.name}`);
  return x.dtype === to ? show(cx, x) : helper(cx, { kind: "bits", from: x.dtype, to }, exprText(cx, x));
}

function questionText(cx: CScope, macro: string, x: PrimExpr): Text {
  // Integers are always finite; C's macros take floats only.
  if (!isFloat(x.dtype)) return primary(macro === "isfinite" ? "1" : "0");
  return { text: `${macro}(${exprText(cx, x)}) != 0`, level: level.equality };
}

function floatCall(cx: CScope, expr: TirCall): Text | null {
  const args = expr.args.map((arg) => exprText(cx, arg));
  const f = expr.dtype.bits === 64 ? "" : "f";
  const base = libm[expr.op];
  if (base !== undefined) return rounded(cx, primary(`${base}${f}(${args.join(", ")})`), expr.dtype);
  switch (expr.op) {
    case "tir.rsqrt":
      return rounded(
        cx,
        { text: `1${f === "" ? ".0" : ".0f"} / sqrt${f}(${args[0]!})`, level: level.product },
        expr.dtype,
      );
    case "tir.exp10":
      return rounded(cx, primary(`pow${f}(10, ${args[0]!})`), expr.dtype);
    case "tir.sigmoid":
      return rounded(cx, helper(cx, typed("sigmoid", computed(expr.dtype)), args[0]!), expr.dtype);
    default:
      return null;
  }
}

function intCall(cx: CScope, expr: TirCall): Text | null {
  const { op, dtype } = expr;
  const [a, b] = expr.args;
  const type = valueType(dtype);
  const bits = bitwise[op];
  if (bits !== undefined) {
    const [symbol] = bits;
    return {
      text: `(${type})(${at(cx, a!, level.prefix)} ${symbol} ${at(cx, b!, level.prefix)})`,
      level: level.prefix,
    };
  }
  switch (op) {
    case "tir.bitwise_not":
      return { text: `(${type})~${at(cx, a!, level.prefix)}`, level: level.prefix };
    case "tir.shift_left":
      if (!inWidth(b!, dtype)) return helper(cx, typed("shl", dtype), exprText(cx, a!), exprText(cx, b!));
      return {
        text: `(${type})((uint${Math.max(32, dtype.bits)}_t)${at(cx, a!, level.prefix)} << ${at(cx, b!, level.prefix)})`,
        level: level.prefix,
      };
    case "tir.shift_right":
      if (!inWidth(b!, dtype)) return helper(cx, typed("shr", dtype), exprText(cx, a!), exprText(cx, b!));
      return {
        text: `(${type})(${at(cx, a!, level.prefix)} >> ${at(cx, b!, level.prefix)})`,
        level: level.prefix,
      };
    case "tir.fabs":
      return dtype.code === "int" ? helper(cx, typed("abs", dtype), exprText(cx, a!)) : show(cx, a!);
    case "tir.floor":
    case "tir.ceil":
    case "tir.trunc":
    case "tir.round":
    case "tir.nearbyint":
      return show(cx, a!);
    case "tir.pow":
      return helper(cx, typed("ipow", dtype), exprText(cx, a!), exprText(cx, b!));
    case "tir.fmod":
      return {
        text: `${at(cx, a!, level.product)} % ${at(cx, b!, level.product + 1)}`,
        level: level.product,
      };
    case "tir.popcount":
    case "tir.clz":
      return countBits(cx, op === "tir.clz" ? "clz" : "popcount", a!, dtype);
    case "tir.q_multiply_shift":
      return helper(
        cx,
        { kind: "fixed", name: "rs_q_multiply_shift" },
        ...expr.args.map((arg) => exprText(cx, arg)),
      );
    case "tir.large_uint_imm":
      return {
        text: `((uint64_t)${at(cx, a!, level.prefix)} | ((uint64_t)${at(cx, b!, level.prefix)} << 32))`,
        level: level.primary,
      };
    default:
      return null;
  }
}

/** Whether a shift by `amount` is known to be one that C defines. */
function inWidth(amount: PrimExpr, dtype: DType): boolean {
  return amount.kind === "int" && amount.value >= 0 && amount.value < dtype.bits;
}

/** The operand decides how many bits there are; the helper returns its signed twin. */
function countBits(cx: CScope, what: "popcount" | "clz", x: PrimExpr, result: DType): Text {
  const bits = Math.max(8, x.dtype.bits);
  const count = helper(cx, typed(what, dtypeOf("int", bits)), `(uint${bits}_t)${at(cx, x, level.prefix)}`);
  return { text: `(${valueType(result)})${count.text}`, level: level.prefix };
}
