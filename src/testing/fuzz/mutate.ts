// Damage: words of texts, fields of protobufs, bytes, and values of plain data, each by a few changes that
// keep most of it as it was.
import { at } from "../../support/assert.ts";
import type { Random } from "./random.ts";

const spare: readonly string[] = [
  ...[
    "%0",
    "%x",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ";",
    "-1",
    "0",
    "1",
    "7",
    "1099511627776",
    "2147483648",
    "?",
  ],
  ...[
    "int64",
    "bool",
    "uint8",
    "Tensor[(2, 3), float32]",
    "Tensor[(0, 3), float32]",
    "Tensor[(), int32]",
    "if (%c)",
  ],
  ...[
    "let %y = ",
    "add",
    "nn.conv2d",
    "nn.softmax",
    "reshape",
    "concatenate",
    "True",
    "2.5f",
    "axis=",
    "Primitive=1",
  ],
  ...[
    "ref_read(",
    ".0",
    "()",
    "meta[relay.Constant][0]",
    "/*",
    "*/",
    '"',
    "é",
    "\u201c",
    "#[metadata]",
    "None",
    "nan",
  ],
];

function words(text: string): string[] {
  return text.match(/\s+|[A-Za-z_][\w.]*|%[\w./:]+|@\w+|-?\d+(?:\.\d+)?\w*|"[^"]*"|./gs) ?? [];
}

const edgeIntegers = [-3, -1, 0, 1, 2, 3, 5, 16, 255, 1000, 65536, 2 ** 31, 2 ** 32, 2 ** 53];

/** Words dropped, doubled, swapped, replaced; numbers changed; the end cut off. */
export function mutatedText(rng: Random, text: string): string {
  const all = words(text);
  for (let n = 1 + rng.below(3); n > 0 && all.length > 0; n--) {
    const place = rng.below(all.length);
    const numbers = all.flatMap((word, i) => (/^-?\d+$/.test(word) ? [i] : []));
    switch (rng.below(7)) {
      case 0:
        all.splice(place, 1);
        break;
      case 1:
        all.splice(place, 0, ` ${rng.pick(spare)} `);
        break;
      case 2:
        all[place] = rng.pick(spare);
        break;
      case 3:
        all.splice(place, 0, ...all.slice(place, place + rng.below(12)));
        break;
      case 4:
        if (rng.chance(0.25)) all.length = place;
        break;
      case 5: {
        const other = rng.below(all.length);
        [all[place], all[other]] = [at(all, other, "word"), at(all, place, "word")];
        break;
      }
      default:
        if (numbers.length > 0) all[rng.pick(numbers)] = String(rng.pick(edgeIntegers));
    }
  }
  return all.join("");
}

/** Bits flipped, bytes set, parts cut out, the end cut off. */
export function mutatedBytes(rng: Random, bytes: Uint8Array): Uint8Array {
  if (bytes.length === 0) return bytes;
  if (rng.chance(0.1)) return bytes.slice(0, rng.below(bytes.length));
  if (rng.chance(0.1)) {
    const from = rng.below(bytes.length);
    return Uint8Array.from([...bytes.subarray(0, from), ...bytes.subarray(from + 1 + rng.below(16))]);
  }
  const changed = bytes.slice();
  const view = new DataView(changed.buffer);
  for (let n = 1 + rng.below(4); n > 0; n--) {
    const place = rng.below(changed.length);
    const aligned = place - (place % 4);
    if (rng.chance(0.4)) changed[place] = at(changed, place, "byte") ^ (1 << rng.below(8));
    else if (rng.chance(0.4) || aligned + 4 > changed.length)
      changed[place] = rng.pick([0, 1, 127, 128, 255]);
    else view.setUint32(aligned, rng.pick([0, 1, 2, 255, 65535, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1]), true);
  }
  return changed;
}

/** A field of a protobuf message: what its bytes are is guessed from whether they read as a message. */
interface Field {
  readonly id: number;
  readonly value: bigint | Uint8Array | readonly Field[];
  readonly wire: number;
}

function readVarint(bytes: Uint8Array, from: number): readonly [bigint, number] | null {
  let value = 0n;
  for (let i = 0; i < 10 && from + i < bytes.length; i++) {
    const byte = at(bytes, from + i, "byte");
    value |= BigInt(byte & 127) << BigInt(7 * i);
    if (byte < 128) return [value, from + i + 1];
  }
  return null;
}

/** Null for what is no message. */
function readMessage(bytes: Uint8Array, depth: number): readonly Field[] | null {
  const fields: Field[] = [];
  for (let from = 0; from < bytes.length;) {
    const key = readVarint(bytes, from);
    if (key === null) return null;
    const [id, wire] = [Number(key[0] >> 3n), Number(key[0] & 7n)];
    if (id < 1 || id > 40) return null;
    if (wire === 0) {
      const value = readVarint(bytes, key[1]);
      if (value === null) return null;
      fields.push({ id, wire, value: value[0] });
      from = value[1];
    } else if (wire === 5 || wire === 1 || wire === 2) {
      const length = wire === 2 ? readVarint(bytes, key[1]) : ([wire === 5 ? 4n : 8n, key[1]] as const);
      if (length === null || length[1] + Number(length[0]) > bytes.length) return null;
      from = length[1] + Number(length[0]);
      const content = bytes.subarray(length[1], from);
      const inner = wire === 2 && content.length > 1 && depth < 6 ? readMessage(content, depth + 1) : null;
      fields.push({ id, wire, value: inner ?? content });
    } else return null;
  }
  return fields;
}

