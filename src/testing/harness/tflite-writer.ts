// Test help: writes small TFLite files, so that importing can be tested on any operator without a file in the
// repository. Format: FlatBuffers, written forward: a table, then what its fields point to.

export type FlatValue =
  | { readonly i8: number }
  | { readonly i32: number }
  | { readonly f32: number }
  | { readonly flag: boolean }
  | { readonly text: string }
  | { readonly i32s: readonly number[] }
  | { readonly f32s: readonly number[] }
  | { readonly i64s: readonly number[] }
  | { readonly u16s: readonly number[] }
  | { readonly bytes: Uint8Array }
  | { readonly table: FlatFields }
  | { readonly tables: readonly FlatFields[] };
/** Fields of a table by number; null is left out. */
export type FlatFields = readonly (FlatValue | null)[];

interface Writer {
  readonly bytes: number[];
}

function align(w: Writer, to: number, after = 0): void {
  while ((w.bytes.length + after) % to !== 0) w.bytes.push(0);
}

function put(w: Writer, at: number, size: number, set: (view: DataView) => void): void {
  const buffer = new ArrayBuffer(8);
  set(new DataView(buffer));
  for (let i = 0; i < size; i++) w.bytes[at + i] = new Uint8Array(buffer)[i]!;
}

const u32 = (w: Writer, at: number, value: number): void =>
  put(w, at, 4, (view) => view.setUint32(0, value, true));
const u16 = (w: Writer, at: number, value: number): void =>
  put(w, at, 2, (view) => view.setUint16(0, value, true));

function inlineSize(value: FlatValue): number {
  return "i8" in value || "flag" in value ? 1 : 4;
}

/** Writes a table and everything below it; gives its position. */
function writeTable(w: Writer, fields: FlatFields): number {
  align(w, 4);
  const vtable = w.bytes.length;
  for (let i = 0; i < 4 + 2 * fields.length; i++) w.bytes.push(0);
  align(w, 4);
  const table = w.bytes.length;
  u32(w, table, table - vtable);
  const pointers: (readonly [number, FlatValue])[] = [];
  fields.forEach((value, i) => {
    if (value === null) return;
    align(w, inlineSize(value));
    const at = w.bytes.length;
    u16(w, vtable + 4 + 2 * i, at - table);
    if ("i8" in value) put(w, at, 1, (view) => view.setInt8(0, value.i8));
    else if ("flag" in value) w.bytes[at] = value.flag ? 1 : 0;
    else if ("i32" in value) put(w, at, 4, (view) => view.setInt32(0, value.i32, true));
    else if ("f32" in value) put(w, at, 4, (view) => view.setFloat32(0, value.f32, true));
    else {
      u32(w, at, 0);
      pointers.push([at, value]);
    }
  });
  u16(w, vtable, 4 + 2 * fields.length);
  u16(w, vtable + 2, w.bytes.length - table);
  for (const [at, value] of pointers) {
    const target = writeTarget(w, value);
    u32(w, at, target - at);
  }
  return table;
}

function writeTarget(w: Writer, value: FlatValue): number {
  if ("table" in value) return writeTable(w, value.table);
  if ("tables" in value) {
    align(w, 4);
    const at = w.bytes.length;
    u32(w, at, value.tables.length);
    value.tables.forEach((_, i) => u32(w, at + 4 + 4 * i, 0));
    value.tables.forEach((fields, i) => {
      const table = writeTable(w, fields);
      u32(w, at + 4 + 4 * i, table - (at + 4 + 4 * i));
    });
    return at;
  }
  const raw = rawBytes(value);
  // Elements are aligned as the format asks, data of tensors to 16 bytes.
  align(w, "bytes" in value ? 16 : "i64s" in value ? 8 : 4, 4);
  const at = w.bytes.length;
  u32(
    w,
    at,
    raw.length / ("text" in value || "bytes" in value ? 1 : "i64s" in value ? 8 : "u16s" in value ? 2 : 4),
  );
  for (const byte of raw) w.bytes.push(byte);
  if ("text" in value) w.bytes.push(0);
  return at;
}

function rawBytes(value: FlatValue): Uint8Array {
  if ("text" in value) return new TextEncoder().encode(value.text);
  if ("bytes" in value) return value.bytes;
  if ("i32s" in value) return new Uint8Array(Int32Array.from(value.i32s).buffer);
  if ("f32s" in value) return new Uint8Array(Float32Array.from(value.f32s).buffer);
  if ("u16s" in value) return new Uint8Array(Uint16Array.from(value.u16s).buffer);
  if ("i64s" in value) return new Uint8Array(BigInt64Array.from(value.i64s, BigInt).buffer);
  return new Uint8Array(0);
}

/** A whole file with this root table and identifier. */
export function flatFile(root: FlatFields, identifier = "TFL3"): Uint8Array {
  const w: Writer = { bytes: [0, 0, 0, 0, ...new TextEncoder().encode(identifier)] };
  const at = writeTable(w, root);
  u32(w, 0, at);
  return Uint8Array.from(w.bytes);
}

const typeCodes = {
  float32: 0,
  float16: 1,
  int32: 2,
  uint8: 3,
  int64: 4,
  string: 5,
  bool: 6,
  int16: 7,
  int8: 9,
} as const;

