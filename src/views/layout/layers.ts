// Nodes by rank, with stand-ins where an edge passes a rank, ordered by barycentres so that few edges cross.
import type { Dag, Ranks } from "./rank.ts";

/** Edges that pass more ranks than this run in a lane beside the drawing and not between its nodes. */
const longestThreaded = 12;
const sweeps = 8;

/** A piece of an edge between two neighbouring ranks. Node numbers >= dag.count are stand-ins. */
export interface Segment {
  readonly a: number;
  readonly b: number;
  readonly edge: number;
}
export interface Layers {
  readonly count: number;
  readonly rankOf: Int32Array;
  /** By rank, from left to right. */
  readonly order: number[][];
  /** segments[r] lie between rank r and r + 1. */
  readonly segments: readonly Segment[][];
  /** Edges that take a lane. */
  readonly lanes: readonly number[];
}

export function makeLayers(dag: Dag, ranks: Ranks): Layers {
  const segments: Segment[][] = Array.from({ length: ranks.rankCount }, () => []);
  const rankOf = Array.from(ranks.rank);
  const lanes: number[] = [];
  const limit = threadedSpan(dag, ranks);
  for (let e = 0; e < dag.from.length; e++) {
    const first = ranks.rank[dag.from[e]!]!;
    const last = ranks.rank[dag.to[e]!]!;
    if (last - first > limit) {
      lanes.push(e);
      continue;
    }
    let a = dag.from[e]!;
    for (let r = first + 1; r <= last; r++) {
      const b = r === last ? dag.to[e]! : rankOf.push(r) - 1;
      segments[r - 1]!.push({ a, b, edge: e });
      a = b;
    }
  }
  const layers: Layers = {
    count: rankOf.length,
    rankOf: Int32Array.from(rankOf),
    segments,
    lanes,
    order: firstOrder(dag, ranks, rankOf, segments),
  };
  reduceCrossings(layers);
  return layers;
}

/**
 * The longest span that still gets stand-ins, so that their number stays within a few times the number of
 * nodes.
 */
function threadedSpan(dag: Dag, ranks: Ranks): number {
  const bySpan = new Int32Array(longestThreaded + 1);
  for (let e = 0; e < dag.from.length; e++) {
    const span = ranks.rank[dag.to[e]!]! - ranks.rank[dag.from[e]!]!;
    if (span <= longestThreaded) bySpan[span]!++;
  }
  let budget = 4 * dag.count + 200;
  let limit = 1;
  for (let span = 2; span <= longestThreaded; span++) {
    budget -= bySpan[span]! * (span - 1);
    if (budget < 0) break;
    limit = span;
  }
  return limit;
}

/** Depth first along the longest paths: the trunk comes out leftmost, its branches to the right of it. */
function firstOrder(
  dag: Dag,
  ranks: Ranks,
  rankOf: readonly number[],
  segments: readonly Segment[][],
): number[][] {
  const below: Segment[][] = Array.from({ length: rankOf.length }, () => []);
  for (const row of segments) for (const s of row) below[s.a]!.push(s);
  for (const row of below)
    row.sort((s, t) => ranks.through[s.edge]! - ranks.through[t.edge]! || t.edge - s.edge);
  const roots = Array.from({ length: dag.count }, (_, v) => v).filter(
    (v) => dag.prevStart[v] === dag.prevStart[v + 1],
  );
  // Rows are sorted, so the last one is the heaviest.
  const weight = (v: number): number => (below[v]!.length === 0 ? 0 : ranks.through[below[v]!.at(-1)!.edge]!);
  roots.sort((u, v) => weight(u) - weight(v) || v - u);
  const order: number[][] = Array.from({ length: ranks.rankCount }, () => []);
  const seen = new Uint8Array(rankOf.length);
  const stack = roots;
  while (stack.length > 0) {
    const v = stack.pop()!;
    if (seen[v] === 1) continue;
    seen[v] = 1;
    order[rankOf[v]!]!.push(v);
    for (const s of below[v]!) if (seen[s.b] === 0) stack.push(s.b);
  }
  // What only lanes reach.
  for (let v = 0; v < rankOf.length; v++) if (seen[v] === 0) order[rankOf[v]!]!.push(v);
  return order;
}

function reduceCrossings(layers: Layers): void {
  const position = new Float64Array(layers.count);
  const note = (): void => {
    for (const row of layers.order) for (const [i, v] of row.entries()) position[v] = i;
  };
  note();
  let best = crossings(layers, position);
  let kept = layers.order.map((row) => row.slice());
  for (let sweep = 0; sweep < sweeps && best > 0; sweep++) {
    const down = sweep % 2 === 0;
    const last = layers.order.length - 1;
    for (let i = 1; i <= last; i++) sortByBarycentre(layers, down ? i : last - i, down, position);
    const now = crossings(layers, position);
    if (now < best) {
      best = now;
      kept = layers.order.map((row) => row.slice());
    }
  }
  for (const [r, row] of kept.entries()) layers.order[r] = row;
}

function sortByBarycentre(layers: Layers, rank: number, down: boolean, position: Float64Array): void {
  const row = layers.order[rank]!;
  if (row.length < 2) return;
  const sum = new Map<number, number>();
  const degree = new Map<number, number>();
  for (const s of layers.segments[down ? rank - 1 : rank]!) {
    const [moved, fixed] = down ? [s.b, s.a] : [s.a, s.b];
    sum.set(moved, (sum.get(moved) ?? 0) + position[fixed]!);
    degree.set(moved, (degree.get(moved) ?? 0) + 1);
  }
  const key = new Map(row.map((v, i) => [v, degree.has(v) ? sum.get(v)! / degree.get(v)! : i]));
  row.sort((u, v) => key.get(u)! - key.get(v)! || position[u]! - position[v]!);
  for (const [i, v] of row.entries()) position[v] = i;
}

/** Pairs of segments that cross, by counting inversions in a Fenwick tree. */
function crossings(layers: Layers, position: Float64Array): number {
  let total = 0;
  for (const [r, row] of layers.segments.entries()) {
    if (row.length < 2) continue;
    const width = layers.order[r + 1]!.length;
    const tree = new Int32Array(width + 1);
    const sorted = row.toSorted((s, t) => position[s.a]! - position[t.a]! || position[s.b]! - position[t.b]!);
    for (const [seen, s] of sorted.entries()) {
      let left = 0;
      for (let i = position[s.b]! + 1; i > 0; i -= i & -i) left += tree[i]!;
      total += seen - left;
      for (let i = position[s.b]! + 1; i <= width; i += i & -i) tree[i]!++;
    }
  }
  return total;
}
