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

/** Names of inputs of the model's graph. */
export function neededInputs(model: ModelProto): ReadonlySet<string> {
  const { graph } = model;
  if (graph === null) return new Set();
  const makers = new Map<string, NodeProto>();
  const wanted: string[] = [];
  const graphs: GraphProto[] = [graph];
  for (let next = graphs.pop(); next !== undefined; next = graphs.pop()) {
    for (const node of next.node) {
      for (const name of node.output) makers.set(name, node);
      for (const { g } of node.attribute) if (g !== null) graphs.push(g);
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
    const maker = makers.get(name);
    if (maker !== undefined && !shapeOnly.has(maker.op_type))
      wanted.push(...maker.input.filter((input) => input !== ""));
  }
  return new Set(graph.input.map(({ name }) => name).filter((name) => seen.has(name)));
}
