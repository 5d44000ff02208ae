// Decides which nodes of a forward graph fuse: every node tries to join its post-dominator, in three phases
// (elementwise and convolution-like, injective, into fused tuples).  TVM: src/relay/transforms/fuse_ops.cc
// (GraphPartitioner)
import { invariant } from "../../../../support/assert.ts";
import { findRoot, unionFind, uniteInto, type UnionFind } from "../../../../support/union-find.ts";
import { OpPattern } from "../../../ir/op.ts";
import { postDominators, type DominatorTree } from "./dominator-tree.ts";
import type { ForwardGraph } from "./indexed-forward-graph.ts";

type RefusalReason =
  | "maxDepth"
  | "sinkOpaque"
  | "pathNotBroadcast"
  | "twoAnchors"
  | "edgeNotElementwise"
  | "tuple"
  | "reduction"
  | "opaque"
  | "multipleConsumers"
  | "result"
  | "fusionOff";

export interface Refusal {
  readonly why: RefusalReason;
  /** The node that stood in the way, or -1. */
  readonly at: number;
}

export interface Partition {
  /** The representative of a node's group: its last node, whose value leaves the group. */
  readonly rootOf: (node: number) => number;
  /** Immediate post-dominators, -1 where there is none. */
  readonly dominator: Int32Array;
  /** Why a node did not join its post-dominator; null where it did. */
  readonly refusals: readonly (Refusal | null)[];
}

interface State {
  readonly graph: ForwardGraph;
  readonly tree: DominatorTree;
  readonly maxDepth: number;
  readonly sets: UnionFind;
  /** Of the group, valid at its root. */
  readonly pattern: Uint8Array;
  readonly hasAnchor: Uint8Array;
  /**
   * Valid at the root; elsewhere what it was when the node joined its group (TVM counts paths with these).
   */
  readonly size: Int32Array;
  readonly refusals: (Refusal | null)[];
  /** Epoch marks instead of a set cleared for every walk. */
  readonly visited: Int32Array;
  epoch: number;
}

type Condition = (pattern: number, isSink: boolean) => boolean;

const anchorPath: Condition = (pattern) => pattern <= OpPattern.broadcast;
const injectivePath: Condition = (pattern) => pattern <= OpPattern.injective;
/** Parallel branches may be injective; the sink may also reduce or already hold an anchor. */
const elementwisePath: Condition = (pattern, isSink) =>
  pattern <= OpPattern.injective ||
  (isSink && (pattern === OpPattern.commReduce || pattern === OpPattern.outEWiseFusable));

/** `optLevel` 0 keeps every node alone. `maxDepth` bounds the nodes of a group, constants included. */
export function partitionIntoGroups(graph: ForwardGraph, optLevel: number, maxDepth: number): Partition {
  const count = graph.nodes.length;
  const state: State = {
    graph,
    tree: postDominators(graph),
    maxDepth,
    sets: unionFind(count),
    pattern: Uint8Array.from(graph.pattern),
    hasAnchor: Uint8Array.from(graph.pattern, (pattern) => (pattern === OpPattern.outEWiseFusable ? 1 : 0)),
    size: new Int32Array(count).fill(1),
    refusals: new Array<Refusal | null>(count).fill(null),
    visited: new Int32Array(count),
    epoch: 0,
  };
  if (optLevel === 0) state.refusals.fill({ why: "fusionOff", at: -1 });
  else for (const phase of [0, 1, 2] as const) runPhase(state, phase);
  return {
    rootOf: (node) => findRoot(state.sets, node),
    dominator: state.tree.parent,
    refusals: state.refusals,
  };
}

function runPhase(state: State, phase: 0 | 1 | 2): void {
  for (let node = 0; node < state.graph.nodes.length; node++) {
    const refusal = tryFuse(state, node, phase);
    if (refusal !== "deferred") state.refusals[node] = refusal;
  }
}

/** null: the node is in its post-dominator's group. "deferred": this phase has nothing to say about it. */
function tryFuse(state: State, node: number, phase: 0 | 1 | 2): Refusal | null | "deferred" {
  const { graph, tree } = state;
  // Of the node's own entry, not of its group: an anchor's pattern is not spread to members that joined
  // earlier.
  const pattern = state.pattern[node]!;
  const sink = tree.parent[node]!;
  if (pattern === OpPattern.opaque) return { why: "opaque", at: -1 };
  if (sink < 0) return { why: graph.externRef[node]! ? "result" : "multipleConsumers", at: -1 };
  if (groupSizeWith(state, node, sink) > state.maxDepth) {
    return joined(state, node, sink) ? null : { why: "maxDepth", at: -1 };
  }
  if (phase === 2) return fuseIntoTuple(state, node, sink, pattern);
  if (joined(state, node, sink)) return null;
  if (state.pattern[sink] === OpPattern.tuple) return { why: "tuple", at: sink };
  if (pattern === OpPattern.outEWiseFusable) {
    if (phase !== 0) return "deferred";
    if (tree.pattern[node] !== OpPattern.elemWise) return edgeRefusal(state, sink);
    return fuseAlong(state, node, sink, anchorPath);
  }
  if (pattern <= OpPattern.broadcast) {
    const edge = tree.pattern[node]!;
    if (edge > OpPattern.injective && edge !== OpPattern.commReduce) return edgeRefusal(state, sink);
    return fuseAlong(state, node, sink, elementwisePath);
  }
  if (pattern === OpPattern.injective || pattern === OpPattern.tuple) {
    return phase === 1 ? fuseAlong(state, node, sink, injectivePath) : "deferred";
  }
  return { why: "reduction", at: -1 };
}

