// The WebAssembly binary format: a module of functions, one memory, exports, data and names.
// Written against the WebAssembly core specification 2.0 (binary format) and the relaxed SIMD proposal.
import { invariant } from "../../../support/assert.ts";
import { pushSigned, pushSigned64, pushUnsigned } from "../../../support/leb128.ts";
import { valTypes, type Instr, type ValType, type WasmFunction } from "./function.ts";

export interface WasmImport {
  readonly module: string;
  readonly name: string;
  readonly params: readonly ValType[];
  readonly results: readonly ValType[];
}

export interface WasmData {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** Function indices count imports first, then functions. */
export interface WasmModuleParts {
  readonly imports: readonly WasmImport[];
  readonly functions: readonly WasmFunction[];
  /** Memory size in pages of 64 KiB, exported as "memory". */
  readonly pages: number;
  readonly data: readonly WasmData[];
  /** Exported immutable i32 globals: the layout, for whoever drives the module without us. */
  readonly globals: readonly { readonly name: string; readonly value: number }[];
}

const typeByte: Readonly<Record<ValType, number>> = {
  i32: 0x7f,
  i64: 0x7e,
  f32: 0x7d,
  f64: 0x7c,
  v128: 0x7b,
};
const utf8 = new TextEncoder();
const floats = new DataView(new ArrayBuffer(8));

function pushName(out: number[], text: string): void {
  const bytes = utf8.encode(text);
  pushUnsigned(out, bytes.length);
  for (const byte of bytes) out.push(byte);
}

function pushInstr(out: number[], one: Instr): void {
  for (const byte of one.op.bytes) out.push(byte);
  switch (one.op.immediate) {
    case "none":
      return;
    case "local":
    case "global":
    case "func":
    case "label":
    case "lane":
      pushUnsigned(out, one.a);
      return;
    case "block":
      out.push(one.a < 0 ? 0x40 : typeByte[valTypes[one.a]!]);
      return;
    case "memarg":
    case "memarg-lane":
      pushUnsigned(out, one.op.align);
      pushUnsigned(out, one.a);
      if (one.op.immediate === "memarg-lane") pushUnsigned(out, one.b);
      return;
    case "i32":
      pushSigned(out, one.a | 0);
      return;
    case "i64":
      pushSigned64(out, BigInt.asIntN(64, one.wide as bigint));
      return;
    case "f32":
      floats.setFloat32(0, one.a, true);
      for (let i = 0; i < 4; i++) out.push(floats.getUint8(i));
      return;
    case "f64":
      floats.setFloat64(0, one.a, true);
      for (let i = 0; i < 8; i++) out.push(floats.getUint8(i));
      return;
    case "v128":
    case "shuffle": {
      const bytes = one.wide as Uint8Array;
      invariant(bytes.length === 16, `${one.op.name} takes 16 bytes, got ${bytes.length}`);
      for (const byte of bytes) out.push(byte);
      return;
    }
    case "copy":
      out.push(0, 0);
      return;
    case "fill":
      out.push(0);
  }
}

/** The bytes of a function's body: local declarations, code, end. */
function encodeBody(fn: WasmFunction): number[] {
  const out: number[] = [];
  const runs: [number, ValType][] = [];
  for (const type of fn.locals) {
    const last = runs[runs.length - 1];
    if (last !== undefined && last[1] === type) last[0]++;
    else runs.push([1, type]);
  }
  pushUnsigned(out, runs.length);
  for (const [count, type] of runs) {
    pushUnsigned(out, count);
    out.push(typeByte[type]);
  }
  for (const one of fn.body) pushInstr(out, one);
  out.push(0x0b);
  return out;
}

/** Collects byte pieces and joins them once: constants may be hundreds of megabytes. */
interface Pieces {
  readonly parts: (Uint8Array | readonly number[])[];
  size: number;
}

function addPiece(to: Pieces, piece: Uint8Array | readonly number[]): void {
  to.parts.push(piece);
  to.size += piece.length;
}

function addSection(to: Pieces, id: number, content: Pieces): void {
  const head: number[] = [id];
  pushUnsigned(head, content.size);
  addPiece(to, head);
  for (const part of content.parts) addPiece(to, part);
}

function section(...parts: readonly (readonly number[])[]): Pieces {
  const out: Pieces = { parts: [], size: 0 };
  for (const part of parts) addPiece(out, part);
  return out;
}

function vector(items: readonly (readonly number[])[]): Pieces {
  const count: number[] = [];
  pushUnsigned(count, items.length);
  return section(count, ...items);
}

function signature(params: readonly ValType[], results: readonly ValType[]): readonly number[] {
  const out = [0x60];
  pushUnsigned(out, params.length);
  for (const type of params) out.push(typeByte[type]);
  pushUnsigned(out, results.length);
  for (const type of results) out.push(typeByte[type]);
  return out;
}

function named(text: string, rest: readonly number[]): number[] {
  const out: number[] = [];
  pushName(out, text);
  return out.concat(rest);
}

function indexed(kind: number, index: number): number[] {
  const out = [kind];
  pushUnsigned(out, index);
  return out;
}

interface EncodedModule {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Body bytes of each function, imports not counted. */
  readonly bodyBytes: readonly number[];
}

/** Encodes the module; throws InvariantError on what the format cannot hold. */
export function encodeModule(parts: WasmModuleParts): EncodedModule {
  const types: (readonly number[])[] = [];
  const typeIndex = new Map<string, number>();
  const typeOf = (params: readonly ValType[], results: readonly ValType[]): number => {
    const key = `${params.join(",")}>${results.join(",")}`;
    let index = typeIndex.get(key);
    if (index === undefined) {
      index = types.length;
      types.push(signature(params, results));
      typeIndex.set(key, index);
    }
    return index;
  };
  const imports = parts.imports.map((one) => [
    ...named(one.module, named(one.name, [])),
    ...indexed(0, typeOf(one.params, one.results)),
  ]);
  const declared = parts.functions.map((fn) => {
    const out: number[] = [];
    pushUnsigned(out, typeOf(fn.params, fn.results));
    return out;
  });
  const bodies = parts.functions.map(encodeBody);
  const out: Pieces = { parts: [[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00]], size: 8 };
  addSection(out, 1, vector(types));
  if (imports.length > 0) addSection(out, 2, vector(imports));
  addSection(out, 3, vector(declared));
  const memory = [0x00];
  pushUnsigned(memory, parts.pages);
  addSection(out, 5, vector([memory]));
  if (parts.globals.length > 0)
    addSection(out, 6, vector(parts.globals.map((one) => globalEntry(one.value))));
  addSection(out, 7, vector(exportsOf(parts)));
  addSection(out, 10, codeSection(bodies));
  if (parts.data.length > 0) addSection(out, 11, dataSection(parts.data));
  addSection(out, 0, nameSection(parts));
  return { bytes: join(out), bodyBytes: bodies.map((body) => body.length) };
}

function globalEntry(value: number): number[] {
  const out = [0x7f, 0x00, 0x41];
  pushSigned(out, value | 0);
  out.push(0x0b);
  return out;
}

function exportsOf(parts: WasmModuleParts): number[][] {
  const out = [named("memory", [2, 0])];
  parts.functions.forEach((fn, i) => {
    if (fn.exportName !== null) out.push(named(fn.exportName, indexed(0, parts.imports.length + i)));
  });
  parts.globals.forEach((one, i) => out.push(named(one.name, indexed(3, i))));
  return out;
}

function codeSection(bodies: readonly (readonly number[])[]): Pieces {
  const count: number[] = [];
  pushUnsigned(count, bodies.length);
  const out = section(count);
  for (const body of bodies) {
    const size: number[] = [];
    pushUnsigned(size, body.length);
    addPiece(out, size);
    addPiece(out, body);
  }
  return out;
}

function dataSection(data: readonly WasmData[]): Pieces {
  const count: number[] = [];
  pushUnsigned(count, data.length);
  const out = section(count);
  for (const one of data) {
    const head = [0x00, 0x41];
    pushSigned(head, one.offset | 0);
    head.push(0x0b);
    pushUnsigned(head, one.bytes.length);
    addPiece(out, head);
    addPiece(out, one.bytes);
  }
  return out;
}

/** The "name" custom section: engines show these in stack traces and profiles. */
function nameSection(parts: WasmModuleParts): Pieces {
  const names: number[] = [];
  pushUnsigned(names, parts.imports.length + parts.functions.length);
  [
    ...parts.imports.map((one) => `${one.module}.${one.name}`),
    ...parts.functions.map((fn) => fn.name),
  ].forEach((name, i) => {
    pushUnsigned(names, i);
    pushName(names, name);
  });
  const head: number[] = [];
  pushName(head, "name");
  head.push(1);
  pushUnsigned(head, names.length);
  return section(head, names);
}

function join(pieces: Pieces): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(pieces.size);
  let at = 0;
  for (const part of pieces.parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}
