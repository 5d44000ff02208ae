// Which source nodes, primitives and types belong to the lines of the text, from the spans that the compiler
// reported. Pure.
import type { SourceNodeView, Summary, TensorTypeView } from "../../../../protocol/compile.ts";
import { primitiveOfSource, type Lit } from "../../../store/selection.ts";

/** What the parser calls nodes that name or arrange values and compute nothing. */
const structural = new Set([
  "",
  "param",
  "function",
  "global",
  "constant",
  "let",
  "tuple",
  "projection",
  "if",
  "match",
  "ref",
  "ref_read",
  "ref_write",
  "constructor",
  "error",
]);

/** Whether a node is a call of something: such lines carry a primitive and a type. */
function isCall(node: SourceNodeView): boolean {
  return !structural.has(node.op);
}

/** Index of the smallest node that covers an offset, -1 for none. */
export function nodeAt(sources: readonly SourceNodeView[], offset: number): number {
  let best = -1;
  let size = Infinity;
  sources.forEach((node, index) => {
    if (node.start <= offset && offset <= node.end && node.end - node.start < size) {
      best = index;
      size = node.end - node.start;
    }
  });
  return best;
}

/** The node that a line as a whole means: a call that covers it, the innermost; else any. -1 for none. */
export function nodeOfLine(sources: readonly SourceNodeView[], line: number): number {
  let best = -1;
  let rank = Infinity;
  sources.forEach((node, index) => {
    if (node.line > line || node.endLine < line) return;
    const worth =
      (isCall(node) ? 0 : 1e6) + (node.endLine - node.line) * 1000 - Math.min(999, node.end - node.start);
    if (worth < rank) {
      best = index;
      rank = worth;
    }
  });
  return best;
}

interface LineFacts {
  /** Primitive of each line, index 1-based; -1 none. */
  readonly primitive: Int32Array;
  /** Short type to print after a line, by line. */
  readonly types: ReadonlyMap<number, string>;
}

/** "1×6×28×28"; other element types than float32 are named; "" for what is not one tensor. */
export function shortType(tensor: TensorTypeView | null): string {
  if (tensor === null) return "";
  const { dims, dtype } = tensor;
  const shape = dims.map(({ extent, symbol }) => extent ?? (symbol === "" ? "?" : symbol)).join("×");
  return `${shape === "" ? "scalar" : shape}${dtype === "float32" ? "" : ` ${dtype}`}`;
}

/** Nodes that span more than this are structure (functions, lets), not lines. */
const mostLines = 40;

export function lineFacts(summary: Summary, lineCount: number): LineFacts {
  const primitive = new Int32Array(lineCount + 2).fill(-1);
  const types = new Map<number, string>();
  const span = new Map<number, number>();
  const ordered = [...summary.sources.entries()].sort(([, a], [, b]) => size(b) - size(a));
  // Larger nodes first: what lies inside them is more exact and overwrites.
  for (const [id, node] of ordered) {
    if (!isCall(node) || node.endLine - node.line > mostLines || node.line < 1) continue;
    const index = primitiveOfSource(summary, id);
    if (index >= 0)
      for (let line = node.line; line <= Math.min(node.endLine, lineCount); line++) primitive[line] = index;
    const short = shortType(node.tensor);
    // Of several that end on a line the outermost is what the line computes.
    if (short !== "" && (span.get(node.endLine) ?? -1) < size(node)) {
      types.set(node.endLine, short);
      span.set(node.endLine, size(node));
    }
  }
  return { primitive, types };
}

function size(node: SourceNodeView): number {
  return node.end - node.start;
}

/** Lines of the lit source nodes; what was pointed at itself is marked. */
export function litLines(summary: Summary, lit: Lit): ReadonlyMap<number, boolean> {
  const lines = new Map<number, boolean>();
  for (const id of lit.sources) {
    const node = summary.sources[id];
    const own = lit.primary.kind === "source" && lit.primary.id === id;
    if (
      node === undefined ||
      node.line < 1 ||
      node.endLine - node.line > mostLines ||
      (!isCall(node) && !own)
    )
      continue;
    for (let line = node.line; line <= node.endLine; line++)
      lines.set(line, (lines.get(line) ?? false) || own);
  }
  return lines;
}
