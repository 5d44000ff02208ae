// Links that carry the whole state in the fragment: "#1;c=0.1.0;o=2;v=diff.c;n=490;k=Zx3a;z=<payload>;e".
// Format 1: sorted keys, only what is not default, payload last, ";e" at the end because linkifiers drop
// trailing punctuation. Only letters, digits and - _ . ~ = ; : occur. Decoders stay for ever; encoders may
// change.
import { mostLinkBytes } from "../../compiler/limits.ts";
import { at, get } from "../../support/assert.ts";
import { deflateSync, Inflate, strFromU8, strToU8 } from "fflate";
import { defaultOptions, stageIds, type Options, type TargetSpec } from "../../compiler/options.ts";
import { fnv1aText } from "../../support/hash.ts";
import { dictionary1 } from "./link-dictionary.ts";
import type { Entity, EntityKind } from "./selection.ts";
import { tabsA, tabsB, type LayoutState, type PlannerId } from "./state.ts";

export interface LinkState {
  readonly source: { readonly text: string; readonly name: string; readonly exampleId: string | null };
  /**
   * The model file that the text was imported from; its weights are not in the text. null for a text of its
   * own.
   */
  readonly imported: string | null;
  readonly options: Options;
  readonly view: LinkView;
  readonly pinned: Entity | null;
}

/** What of the layout a link carries: no sizes, no scroll. */
type LinkView = Pick<LayoutState, "tabA" | "tabB" | "planner" | "stage" | "diffBefore" | "diffAfter">;

export type DecodedLink =
  | { readonly status: "none" }
  /** `note`: what the reader should be told (damaged, made by a newer page), null if all is well. */
  | { readonly status: "read"; readonly state: LinkState; readonly note: string | null }
  | { readonly status: "unreadable"; readonly note: string };

export const plainView: LinkView = {
  tabA: "graph",
  tabB: "c",
  planner: "storage-rewrite",
  stage: "fuse",
  diffBefore: null,
  diffAfter: null,
};

// --- characters ---

/** UTF-8 bytes outside letters, digits, "-", "_", ".", ":" become "~" and two hex digits. */
export function escapeText(text: string): string {
  let out = "";
  for (const byte of strToU8(text)) {
    const char = String.fromCharCode(byte);
    out += /[A-Za-z0-9_.:-]/.test(char) ? char : `~${byte.toString(16).padStart(2, "0")}`;
  }
  return out;
}

export function unescapeText(text: string): string {
  const bytes: number[] = [];
  for (let i = 0; i < text.length; i++) {
    const char = text.charAt(i);
    const hex = char === "~" ? text.slice(i + 1, i + 3) : "";
    if (/^[\da-f]{2}$/.test(hex)) {
      bytes.push(parseInt(hex, 16));
      i += 2;
    } else bytes.push(...strToU8(char));
  }
  return strFromU8(Uint8Array.from(bytes));
}

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const digitOf = new Map(Array.from(digits, (char, index) => [char, index] as const));

export function toBase64url(bytes: Uint8Array): string {
  let out = "";
  for (let i = 0; i < bytes.length; i += 3) {
    const word = (at(bytes, i, "byte") << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    const count = Math.min(3, bytes.length - i) + 1;
    for (let k = 0; k < count; k++) out += digits.charAt((word >> (18 - 6 * k)) & 63);
  }
  return out;
}

/** Stops at the first character that is not base64url; an incomplete last group gives its whole bytes. */
export function fromBase64url(text: string): Uint8Array {
  const bytes: number[] = [];
  let word = 0;
  let bits = 0;
  for (const char of text) {
    const value = digitOf.get(char);
    if (value === undefined) break;
    word = ((word << 6) | value) & 0xffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes.push((word >> bits) & 255);
    }
  }
  return Uint8Array.from(bytes);
}

/** Four characters over the payload. */
function checksum(payload: string): string {
  const hash = fnv1aText(payload);
  return toBase64url(Uint8Array.of((hash >>> 24) ^ hash, hash >>> 16, hash >>> 8)).slice(0, 4);
}

// --- payload ---

type Codec = "t" | "z" | "d1";

function dictionaryOf(codec: "z" | "d1"): { dictionary?: Uint8Array } {
  return codec === "d1" ? { dictionary: strToU8(dictionary1) } : {};
}

function encodeText(text: string): readonly [Codec, string] {
  const bytes = strToU8(text);
  const candidates: (readonly [Codec, string])[] = (["z", "d1"] as const).map((codec) => [
    codec,
    toBase64url(deflateSync(bytes, { level: 9, ...dictionaryOf(codec) })),
  ]);
  if (text.length <= 200) candidates.push(["t", escapeText(text)]);
  return candidates.reduce((best, next) => (next[1].length < best[1].length ? next : best));
}

