// Small functions that generated code calls where C has no operator of TIR's meaning. Only those that are
// used are emitted. Meanings are the interpreter's (tir/interp/scalar.ts): integers wrap, float to integer
// saturates and NaN gives 0, min and max are C's `a < b ? a : b`.
import { invariant } from "../../../support/assert.ts";

const width = /^(.*)_(bf16|f16|f32|f64|i8|i16|i32|i64|u8|u16|u32|u64)$/;

const cType: Readonly<Record<string, string>> = {
  f32: "float",
  f64: "double",
  i8: "int8_t",
  i16: "int16_t",
  i32: "int32_t",
  i64: "int64_t",
  u8: "uint8_t",
  u16: "uint16_t",
  u32: "uint32_t",
  u64: "uint64_t",
};

const limits: Readonly<Record<string, readonly [low: string, high: string]>> = {
  i8: ["INT8_MIN", "INT8_MAX"],
  i16: ["INT16_MIN", "INT16_MAX"],
  i32: ["INT32_MIN", "INT32_MAX"],
  i64: ["INT64_MIN", "INT64_MAX"],
  u8: ["0", "UINT8_MAX"],
  u16: ["0", "UINT16_MAX"],
  u32: ["0", "UINT32_MAX"],
  u64: ["0", "UINT64_MAX"],
};

/** The first values past each end, exact in float and double. */
const edges: Readonly<Record<string, readonly [low: string, high: string]>> = {
  i8: ["-128.0", "127.0"],
  i16: ["-32768.0", "32767.0"],
  i32: ["-2147483648.0", "2147483647.0"],
  i64: ["-9223372036854775808.0", "9223372036854775808.0"],
  u8: ["0.0", "255.0"],
  u16: ["0.0", "65535.0"],
  u32: ["0.0", "4294967295.0"],
  u64: ["0.0", "18446744073709551616.0"],
};

/** Helpers that a helper itself calls. */
export function helperNeeds(name: string): readonly string[] {
  if (name === "rs_round_f16") return ["rs_load_f16", "rs_store_f16"];
  if (name === "rs_round_bf16") return ["rs_load_bf16", "rs_store_bf16"];
  return [];
}

/** The definition of helper `name`, one or more lines. */
export function helperText(name: string): string {
  const fixed = whole[name];
  if (fixed !== undefined) return fixed;
  const cast = /^rs_cast_(f32|f64)_(\w+)$/.exec(name);
  if (cast !== null) return castText(name, cast[1]!, cast[2]!);
  const bits = /^rs_bits_(\w+)_(\w+)$/.exec(name);
  if (bits !== null) return bitsText(name, cType[bits[1]!]!, cType[bits[2]!]!);
  const parts = width.exec(name);
  invariant(parts !== null, `no C helper ${name}`);
  const [, base, short] = parts;
  const type = cType[short!]!;
  const two = `static inline ${type} ${name}(${type} a, ${type} b)`;
  const f = short === "f64" ? "" : "f";
  switch (base!) {
    case "rs_min":
      return `${two} { return a < b ? a : b; }`;
    case "rs_max":
      return `${two} { return a > b ? a : b; }`;
    case "rs_floordiv":
      if (short!.startsWith("f")) return `${two} { return floor${f}(a / b); }`;
      return `${two} { return b == -1 ? ${negated(type)} : (${type})(a / b - ((a % b != 0) && ((a < 0) != (b < 0)))); }`;
    case "rs_floormod":
      if (short!.startsWith("f")) return `${two} { return a - floor${f}(a / b) * b; }`;
      return `${two} { const ${type} r = ${remainder(type)}; return (${type})((r != 0) && ((r < 0) != (b < 0)) ? r + b : r); }`;
    case "rs_div":
      return `${two} { return b == -1 ? ${negated(type)} : (${type})(a / b); }`;
    case "rs_mod":
      return `${two} { return ${remainder(type)}; }`;
    case "rs_shl":
      return `${two} { return ${inWidth(type)} ? (${type})((uint${wideBits(type)}_t)a << b) : 0; }`;
    case "rs_shr":
      return type.startsWith("u")
        ? `${two} { return ${inWidth(type)} ? (${type})(a >> b) : 0; }`
        : `${two} { return (${type})(a >> (${inWidth(type)} ? b : ${bitsOf(type) - 1})); }`;
    case "rs_abs":
      return `static inline ${type} ${name}(${type} a) { return a < 0 ? (${type})(0u - (u${type})a) : a; }`;
    case "rs_sigmoid":
      return `static inline ${type} ${name}(${type} a) { return 1 / (1 + exp${f}(-a)); }`;
    case "rs_ipow":
      return ipowText(two, type);
    case "rs_popcount":
      return `static inline ${type} ${name}(u${type} a) { ${type} n = 0; for (; a != 0; a &= a - 1) ++n; return n; }`;
    case "rs_clz":
      return `static inline ${type} ${name}(u${type} a) { ${type} n = ${short!.slice(1)}; for (; a != 0; a >>= 1) --n; return n; }`;
    default:
      invariant(false, `no C helper ${name}`);
  }
}