export interface TensorSpec {
  readonly name: string;
  readonly shape: readonly number[];
  readonly type: keyof typeof typeCodes;
  readonly signature?: readonly number[];
  readonly data?: {
    readonly buffer: ArrayBufferLike;
    readonly byteOffset: number;
    readonly byteLength: number;
  };
  readonly scale?: readonly number[];
  readonly zero?: readonly number[];
  readonly axis?: number;
  readonly sparsity?: FlatFields;
}

export interface OperatorSpec {
  /** Number of the builtin operator, or the name of a custom one. */
  readonly code: number | string;
  readonly inputs: readonly number[];
  readonly outputs: readonly number[];
  readonly options?: FlatFields;
  readonly custom?: Uint8Array;
}

export interface GraphSpec {
  readonly tensors: readonly TensorSpec[];
  readonly inputs: readonly number[];
  readonly outputs: readonly number[];
  readonly operators: readonly OperatorSpec[];
}

/** A TFLite file of these graphs, the first of which is the model. */
export function tfliteFile(...graphs: readonly GraphSpec[]): Uint8Array {
  const buffers: FlatFields[] = [[]];
  const codes: (number | string)[] = [];
  const codeOf = (code: number | string): number => {
    const found = codes.indexOf(code);
    return found >= 0 ? found : codes.push(code) - 1;
  };
  const tensor = (spec: TensorSpec): FlatFields => {
    const buffer =
      spec.data === undefined
        ? 0
        : buffers.push([
            { bytes: new Uint8Array(spec.data.buffer, spec.data.byteOffset, spec.data.byteLength) },
          ]) - 1;
    const quant: FlatFields | null =
      spec.scale === undefined
        ? null
        : [
            null,
            null,
            { f32s: spec.scale },
            { i64s: spec.zero ?? spec.scale.map(() => 0) },
            null,
            null,
            { i32: spec.axis ?? 0 },
          ];
    return [
      { i32s: spec.shape },
      { i8: typeCodes[spec.type] },
      { i32: buffer },
      { text: spec.name },
      quant === null ? null : { table: quant },
      null,
      spec.sparsity === undefined ? null : { table: spec.sparsity },
      spec.signature === undefined ? null : { i32s: spec.signature },
    ];
  };
  const operator = (spec: OperatorSpec): FlatFields => [
    { i32: codeOf(spec.code) },
    { i32s: spec.inputs },
    { i32s: spec.outputs },
    spec.options === undefined ? null : { i8: 1 },
    spec.options === undefined ? null : { table: spec.options },
    spec.custom === undefined ? null : { bytes: spec.custom },
  ];
  const subgraphs = graphs.map((graph): FlatFields => [
    { tables: graph.tensors.map(tensor) },
    { i32s: graph.inputs },
    { i32s: graph.outputs },
    { tables: graph.operators.map(operator) },
    { text: "main" },
  ]);
  const operatorCodes = codes.map((code): FlatFields =>
    typeof code === "string"
      ? [{ i8: 32 }, { text: code }, null, { i32: 32 }]
      : [{ i8: Math.min(code, 127) }, null, null, { i32: code }],
  );
  return flatFile([
    { i32: 3 },
    { tables: operatorCodes },
    { tables: subgraphs },
    { text: "written by a test" },
    { tables: buffers },
  ]);
}

const flexTypes = { int: 1, float: 3, bool: 26 } as const;

/**
 * Options of a custom operator as a FlexBuffers map, every value in four bytes; whole numbers are ints unless
 * said in `floats`.
 */
export function flexMap(
  values: Readonly<Record<string, number | boolean>>,
  floats: readonly string[] = [],
): Uint8Array {
  const w: Writer = { bytes: [] };
  const names = Object.keys(values).sort((a, b) => (a < b ? -1 : 1));
  const texts = names.map((name) => {
    const at = w.bytes.length;
    w.bytes.push(...new TextEncoder().encode(name), 0);
    return at;
  });
  align(w, 4);
  const word = (value: number): void => {
    w.bytes.push(0, 0, 0, 0);
    u32(w, w.bytes.length - 4, value);
  };
  word(names.length);
  const keys = w.bytes.length;
  texts.forEach((at) => word(w.bytes.length - at));
  word(w.bytes.length - keys);
  word(4);
  word(names.length);
  const map = w.bytes.length;
  const kinds = names.map((name) =>
    typeof values[name] === "boolean"
      ? "bool"
      : floats.includes(name) || !Number.isInteger(values[name])
        ? "float"
        : "int",
  );
  names.forEach((name, i) => {
    word(0);
    const at = w.bytes.length - 4;
    put(w, at, 4, (view) =>
      kinds[i] === "float"
        ? view.setFloat32(0, Number(values[name]), true)
        : view.setInt32(0, Number(values[name]), true),
    );
  });
  for (const kind of kinds) w.bytes.push((flexTypes[kind] << 2) | 2);
  align(w, 4);
  word(w.bytes.length - map);
  w.bytes.push((9 << 2) | 2, 4);
  return Uint8Array.from(w.bytes);
}
