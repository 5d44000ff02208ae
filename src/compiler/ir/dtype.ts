// Scalar and vector data types.  TVM: include/tvm/runtime/data_type.h
import { weakTable } from "../../support/weak-table.ts";

export type TypeCode = "int" | "uint" | "float" | "bfloat" | "bool" | "handle";

/** Interned: two equal dtypes are the same object, so compare with ===. */
export interface DType {
  readonly code: TypeCode;
  /** Bits of one lane; bool has 1 and is stored in one byte. */
  readonly bits: number;
  readonly lanes: number;
  /** TVM's spelling: "float32", "int8x4", "bool", "handle". */
  readonly name: string;
}

/** Vectors that schedules make; wider ones only a program's text can name. */
const usualLanes = 64;

/**
 * Dtypes of up to `usualLanes` lanes, by bits * 256 + lanes: few, asked for at every node, and so held for
 * good.
 */
const usual: Readonly<Record<TypeCode, Map<number, DType>>> = {
  int: new Map(),
  uint: new Map(),
  float: new Map(),
  bfloat: new Map(),
  bool: new Map(),
  handle: new Map(),
};

/** Wider dtypes that something alive holds. */
const wide = weakTable<DType>();

export function dtype(code: TypeCode, bits: number, lanes = 1): DType {
  if (lanes > usualLanes) {
    const made = freshDType(code, bits, lanes);
    return wide.intern(made.name, () => made);
  }
  const table = usual[code];
  const key = bits * 256 + lanes;
  let found = table.get(key);
  if (found === undefined) {
    found = freshDType(code, bits, lanes);
    table.set(key, found);
  }
  return found;
}

function freshDType(code: TypeCode, bits: number, lanes: number): DType {
  const base = code === "bool" || code === "handle" ? code : `${code}${bits}`;
  return { code, bits, lanes, name: lanes === 1 ? base : `${base}x${lanes}` };
}

export const float32 = dtype("float", 32);
export const float64 = dtype("float", 64);
export const float16 = dtype("float", 16);
export const bfloat16 = dtype("bfloat", 16);
export const int8 = dtype("int", 8);
export const int16 = dtype("int", 16);
export const int32 = dtype("int", 32);
export const int64 = dtype("int", 64);
export const uint8 = dtype("uint", 8);
export const uint16 = dtype("uint", 16);
export const uint32 = dtype("uint", 32);
export const uint64 = dtype("uint", 64);
export const bool = dtype("bool", 1);
export const handle = dtype("handle", 64);

const pattern = /^(int|uint|float|bfloat|bool|handle)(\d*)(?:x(\d+))?$/;
const widths: Readonly<Record<string, readonly number[]>> = {
  int: [1, 4, 8, 16, 32, 64],
  uint: [1, 4, 8, 16, 32, 64],
  float: [16, 32, 64],
  bfloat: [16],
};

/** The dtype that TVM spells `text` ("uint1" is bool), or null if there is none. */
export function parseDType(text: string): DType | null {
  const match = pattern.exec(text);
  if (match === null) return null;
  const code = match[1] as TypeCode;
  const lanes = match[3] === undefined ? 1 : Number(match[3]);
  if (lanes < 1 || lanes > 65535) return null;
  if (code === "bool") return match[2] === "" ? dtype("bool", 1, lanes) : null;
  if (code === "handle") return match[2] === "" ? dtype("handle", 64, lanes) : null;
  const bits = match[2] === "" ? (code === "bfloat" ? 16 : 32) : Number(match[2]);
  if (!widths[code]!.includes(bits)) return null;
  if (code === "uint" && bits === 1) return dtype("bool", 1, lanes);
  return dtype(code, bits, lanes);
}

/** Bytes of one element in memory, all lanes: bool takes a byte a lane. */
export function byteSize(type: DType): number {
  return Math.ceil(type.bits / 8) * type.lanes;
}

export function isFloat(type: DType): boolean {
  return type.code === "float" || type.code === "bfloat";
}

/** float16 or bfloat16: kept as 16 bits, computed as float32. */
export function isHalf(type: DType): boolean {
  return isFloat(type) && type.bits === 16;
}

export function isInteger(type: DType): boolean {
  return type.code === "int" || type.code === "uint";
}

/** The scalar dtype of a vector dtype. */
export function scalarOf(type: DType): DType {
  return type.lanes === 1 ? type : dtype(type.code, type.bits);
}

export function withLanes(type: DType, lanes: number): DType {
  return lanes === type.lanes ? type : dtype(type.code, type.bits, lanes);
}
