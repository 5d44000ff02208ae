// Which inputs of a model must have known values before it can be imported: those that flow into a place
// where the operator table asks for a value (a shape, a size, a branch). Values that come from shapes alone
// need none.
import type { GraphProto, ModelProto, NodeProto } from "./model-proto.ts";
import { findOp } from "./ops/index.ts";

/** These look at shapes and types, not at values. */
const shapeOnly: ReadonlySet<string> = new Set([
  "Shape",
  "Size",
  "EyeLike",
  "CastLike",
  "RandomUniformLike",
  "RandomNormalLike",
]);

/** Names of the values that a value is made from. */
type Maker = readonly string[];

/**
 * Inputs of a graph inside a node: what the node gives it, and what a round before gave back. A loop's body
 * has the round in front where the node has their number, and its results begin with the condition.
 */
function bodyInputs(node: NodeProto, graph: GraphProto): ReadonlyMap<string, Maker> {
  const back = node.op_type === "Loop" ? 1 : 0;
  return new Map(
    graph.input.map(({ name }, i) => [
      name,
      node.op_type === "Loop" && i === 0 ? [] : [node.input[i] ?? "", graph.output[i - back]?.name ?? ""],
    ]),
  );
}

/** Names of inputs of the model's graph. */
export function neededInputs(model: ModelProto): ReadonlySet<string> {
  const { graph } = model;
  if (graph === null) return new Set();
  const makers = new Map<string, Maker>();
  const wanted: string[] = [];
  const graphs: GraphProto[] = [graph];
  for (let next = graphs.pop(); next !== undefined; next = graphs.pop()) {
    for (const node of next.node) {
      const read = [
        ...node.input,
        ...node.attribute.flatMap(({ g }) => g?.output.map(({ name }) => name) ?? []),
      ];
      const maker: Maker = shapeOnly.has(node.op_type) ? [] : read;
      for (const name of node.output) makers.set(name, maker);
      for (const { g } of node.attribute) {
        if (g === null) continue;
        graphs.push(g);
        bodyInputs(node, g).forEach((maker, name) => makers.set(name, maker));
      }
      const domain = node.domain === "ai.onnx" ? "" : node.domain;
      const opset =
        model.opset_import.find((set) => (set.domain === "ai.onnx" ? "" : set.domain) === domain)?.version ??
        1;
      const values = findOp(domain, node.op_type, opset)?.values(node) ?? [];
      wanted.push(...values.map((index) => node.input[index] ?? "").filter((name) => name !== ""));
    }
  }
  const seen = new Set<string>();
  for (let name = wanted.pop(); name !== undefined; name = wanted.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    wanted.push(...(makers.get(name) ?? []).filter((input) => input !== ""));
  }
  return new Set(graph.input.map(({ name }) => name).filter((name) => seen.has(name)));
}
