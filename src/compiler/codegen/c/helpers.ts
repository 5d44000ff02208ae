// Small functions that generated code calls where C has no operator of TIR's meaning. Only those that are
// used are emitted. Meanings are the interpreter's (tir/interp/scalar.ts): integers wrap, float to integer
// saturates and NaN gives 0, min and max are C's `a < b ? a : b`.
import { isFloat, type DType } from "../../ir/dtype.ts";
import { shortType, valueType } from "./types.ts";

/** Functions that come for several types. */
export type TypedHelper =
  | "min"
  | "max"
  | "floordiv"
  | "floormod"
  | "div"
  | "mod"
  | "shl"
  | "shr"
  | "abs"
  | "sigmoid"
  | "ipow"
  | "popcount"
  | "clz";

export type CHelper =
  /** Of `type`; the counts of bits take its unsigned twin. */
  | { readonly kind: "typed"; readonly what: TypedHelper; readonly type: DType }
  | { readonly kind: "cast" | "bits"; readonly from: DType; readonly to: DType }
  | { readonly kind: "half"; readonly what: "load" | "store" | "round"; readonly type: DType }
  | { readonly kind: "fixed"; readonly name: keyof typeof fixed };

/** Those that a module uses, by name. */
export type HelperSet = Map<string, CHelper>;

/** The helper's name in C; it is emitted with the module. */
export function useHelper(helpers: HelperSet, helper: CHelper): string {
  const name = helperName(helper);
  helpers.set(name, helper);
  return name;
}

function helperName(helper: CHelper): string {
  switch (helper.kind) {
    case "typed":
    case "half":
      return `rs_${helper.what}_${shortType(helper.type)}`;
    case "cast":
    case "bits":
      return `rs_${helper.kind}_${shortType(helper.from)}_${shortType(helper.to)}`;
    case "fixed":
      return helper.name;
  }
}

/** Definitions of `helpers` by name, each behind those that it calls itself. */
export function helperTexts(helpers: HelperSet): readonly string[] {
  const texts = new Map<string, string>();
  const names = [...helpers.keys()].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  for (const helper of names.map((name) => helpers.get(name)!)) {
    if (helper.kind === "half" && helper.what === "round")
      for (const what of ["load", "store"] as const) {
        const need: CHelper = { ...helper, what };
        texts.set(helperName(need), helperText(need));
      }
    texts.set(helperName(helper), helperText(helper));
  }
  return [...texts.values()];
}

/** The definition, one or more lines. */
function helperText(helper: CHelper): string {
  const name = helperName(helper);
  switch (helper.kind) {
    case "fixed":
      return fixed[helper.name];
    case "half":
      return halves[helper.type.code === "bfloat" ? "bfloat" : "float"][helper.what];
    case "cast":
      return castText(name, helper.from, helper.to);
    case "bits":
      return bitsText(name, valueType(helper.from), valueType(helper.to));
    case "typed":
      return typedText(name, helper.what, helper.type);
  }
}

function isSigned(type: DType): boolean {
  return type.code === "int";
}

function bitsOf(type: DType): number {
  return Math.max(8, type.bits);
}

function typedText(name: string, what: TypedHelper, type: DType): string {
  const c = valueType(type);
  const bits = bitsOf(type);
  const one = (a: string): string => `static inline ${c} ${name}(${a} a)`;
  const two = `static inline ${c} ${name}(${c} a, ${c} b)`;
  const f = type.bits === 64 ? "" : "f";
  switch (what) {
    case "min":
      return `${two} { return a < b ? a : b; }`;
    case "max":
      return `${two} { return a > b ? a : b; }`;
    case "floordiv":
      if (isFloat(type)) return `${two} { return floor${f}(a / b); }`;
      return `${two} { return b == -1 ? ${negated(type)} : (${c})(a / b - ((a % b != 0) && ((a < 0) != (b < 0)))); }`;
    case "floormod":
      if (isFloat(type)) return `${two} { return a - floor${f}(a / b) * b; }`;
      return `${two} { const ${c} r = ${remainder(c)}; return (${c})((r != 0) && ((r < 0) != (b < 0)) ? r + b : r); }`;
    case "div":
      return `${two} { return b == -1 ? ${negated(type)} : (${c})(a / b); }`;
    case "mod":
      return `${two} { return ${remainder(c)}; }`;
    case "shl":
      return `${two} { return ${inWidth(bits)} ? (${c})((uint${Math.max(32, bits)}_t)a << b) : 0; }`;
    case "shr":
      return isSigned(type)
        ? `${two} { return (${c})(a >> (${inWidth(bits)} ? b : ${bits - 1})); }`
        : `${two} { return ${inWidth(bits)} ? (${c})(a >> b) : 0; }`;
    case "abs":
      return `${one(c)} { return a < 0 ? ${negated(type)} : a; }`;
    case "sigmoid":
      return `${one(c)} { return 1 / (1 + exp${f}(-a)); }`;
    case "ipow":
      return ipowText(two, c, bits);
    case "popcount":
      return `${one(`u${c}`)} { ${c} n = 0; for (; a != 0; a &= a - 1) ++n; return n; }`;
    case "clz":
      return `${one(`u${c}`)} { ${c} n = ${bits}; for (; a != 0; a >>= 1) --n; return n; }`;
  }
}

/** 0 <= b < bits, in one comparison. */
function inWidth(bits: number): string {
  return `(uint${bits}_t)b < ${bits}`;
}