interface Inflated {
  readonly text: string;
  readonly complete: boolean;
  readonly overLimit: boolean;
}

/**
 * Inflates as far as the bytes reach, in pieces, so that neither a cut nor a bomb throws away what can be
 * read.
 */
function inflate(codec: "z" | "d1", bytes: Uint8Array): Inflated {
  const chunks: Uint8Array[] = [];
  let size = 0;
  let complete = true;
  const stream = new Inflate(dictionaryOf(codec), (chunk) => {
    size += chunk.length;
    chunks.push(chunk);
  });
  try {
    for (let at = 0; at < bytes.length && size <= mostLinkBytes; at += 512)
      stream.push(bytes.subarray(at, at + 512), at + 512 >= bytes.length);
  } catch {
    // fflate throws on a stream that ends early or makes no sense; what came before stands.
    complete = false;
  }
  const all = new Uint8Array(Math.min(size, mostLinkBytes));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk.subarray(0, Math.max(0, all.length - at)), Math.min(at, all.length));
    at += chunk.length;
  }
  return { text: strFromU8(all).replace(/\uFFFD+$/, ""), complete, overLimit: size > mostLinkBytes };
}

// --- fields ---

function targetsText(targets: readonly TargetSpec[]): string {
  return targets.map(({ device, kind }) => `${device}.${kind}`).join("_");
}

function listText(items: readonly string[]): string {
  return items.map((item) => strict(item)).join("_");
}

const optLevels = [0, 1, 2, 3, 4] as const;

/** Options as fields, by key; a field is written only where its text differs from that of the default. */
const fields: Readonly<
  Record<string, { write(options: Options): string; read(text: string, options: Options): Options }>
> = {
  o: {
    write: (options) => String(options.optLevel),
    read: (text, options) => ({
      ...options,
      optLevel: optLevels.find((level) => String(level) === text) ?? options.optLevel,
    }),
  },
  x: {
    write: (options) => options.executor,
    read: (text, options) => (text === "aot" || text === "graph" ? { ...options, executor: text } : options),
  },
  tg: {
    write: (options) => targetsText(options.targets),
    read: (text, options) => ({ ...options, targets: readTargets(text, options.targets) }),
  },
  dp: {
    write: (options) => listText(options.disabledPasses),
    read: (text, options) => ({ ...options, disabledPasses: readList(text) }),
  },
  rp: {
    write: (options) => listText(options.requiredPasses),
    read: (text, options) => ({ ...options, requiredPasses: readList(text) }),
  },
  cf: {
    write: (options) => pairsText(options.config),
    read: (text, options) => ({ ...options, config: Object.fromEntries(readPairs(text)) }),
  },
  u: {
    write: (options) => (options.unpackedApi ? "1" : "0"),
    read: (text, options) => ({ ...options, unpackedApi: text === "1" }),
  },
  i: {
    write: (options) => options.interfaceApi,
    read: (text, options) =>
      text === "packed" || text === "c" ? { ...options, interfaceApi: text } : options,
  },
  l: {
    write: (options) => (options.linkParams ? "1" : "0"),
    read: (text, options) => ({ ...options, linkParams: text === "1" }),
  },
  m: {
    write: (options) => escapeText(options.modName),
    read: (text, options) => ({ ...options, modName: unescapeText(text) }),
  },
  sh: {
    write: (options) => numbersText(options.shapes, "x"),
    read: (text, options) => ({ ...options, shapes: readNumbers(text, "x") }),
  },
  b: {
    write: (options) => listText(options.bindFill),
    read: (text, options) => ({ ...options, bindFill: readList(text) }),
  },
  bv: {
    write: (options) => numbersText(options.bindValues, ","),
    read: (text, options) => ({ ...options, bindValues: readNumbers(text, ",") }),
  },
  pt: {
    write: (options) => listText(options.partition),
    read: (text, options) => ({ ...options, partition: readList(text) }),
  },
  tr: {
    write: (options) => (options.tfliteRounding ? "1" : "0"),
    read: (text, options) => ({ ...options, tfliteRounding: text === "1" }),
  },
};

/** Lists of numbers by name, `between` between the numbers. */
type NumberLists = Readonly<Record<string, readonly number[]>>;

function numbersText(lists: NumberLists, between: string): string {
  return pairsText(
    Object.fromEntries(Object.entries(lists).map(([name, numbers]) => [name, numbers.join(between)])),
  );
}

