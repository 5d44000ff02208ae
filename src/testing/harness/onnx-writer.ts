// Writes small ONNX files for tests, so that they need neither Python nor files. Format: onnx/onnx.proto
import { byteSize, type DType } from "../../compiler/ir/dtype.ts";
import { tensorBytes, type TensorData } from "../../compiler/ir/tensor-data.ts";

/** Symbolic dimensions are names; null is a dimension without one. */
export type FileDim = number | string | null;

export interface FileTensor {
  readonly dtype: DType;
  readonly shape: readonly FileDim[];
}

export type FileAttr =
  | number
  | string
  | readonly number[]
  | readonly string[]
  | TensorData
  | FileSparse
  | FileGraph
  | { readonly float: number }
  | { readonly floats: readonly number[] }
  | { readonly ref: string };

export interface FileOp {
  readonly op: string;
  readonly in: readonly string[];
  readonly out: readonly string[];
  readonly name?: string;
  readonly domain?: string;
  readonly attrs?: Readonly<Record<string, FileAttr>>;
}

export interface FileGraph {
  readonly inputs: Readonly<Record<string, FileTensor>>;
  readonly outputs: readonly string[];
  readonly nodes: readonly FileOp[];
  readonly initializers?: Readonly<Record<string, TensorData>>;
  readonly sparse?: Readonly<Record<string, FileSparse>>;
}

/** A constant given as values and where they stand. */
export interface FileSparse {
  readonly values: TensorData;
  readonly indices: TensorData;
  readonly shape: readonly number[];
}

export interface FileFunction {
  readonly name: string;
  readonly domain: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes?: readonly string[];
  readonly nodes: readonly FileOp[];
}

export interface OnnxFile extends FileGraph {
  readonly opset?: number;
  readonly domains?: Readonly<Record<string, number>>;
  readonly producer?: string;
  readonly functions?: readonly FileFunction[];
  /** Names of initializers whose values go to another file. */
  readonly external?: Readonly<Record<string, { readonly location: string; readonly offset: number }>>;
}

const elementNumbers: Readonly<Record<string, number>> = {
  float32: 1,
  uint8: 2,
  int8: 3,
  uint16: 4,
  int16: 5,
  int32: 6,
  int64: 7,
  bool: 9,
  float16: 10,
  float64: 11,
  uint32: 12,
  uint64: 13,
  bfloat16: 16,
};

type Bytes = readonly number[];

