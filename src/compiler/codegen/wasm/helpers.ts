// Helper functions that a module carries because some kernel called them, each once, and the imports behind
// the rare ones. No TVM counterpart: LLVM's targets link libm.
import { float32, float64, int32, int64, type DType } from "../../ir/dtype.ts";
import {
  add,
  cast,
  eq,
  ge,
  gt,
  imm,
  intImm,
  lt,
  mul,
  ne,
  not,
  select,
  sub,
  tirCall,
  tirLet,
  tirVar,
  unary,
} from "../../tir/build.ts";
import type { PrimExpr } from "../../tir/expr.ts";
import { withLanes } from "../../ir/dtype.ts";
import type { WasmImport } from "./encode.ts";
import { instr, type Instr, type ValType, type WasmFunction } from "./function.ts";
import { hostMaths } from "./intrinsics.ts";
import { lowerHelper } from "./lower.ts";
import { qMultiplyShift, unaryHelper } from "./maths.ts";
import { helperName, type HelperKey, type HelperTable } from "./state.ts";

type Helper =
  | { readonly kind: "function"; readonly fn: WasmFunction }
  | { readonly kind: "import"; readonly import: WasmImport };

/** Makes a helper; it may ask for others, which are added to `table`. */
export function makeHelper(key: HelperKey, table: HelperTable): Helper {
  const name = helperName(key);
  switch (key.kind) {
    case "host": {
      const params = Array.from({ length: hostMaths[key.name] }, (): ValType => "f64");
      return { kind: "import", import: { module: "env", name: key.name, params, results: ["f64"] } };
    }
    case "pow":
      return { kind: "function", fn: integerPower(name, key.type) };
    case "q_multiply_shift": {
      const { params, body } = qMultiplyShift(int64);
      return { kind: "function", fn: lowerHelper(name, params, body, table) };
    }
    case "half": {
      const { param, body } = halfHelper(key);
      return { kind: "function", fn: lowerHelper(name, [param], body, table) };
    }
    case "unary": {
      const dtype = { f32: float32, f64: float64, f32x4: withLanes(float32, 4) }[key.type];
      const { params, body } = unaryHelper(key.name, dtype);
      return { kind: "function", fn: lowerHelper(name, params, body, table) };
    }
  }
}

function bind(value: PrimExpr, body: (variable: PrimExpr) => PrimExpr): PrimExpr {
  const variable = tirVar("t", value.dtype);
  return tirLet(variable, value, body(variable));
}

const asBits = (x: PrimExpr): PrimExpr => tirCall("tir.reinterpret", int32, [x]);
const asFloat = (x: PrimExpr): PrimExpr => tirCall("tir.reinterpret", float32, [x]);
const bitwise = (op: "and" | "or", a: PrimExpr, b: PrimExpr | number): PrimExpr =>
  tirCall(`tir.bitwise_${op}`, a.dtype, [a, typeof b === "number" ? intImm(b) : b]);
const shift = (side: "left" | "right", a: PrimExpr, by: number): PrimExpr =>
  tirCall(`tir.shift_${side}`, a.dtype, [a, imm(by, a.dtype)]);

interface OneParam {
  readonly param: ReturnType<typeof tirVar>;
  readonly body: PrimExpr;
}

/** Rounding from f64 rounds once. */
function halfHelper({ what, type, from }: HelperKey & { readonly kind: "half" }): OneParam {
  const brain = type.code === "bfloat";
  const decode = brain ? (h: PrimExpr) => asFloat(shift("left", h, 16)) : decodeHalf;
  const encode = brain ? encodeBrain : encodeHalf;
  const of = (dtype: DType, body: (x: PrimExpr) => PrimExpr): OneParam => {
    const param = tirVar("x", dtype);
    return { param, body: body(param) };
  };
  if (what === "decode") return of(int32, decode);
  if (what === "encode") return of(float32, encode);
  const round = (x: PrimExpr): PrimExpr => bind(encode(x), decode);
  if (from === "f32") return of(float32, round);
  return of(float64, (x) => bind(brain ? cast(x, float32) : roundToOdd(x), round));
}

