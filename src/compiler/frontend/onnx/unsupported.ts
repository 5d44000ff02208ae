// Operators that the importer does not have, found before anything is imported: all at once, each with where
// it stands.
import { fail } from "../../ir/diagnostic.ts";
import { placeOf } from "./graph.ts";
import type { GraphProto, ModelProto, NodeProto } from "./model-proto.ts";
import { findOp } from "./ops/index.ts";

const mostOperators = 30;
const mostPlaces = 5;

/** Throws CompileError RS1824 listing every operator of the model that has no entry for its opset. */
export function refuseUnknown(
  model: ModelProto,
  graph: GraphProto,
  opsets: ReadonlyMap<string, number>,
): void {
  const own = new Set(model.functions.map(({ domain, name }) => `${domain}:${name}`));
  const places = new Map<string, string[]>();
  for (const node of allNodes(model, graph)) {
    const domain = node.domain === "ai.onnx" ? "" : node.domain;
    if (
      own.has(`${domain}:${node.op_type}`) ||
      findOp(domain, node.op_type, opsets.get(domain) ?? 1) !== null
    )
      continue;
    const word = domain === "" ? node.op_type : `${domain}.${node.op_type}`;
    places.set(word, [...(places.get(word) ?? []), placeOf({ proto: node })]);
  }
  if (places.size === 0) return;
  const all = [...places];
  const shown = all.slice(0, mostOperators);
  const more = (at: readonly string[]): string =>
    at.length > mostPlaces ? ` and ${at.length - mostPlaces} more` : "";
  const notes = shown.map(([word, at]) => `${word}: ${at.slice(0, mostPlaces).join(", ")}${more(at)}`);
  const count = all.length === 1 ? "an operator" : `${all.length} operators`;
  fail(
    "RS1824",
    `The model uses ${count} that this compiler does not import: ${shown.map(([word]) => word).join(", ")}.`,
    {
      expected: `operators of ONNX's opset up to ${opsets.get("") ?? 1}`,
      notes,
      hint: hintOf(
        all.map(([word]) => word),
        opsets.get("") ?? 1,
      ),
    },
  );
}

/** What can be done: a newer opset where the operator is there, else to cut. */
function hintOf(words: readonly string[], opset: number): string {
  const newer = words.filter((word) => findOp("", word, Infinity) !== null);
  if (newer.length > 0 && newer.length === words.length)
    return `${newer.join(", ")}: export with an opset above ${opset}`;
  return "cut the model before these nodes (onnx.utils.extract_model), or export without them; TVM 0.8 does not import most of them either";
}

/** Nodes of the graph, of the graphs inside its nodes, and of the model's functions. */
function allNodes(model: ModelProto, graph: GraphProto): readonly NodeProto[] {
  const found: NodeProto[] = [];
  const waiting: (readonly NodeProto[])[] = [graph.node, ...model.functions.map(({ node }) => node)];
  for (let nodes = waiting.pop(); nodes !== undefined; nodes = waiting.pop()) {
    for (const node of nodes) {
      found.push(node);
      for (const { g } of node.attribute) if (g !== null) waiting.push(g.node);
    }
  }
  return found;
}