function readNumbers(text: string, between: string): NumberLists {
  return Object.fromEntries(
    readPairs(text).map(([name, list]) => [name, list === "" ? [] : list.split(between).map(Number)]),
  );
}

/** "a:b_c:d": names and values are escaped, so neither holds "_" or ":" of its own unless escaped twice. */
function pairsText(record: Readonly<Record<string, string>>): string {
  return Object.entries(record)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([key, value]) => `${strict(key)}:${strict(value)}`)
    .join("_");
}

function strict(text: string): string {
  return escapeText(text).replaceAll("_", "~5f").replaceAll(":", "~3a");
}

function readPairs(text: string): [string, string][] {
  return text === ""
    ? []
    : text.split("_").map((pair): [string, string] => {
        const colon = pair.indexOf(":");
        return [unescapeText(pair.slice(0, colon)), unescapeText(pair.slice(colon + 1))];
      });
}

function readList(text: string): string[] {
  return text === "" ? [] : text.split("_").map(unescapeText);
}

const targetKinds = ["c", "wasm", "opencl"] as const;

function readTargets(text: string, otherwise: readonly TargetSpec[]): readonly TargetSpec[] {
  const targets = text.split("_").flatMap((part): TargetSpec[] => {
    const found = /^(\d+)\.(c|wasm|opencl)$/.exec(part);
    const kind = targetKinds.find((name) => name === found?.[2]);
    return found && kind ? [{ device: Number(found[1]), kind }] : [];
  });
  return targets.length > 0 ? targets : otherwise;
}

const plannerIds: readonly PlannerId[] = [
  "on-demand",
  "storage-rewrite",
  "graph-plan",
  "greedy",
  "hill-climb",
  "lower-bound",
];
const entityKinds: readonly EntityKind[] = ["source", "primitive", "call", "sid"];

function oneOf<T extends string>(text: string | undefined, known: readonly T[], otherwise: T): T {
  return known.find((item) => item === text) ?? otherwise;
}

function stepText(step: number | null): string {
  return step === null ? "" : String(step);
}

function readStep(text: string | undefined): number | null {
  return text !== undefined && /^-?\d{1,5}$/.test(text) ? Number(text) : null;
}

// --- links ---