/** Injective operators join a tuple that was itself fused into injective consumers. */
function fuseIntoTuple(
  state: State,
  node: number,
  sink: number,
  pattern: number,
): Refusal | null | "deferred" {
  if (pattern > OpPattern.injective) return "deferred";
  const root = state.pattern[findRoot(state.sets, sink)]!;
  if (root === OpPattern.tuple) return "deferred";
  if (state.pattern[sink] !== OpPattern.tuple || root > OpPattern.injective) return "deferred";
  return fuseAlong(state, node, sink, injectivePath);
}

function joined(state: State, a: number, b: number): boolean {
  return findRoot(state.sets, a) === findRoot(state.sets, b);
}

function edgeRefusal(state: State, sink: number): Refusal {
  const pattern = state.pattern[findRoot(state.sets, sink)]!;
  if (pattern === OpPattern.opaque) return { why: "sinkOpaque", at: sink };
  return { why: pattern === OpPattern.outEWiseFusable ? "twoAnchors" : "edgeNotElementwise", at: sink };
}

function fuseAlong(state: State, node: number, sink: number, condition: Condition): Refusal | null {
  const obstacle = firstObstacle(state, node, sink, condition);
  if (obstacle < 0) {
    merge(state, node, sink);
    return null;
  }
  const pattern = state.pattern[findRoot(state.sets, obstacle)]!;
  if (pattern === OpPattern.opaque)
    return { why: obstacle === sink ? "sinkOpaque" : "pathNotBroadcast", at: obstacle };
  const anchors = pattern === OpPattern.outEWiseFusable && state.pattern[node] === OpPattern.outEWiseFusable;
  return { why: anchors ? "twoAnchors" : "pathNotBroadcast", at: obstacle };
}

/**
 * Visits every node strictly after `node` up to and including `sink` once; stops early where `visit` returns
 * true.
 */
function walkPaths(state: State, node: number, sink: number, visit: (at: number) => boolean): void {
  const { graph, visited } = state;
  const epoch = ++state.epoch;
  const stack = graph.outputs[node]!.map((edge) => edge.to);
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    if (visited[at] === epoch) continue;
    visited[at] = epoch;
    if (visit(at)) return;
    if (at === sink) continue;
    for (const edge of graph.outputs[at]!) stack.push(edge.to);
  }
}

/** The first node on a path from `node` to `sink` whose group breaks `condition`, or -1. */
function firstObstacle(state: State, node: number, sink: number, condition: Condition): number {
  let obstacle = -1;
  walkPaths(state, node, sink, (at) => {
    if (condition(state.pattern[findRoot(state.sets, at)]!, at === sink)) return false;
    obstacle = at;
    return true;
  });
  return obstacle;
}

/**
 * Nodes of the group if `node` and all between it and `sink` join `sink`'s group; counting stops beyond the
 * limit.
 */
function groupSizeWith(state: State, node: number, sink: number): number {
  let size = state.size[findRoot(state.sets, sink)]! + state.size[node]!;
  walkPaths(state, node, sink, (at) => {
    if (at !== sink) size += state.size[at]!;
    return size > state.maxDepth;
  });
  return size;
}

function merge(state: State, node: number, sink: number): void {
  mergeInto(state, node, sink);
  walkPaths(state, node, sink, (at) => {
    if (at !== sink) mergeInto(state, at, sink);
    return false;
  });
}

function mergeInto(state: State, child: number, parent: number): void {
  const from = findRoot(state.sets, child);
  const into = findRoot(state.sets, parent);
  if (from === into) return;
  state.size[into] = state.size[into]! + state.size[from]!;
  uniteInto(state.sets, from, into);
  if (state.hasAnchor[from] === 0) return;
  invariant(state.hasAnchor[into] === 0, "two anchors in one group");
  const [a, b] = [state.pattern[from]!, state.pattern[into]!];
  invariant(a <= OpPattern.broadcast || b <= OpPattern.broadcast, "two complex groups cannot merge");
  state.hasAnchor[into] = 1;
  state.pattern[into] = Math.max(a, b);
}
