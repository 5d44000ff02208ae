// Writes small ONNX models for the peer's side of the benches: protobuf by hand, float32 only.  Format:
// onnx.proto (IR version 8).
import { pushUnsigned } from "../../support/leb128.ts";

export interface OnnxNode {
  readonly op: string;
  readonly inputs: readonly string[];
  readonly output: string;
  readonly attrs?: Readonly<Record<string, number | readonly number[]>>;
}

export interface OnnxGraph {
  readonly inputs: readonly { readonly name: string; readonly shape: readonly number[] }[];
  readonly constants: readonly {
    readonly name: string;
    readonly shape: readonly number[];
    readonly data: Float32Array;
  }[];
  readonly nodes: readonly OnnxNode[];
  readonly output: { readonly name: string; readonly shape: readonly number[] };
}

type Bytes = readonly number[] | Uint8Array;

/** A message field: tag, length, content. */
function block(field: number, ...parts: readonly Bytes[]): Uint8Array {
  const size = parts.reduce((n, part) => n + part.length, 0);
  const head: number[] = [];
  pushUnsigned(head, field * 8 + 2);
  pushUnsigned(head, size);
  const out = new Uint8Array(head.length + size);
  out.set(head);
  let at = head.length;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

function varint(field: number, value: number): readonly number[] {
  const out: number[] = [];
  pushUnsigned(out, field * 8);
  pushUnsigned(out, value);
  return out;
}

function text(field: number, value: string): Uint8Array {
  return block(field, new TextEncoder().encode(value));
}

const floatType = 1;
const intsAttribute = 7;
const intAttribute = 2;

function valueInfo(field: number, name: string, shape: readonly number[]): Uint8Array {
  const dims = shape.map((dim) => block(1, varint(1, dim)));
  return block(field, text(1, name), block(2, block(1, varint(1, floatType), block(2, ...dims))));
}

function attribute(name: string, value: number | readonly number[]): Uint8Array {
  if (typeof value === "number") return block(5, text(1, name), varint(3, value), varint(20, intAttribute));
  return block(5, text(1, name), ...value.map((one) => varint(8, one)), varint(20, intsAttribute));
}

export function writeOnnx(graph: OnnxGraph): Uint8Array {
  const nodes = graph.nodes.map((node) =>
    block(
      1,
      ...node.inputs.map((name) => text(1, name)),
      text(2, node.output),
      text(4, node.op),
      ...Object.entries(node.attrs ?? {}).map(([name, value]) => attribute(name, value)),
    ),
  );
  const constants = graph.constants.map(({ name, shape, data }) =>
    block(
      5,
      ...shape.map((dim) => varint(1, dim)),
      varint(2, floatType),
      text(8, name),
      block(9, new Uint8Array(data.buffer, data.byteOffset, data.byteLength)),
    ),
  );
  const body = block(
    7,
    ...nodes,
    text(2, "bench"),
    ...constants,
    ...graph.inputs.map((input) => valueInfo(11, input.name, input.shape)),
    valueInfo(12, graph.output.name, graph.output.shape),
  );
  const parts: Bytes[] = [varint(1, 8), body, block(8, varint(2, 13))];
  return block(0, ...parts).subarray(
    block(0, ...parts).length - parts.reduce((n, part) => n + part.length, 0),
  );
}
