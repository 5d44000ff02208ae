// The `#[metadata]` section: TVM's JSON of a Map from type key to objects, arrays in base64.
// TVM: src/node/serialization.cc Read lazily: only what the program refers to is decoded.
import type { AttrKind, AttrSchema, AttrValue } from "../../ir/attrs.ts";
import type { TensorData } from "../../ir/tensor-data.ts";
import type { Dim } from "../../ir/type.ts";
import { own } from "../../../support/own.ts";
import { decodeBase64 } from "./base64.ts";
import { decodeNDArray } from "./ndarray.ts";

interface RawNode {
  readonly type_key?: unknown;
  readonly attrs?: Readonly<Record<string, unknown>>;
  readonly keys?: readonly unknown[];
  readonly data?: readonly unknown[];
  readonly repr_str?: unknown;
}

export interface MetadataTable {
  readonly nodes: readonly RawNode[];
  readonly arrays: readonly string[];
  /** Type key -> node numbers, by index in the reference. */
  readonly entries: ReadonlyMap<string, readonly number[]>;
  readonly dims: Map<number, Dim>;
}

const section = /(?:^|\n)[ \t]*#\[\s*metadata\s*\]/;

/** Offset of `#[metadata]` in `text` and of the JSON behind it, or null. */
export function findMetadata(text: string): { readonly start: number; readonly json: number } | null {
  const match = section.exec(text);
  if (match === null) return null;
  const start = text.indexOf("#", match.index);
  return { start, json: match.index + match[0].length };
}

/** The table in `json`, or a sentence that says why it cannot be read. */
export function readMetadata(json: string): MetadataTable | string {
  let root: unknown;
  try {
    root = JSON.parse(json);
  } catch (error) {
    return error instanceof Error ? error.message : "it is not JSON";
  }
  if (!isRecord(root) || !Array.isArray(root["nodes"])) return "it has no list of nodes";
  const nodes = root["nodes"] as readonly RawNode[];
  const arrays = Array.isArray(root["b64ndarrays"]) ? (root["b64ndarrays"] as readonly string[]) : [];
  const top = nodes[Number(root["root"])];
  if (!isRecord(top) || !Array.isArray(top["keys"]) || !Array.isArray(top["data"]))
    return "its root is not a map";
  const entries = new Map<string, readonly number[]>();
  (top["keys"] as readonly unknown[]).forEach((key, i) => {
    const list = nodes[Number((top["data"] as readonly unknown[])[i])];
    entries.set(
      String(key),
      isRecord(list) && Array.isArray(list["data"]) ? (list["data"] as readonly unknown[]).map(Number) : [],
    );
  });
  return { nodes, arrays, entries, dims: new Map() };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function entry(
  table: MetadataTable,
  key: string,
  index: number,
): { readonly number: number; readonly node: RawNode } | null {
  const number = table.entries.get(key)?.[index];
  const node = number === undefined ? undefined : table.nodes[number];
  return number === undefined || !isRecord(node) ? null : { number, node };
}

/** How many objects of `key` there are. */
export function metadataCount(table: MetadataTable, key: string): number {
  return table.entries.get(key)?.length ?? 0;
}

/**
 * The value of `meta[relay.Constant][index]`, a sentence that says what is wrong with it, or null if there is
 * no such entry.
 */
export function metadataConstant(table: MetadataTable, index: number): TensorData | string | null {
  const found = entry(table, "relay.Constant", index);
  if (found === null) return null;
  const text = table.arrays[Number(found.node.attrs?.["data"])];
  if (typeof text !== "string") return "its array is missing";
  const bytes = decodeBase64(text);
  return bytes === null ? "its array is not base64" : decodeNDArray(bytes);
}

/**
 * A dimension kept in the metadata: a symbolic variable (one object per entry, identity matters) or a number.
 */
export function metadataDim(table: MetadataTable, key: string, index: number): Dim | null {
  const found = entry(table, key, index);
  if (found === null) return null;
  const known = table.dims.get(found.number);
  if (known !== undefined) return known;
  const attrs = found.node.attrs ?? {};
  const dim: Dim | null =
    key === "tir.Any"
      ? { kind: "any" }
      : key === "IntImm"
        ? Number(attrs["value"])
        : key === "tir.Var" || key === "tir.SizeVar"
          ? { kind: "dim-var", name: stringAt(table, attrs["name"]) }
          : null;
  if (dim !== null) table.dims.set(found.number, dim);
  return dim;
}

function stringAt(table: MetadataTable, reference: unknown): string {
  const node = table.nodes[Number(reference)];
  if (isRecord(node) && typeof node["repr_str"] === "string") return node["repr_str"];
  return typeof reference === "string" ? reference : "n";
}

/** DLDeviceType of `meta[VirtualDevice][index]` or `meta[SEScope][index]`, null for anything else. */
export function metadataDevice(table: MetadataTable, key: string, index: number): number | null {
  if (key !== "VirtualDevice" && key !== "SEScope") return null;
  const type = Number(entry(table, key, index)?.node.attrs?.["device_type_int"]);
  return Number.isInteger(type) && type > 0 ? type : null;
}

/** The fields of an attribute record `meta[relay.attrs.…][index]`, or null. */
export function metadataAttrs(
  table: MetadataTable,
  key: string,
  index: number,
  schema: AttrSchema,
): Readonly<Record<string, AttrValue>> | null {
  if (!key.startsWith("relay.attrs.")) return null;
  const found = entry(table, key, index);
  if (found === null) return null;
  return Object.fromEntries(
    Object.entries(found.node.attrs ?? {}).map(([name, value]) => [
      name,
      fieldValue(table, value, own(schema, name)?.kind ?? "any"),
    ]),
  );
}

/** Plain fields are written out, objects are the number of a node as text: only the schema tells which. */
function fieldValue(table: MetadataTable, value: unknown, kind: AttrKind): AttrValue {
  const text = String(value);
  if (kind === "int" || kind === "float") return Number(text);
  if (kind === "bool") return text !== "0";
  if (kind === "dtype") return text === "" ? null : text;
  const node = /^\d+$/.test(text) ? table.nodes[Number(text)] : undefined;
  if (kind === "string" && (!isRecord(node) || typeof node["repr_str"] !== "string")) return text;
  return isRecord(node) ? nodeValue(table, node, 0) : null;
}

function nodeValue(table: MetadataTable, node: RawNode, depth: number): AttrValue {
  switch (node.type_key) {
    case "IntImm":
      return node.attrs?.["dtype"] === "bool"
        ? Number(node.attrs["value"]) !== 0
        : Number(node.attrs?.["value"]);
    case "FloatImm":
      return Number(node.attrs?.["value"]);
    case "runtime.String":
    case "StringImm":
      return String(node.repr_str ?? node.attrs?.["value"] ?? "");
    case "Array":
      return depth > 8
        ? null
        : (node.data ?? []).map((item) => nodeValue(table, table.nodes[Number(item)] ?? {}, depth + 1));
    default:
      return null;
  }
}
