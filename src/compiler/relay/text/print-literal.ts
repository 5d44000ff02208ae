// Literals and attributes as TVM prints them.  TVM: ScalarLiteral, AttrPrinter in
// src/printer/relay_text_printer.cc TVM writes floats through a C++ stream with 6 significant digits
// (`1e-05f`, `0.584703f`); here they have as many more as it takes to read the same value back.
import { tuple } from "../../../support/assert.ts";
import { sameAttrValue, type AttrField, type AttrKind, type Attrs, type AttrValue } from "../../ir/attrs.ts";
import { decodeBfloat16, decodeFloat16 } from "../../ir/float16.ts";
import type { OpCore } from "../../ir/op.ts";
import { tensorBytes, type TensorData } from "../../ir/tensor-data.ts";

/** `value` as a C++ stream writes it: "%g" with `digits` significant digits, ties to even. */
export function streamFloat(value: number, digits = 6): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value < 0 ? "-inf" : "inf";
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  const sign = value < 0 ? "-" : "";
  const { mantissa, exponent } = rounded(Math.abs(value), digits);
  if (exponent < -4 || exponent >= digits) {
    const fraction = mantissa.slice(1).replace(/0+$/, "");
    const power = String(Math.abs(exponent)).padStart(2, "0");
    return `${sign}${mantissa.charAt(0)}${fraction === "" ? "" : `.${fraction}`}e${exponent < 0 ? "-" : "+"}${power}`;
  }
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${mantissa.replace(/0+$/, "")}`;
  const fraction = mantissa.slice(exponent + 1).replace(/0+$/, "");
  return `${sign}${mantissa.slice(0, exponent + 1)}${fraction === "" ? "" : `.${fraction}`}`;
}

/**
 * The first `digits` decimal digits of `value` > 0 and its decimal exponent. toExponential rounds ties up,
 * C++ to even.
 */
function rounded(value: number, digits: number): { readonly mantissa: string; readonly exponent: number } {
  const [head, power] = tuple(value.toExponential(digits - 1).split("e"), 2, "parts of a number");
  const up = head.replace(".", "");
  const exact = value.toExponential(50);
  const tail = exact.slice(0, exact.indexOf("e")).replace(".", "").slice(digits);
  if (!/^50*$/.test(tail) || Number(up.slice(-1)) % 2 === 0) return { mantissa: up, exponent: Number(power) };
  // A tie that was rounded up to an odd digit: the even one is below it. The digit is odd, so no borrow.
  return { mantissa: up.slice(0, -1) + String(Number(up.slice(-1)) - 1), exponent: Number(power) };
}

/** Shortest digits that read back as the same float32 or float64. */
function exactFloat(value: number, bits: number): string {
  if (!Number.isFinite(value) || value === 0) return streamFloat(value);
  const most = bits === 64 ? 17 : bits === 32 ? 9 : 5;
  for (let digits = 6; digits < most; digits++) {
    const text = streamFloat(value, digits);
    if (bits === 64 ? Number(text) === value : Math.fround(Number(text)) === value) return text;
  }
  return streamFloat(value, most);
}

/**
 * A rank-0 constant as text, or null if TVM keeps it in the metadata (it writes int32, int64, float32,
 * float64 and bool).
 */
export function scalarLiteral(data: TensorData): string | null {
  const { dtype } = data;
  if (data.shape.length !== 0 || dtype.lanes !== 1) return null;
  const value = data.data[0]!;
  switch (dtype.name) {
    case "int32":
    case "int64":
      return String(value);
    case "bool":
      return Number(value) !== 0 ? "True" : "False";
    case "float32":
    case "float64": {
      const bytes = tensorBytes(data);
      const negativeNaN = Number.isNaN(value) && (bytes[bytes.length - 1]! & 0x80) !== 0;
      const digits = exactFloat(Number(value), dtype.bits);
      return `${negativeNaN ? "-" : ""}${digits}${dtype.bits === 32 ? "f" : "f64"}`;
    }
    default:
      return null;
  }
}

/** The value of a rank-0 constant as a number, whatever its width. */
export function scalarValue(data: TensorData): number {
  const raw = Number(data.data[0] ?? 0);
  if (data.dtype.code === "bfloat") return decodeBfloat16(raw);
  return data.dtype.name === "float16" ? decodeFloat16(raw) : raw;
}

/**
 * `padding=[1, 1, 1, 1]`, …: attributes of a call of `op` that differ from their defaults, in schema order.
 */
export function printOpAttrs(op: OpCore, attrs: Attrs): string[] {
  const out: string[] = [];
  for (const [name, field] of Object.entries(op.attrs) as [string, AttrField][]) {
    const value = attrs[name] ?? null;
    if (field.default !== undefined && sameAttrValue(value, field.default)) continue;
    out.push(`${name}=${printAttr(value, field.kind)}`);
  }
  return out;
}

/** Attributes that have no schema: a function's, or a call's of no operator. */
export function printFreeAttrs(attrs: Attrs): string[] {
  return Object.entries(attrs).map(([name, value]) => `${name}=${printAttr(value, "any")}`);
}

/**
 * Attributes are doubles without a width in the text. One that is a float32 (a model file's) is written as
 * one: `1e-05f`.
 */
export function printAttr(value: AttrValue, kind: AttrKind): string {
  if (value === null) return kind === "dtype" || kind === "string" ? '""' : "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "bigint") return String(value);
  if (typeof value === "string") return `"${value}"`;
  if (typeof value === "number")
    return kind === "float" || kind === "float-array" || !Number.isInteger(value)
      ? `${exactFloat(value, Math.fround(value) === value ? 32 : 64)}f`
      : String(value);
  let text = "";
  for (const item of value as readonly AttrValue[])
    text += text === "" ? printAttr(item, kind) : `, ${printAttr(item, kind)}`;
  return `[${text}]`;
}
