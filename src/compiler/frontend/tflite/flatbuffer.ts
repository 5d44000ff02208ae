// Reading FlatBuffer tables in place: nothing is copied but numbers and names. Every offset is checked, so
// that a damaged file is refused and never read beyond.  Format: FlatBuffers binary format (tables, vtables,
// vectors, strings)
import { fail } from "../../ir/diagnostic.ts";

/** A table of the file: where it begins, and where its vtable says its fields are. */
export interface FlatTable {
  readonly file: FlatFile;
  readonly at: number;
  readonly vtable: number;
  readonly vtableBytes: number;
}

interface FlatFile {
  readonly bytes: Uint8Array;
  readonly view: DataView;
}

/** The root table of `bytes`; refuses (RS1840) what is no FlatBuffer with this identifier. */
export function rootTable(bytes: Uint8Array, identifier: string): FlatTable {
  const file: FlatFile = { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength) };
  if (bytes.length < 8) return damaged(file, "it is too short");
  const found = String.fromCharCode(...bytes.subarray(4, 8));
  if (found !== identifier) {
    return fail("RS1840", "The file is no TFLite model.", {
      expected: `"${identifier}" at byte 4`,
      got: JSON.stringify(found),
    });
  }
  return tableAt(file, file.view.getUint32(0, true));
}

function damaged(file: FlatFile, why: string): never {
  return fail("RS1840", `The TFLite file is damaged: ${why}.`, {
    expected: "offsets that stay inside the file",
    got: `${file.bytes.length} bytes`,
    hint: "download or convert the file again",
  });
}

/** `at` and the `size` bytes behind it lie inside the file. */
function inside(file: FlatFile, at: number, size: number): number {
  return at >= 0 && at + size <= file.bytes.length ? at : damaged(file, `an offset leads to byte ${at}`);
}

function tableAt(file: FlatFile, at: number): FlatTable {
  const vtable = inside(file, at, 4) - file.view.getInt32(at, true);
  const vtableBytes = file.view.getUint16(inside(file, vtable, 4), true);
  inside(file, vtable, vtableBytes);
  return { file, at, vtable, vtableBytes };
}

/** Byte of field number `field`, or -1 where the table leaves it out. */
function fieldAt(table: FlatTable, field: number, size: number): number {
  const slot = 4 + 2 * field;
  if (slot + 2 > table.vtableBytes) return -1;
  const offset = table.file.view.getUint16(table.vtable + slot, true);
  return offset === 0 ? -1 : inside(table.file, table.at + offset, size);
}

export function byte(table: FlatTable, field: number, otherwise = 0): number {
  const at = fieldAt(table, field, 1);
  return at < 0 ? otherwise : table.file.view.getInt8(at);
}

export function flag(table: FlatTable, field: number, otherwise = false): boolean {
  const at = fieldAt(table, field, 1);
  return at < 0 ? otherwise : table.file.view.getUint8(at) !== 0;
}

export function int(table: FlatTable, field: number, otherwise = 0): number {
  const at = fieldAt(table, field, 4);
  return at < 0 ? otherwise : table.file.view.getInt32(at, true);
}

export function float(table: FlatTable, field: number, otherwise = 0): number {
  const at = fieldAt(table, field, 4);
  return at < 0 ? otherwise : table.file.view.getFloat32(at, true);
}

/** An unsigned 64-bit number; beyond 2^53 it loses its last digits, which no offset in a file has. */
export function long(table: FlatTable, field: number): number {
  const at = fieldAt(table, field, 8);
  return at < 0 ? 0 : Number(table.file.view.getBigUint64(at, true));
}

/** Where an offset field leads, or -1. */
function follow(table: FlatTable, field: number): number {
  const at = fieldAt(table, field, 4);
  return at < 0 ? -1 : inside(table.file, at + table.file.view.getUint32(at, true), 4);
}

export function child(table: FlatTable, field: number): FlatTable | null {
  const at = follow(table, field);
  return at < 0 ? null : tableAt(table.file, at);
}

/** First byte and length of a vector field of elements of `size` bytes; null where it is left out. */
function vector(
  table: FlatTable,
  field: number,
  size: number,
): { readonly at: number; readonly length: number } | null {
  const at = follow(table, field);
  if (at < 0) return null;
  const length = table.file.view.getUint32(at, true);
  inside(table.file, at + 4, length * size);
  return { at: at + 4, length };
}

function list<T>(
  table: FlatTable,
  field: number,
  size: number,
  read: (view: DataView, at: number) => T,
): T[] | null {
  const found = vector(table, field, size);
  return found === null
    ? null
    : Array.from({ length: found.length }, (_, i) => read(table.file.view, found.at + i * size));
}

export const ints = (table: FlatTable, field: number): readonly number[] | null =>
  list(table, field, 4, (view, at) => view.getInt32(at, true));
export const floats = (table: FlatTable, field: number): readonly number[] | null =>
  list(table, field, 4, (view, at) => view.getFloat32(at, true));
export const longs = (table: FlatTable, field: number): readonly bigint[] | null =>
  list(table, field, 8, (view, at) => view.getBigInt64(at, true));
export const shorts = (table: FlatTable, field: number): readonly number[] | null =>
  list(table, field, 2, (view, at) => view.getUint16(at, true));

/** A view on the bytes of a byte vector, or null. */
export function bytesOf(table: FlatTable, field: number): Uint8Array | null {
  const found = vector(table, field, 1);
  return found === null ? null : table.file.bytes.subarray(found.at, found.at + found.length);
}

export function text(table: FlatTable, field: number): string {
  const bytes = bytesOf(table, field);
  return bytes === null ? "" : new TextDecoder().decode(bytes);
}

/** The tables of a vector of tables. */
export function children(table: FlatTable, field: number): readonly FlatTable[] {
  return list(table, field, 4, (view, at) => tableAt(table.file, at + view.getUint32(at, true))) ?? [];
}

/** Bytes of the whole file, for what it holds outside of its tables. */
export function fileBytes(table: FlatTable, from: number, size: number): Uint8Array {
  inside(table.file, from, size);
  return table.file.bytes.subarray(from, from + size);
}