function bitsOf(type: string): number {
  return Number(/\d+/.exec(type)![0]);
}

function wideBits(type: string): number {
  return Math.max(32, bitsOf(type));
}

/** 0 <= b < bits, in one comparison. */
function inWidth(type: string): string {
  return `(uint${bitsOf(type)}_t)b < ${bitsOf(type)}`;
}

/** The least integer by -1 wraps, as every other result does; C leaves it undefined. */
function negated(type: string): string {
  return `(${type})(0u - (u${type})a)`;
}

function remainder(type: string): string {
  return `(${type})(b == -1 ? 0 : a % b)`;
}

/** Wraps: multiplication is unsigned. */
function ipowText(head: string, type: string): string {
  const unsigned = type.startsWith("u") ? type : `u${type}`;
  return `${head} { ${unsigned} r = 1, x = (${unsigned})a; for (; b > 0; b >>= 1) { if (b & 1) r *= x; x *= x; } return (${type})r; }`;
}

/** Same bits, other type: reading a union's other member is what C99 defines for it. */
function bitsText(name: string, from: string, to: string): string {
  return `static inline ${to} ${name}(${from} a) { union { ${from} from; ${to} to; } bits; bits.from = a; return bits.to; }`;
}

function castText(name: string, from: string, to: string): string {
  const [low, high] = limits[to]!;
  const [under, over] = edges[to]!;
  const f = from === "f32" ? "f" : "";
  const type = cType[to]!;
  return [
    `static inline ${type} ${name}(${cType[from]!} a) {`,
    `  if (!(a == a)) return 0;`,
    `  if (a <= ${under}${f}) return ${low};`,
    `  if (a >= ${over}${f}) return ${high};`,
    `  return (${type})a;`,
    `}`,
  ].join("\n");
}

const whole: Readonly<Record<string, string>> = {
  rs_data:
    "static inline void* rs_data(TVMValue v) { const DLTensor* t = (const DLTensor*)v.v_handle; return (uint8_t*)t->data + t->byte_offset; }",
  rs_tensor:
    "static inline DLTensor rs_tensor(void* data) { DLTensor t; memset(&t, 0, sizeof t); t.data = data; t.device.device_type = kDLCPU; return t; }",
  rs_load_f16: [
    "static inline float rs_load_f16(uint16_t h) {",
    "  const uint32_t sign = (uint32_t)(h & 0x8000u) << 16, exponent = (h >> 10) & 31u, fraction = h & 1023u;",
    "  union { uint32_t u; float f; } bits;",
    "  if (exponent == 0) { bits.f = (float)fraction * 5.9604644775390625e-8f; bits.u |= sign; return bits.f; }",
    "  bits.u = sign | (exponent == 31 ? 0x7f800000u : (exponent + 112) << 23) | (fraction << 13);",
    "  return bits.f;",
    "}",
  ].join("\n"),
  rs_store_f16: [
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
  rs_load_bf16: [
    "static inline float rs_load_bf16(uint16_t h) {",
    "  union { uint32_t u; float f; } bits;",
    "  bits.u = (uint32_t)h << 16;",
    "  return bits.f;",
    "}",
  ].join("\n"),
  rs_store_bf16: [
    "static inline uint16_t rs_store_bf16(float x) {",
    "  union { float f; uint32_t u; } bits;",
    "  bits.f = x;",
    "  if ((bits.u & 0x7fffffffu) > 0x7f800000u) return 0x7fc0u;",
    "  return (uint16_t)((bits.u + 0x7fffu + ((bits.u >> 16) & 1u)) >> 16);",
    "}",
  ].join("\n"),
  rs_round_f16: "static inline float rs_round_f16(float x) { return rs_load_f16(rs_store_f16(x)); }",
  rs_round_bf16: "static inline float rs_round_bf16(float x) { return rs_load_bf16(rs_store_bf16(x)); }",
  rs_q_multiply_shift: [
    "static inline int32_t rs_q_multiply_shift(int32_t x, int32_t y, int32_t q, int32_t shift) {",
    "  const int32_t left = shift > 0 ? shift : 0, right = q - (shift > 0 ? 0 : shift);",
    "  const uint64_t wide = left < 64 ? (uint64_t)(int64_t)x << left : 0;",
    "  return (int32_t)((int64_t)(wide * (uint64_t)(int64_t)y + ((uint64_t)1 << (right - 1))) >> right);",
    "}",
  ].join("\n"),
};
