// Protocol Buffers' wire format, driven by field tables (model-proto.ts). Bytes and text fields are views on
// the file; a packed list becomes a typed array by one copy.  Format: the Protocol Buffers encoding guide.
import { fail } from "../../ir/diagnostic.ts";

/** "int" is a number (wrong only beyond 2^53), "int64s" and "uint64s" are exact. */
type Scalar = "int" | "float" | "text" | "bytes";
type Numbers = "ints" | "floats" | "doubles" | "int32s" | "int64s" | "uint64s";

type Field =
  | { readonly name: string; readonly kind: Scalar | Numbers | "texts" | "byteses" }
  | { readonly name: string; readonly kind: "message" | "messages"; readonly of: () => Message<unknown> };

/** T is what a decoded message looks like; every field is set: null for an absent message, 0, "", [] else. */
export interface Message<T> {
  readonly name: string;
  readonly fields: ReadonlyMap<number, Field>;
  readonly shape?: T;
}

export function message<T>(name: string, fields: Readonly<Record<number, Field>>): Message<T> {
  return { name, fields: new Map(Object.entries(fields).map(([id, field]) => [Number(id), field])) };
}

interface Reader {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  at: number;
  end: number;
}

/** Deeper nesting than any graph in a graph has; a guard against files made to break readers. */
const deepest = 100;

/** Decodes one message. Throws CompileError RS1820 where `bytes` is not one. */
export function decode<T>(type: Message<T>, bytes: Uint8Array): T {
  const reader: Reader = {
    bytes,
    view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    at: 0,
    end: bytes.length,
  };
  return readMessage(reader, type, bytes.length, 0) as T;
}

function broken(reader: Reader, why: string): never {
  return fail("RS1820", "The file cannot be read as ONNX.", {
    got: `${why} at byte ${reader.at}`,
    expected: "a protobuf ModelProto",
    hint: "is it complete, and an .onnx file?",
  });
}

function absent({ kind }: Field): unknown {
  if (kind === "int" || kind === "float") return 0;
  if (kind === "text") return "";
  return kind === "bytes" || kind === "message" ? null : [];
}

function readMessage(
  reader: Reader,
  type: Message<unknown>,
  end: number,
  depth: number,
): Record<string, unknown> {
  if (depth > deepest) broken(reader, "messages nested too deep");
  const out: Record<string, unknown> = {};
  for (const field of type.fields.values()) out[field.name] = absent(field);
  while (reader.at < end) {
    const tag = readVarint(reader);
    const field = type.fields.get(Math.floor(tag / 8));
    if (field === undefined) skip(reader, tag % 8, end);
    else readField(reader, field, tag % 8, { end, depth, out });
  }
  if (reader.at !== end) broken(reader, `${type.name} is longer than its frame`);
  return out;
}

interface Frame {
  readonly end: number;
  readonly depth: number;
  readonly out: Record<string, unknown>;
}

function readField(reader: Reader, field: Field, wire: number, frame: Frame): void {
  const { out } = frame;
  switch (field.kind) {
    case "int":
      if (wire !== 0) broken(reader, `${field.name} is no number`);
      out[field.name] = readVarint(reader);
      return;
    case "float":
      out[field.name] = reader.view.getFloat32(advance(reader, 4, frame.end), true);
      return;
    case "text":
      out[field.name] = text(readBytes(reader, wire, frame.end));
      return;
    case "bytes":
      out[field.name] = readBytes(reader, wire, frame.end);
      return;
    case "texts":
      (out[field.name] as string[]).push(text(readBytes(reader, wire, frame.end)));
      return;
    case "byteses":
      (out[field.name] as Uint8Array[]).push(readBytes(reader, wire, frame.end));
      return;
    case "message":
    case "messages": {
      const size = readSize(reader, wire, frame.end);
      const value = readMessage(reader, field.of(), reader.at + size, frame.depth + 1);
      if (field.kind === "message") out[field.name] = value;
      else (out[field.name] as unknown[]).push(value);
      return;
    }
    case "ints":
    case "floats":
    case "doubles":
    case "int32s":
    case "int64s":
    case "uint64s":
      readNumbers(reader, field.name, field.kind, { wire, frame });
  }
}

/**
 * A repeated number: packed (one chunk, the usual case) or one at a time. A list in several parts is joined.
 */
