// WebAssembly's instructions by their text names: the one table that the encoder and the WAT printer share.
// No TVM counterpart (TVM 0.8 reaches WebAssembly through LLVM).
import { invariant } from "../../../support/assert.ts";

/**
 * What follows an opcode. "memarg" = align and offset; "memarg-lane" = memarg and lane; "copy"/"fill" =
 * memory indices.
 */
type ImmediateKind =
  | "none"
  | "local"
  | "global"
  | "func"
  | "label"
  | "block"
  | "memarg"
  | "memarg-lane"
  | "lane"
  | "i32"
  | "i64"
  | "f32"
  | "f64"
  | "v128"
  | "shuffle"
  | "copy"
  | "fill";

export interface Opcode {
  readonly name: string;
  readonly bytes: readonly number[];
  readonly immediate: ImmediateKind;
  /** Natural alignment of a memory access as log2 bytes; 0 for others. */
  readonly align: number;
}

const table = new Map<string, Opcode>();

function define(bytes: readonly number[], name: string, immediate: ImmediateKind, align = 0): void {
  table.set(name, { name, bytes, immediate, align });
}

/** Consecutive one-byte opcodes. "-" leaves a gap. */
function plain(first: number, names: string, immediate: ImmediateKind = "none", aligns = ""): void {
  const align = aligns.split("");
  names.split(" ").forEach((name, i) => {
    if (name !== "-") define([first + i], name, immediate, Number(align[i] ?? 0));
  });
}

/** Consecutive opcodes behind the SIMD prefix 0xfd (LEB128 number). "-" leaves a gap. */
function simd(first: number, names: string, immediate: ImmediateKind = "none", aligns = ""): void {
  const align = aligns.split("");
  names.split(" ").forEach((name, i) => {
    const code = first + i;
    if (name !== "-")
      define(
        code < 0x80 ? [0xfd, code] : [0xfd, (code & 0x7f) | 0x80, code >> 7],
        name,
        immediate,
        Number(align[i] ?? 0),
      );
  });
}

plain(0x00, "unreachable nop");
plain(0x02, "block loop if", "block");
plain(0x05, "else");
plain(0x0b, "end");
plain(0x0c, "br br_if", "label");
plain(0x0f, "return");
plain(0x10, "call", "func");
plain(0x1a, "drop select");
plain(0x20, "local.get local.set local.tee", "local");
plain(0x23, "global.get global.set", "global");
plain(
  0x28,
  "i32.load i64.load f32.load f64.load i32.load8_s i32.load8_u i32.load16_s i32.load16_u i64.load8_s i64.load8_u i64.load16_s " +
    "i64.load16_u i64.load32_s i64.load32_u i32.store i64.store f32.store f64.store i32.store8 i32.store16 i64.store8 i64.store16 i64.store32",
  "memarg",
  "23230011001122232301012",
);
plain(0x3f, "memory.size memory.grow", "fill");
plain(0x41, "i32.const", "i32");
plain(0x42, "i64.const", "i64");
plain(0x43, "f32.const", "f32");
plain(0x44, "f64.const", "f64");
plain(
  0x45,
  "i32.eqz i32.eq i32.ne i32.lt_s i32.lt_u i32.gt_s i32.gt_u i32.le_s i32.le_u i32.ge_s i32.ge_u " +
    "i64.eqz i64.eq i64.ne i64.lt_s i64.lt_u i64.gt_s i64.gt_u i64.le_s i64.le_u i64.ge_s i64.ge_u " +
    "f32.eq f32.ne f32.lt f32.gt f32.le f32.ge f64.eq f64.ne f64.lt f64.gt f64.le f64.ge " +
    "i32.clz i32.ctz i32.popcnt i32.add i32.sub i32.mul i32.div_s i32.div_u i32.rem_s i32.rem_u i32.and i32.or i32.xor i32.shl " +
    "i32.shr_s i32.shr_u i32.rotl i32.rotr " +
    "i64.clz i64.ctz i64.popcnt i64.add i64.sub i64.mul i64.div_s i64.div_u i64.rem_s i64.rem_u i64.and i64.or i64.xor i64.shl " +
    "i64.shr_s i64.shr_u i64.rotl i64.rotr " +
    "f32.abs f32.neg f32.ceil f32.floor f32.trunc f32.nearest f32.sqrt f32.add f32.sub f32.mul f32.div f32.min f32.max f32.copysign " +
    "f64.abs f64.neg f64.ceil f64.floor f64.trunc f64.nearest f64.sqrt f64.add f64.sub f64.mul f64.div f64.min f64.max f64.copysign " +
    "i32.wrap_i64 i32.trunc_f32_s i32.trunc_f32_u i32.trunc_f64_s i32.trunc_f64_u i64.extend_i32_s i64.extend_i32_u i64.trunc_f32_s " +
    "i64.trunc_f32_u i64.trunc_f64_s i64.trunc_f64_u f32.convert_i32_s f32.convert_i32_u f32.convert_i64_s f32.convert_i64_u " +
    "f32.demote_f64 f64.convert_i32_s f64.convert_i32_u f64.convert_i64_s f64.convert_i64_u f64.promote_f32 i32.reinterpret_f32 " +
    "i64.reinterpret_f64 f32.reinterpret_i32 f64.reinterpret_i64 i32.extend8_s i32.extend16_s i64.extend8_s i64.extend16_s i64.extend32_s",
);
[
  "i32.trunc_sat_f32_s",
  "i32.trunc_sat_f32_u",
  "i32.trunc_sat_f64_s",
  "i32.trunc_sat_f64_u",
  "i64.trunc_sat_f32_s",
  "i64.trunc_sat_f32_u",
  "i64.trunc_sat_f64_s",
  "i64.trunc_sat_f64_u",
].forEach((name, i) => define([0xfc, i], name, "none"));
define([0xfc, 10], "memory.copy", "copy");
define([0xfc, 11], "memory.fill", "fill");

