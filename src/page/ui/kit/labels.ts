// Words and numbers as panes print them: short operator names, kinds, bytes, shapes, and what fits into how
// many pixels. Pure.
import type { GraphEdgeView, GraphNodeView } from "../../../protocol/views.ts";

/** Advance of a character in px: mono is exact, sans is the mean of lower-case text. */
export const advance = { mono10: 6.02, mono11: 6.62, sans10: 5.2, sans11: 5.7 } as const;

export function formatBytes(bytes: number): string {
  return `${formatCount(bytes)} B`;
}

/** "23.6 kB", "648 B": decimal units, as everywhere on the page. */
export function bytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes.toLocaleString("en")} B`;
  const [value, unit] =
    bytes < 1e6 ? [bytes / 1e3, "kB"] : bytes < 1e9 ? [bytes / 1e6, "MB"] : [bytes / 1e9, "GB"];
  return `${value < 100 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}

/** "1×16×10×10", "scalar". */
export function shapeText(shape: readonly number[]): string {
  return shape.length === 0 ? "scalar" : shape.join("×");
}

/** Thousands separated by commas, the same in every locale. */
export function formatCount(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

/** 41.2 µs, 0.04 µs, 1,240 µs. */
export function formatMicros(micros: number): string {
  if (micros >= 1000) return `${formatCount(micros)} µs`;
  return `${micros.toFixed(micros < 0.1 ? 2 : 1)} µs`;
}

/** Share as a whole percentage, "51 %". */
export function formatShare(part: number, whole: number): string {
  return whole > 0 ? `${Math.round((100 * part) / whole)} %` : "";
}

/** "nn.conv2d" -> "conv2d": the dialect says nothing once the operators are listed. */
export function shortOp(name: string): string {
  return name.slice(name.lastIndexOf(".") + 1);
}

const kindWords: Readonly<Record<string, string>> = {
  elemWise: "elemwise",
  broadcast: "broadcast",
  injective: "injective",
  commReduce: "reduction",
  outEWiseFusable: "out elemwise fusable",
  tuple: "tuple",
  opaque: "opaque",
};
export function kindWord(pattern: string): string {
  return kindWords[pattern] ?? pattern;
}

export function opNames(node: GraphNodeView): string {
  return node.ops.length === 0 ? node.label : node.ops.map((op) => shortOp(op.name)).join(" ");
}

/** The names that fit into `px`, else first and last with an ellipsis, else a cut first one. */
export function fitNames(node: GraphNodeView, px: number): string {
  const room = Math.max(3, Math.floor(px / advance.sans11));
  const all = opNames(node);
  if (all.length <= room) return all;
  const names = node.ops.map((op) => shortOp(op.name));
  const [head = all] = names;
  const ends = names.length > 1 ? `${head}…${names.at(-1)}` : head;
  return ends.length <= room ? ends : cutEnd(ends, room);
}

export function cutEnd(text: string, room: number): string {
  return text.length <= room ? text : `${text.slice(0, Math.max(1, room - 1))}…`;
}

/** Keeps the end: of "layer1.0.conv2.weight" that says more. */
export function cutStart(text: string, room: number): string {
  return text.length <= room ? text : `…${text.slice(text.length - room + 1)}`;
}

/** float32 goes without saying, and so do bytes that only a run can tell. */
export function tensorLabel(tensor: GraphEdgeView): string {
  const type =
    tensor.dtype === "float32" || tensor.dtype === "" ? tensor.shape : `${tensor.shape} ${tensor.dtype}`;
  return tensor.bytes === null ? type : `${type} · ${formatBytes(tensor.bytes)}`;
}