/** The fragment, with "#". The same state gives the same string. */
export function encodeLink(state: LinkState, version: string): string {
  const { source, imported, options, view, pinned } = state;
  const parts = new Map<string, string>([["c", escapeText(version)]]);
  for (const [key, field] of Object.entries(fields)) {
    const text = field.write(options);
    if (text !== field.write(defaultOptions)) parts.set(key, text);
  }
  if (view.planner !== plainView.planner) parts.set("p", view.planner);
  if (view.tabA !== plainView.tabA || view.tabB !== plainView.tabB)
    parts.set("v", `${view.tabA}.${view.tabB}`);
  if (view.stage !== plainView.stage) parts.set("g", view.stage);
  if (view.diffBefore !== null || view.diffAfter !== null)
    parts.set("df", `${stepText(view.diffBefore)}.${stepText(view.diffAfter)}`);
  if (imported !== null) parts.set("im", escapeText(imported));
  if (pinned !== null) parts.set("s", `${pinned.kind}${pinned.id}`);
  let payload = "";
  if (source.exampleId !== null) parts.set("ex", escapeText(source.exampleId));
  else {
    const [codec, text] = encodeText(source.text);
    if (source.name !== "untitled") parts.set("w", escapeText(source.name));
    parts.set("n", String(text.length));
    parts.set("k", checksum(text));
    payload = `${codec}=${text};`;
  }
  const head = [...parts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${value};`)
    .join("");
  return `#1;${head}${payload}e`;
}

/** Reads a fragment. `example` gives the text of a bundled example. Never throws, whatever the text is. */
export function decodeLink(
  fragment: string,
  example: (id: string) => { text: string; name: string } | undefined,
): DecodedLink {
  const text = fragment.startsWith("#") ? fragment.slice(1) : fragment;
  const format = /^(\d+);/.exec(text)?.[1];
  if (format === undefined) return { status: "none" };
  if (format !== "1")
    return {
      status: "unreadable",
      note: `This link has format ${format}; this page reads format 1. It was made by a newer version.`,
    };
  const parts = text.slice(2).split(";");
  const values = new Map<string, string>();
  for (const part of parts) {
    const equals = part.indexOf("=");
    if (equals > 0) values.set(part.slice(0, equals), part.slice(equals + 1));
  }
  const options = Object.entries(fields).reduce((sum, [key, field]) => {
    const value = values.get(key);
    return value === undefined ? sum : field.read(value, sum);
  }, defaultOptions);
  const source = readSource(values, example, parts[parts.length - 1] === "e");
  if (source === null)
    return {
      status: "unreadable",
      note: "This link arrived without its model: the part after the options is missing.",
    };
  // Nothing came through: what is on screen is worth more.
  if (source.note !== null && source.source.text === "") return { status: "unreadable", note: source.note };
  const im = values.get("im");
  const imported = im === undefined ? null : unescapeText(im);
  const state: LinkState = {
    source: source.source,
    imported,
    options,
    view: readView(values),
    pinned: readEntity(values.get("s")),
  };
  return {
    status: "read",
    state,
    note: [source.note, seededNote(imported)].filter((note) => note !== null).join(" ") || null,
  };
}

function readView(values: ReadonlyMap<string, string>): LinkView {
  const [tabA, tabB] = (values.get("v") ?? "").split(".");
  const [before, after] = (values.get("df") ?? "").split(".");
  return {
    tabA: oneOf(tabA, tabsA, plainView.tabA),
    tabB: oneOf(tabB, tabsB, plainView.tabB),
    planner: oneOf(values.get("p"), plannerIds, plainView.planner),
    stage: oneOf(values.get("g"), stageIds, plainView.stage),
    diffBefore: readStep(before),
    diffAfter: readStep(after),
  };
}

function readEntity(text: string | undefined): Entity | null {
  const found = /^([a-z]+)(\d{1,9})$/.exec(text ?? "");
  const kind = entityKinds.find((name) => name === found?.[1]);
  return found && kind ? { kind, id: Number(found[2]) } : null;
}

function readSource(
  values: ReadonlyMap<string, string>,
  example: (id: string) => { text: string; name: string } | undefined,
  ended: boolean,
): { source: LinkState["source"]; note: string | null } | null {
  const exampleId = values.get("ex");
  if (exampleId !== undefined) {
    const found = example(unescapeText(exampleId));
    return found === undefined
      ? null
      : { source: { text: found.text, name: found.name, exampleId: unescapeText(exampleId) }, note: null };
  }
  const codec = (["d1", "z", "t"] as const).find((name) => values.has(name));
  if (codec === undefined) return null;
  const payload = get(values, codec, "text of the link");
  const read: Inflated =
    codec === "t"
      ? { text: unescapeText(payload), complete: true, overLimit: false }
      : inflate(codec, fromBase64url(payload));
  const wanted = Number(values.get("n"));
  const name = values.get("w");
  const source = {
    text: read.text,
    name: name === undefined ? "untitled" : unescapeText(name),
    exampleId: null,
  };
  return { source, note: damage(payload, wanted, values.get("k"), read, ended) };
}

/** What a link to an imported model cannot carry. */
function seededNote(imported: string | null): string | null {
  return imported === null
    ? null
    : `This text was imported from ${imported}. A link cannot carry its weights: the values here are made from seeds, so results differ from the file's.`;
}

function damage(
  payload: string,
  wanted: number,
  sum: string | undefined,
  read: Inflated,
  ended: boolean,
): string | null {
  const lines = read.text === "" ? 0 : read.text.split("\n").length;
  const rest =
    lines === 0
      ? "Nothing of it can be read."
      : lines === 1
        ? "The first line could be read and is below."
        : `The first ${lines} lines could be read and are below.`;
  if (read.overLimit)
    return `The model in this link is larger than ${mostLinkBytes / 1e6} MB; it was cut off there. Send its .repro.zip instead.`;
  if (Number.isFinite(wanted) && payload.length < wanted)
    return `This link is damaged: ${payload.length.toLocaleString("en")} of ${wanted.toLocaleString("en")} characters arrived. ${rest}`;
  if (sum !== undefined && sum !== checksum(payload))
    return `This link is damaged: its characters changed on the way. ${rest}`;
  // Length and sum agree: whatever a chat put behind the link is not part of it.
  if (read.complete && sum !== undefined && payload.length === wanted) return null;
  if (!read.complete || !ended || !Number.isFinite(wanted) || sum === undefined || payload.length > wanted)
    return `This link is damaged: its end is missing or changed. ${rest}`;
  return null;
}

type LinkSize = "short" | "long" | "bundle";

/** Up to 8,000 characters pass nearly everywhere, up to 32,000 in address bars; above, send the file. */
export function linkSize(length: number): LinkSize {
  return length <= 8000 ? "short" : length <= 32_000 ? "long" : "bundle";
}
