// Nodes in an order in which each comes behind those that make its inputs. ONNX asks for such an order; files
// without it exist, and ONNX Runtime and Netron read them.
import type { GraphProto, NodeProto } from "./model-proto.ts";

/** Names that a node reads, those that graphs inside it read from around them included. */
function readBy(node: NodeProto): readonly string[] {
  const names: string[] = [...node.input];
  const graphs = node.attribute.flatMap(({ g }) => (g === null ? [] : [g]));
  for (let graph: GraphProto | undefined = graphs.pop(); graph !== undefined; graph = graphs.pop()) {
    names.push(...graph.output.map(({ name }) => name));
    for (const inner of graph.node) {
      names.push(...inner.input);
      for (const { g } of inner.attribute) if (g !== null) graphs.push(g);
    }
  }
  return names;
}

/**
 * The file's order where it is one, else a node is moved before its first reader. Nodes of a cycle stay where
 * they are.
 */
export function inOrder(nodes: readonly NodeProto[]): readonly NodeProto[] {
  const makers = new Map<string, NodeProto>();
  for (const node of nodes) {
    for (const name of node.output) if (name !== "" && !makers.has(name)) makers.set(name, node);
  }
  const seen = new Set<NodeProto>();
  const ordered: NodeProto[] = [];
  for (const first of nodes) {
    const open: { readonly node: NodeProto; readonly waits: NodeProto[] }[] = [];
    const enter = (node: NodeProto): void => {
      if (seen.has(node)) return;
      seen.add(node);
      const before = readBy(node).map((name) => makers.get(name));
      open.push({ node, waits: before.filter((maker) => maker !== undefined).reverse() });
    };
    enter(first);
    for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
      const next = top.waits.pop();
      if (next !== undefined) enter(next);
      else {
        ordered.push(top.node);
        open.pop();
      }
    }
  }
  return ordered;
}