function varint(value: number | bigint): Bytes {
  let rest = BigInt.asUintN(64, BigInt(value));
  const out: number[] = [];
  while (rest >= 0x80n) {
    out.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  return [...out, Number(rest)];
}

const number = (id: number, value: number | bigint): Bytes => [...varint(id * 8), ...varint(value)];
const chunk = (id: number, bytes: Bytes): Bytes => [...varint(id * 8 + 2), ...varint(bytes.length), ...bytes];
const text = (id: number, value: string): Bytes => chunk(id, [...new TextEncoder().encode(value)]);
const float = (id: number, value: number): Bytes => [
  ...varint(id * 8 + 5),
  ...new Uint8Array(new Float32Array([value]).buffer),
];

export function tensorProto(
  name: string,
  value: TensorData,
  external?: { readonly location: string; readonly offset: number },
): Bytes {
  const head = [
    ...value.shape.flatMap((dim) => number(1, dim)),
    ...number(2, elementNumbers[value.dtype.name]!),
    ...text(8, name),
  ];
  if (external === undefined) return [...head, ...chunk(9, [...tensorBytes(value)])];
  const size = value.data.length * byteSize(value.dtype);
  const entries = [
    ["location", external.location],
    ["offset", String(external.offset)],
    ["length", String(size)],
  ] as const;
  return [
    ...head,
    ...entries.flatMap(([key, entry]) => chunk(13, [...text(1, key), ...text(2, entry)])),
    ...number(14, 1),
  ];
}

function valueInfo(name: string, type: FileTensor | null): Bytes {
  if (type === null) return text(1, name);
  const dims = type.shape.flatMap((dim) =>
    chunk(1, typeof dim === "number" ? number(1, dim) : dim === null ? [] : text(2, dim)),
  );
  const tensor = [...number(1, elementNumbers[type.dtype.name]!), ...chunk(2, dims)];
  return [...text(1, name), ...chunk(2, chunk(1, tensor))];
}

function attribute(name: string, value: FileAttr): Bytes {
  const head = text(1, name);
  if (typeof value === "number")
    return [
      ...head,
      ...(Number.isInteger(value)
        ? [...number(3, value), ...number(20, 2)]
        : [...float(2, value), ...number(20, 1)]),
    ];
  if (typeof value === "string") return [...head, ...text(4, value), ...number(20, 3)];
  if ("float" in value) return [...head, ...float(2, value.float), ...number(20, 1)];
  if ("floats" in value) return [...head, ...value.floats.flatMap((v) => float(7, v)), ...number(20, 6)];
  if ("ref" in value) return [...head, ...text(21, value.ref), ...number(20, 2)];
  if ("indices" in value) return [...head, ...chunk(22, sparseProto(name, value)), ...number(20, 11)];
  if ("dtype" in value) return [...head, ...chunk(5, tensorProto("", value)), ...number(20, 4)];
  if ("nodes" in value) return [...head, ...chunk(6, graphProto(value, name)), ...number(20, 5)];
  const list: readonly (number | string)[] = value;
  if (list.some((v) => typeof v === "string"))
    return [...head, ...list.flatMap((v) => text(9, String(v))), ...number(20, 8)];
  return [...head, ...list.flatMap((v) => number(8, Number(v))), ...number(20, 7)];
}

function nodeProto(node: FileOp): Bytes {
  return [
    ...node.in.flatMap((name) => text(1, name)),
    ...node.out.flatMap((name) => text(2, name)),
    ...text(3, node.name ?? ""),
    ...text(4, node.op),
    ...Object.entries(node.attrs ?? {}).flatMap(([name, value]) => chunk(5, attribute(name, value))),
    ...text(7, node.domain ?? ""),
  ];
}

const sparseProto = (name: string, { values, indices, shape }: FileSparse): Bytes => [
  ...chunk(1, tensorProto(name, values)),
  ...chunk(2, tensorProto(`${name}_at`, indices)),
  ...shape.flatMap((dim) => number(3, dim)),
];

function graphProto(graph: FileGraph, name: string, external: OnnxFile["external"] = {}): Bytes {
  return [
    ...graph.nodes.flatMap((node) => chunk(1, nodeProto(node))),
    ...text(2, name),
    ...Object.entries(graph.initializers ?? {}).flatMap(([key, value]) =>
      chunk(5, tensorProto(key, value, external[key])),
    ),
    ...Object.entries(graph.inputs).flatMap(([key, type]) => chunk(11, valueInfo(key, type))),
    ...graph.outputs.flatMap((key) => chunk(12, valueInfo(key, null))),
    ...Object.entries(graph.sparse ?? {}).flatMap(([key, value]) => chunk(15, sparseProto(key, value))),
  ];
}

/** The bytes of a ModelProto. Outputs have no types: readers find them. */
export function writeOnnx(file: OnnxFile): Uint8Array {
  const domains = { "": file.opset ?? 13, ...file.domains };
  return Uint8Array.from([
    ...number(1, 8),
    ...text(2, file.producer ?? "relayscope tests"),
    ...chunk(7, graphProto(file, "graph", file.external)),
    ...Object.entries(domains).flatMap(([domain, version]) =>
      chunk(8, [...text(1, domain), ...number(2, version)]),
    ),
    ...(file.functions ?? []).flatMap((func) => chunk(25, functionProto(func, domains))),
  ]);
}

function functionProto(func: FileFunction, domains: Readonly<Record<string, number>>): Bytes {
  return [
    ...text(1, func.name),
    ...func.inputs.flatMap((name) => text(4, name)),
    ...func.outputs.flatMap((name) => text(5, name)),
    ...(func.attributes ?? []).flatMap((name) => text(6, name)),
    ...func.nodes.flatMap((node) => chunk(7, nodeProto(node))),
    ...Object.entries(domains).flatMap(([domain, version]) =>
      chunk(9, [...text(1, domain), ...number(2, version)]),
    ),
    ...text(10, func.domain),
  ];
}
