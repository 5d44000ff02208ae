// Columns: lines up each node with one neighbour above where nothing crosses, packs the columns to the left,
// then pulls each back towards what it is wired to. After Brandes and Koepf's idea of blocks, with the
// longest path as preference.
import type { Layers, Segment } from "./layers.ts";

/** How far a node reaches to the left and right of the x at which its wires enter and leave. */
interface Reach {
  readonly left: (v: number) => number;
  readonly right: (v: number) => number;
  readonly gap: number;
}

interface Blocks {
  readonly of: Int32Array;
  readonly members: readonly number[][];
}

/** The x of every node's wires, from 0 at the leftmost extent. */
export function placeColumns(layers: Layers, through: Int32Array, reach: Reach): Float64Array {
  const blocks = alignBlocks(layers, through);
  const neighbours = blockNeighbours(layers, blocks, reach);
  const x = packLeft(blocks, neighbours);
  pullRight(layers, blocks, neighbours, x);
  const port = new Float64Array(layers.count);
  for (let v = 0; v < layers.count; v++) port[v] = x[blocks.of[v]!]!;
  let least = Infinity;
  for (let v = 0; v < layers.count; v++) least = Math.min(least, port[v]! - reach.left(v));
  return least === Infinity ? port : port.map((p) => p - least);
}

function alignBlocks(layers: Layers, through: Int32Array): Blocks {
  const above = new Int32Array(layers.count).fill(-1);
  const position = new Int32Array(layers.count);
  for (const row of layers.order) for (const [i, v] of row.entries()) position[v] = i;
  for (const row of layers.segments) {
    const preferred = row.toSorted(
      (s, t) =>
        through[t.edge]! - through[s.edge]! ||
        position[s.a]! - position[t.a]! ||
        position[s.b]! - position[t.b]!,
    );
    const accepted: Segment[] = [];
    for (const s of preferred) {
      const at = insertionPoint(accepted, position, position[s.b]!);
      const before = accepted[at - 1];
      const after = accepted[at];
      if (before !== undefined && position[before.a]! >= position[s.a]!) continue;
      if (after !== undefined && (after.b === s.b || position[after.a]! <= position[s.a]!)) continue;
      accepted.splice(at, 0, s);
      above[s.b] = s.a;
    }
  }
  const of = new Int32Array(layers.count).fill(-1);
  const members: number[][] = [];
  for (const row of layers.order) {
    for (const v of row) {
      of[v] = above[v]! < 0 ? members.push([]) - 1 : of[above[v]!]!;
      members[of[v]!]!.push(v);
    }
  }
  return { of, members };
}

/** First index whose segment's lower end is at `b` or to the right of it. */
function insertionPoint(accepted: readonly Segment[], position: Int32Array, b: number): number {
  let low = 0;
  let high = accepted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (position[accepted[middle]!.b]! < b) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** By block: pairs (block to the right, least distance), flat. */
function blockNeighbours(layers: Layers, blocks: Blocks, reach: Reach): number[][] {
  const right: number[][] = blocks.members.map(() => []);
  for (const row of layers.order) {
    for (let i = 1; i < row.length; i++) {
      const u = row[i - 1]!;
      const v = row[i]!;
      right[blocks.of[u]!]!.push(blocks.of[v]!, reach.right(u) + reach.gap + reach.left(v));
    }
  }
  return right;
}

function packLeft(blocks: Blocks, right: readonly number[][]): Float64Array {
  const x = new Float64Array(blocks.members.length);
  for (const b of leftToRight(right)) {
    const row = right[b]!;
    for (let k = 0; k < row.length; k += 2) x[row[k]!] = Math.max(x[row[k]!]!, x[b]! + row[k + 1]!);
  }
  return x;
}

/**
 * Blocks that lie further left than their wires ask for move right as far as their right neighbours let them.
 */
function pullRight(layers: Layers, blocks: Blocks, right: readonly number[][], x: Float64Array): void {
  const wires: number[][] = blocks.members.map(() => []);
  for (const row of layers.segments) {
    for (const s of row) {
      const a = blocks.of[s.a]!;
      const b = blocks.of[s.b]!;
      if (a === b) continue;
      wires[a]!.push(b);
      wires[b]!.push(a);
    }
  }
  const order = leftToRight(right);
  for (let i = order.length - 1; i >= 0; i--) {
    const b = order[i]!;
    if (wires[b]!.length === 0) continue;
    let limit = Infinity;
    const row = right[b]!;
    for (let k = 0; k < row.length; k += 2) limit = Math.min(limit, x[row[k]!]! - row[k + 1]!);
    const asked = wires[b]!.map((w) => x[w]!).sort((p, q) => p - q);
    x[b] = Math.max(x[b]!, Math.min(limit, asked[(asked.length - 1) >> 1]!));
  }
}

function leftToRight(right: readonly number[][]): number[] {
  const waiting = new Int32Array(right.length);
  for (const row of right) for (let k = 0; k < row.length; k += 2) waiting[row[k]!]!++;
  const order: number[] = [];
  for (let b = 0; b < right.length; b++) if (waiting[b] === 0) order.push(b);
  for (let head = 0; head < order.length; head++) {
    const row = right[order[head]!]!;
    for (let k = 0; k < row.length; k += 2) {
      waiting[row[k]!]!--;
      if (waiting[row[k]!] === 0) order.push(row[k]!);
    }
  }
  return order;
}