/** Exponent and fraction shifted into a float32 that is 2^112 too small, which also puts subnormals right. */
function decodeHalf(h: PrimExpr): PrimExpr {
  return bind(bitwise("and", h, 0x7fff), (em) =>
    bind(shift("left", em, 13), (wide) => {
      const finite = mul(asFloat(wide), 2 ** 112);
      const special = asFloat(bitwise("or", wide, 0x7f800000));
      const magnitude = select(ge(em, 0x7c00), special, finite);
      return asFloat(bitwise("or", asBits(magnitude), shift("left", bitwise("and", h, 0x8000), 16)));
    }),
  );
}

/** Nearest, ties to even. Subnormals: adding 0.5 lines the fraction up so that the addition itself rounds. */
function encodeHalf(x: PrimExpr): PrimExpr {
  return bind(asBits(x), (b) =>
    bind(bitwise("and", b, 0x7fffffff), (a) => {
      const sign = bitwise("and", shift("right", b, 16), 0x8000);
      const special = select(gt(a, 0x7f800000), intImm(0x7e00), intImm(0x7c00));
      const small = sub(asBits(add(asFloat(a), imm(0.5, float32))), 0x3f000000);
      const normal = shift(
        "right",
        sub(add(add(a, bitwise("and", shift("right", a, 13), 1)), 0xfff), 112 * 2 ** 23),
        13,
      );
      const magnitude = select(ge(a, 0x47800000), special, select(lt(a, 0x38800000), small, normal));
      return bitwise("or", magnitude, sign);
    }),
  );
}

function encodeBrain(x: PrimExpr): PrimExpr {
  return bind(asBits(x), (b) => {
    const rounded = bitwise(
      "and",
      shift("right", add(add(b, 0x7fff), bitwise("and", shift("right", b, 16), 1)), 16),
      0xffff,
    );
    return select(ne(x, x), intImm(0x7fc0), rounded);
  });
}

/** float64 to float32 so that a second rounding cannot go wrong: what is not exact gets an odd last bit. */
function roundToOdd(x: PrimExpr): PrimExpr {
  return bind(cast(x, float32), (y) =>
    bind(asBits(y), (b) => {
      const exact = eq(cast(y, float64), x);
      const odd = eq(bitwise("and", b, 1), 1);
      const towards = select(
        lt(unary("tir.fabs", cast(y, float64)), unary("tir.fabs", x)),
        add(b, 1),
        sub(b, 1),
      );
      return select(exact, y, select(odd, y, select(not(eq(x, x)), y, asFloat(towards))));
    }),
  );
}

/** x^y by squaring, wrapping; 0 for negative y (the truth is between -1 and 1, truncated) but for x = 1. */
function integerPower(name: string, type: "i32" | "i64"): WasmFunction {
  const value = (n: number): Instr =>
    type === "i64" ? instr("i64.const", 0, 0, BigInt(n)) : instr("i32.const", n);
  const get = (local: number): Instr => instr("local.get", local);
  const set = (local: number): Instr => instr("local.set", local);
  const [x, y, result] = [0, 1, 2];
  const body: Instr[] = [
    value(1),
    set(result),
    get(y),
    value(0),
    instr(`${type}.lt_s`),
    instr("if", -1),
    value(1),
    value(0),
    get(x),
    value(1),
    instr(`${type}.eq`),
    instr("select"),
    instr("return"),
    instr("end"),
    instr("block", -1),
    instr("loop", -1),
    get(y),
    instr(`${type}.eqz`),
    instr("br_if", 1),
    get(y),
    value(1),
    instr(`${type}.and`),
    value(0),
    instr(`${type}.ne`),
    instr("if", -1),
    get(result),
    get(x),
    instr(`${type}.mul`),
    set(result),
    instr("end"),
    get(x),
    get(x),
    instr(`${type}.mul`),
    set(x),
    get(y),
    value(1),
    instr(`${type}.shr_u`),
    set(y),
    instr("br", 0),
    instr("end"),
    instr("end"),
    get(result),
  ];
  return {
    name,
    params: [type, type],
    results: [type],
    paramNames: ["x", "y"],
    locals: [type],
    body,
    exportName: null,
    calls: null,
    primitive: -1,
    origin: null,
  };
}