function varint(value: bigint): number[] {
  const out: number[] = [];
  let rest = BigInt.asUintN(64, value);
  for (; rest >= 128n; rest >>= 7n) out.push(Number(rest & 127n) | 128);
  return [...out, Number(rest)];
}

function writeMessage(fields: readonly Field[]): number[] {
  return fields.flatMap(({ id, wire, value }) => {
    const head = varint(BigInt(id * 8 + wire));
    if (typeof value === "bigint") return [...head, ...varint(value)];
    const bytes = value instanceof Uint8Array ? [...value] : writeMessage(value);
    return wire === 2 ? [...head, ...varint(BigInt(bytes.length)), ...bytes] : [...head, ...bytes];
  });
}

const isList = (value: Field["value"]): value is readonly Field[] => Array.isArray(value);

/** One change somewhere below `fields`. */
function mutatedFields(rng: Random, fields: readonly Field[]): readonly Field[] {
  if (fields.length === 0) return fields;
  const which = rng.below(fields.length);
  const field = at(fields, which, "field");
  const put = (...instead: Field[]): readonly Field[] => [
    ...fields.slice(0, which),
    ...instead,
    ...fields.slice(which + 1),
  ];
  if (isList(field.value) && rng.chance(0.85))
    return put({ ...field, value: mutatedFields(rng, field.value) });
  const choice = rng.below(5);
  if (choice === 0) return put();
  if (choice === 1) return put(field, field);
  if (choice === 2) return put({ ...field, id: 1 + rng.below(30) });
  if (typeof field.value === "bigint") return put({ ...field, value: BigInt(rng.pick(edgeIntegers)) });
  if (isList(field.value)) return put({ ...field, value: [...field.value].reverse() });
  const other = rng.pick(fields).value;
  return put({
    ...field,
    value: rng.chance(0.5) && other instanceof Uint8Array ? other : mutatedBytes(rng, field.value),
  });
}

/** A protobuf with some of its fields changed; what is none is changed by bytes. */
export function mutatedProtobuf(rng: Random, bytes: Uint8Array): Uint8Array {
  const fields = rng.chance(0.15) ? null : readMessage(bytes, 0);
  if (fields === null) return mutatedBytes(rng, bytes);
  let changed = fields;
  for (let n = 1 + rng.below(3); n > 0; n--) changed = mutatedFields(rng, changed);
  return Uint8Array.from(writeMessage(changed));
}

export type Plain =
  | null
  | boolean
  | number
  | string
  | Uint8Array
  | readonly Plain[]
  | { readonly [key: string]: Plain };

const edgePlain: readonly Plain[] = [
  ...[
    null,
    true,
    false,
    0,
    -1,
    1,
    77,
    1.5,
    2 ** 31,
    2 ** 53,
    1e300,
    "",
    "x",
    "constructor",
    "__proto__",
    "c",
  ],
  ...[[], [0], [null], {}, { a: 1 }, { device: -1 }],
];

/** Plain data with one value somewhere in it replaced, left out or doubled. */
export function mutatedPlain(rng: Random, value: Plain): Plain {
  if (value === null || typeof value !== "object" || value instanceof Uint8Array || rng.chance(0.1)) {
    if (typeof value === "number" && rng.chance(0.6))
      return rng.pick([...edgeIntegers, value + 1, -value, value * 2]);
    return value instanceof Uint8Array ? mutatedBytes(rng, value) : rng.pick(edgePlain);
  }
  if (Array.isArray(value)) {
    const list = value as readonly Plain[];
    if (list.length === 0 || rng.chance(0.1)) return [...list, rng.pick(edgePlain)];
    const which = rng.below(list.length);
    if (rng.chance(0.15)) return list.filter((_, i) => i !== which);
    if (rng.chance(0.1)) return [...list, at(list, which, "list")];
    return list.map((item, i) => (i === which ? mutatedPlain(rng, item) : item));
  }
  const entries = Object.entries(value as { readonly [key: string]: Plain });
  if (entries.length === 0) return rng.pick(edgePlain);
  const [name, item] = rng.pick(entries);
  const rest = entries.filter(([key]) => key !== name);
  if (rng.chance(0.08)) return Object.fromEntries(rest);
  if (rng.chance(0.04))
    return Object.fromEntries([...rest, [rng.pick(["constructor", "__proto__", "x"]), item]]);
  return Object.fromEntries(entries.map(([key, old]) => [key, key === name ? mutatedPlain(rng, old) : old]));
}
