// Ranks of a DAG by longest path, with side inputs pulled down to the node that reads them. No TVM
// counterpart.
import { invariant } from "../../support/assert.ts";

/**
 * Edges in compressed rows, both ways: the successors of v are `next[nextStart[v] .. nextStart[v + 1]]`, as
 * edge numbers.
 */
export interface Dag {
  readonly count: number;
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly nextStart: Int32Array;
  readonly next: Int32Array;
  readonly prevStart: Int32Array;
  readonly prev: Int32Array;
}

export function makeDag(
  count: number,
  edges: readonly { readonly from: number; readonly to: number }[],
): Dag {
  const from = new Int32Array(edges.length);
  const to = new Int32Array(edges.length);
  for (const [i, edge] of edges.entries()) {
    from[i] = edge.from;
    to[i] = edge.to;
  }
  const [nextStart, next] = rows(count, from);
  const [prevStart, prev] = rows(count, to);
  return { count, from, to, nextStart, next, prevStart, prev };
}

/** Kahn's order. Throws InvariantError on a cycle: every graph that a compilation makes is acyclic. */
function topologicalOrder(dag: Dag): Int32Array {
  const order = new Int32Array(dag.count);
  const waiting = new Int32Array(dag.count);
  let filled = 0;
  for (let v = 0; v < dag.count; v++) {
    waiting[v] = dag.prevStart[v + 1]! - dag.prevStart[v]!;
    if (waiting[v] === 0) order[filled++] = v;
  }
  for (let head = 0; head < filled; head++) {
    const v = order[head]!;
    for (let k = dag.nextStart[v]!; k < dag.nextStart[v + 1]!; k++) {
      const w = dag.to[dag.next[k]!]!;
      waiting[w]!--;
      if (waiting[w] === 0) order[filled++] = w;
    }
  }
  invariant(filled === dag.count, "graph layout: the graph has a cycle");
  return order;
}

export interface Ranks {
  readonly rank: Int32Array;
  readonly rankCount: number;
  /** Length of the longest path through each edge, in edges: what the eye follows as the trunk. */
  readonly through: Int32Array;
}

/**
 * As early as possible, except: what only side inputs feed (weights prepared for their reader) and what has
 * more readers than sources stands right above its first reader, so that wires are short where it costs
 * nothing.
 */
export function rankNodes(dag: Dag): Ranks {
  const order = topologicalOrder(dag);
  const depth = new Int32Array(dag.count);
  const height = new Int32Array(dag.count);
  for (const v of order) for (const u of sourcesOf(dag, v)) depth[v] = Math.max(depth[v]!, depth[u]! + 1);
  let longest = 0;
  for (let i = dag.count - 1; i >= 0; i--) {
    const v = order[i]!;
    for (const w of readersOf(dag, v)) height[v] = Math.max(height[v]!, height[w]! + 1);
    longest = Math.max(longest, depth[v]! + height[v]!);
  }
  const movable = new Uint8Array(dag.count);
  for (const v of order) {
    const onTrunk = depth[v]! + height[v]! === longest;
    movable[v] = !onTrunk && sourcesOf(dag, v).every((u) => movable[u] === 1) ? 1 : 0;
  }
  const rank = depth.slice();
  for (let i = dag.count - 1; i >= 0; i--) {
    const v = order[i]!;
    const readers = readersOf(dag, v);
    if (readers.length === 0 || (movable[v] === 0 && readers.length <= sourcesOf(dag, v).length)) continue;
    let lowest = Infinity;
    for (const w of readers) lowest = Math.min(lowest, rank[w]!);
    rank[v] = lowest - 1;
  }
  let rankCount = 0;
  for (const r of rank) rankCount = Math.max(rankCount, r + 1);
  const through = dag.from.map((u, e) => depth[u]! + 1 + height[dag.to[e]!]!);
  return { rank, rankCount, through };
}

function sourcesOf(dag: Dag, v: number): number[] {
  return Array.from(dag.prev.subarray(dag.prevStart[v]!, dag.prevStart[v + 1]!), (e) => dag.from[e]!);
}

function readersOf(dag: Dag, v: number): number[] {
  return Array.from(dag.next.subarray(dag.nextStart[v]!, dag.nextStart[v + 1]!), (e) => dag.to[e]!);
}

function rows(count: number, key: Int32Array): [Int32Array, Int32Array] {
  const start = new Int32Array(count + 1);
  for (const k of key) start[k + 1]!++;
  for (let v = 0; v < count; v++) start[v + 1]! += start[v]!;
  const fill = start.slice(0, count);
  const items = new Int32Array(key.length);
  for (let e = 0; e < key.length; e++) items[fill[key[e]!]!++] = e;
  return [start, items];
}