simd(
  0x00,
  "v128.load v128.load8x8_s v128.load8x8_u v128.load16x4_s v128.load16x4_u v128.load32x2_s v128.load32x2_u v128.load8_splat " +
    "v128.load16_splat v128.load32_splat v128.load64_splat v128.store",
  "memarg",
  "433333301234",
);
simd(0x0c, "v128.const", "v128");
simd(0x0d, "i8x16.shuffle", "shuffle");
simd(0x0e, "i8x16.swizzle i8x16.splat i16x8.splat i32x4.splat i64x2.splat f32x4.splat f64x2.splat");
simd(
  0x15,
  "i8x16.extract_lane_s i8x16.extract_lane_u i8x16.replace_lane i16x8.extract_lane_s i16x8.extract_lane_u i16x8.replace_lane " +
    "i32x4.extract_lane i32x4.replace_lane i64x2.extract_lane i64x2.replace_lane f32x4.extract_lane f32x4.replace_lane " +
    "f64x2.extract_lane f64x2.replace_lane",
  "lane",
);
for (const [i, type] of ["i8x16", "i16x8", "i32x4"].entries()) {
  simd(
    0x23 + 10 * i,
    ["eq", "ne", "lt_s", "lt_u", "gt_s", "gt_u", "le_s", "le_u", "ge_s", "ge_u"]
      .map((op) => `${type}.${op}`)
      .join(" "),
  );
}
for (const [i, type] of ["f32x4", "f64x2"].entries()) {
  simd(0x41 + 6 * i, ["eq", "ne", "lt", "gt", "le", "ge"].map((op) => `${type}.${op}`).join(" "));
}
simd(0x4d, "v128.not v128.and v128.andnot v128.or v128.xor v128.bitselect v128.any_true");
simd(
  0x54,
  "v128.load8_lane v128.load16_lane v128.load32_lane v128.load64_lane v128.store8_lane v128.store16_lane v128.store32_lane v128.store64_lane",
  "memarg-lane",
  "01230123",
);
simd(0x5c, "v128.load32_zero v128.load64_zero", "memarg", "23");
simd(
  0x5e,
  "f32x4.demote_f64x2_zero f64x2.promote_low_f32x4 i8x16.abs i8x16.neg i8x16.popcnt i8x16.all_true i8x16.bitmask " +
    "i8x16.narrow_i16x8_s i8x16.narrow_i16x8_u f32x4.ceil f32x4.floor f32x4.trunc f32x4.nearest i8x16.shl i8x16.shr_s i8x16.shr_u " +
    "i8x16.add i8x16.add_sat_s i8x16.add_sat_u i8x16.sub i8x16.sub_sat_s i8x16.sub_sat_u f64x2.ceil f64x2.floor i8x16.min_s " +
    "i8x16.min_u i8x16.max_s i8x16.max_u f64x2.trunc i8x16.avgr_u i16x8.extadd_pairwise_i8x16_s i16x8.extadd_pairwise_i8x16_u " +
    "i32x4.extadd_pairwise_i16x8_s i32x4.extadd_pairwise_i16x8_u",
);
simd(
  0x80,
  "i16x8.abs i16x8.neg i16x8.q15mulr_sat_s i16x8.all_true i16x8.bitmask i16x8.narrow_i32x4_s i16x8.narrow_i32x4_u " +
    "i16x8.extend_low_i8x16_s i16x8.extend_high_i8x16_s i16x8.extend_low_i8x16_u i16x8.extend_high_i8x16_u i16x8.shl i16x8.shr_s " +
    "i16x8.shr_u i16x8.add i16x8.add_sat_s i16x8.add_sat_u i16x8.sub i16x8.sub_sat_s i16x8.sub_sat_u f64x2.nearest i16x8.mul " +
    "i16x8.min_s i16x8.min_u i16x8.max_s i16x8.max_u - i16x8.avgr_u i16x8.extmul_low_i8x16_s i16x8.extmul_high_i8x16_s " +
    "i16x8.extmul_low_i8x16_u i16x8.extmul_high_i8x16_u",
);
simd(
  0xa0,
  "i32x4.abs i32x4.neg - i32x4.all_true i32x4.bitmask - - i32x4.extend_low_i16x8_s i32x4.extend_high_i16x8_s " +
    "i32x4.extend_low_i16x8_u i32x4.extend_high_i16x8_u i32x4.shl i32x4.shr_s i32x4.shr_u i32x4.add - - i32x4.sub - - - i32x4.mul " +
    "i32x4.min_s i32x4.min_u i32x4.max_s i32x4.max_u i32x4.dot_i16x8_s - i32x4.extmul_low_i16x8_s i32x4.extmul_high_i16x8_s " +
    "i32x4.extmul_low_i16x8_u i32x4.extmul_high_i16x8_u",
);
simd(
  0xc0,
  "i64x2.abs i64x2.neg - i64x2.all_true i64x2.bitmask - - i64x2.extend_low_i32x4_s i64x2.extend_high_i32x4_s " +
    "i64x2.extend_low_i32x4_u i64x2.extend_high_i32x4_u i64x2.shl i64x2.shr_s i64x2.shr_u i64x2.add - - i64x2.sub - - - i64x2.mul " +
    "i64x2.eq i64x2.ne i64x2.lt_s i64x2.gt_s i64x2.le_s i64x2.ge_s i64x2.extmul_low_i32x4_s i64x2.extmul_high_i32x4_s " +
    "i64x2.extmul_low_i32x4_u i64x2.extmul_high_i32x4_u",
);
simd(
  0xe0,
  "f32x4.abs f32x4.neg - f32x4.sqrt f32x4.add f32x4.sub f32x4.mul f32x4.div f32x4.min f32x4.max f32x4.pmin f32x4.pmax f64x2.abs " +
    "f64x2.neg - f64x2.sqrt f64x2.add f64x2.sub f64x2.mul f64x2.div f64x2.min f64x2.max f64x2.pmin f64x2.pmax " +
    "i32x4.trunc_sat_f32x4_s i32x4.trunc_sat_f32x4_u f32x4.convert_i32x4_s f32x4.convert_i32x4_u i32x4.trunc_sat_f64x2_s_zero " +
    "i32x4.trunc_sat_f64x2_u_zero f64x2.convert_low_i32x4_s f64x2.convert_low_i32x4_u",
);
simd(0x105, "f32x4.relaxed_madd f32x4.relaxed_nmadd f64x2.relaxed_madd f64x2.relaxed_nmadd");

/** The opcode that WebAssembly's text format spells `name`; an unknown name is a bug of ours. */
export function opcode(name: string): Opcode {
  const found = table.get(name);
  invariant(found !== undefined, `no WebAssembly instruction is named ${name}`);
  return found;
}