function readNumbers(
  reader: Reader,
  name: string,
  kind: Numbers,
  at: { readonly wire: number; readonly frame: Frame },
): void {
  const { wire, frame } = at;
  const values =
    wire === 2
      ? readPacked(reader, kind, readSize(reader, wire, frame.end))
      : [readOne(reader, kind, frame.end)];
  const old = frame.out[name] as ArrayLike<number | bigint>;
  frame.out[name] =
    old.length === 0 ? values : [...Array.from(old), ...Array.from(values as ArrayLike<number | bigint>)];
}

function readOne(reader: Reader, kind: Numbers, end: number): number | bigint {
  switch (kind) {
    case "floats":
      return reader.view.getFloat32(advance(reader, 4, end), true);
    case "doubles":
      return reader.view.getFloat64(advance(reader, 8, end), true);
    case "int64s":
      return readBig(reader);
    case "uint64s":
      return BigInt.asUintN(64, readBig(reader));
    case "ints":
    case "int32s":
      return readVarint(reader);
  }
}

function readPacked(reader: Reader, kind: Numbers, size: number): ArrayLike<number | bigint> {
  const start = reader.at;
  const end = start + size;
  if (kind === "floats" || kind === "doubles") {
    const copy = reader.bytes.slice(start, end).buffer;
    reader.at = end;
    const width = kind === "floats" ? 4 : 8;
    if (size % width !== 0) broken(reader, `a list of ${size} bytes`);
    return kind === "floats" ? new Float32Array(copy) : new Float64Array(copy);
  }
  const count = countVarints(reader, end);
  const wide =
    kind === "int64s" ? new BigInt64Array(count) : kind === "uint64s" ? new BigUint64Array(count) : null;
  const narrow = kind === "int32s" ? new Int32Array(count) : new Array<number>(wide === null ? count : 0);
  for (let i = 0; i < count; i++) {
    if (wide === null) narrow[i] = readVarint(reader);
    else wide[i] = readBig(reader);
  }
  if (reader.at !== end) broken(reader, "a list does not end with its frame");
  return wide ?? narrow;
}

/** Varints end at bytes below 0x80. */
function countVarints(reader: Reader, end: number): number {
  let count = 0;
  for (const byte of reader.bytes.subarray(reader.at, end)) if (byte < 0x80) count++;
  return count;
}

function advance(reader: Reader, size: number, end: number): number {
  const start = reader.at;
  if (start + size > end) broken(reader, "the file ends too early");
  reader.at = start + size;
  return start;
}

function readSize(reader: Reader, wire: number, end: number): number {
  if (wire !== 2) broken(reader, `wire type ${wire} where bytes are expected`);
  const size = readVarint(reader);
  if (size < 0 || reader.at + size > end) broken(reader, "the file ends too early");
  return size;
}

function readBytes(reader: Reader, wire: number, end: number): Uint8Array {
  const size = readSize(reader, wire, end);
  const start = advance(reader, size, end);
  return reader.bytes.subarray(start, start + size);
}

const utf8 = new TextDecoder();

/** Names are short and plain: decoded by hand they cost a fraction of a TextDecoder's call. */
function text(bytes: Uint8Array): string {
  if (bytes.length > 32) return utf8.decode(bytes);
  let plain = "";
  for (const byte of bytes) {
    if (byte >= 0x80) return utf8.decode(bytes);
    plain += String.fromCharCode(byte);
  }
  return plain;
}

/** A varint as a signed 64-bit number, exact up to 2^53. */
function readVarint(reader: Reader): number {
  let low = 0;
  for (let shift = 0; shift < 28; shift += 7) {
    const byte = nextByte(reader);
    low += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return low;
  }
  return Number(readBigFrom(reader, BigInt(low), 28n));
}

function readBig(reader: Reader): bigint {
  return readBigFrom(reader, 0n, 0n);
}

function readBigFrom(reader: Reader, start: bigint, from: bigint): bigint {
  let value = start;
  for (let shift = from; shift < 70n; shift += 7n) {
    const byte = nextByte(reader);
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return BigInt.asIntN(64, value);
  }
  return broken(reader, "a number of more than ten bytes");
}

function nextByte(reader: Reader): number {
  const byte = reader.at < reader.end ? reader.bytes[reader.at] : undefined;
  if (byte === undefined) return broken(reader, "the file ends too early");
  reader.at++;
  return byte;
}

function skip(reader: Reader, wire: number, end: number): void {
  if (wire === 0) readVarint(reader);
  else if (wire === 1) advance(reader, 8, end);
  else if (wire === 2) readBytes(reader, wire, end);
  else if (wire === 5) advance(reader, 4, end);
  else broken(reader, `unknown wire type ${wire}`);
}
