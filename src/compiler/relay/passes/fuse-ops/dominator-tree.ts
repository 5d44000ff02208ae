// Post-dominators of a forward graph: the first node that every path from a node reaches, found by least
// common ancestors in one sweep from the results back, because the graph is acyclic.
// TVM: src/relay/transforms/fuse_ops.cc (DominatorTree)
import { OpPattern } from "../../../ir/op.ts";
import type { ForwardGraph } from "./indexed-forward-graph.ts";

export interface DominatorTree {
  /** Immediate post-dominator of a node, or -1. */
  readonly parent: Int32Array;
  readonly depth: Int32Array;
  /**
   * Greatest edge pattern on the paths from a node to its post-dominator; opaque where something external
   * refers to it.
   */
  readonly pattern: Uint8Array;
}

export function postDominators(graph: ForwardGraph): DominatorTree {
  const count = graph.nodes.length;
  const tree: DominatorTree = {
    parent: new Int32Array(count).fill(-1),
    depth: new Int32Array(count).fill(1),
    pattern: new Uint8Array(count),
  };
  for (let node = count - 1; node >= 0; node--) {
    if (graph.externRef[node]!) {
      tree.pattern[node] = OpPattern.opaque;
      continue;
    }
    const parent = commonAncestor(tree, graph, node);
    tree.parent[node] = parent;
    tree.depth[node] = parent < 0 ? 1 : tree.depth[parent]! + 1;
  }
  return tree;
}

/** The least common ancestor of all consumers of `node`; writes the pattern met on the way into the tree. */
function commonAncestor(tree: DominatorTree, graph: ForwardGraph, node: number): number {
  let pattern: number = OpPattern.elemWise;
  let ancestor = -1;
  graph.outputs[node]!.forEach((edge, i) => {
    let lhs = i === 0 ? edge.to : ancestor;
    let rhs = edge.to;
    while (lhs !== rhs && lhs >= 0 && rhs >= 0) {
      const left = tree.depth[lhs]!;
      const right = tree.depth[rhs]!;
      if (left >= right) {
        pattern = Math.max(pattern, tree.pattern[lhs]!);
        lhs = tree.parent[lhs]!;
      }
      if (right >= left) {
        pattern = Math.max(pattern, tree.pattern[rhs]!);
        rhs = tree.parent[rhs]!;
      }
    }
    ancestor = lhs < 0 || rhs < 0 ? -1 : lhs;
    pattern = Math.max(pattern, edge.pattern);
  });
  tree.pattern[node] = pattern;
  return ancestor;
}