/** The least integer by -1 wraps, as every other result does; C leaves it undefined. */
function negated(type: DType): string {
  return `(${valueType(type)})(0u - (uint${bitsOf(type)}_t)a)`;
}

function remainder(c: string): string {
  return `(${c})(b == -1 ? 0 : a % b)`;
}

/** Wraps: multiplication is unsigned. */
function ipowText(head: string, c: string, bits: number): string {
  const unsigned = `uint${bits}_t`;
  return `${head} { ${unsigned} r = 1, x = (${unsigned})a; for (; b > 0; b >>= 1) { if (b & 1) r *= x; x *= x; } return (${c})r; }`;
}

/** Same bits, other type: reading a union's other member is what C99 defines for it. */
function bitsText(name: string, from: string, to: string): string {
  return `static inline ${to} ${name}(${from} a) { union { ${from} from; ${to} to; } bits; bits.from = a; return bits.to; }`;
}

function castText(name: string, from: DType, to: DType): string {
  const bits = bitsOf(to);
  const macro = `${isSigned(to) ? "" : "U"}INT${bits}`;
  const low = isSigned(to) ? `${macro}_MIN` : "0";
  const { under, over } = edges(to);
  const f = from.bits === 64 ? "" : "f";
  const c = valueType(to);
  return [
    `static inline ${c} ${name}(${valueType(from)} a) {`,
    `  if (!(a == a)) return 0;`,
    `  if (a <= ${under}${f}) return ${low};`,
    `  if (a >= ${over}${f}) return ${macro}_MAX;`,
    `  return (${c})a;`,
    `}`,
  ].join("\n");
}

/** The values from which on a cast saturates, exact in float and double. */
function edges(to: DType): { readonly under: string; readonly over: string } {
  const bits = BigInt(bitsOf(to));
  const end = isSigned(to) ? 2n ** (bits - 1n) : 2n ** bits;
  const over = bits === 64n ? end : end - 1n;
  return { under: isSigned(to) ? `-${end}.0` : "0.0", over: `${over}.0` };
}

const fixed = {
  rs_data:
    "static inline void* rs_data(TVMValue v) { const DLTensor* t = (const DLTensor*)v.v_handle; return (uint8_t*)t->data + t->byte_offset; }",
  rs_tensor:
    "static inline DLTensor rs_tensor(void* data) { DLTensor t; memset(&t, 0, sizeof t); t.data = data; t.device.device_type = kDLCPU; return t; }",
  rs_q_multiply_shift: [
    "static inline int32_t rs_q_multiply_shift(int32_t x, int32_t y, int32_t q, int32_t shift) {",
    "  const int32_t left = shift > 0 ? shift : 0, right = q - (shift > 0 ? 0 : shift);",
    "  const uint64_t wide = left < 64 ? (uint64_t)(int64_t)x << left : 0;",
    "  return (int32_t)((int64_t)(wide * (uint64_t)(int64_t)y + ((uint64_t)1 << (right - 1))) >> right);",
    "}",
  ].join("\n"),
} as const;

/** float16 and bfloat16 are kept as their bits. */
const halves = {
  float: {
    load: [
      "static inline float rs_load_f16(uint16_t h) {",
      "  const uint32_t sign = (uint32_t)(h & 0x8000u) << 16, exponent = (h >> 10) & 31u, fraction = h & 1023u;",
      "  union { uint32_t u; float f; } bits;",
      "  if (exponent == 0) { bits.f = (float)fraction * 5.9604644775390625e-8f; bits.u |= sign; return bits.f; }",
      "  bits.u = sign | (exponent == 31 ? 0x7f800000u : (exponent + 112) << 23) | (fraction << 13);",
      "  return bits.f;",
      "}",
    ].join("\n"),
    store: [
      "static inline uint16_t rs_store_f16(float x) {",
      "  union { float f; uint32_t u; } bits;",
      "  bits.f = x;",
      "  const uint32_t sign = (bits.u >> 16) & 0x8000u, magnitude = bits.u & 0x7fffffffu;",
      "  if (magnitude > 0x7f800000u) return 0x7e00u;",
      "  if (magnitude >= 0x477ff000u) return (uint16_t)(sign | 0x7c00u);",
      "  if (magnitude < 0x38800000u) {",
      "    bits.u = magnitude;",
      "    return (uint16_t)(sign | (uint32_t)nearbyintf(bits.f * 16777216.0f));",
      "  }",
      "  const uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);",
      "  return (uint16_t)(sign | ((rounded - 0x38000000u) >> 13));",
      "}",
    ].join("\n"),
    round: "static inline float rs_round_f16(float x) { return rs_load_f16(rs_store_f16(x)); }",
  },
  bfloat: {
    load: [
      "static inline float rs_load_bf16(uint16_t h) {",
      "  union { uint32_t u; float f; } bits;",
      "  bits.u = (uint32_t)h << 16;",
      "  return bits.f;",
      "}",
    ].join("\n"),
    store: [
      "static inline uint16_t rs_store_bf16(float x) {",
      "  union { float f; uint32_t u; } bits;",
      "  bits.f = x;",
      "  if ((bits.u & 0x7fffffffu) > 0x7f800000u) return 0x7fc0u;",
      "  return (uint16_t)((bits.u + 0x7fffu + ((bits.u >> 16) & 1u)) >> 16);",
      "}",
    ].join("\n"),
    round: "static inline float rs_round_bf16(float x) { return rs_load_bf16(rs_store_bf16(x)); }",
  },
} as const;
