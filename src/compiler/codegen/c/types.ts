// C types and literals of TIR dtypes.
import { invariant } from "../../../support/assert.ts";
import { isHalf, type DType } from "../../ir/dtype.ts";

/** What an element in memory is. bool is a byte. */
export function storageType(dtype: DType): string {
  invariant(dtype.lanes === 1, `${dtype.name} reached C: vectors are made scalar before`);
  return isHalf(dtype) ? "uint16_t" : valueType(dtype);
}

/** What a value in an expression is. */
export function valueType(dtype: DType): string {
  invariant(dtype.lanes === 1, `${dtype.name} reached C: vectors are made scalar before`);
  switch (dtype.code) {
    case "float":
      return dtype.bits === 64 ? "double" : "float";
    case "bfloat":
      return "float";
    case "bool":
      return "uint8_t";
    case "handle":
      return "void*";
    case "int":
    case "uint":
      return `${dtype.code}${Math.max(8, dtype.bits)}_t`;
  }
}

/** Letters for helper functions: f32, i64, u8, bf16. */
export function shortType(dtype: DType): string {
  const letter = { float: "f", bfloat: "bf", int: "i", uint: "u", bool: "u", handle: "p" }[dtype.code];
  return `${letter}${dtype.code === "bool" ? 8 : Math.max(8, dtype.bits)}`;
}

export function intLiteral(value: number | bigint, dtype: DType): string {
  const wide = dtype.bits > 32;
  if (dtype.code === "uint" && dtype.bits >= 32) return `${value}${wide ? "ULL" : "u"}`;
  if (dtype.bits === 32 && BigInt(value) === -2147483648n) return "(-2147483647 - 1)";
  if (wide && BigInt(value) === -9223372036854775808n) return "(-9223372036854775807LL - 1)";
  return `${value}${wide ? "LL" : ""}`;
}

/** The shortest decimal that reads back as the same float (or double); halves are floats. */
export function floatLiteral(number: number, dtype: DType): string {
  const suffix = dtype.bits === 64 ? "" : "f";
  const value = suffix === "" ? number : Math.fround(number);
  if (Number.isNaN(value)) return suffix === "" ? "((double)NAN)" : "NAN";
  if (value === Infinity) return suffix === "" ? "((double)INFINITY)" : "INFINITY";
  if (value === -Infinity) return suffix === "" ? "(-(double)INFINITY)" : "(-INFINITY)";
  const text = suffix === "" ? doubleText(value) : floatText(value);
  return `${/[.e]/.test(text) ? text : `${text}.0`}${suffix}`;
}

function doubleText(value: number): string {
  return Object.is(value, -0) ? "-0.0" : String(value);
}

/** Nine digits are enough for every float; fewer where they are. */
function floatText(value: number): string {
  if (Object.is(value, -0)) return "-0.0";
  if (Number.isInteger(value) && Math.abs(value) < 16777216) return String(value);
  for (let digits = 6; digits < 9; digits++) {
    const text = value.toPrecision(digits);
    if (Math.fround(Number(text)) === value) return trimmed(text);
  }
  return trimmed(value.toPrecision(9));
}

function trimmed(text: string): string {
  return text.includes("e") || !text.includes(".")
    ? text.replace(/\.?0*e/, "e")
    : text.replace(/0+$/, "").replace(/\.$/, ".0");
}
