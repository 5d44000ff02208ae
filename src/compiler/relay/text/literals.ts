// Number literals: `1`, `1i64`, `1f`, `0.1f64`, `1e-05f`, `inff`, `-nanf`, `True`.  TVM: NumberToNDArray in
// src/parser/parser.cc A whole number that does not fit int32 is int64 with every bit kept. The dtype of a
// `ty=` comment behind the literal counts where the literal itself says none: TVM prints an int64 constant as
// a bare `1`.
import { bool, dtype, float32, int32, int64, parseDType, type DType } from "../../ir/dtype.ts";
import { encodeBfloat16, encodeFloat16 } from "../../ir/float16.ts";
import { allocateArray, tensorData, type TensorData } from "../../ir/tensor-data.ts";

/** A literal's value and the dtype it asks for, null where the text does not say. */
export interface Literal {
  readonly value: number | bigint;
  readonly dtype: DType | null;
  readonly isFloat: boolean;
}

/** Longest number: more digits than any double needs. */
const maxNumberLength = 400;

const suffixes = /^(?:(f|bf)(16|32|64)?|(i|u)(8|16|32|64)|(h))$/;

/**
 * The literal that the number token `text` spells, without its sign; or a sentence that says what is wrong.
 */
export function readNumber(text: string): Literal | string {
  if (text.length < 10 && isDigits(text)) return { value: Number(text), dtype: null, isFloat: false };
  if (text.length > maxNumberLength) return `it has ${text.length} characters`;
  const match = /^(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(.*)$/.exec(text);
  if (match === null) return "it is not a number";
  const [, digits, suffix] = match as unknown as [string, string, string];
  const written = suffix === "" ? null : suffixDType(suffix);
  if (suffix !== "" && written === null)
    return `\`${suffix}\` is no suffix of a number (f, f16, f64, i8 … i64, u8 … u64 are)`;
  const wantsFloat =
    written === null ? /[.eE]/.test(digits) : written.code === "float" || written.code === "bfloat";
  if (wantsFloat) return { value: Number(digits), dtype: written, isFloat: true };
  if (/[.eE]/.test(digits)) return "a whole number is written without `.` and exponent";
  return { value: BigInt(digits), dtype: written, isFloat: false };
}

function isDigits(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) < 48 || text.charCodeAt(i) > 57) return false;
  return true;
}

/** `inff`, `nanf64` and the like, or null if `word` is none. */
export function readSpecialFloat(word: string): Literal | null {
  const match = /^(inf|nan)(?:f(16|32|64)?)?$/.exec(word);
  if (match === null) return null;
  return {
    value: match[1] === "inf" ? Infinity : NaN,
    dtype: dtype("float", Number(match[2] ?? 32)),
    isFloat: true,
  };
}

function suffixDType(suffix: string): DType | null {
  const match = suffixes.exec(suffix);
  if (match === null) return null;
  if (match[5] !== undefined) return dtype("float", 16);
  if (match[1] !== undefined)
    return match[1] === "bf" ? dtype("bfloat", 16) : dtype("float", Number(match[2] ?? 32));
  return parseDType(`${match[3] === "i" ? "int" : "uint"}${match[4]}`);
}

const int32Limits = [-(2n ** 31n), 2n ** 31n - 1n] as const;

/**
 * The scalar constant of `literal` (negated if `negative`); `hint` is the dtype of the comment behind it. A
 * sentence if it does not fit.
 */
export function scalarData(literal: Literal, negative: boolean, hint: DType | null): TensorData | string {
  const type = literal.dtype ?? (hint !== null && fits(literal, hint) ? hint : null);
  if (literal.isFloat) {
    const value = negative ? -Number(literal.value) : Number(literal.value);
    return scalar(type ?? float32, value, negative && Number.isNaN(value));
  }
  const whole = negative ? -BigInt(literal.value) : BigInt(literal.value);
  const target = type ?? (whole >= int32Limits[0] && whole <= int32Limits[1] ? int32 : int64);
  const signed = target.code === "int";
  const low = signed ? -(2n ** BigInt(target.bits - 1)) : 0n;
  const high = signed ? 2n ** BigInt(target.bits - 1) - 1n : 2n ** BigInt(target.bits) - 1n;
  if (whole < low || whole > high) return `${whole} does not fit ${target.name} (${low} to ${high})`;
  const data = allocateArray(target, 1);
  if (data instanceof BigInt64Array || data instanceof BigUint64Array) data[0] = whole;
  else data[0] = Number(whole);
  return tensorData(target, [], data);
}

function fits(literal: Literal, hint: DType): boolean {
  return (
    hint.lanes === 1 &&
    (literal.isFloat
      ? hint.code === "float" || hint.code === "bfloat"
      : hint.code === "int" || hint.code === "uint")
  );
}

function scalar(type: DType, value: number, negativeNaN: boolean): TensorData {
  const data = allocateArray(type, 1);
  data[0] = type.code === "bfloat" ? encodeBfloat16(value) : type.bits === 16 ? encodeFloat16(value) : value;
  // The sign of a NaN is printed, so it is kept.
  if (negativeNaN) new Uint8Array(data.buffer)[data.byteLength - 1]! |= 0x80;
  return tensorData(type, [], data);
}

export function boolData(value: boolean): TensorData {
  return tensorData(bool, [], Uint8Array.of(value ? 1 : 0));
}
