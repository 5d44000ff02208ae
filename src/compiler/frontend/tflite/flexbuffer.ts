// A map of numbers in FlexBuffers form, which options of custom operators are written in: values of one width
// each, behind them their types, in front of them their number and where the keys stand.
// TVM: python/tvm/relay/frontend/tflite_flexbuffer.py

export type FlexValue = number | boolean;

const types = {
  int: 1,
  uint: 2,
  float: 3,
  indirectInt: 6,
  indirectUint: 7,
  indirectFloat: 8,
  map: 9,
  bool: 26,
} as const;

/**
 * Numbers and booleans of the map; other values are left out. A text that says what is wrong with the bytes.
 */
export function readFlexMap(bytes: Uint8Array): ReadonlyMap<string, FlexValue> | string {
  const r: Reader = { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength) };
  try {
    const width = bytes.at(-1) ?? 0;
    const type = bytes.at(-2) ?? 0;
    if (type >> 2 !== types.map) return "the options are no map";
    return mapAt(r, indirect(r, bytes.length - 2 - width, width), 1 << (type & 3));
  } catch (error) {
    if (error instanceof RangeError) return "the options end too early";
    throw error;
  }
}

interface Reader {
  readonly bytes: Uint8Array;
  readonly view: DataView;
}

function unsigned({ view }: Reader, at: number, width: number): number {
  if (width === 1) return view.getUint8(at);
  if (width === 2) return view.getUint16(at, true);
  return width === 4 ? view.getUint32(at, true) : Number(view.getBigUint64(at, true));
}

function signed({ view }: Reader, at: number, width: number): number {
  if (width === 1) return view.getInt8(at);
  if (width === 2) return view.getInt16(at, true);
  return width === 4 ? view.getInt32(at, true) : Number(view.getBigInt64(at, true));
}

/** 16-bit floats stand in no options. */
function real({ view }: Reader, at: number, width: number): number {
  return width === 4 ? view.getFloat32(at, true) : view.getFloat64(at, true);
}

/** Where the offset at `at`, which counts back, leads. */
function indirect(r: Reader, at: number, width: number): number {
  return at - unsigned(r, at, width);
}

function mapAt(r: Reader, at: number, width: number): ReadonlyMap<string, FlexValue> {
  const count = unsigned(r, at - width, width);
  const keyWidth = unsigned(r, at - 2 * width, width);
  const keys = indirect(r, at - 3 * width, width);
  const found = new Map<string, FlexValue>();
  for (let i = 0; i < count; i++) {
    const key = textAt(r, indirect(r, keys + i * keyWidth, keyWidth));
    const value = valueAt(r, at + i * width, width, r.view.getUint8(at + count * width + i));
    if (value !== null) found.set(key, value);
  }
  return found;
}

function textAt({ bytes }: Reader, at: number): string {
  const end = bytes.indexOf(0, at);
  if (at < 0 || end < 0) throw new RangeError("a key without an end");
  return new TextDecoder().decode(bytes.subarray(at, end));
}

function valueAt(r: Reader, at: number, width: number, packed: number): FlexValue | null {
  const inner = 1 << (packed & 3);
  switch (packed >> 2) {
    case types.int:
      return signed(r, at, width);
    case types.uint:
      return unsigned(r, at, width);
    case types.float:
      return real(r, at, width);
    case types.bool:
      return unsigned(r, at, width) !== 0;
    case types.indirectInt:
      return signed(r, indirect(r, at, width), inner);
    case types.indirectUint:
      return unsigned(r, indirect(r, at, width), inner);
    case types.indirectFloat:
      return real(r, indirect(r, at, width), inner);
    default:
      return null;
  }
}
