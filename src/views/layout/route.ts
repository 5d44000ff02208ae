// Wires: vertical through their column, sideways only in the gap between two ranks, each on a track of its
// own; edges that pass many ranks run in a lane to the right of the drawing, one lane for all readers of a
// tensor.
import type { Layers, Segment } from "./layers.ts";
import type { Dag } from "./rank.ts";

/** Room under a node for the label of its tensor, and the height of a gap that no wire crosses sideways. */
const labelGap = 20;
const trackStep = 6;
const arrowRoom = 10;
const mostTracks = 8;
const laneStep = 10;

interface Jog {
  readonly edge: number;
  readonly source: number;
  /** Rank above the gap. */
  readonly gap: number;
  readonly from: number;
  readonly to: number;
  track: number;
}

interface Wires {
  /** By rank: y of its top. */
  readonly top: Float64Array;
  readonly height: number;
  readonly right: number;
  /** By edge: x and y in turn. */
  readonly points: number[][];
}

interface Shape {
  readonly heightOf: (v: number) => number;
  /** Right end of the drawing without lanes. */
  readonly right: number;
  /** How far right of the first wire others may enter a node. */
  readonly portRoom: (v: number) => number;
}

export function routeWires(dag: Dag, layers: Layers, port: Float64Array, shape: Shape): Wires {
  const enter = entryPorts(layers, port, shape);
  const jogs = layers.segments.map((row, gap) =>
    row.flatMap((s): Jog[] => {
      const to = s.b < dag.count ? enter.get(s)! : port[s.b]!;
      return to === port[s.a]
        ? []
        : [{ edge: s.edge, source: dag.from[s.edge]!, gap, from: port[s.a]!, to, track: 0 }];
    }),
  );
  const lanes = laneJogs(dag, layers, port, shape, jogs);
  const gaps = jogs.map(assignTracks);
  const top = new Float64Array(layers.order.length);
  let y = 0;
  for (const [r, row] of layers.order.entries()) {
    top[r] = y;
    let tallest = 0;
    for (const v of row) tallest = Math.max(tallest, v < dag.count ? shape.heightOf(v) : 0);
    y += tallest + (r === layers.order.length - 1 ? 0 : gaps[r]!);
  }
  const points: number[][] = Array.from({ length: dag.from.length }, () => []);
  for (let e = 0; e < points.length; e++) {
    const u = dag.from[e]!;
    points[e]!.push(port[u]!, top[layers.rankOf[u]!]! + shape.heightOf(u));
  }
  for (const [gap, row] of jogs.entries()) {
    const first = (top[gap + 1] ?? y) - gaps[gap]! + labelGap;
    for (const jog of row)
      points[jog.edge]!.push(jog.from, first + jog.track * trackStep, jog.to, first + jog.track * trackStep);
  }
  for (let e = 0; e < points.length; e++) {
    const end = points[e]!;
    end.push(end.at(-2)!, top[layers.rankOf[dag.to[e]!]!]!);
  }
  return { top, height: y, right: lanes, points };
}

/**
 * Where each segment enters its node: straight ones and the nearest at the common port, the others beside it.
 */
function entryPorts(layers: Layers, port: Float64Array, shape: Shape): Map<Segment, number> {
  const arriving = new Map<number, Segment[]>();
  for (const row of layers.segments) {
    for (const s of row) {
      const list = arriving.get(s.b);
      if (list === undefined) arriving.set(s.b, [s]);
      else list.push(s);
    }
  }
  const enter = new Map<Segment, number>();
  for (const [v, list] of arriving) {
    const base = port[v]!;
    list.sort((s, t) => Math.abs(port[s.a]! - base) - Math.abs(port[t.a]! - base) || s.edge - t.edge);
    let beside = 0;
    for (const [i, s] of list.entries()) {
      if (i === 0) enter.set(s, base);
      else if (port[s.a]! < base) enter.set(s, base - 5);
      else enter.set(s, base + Math.min(shape.portRoom(v), 14 * ++beside));
    }
  }
  return enter;
}

/** Adds the sideways runs of lane edges to their gaps; returns the right end of the drawing. */
function laneJogs(dag: Dag, layers: Layers, port: Float64Array, shape: Shape, jogs: Jog[][]): number {
  const bySource = new Map<number, number[]>();
  for (const e of layers.lanes) {
    const list = bySource.get(dag.from[e]!);
    if (list === undefined) bySource.set(dag.from[e]!, [e]);
    else list.push(e);
  }
  const rankOf = (v: number): number => layers.rankOf[v]!;
  const sources = [...bySource.keys()].sort((u, v) => rankOf(u) - rankOf(v) || u - v);
  const busyUntil: number[] = [];
  for (const u of sources) {
    const edges = bySource.get(u)!;
    let last = 0;
    for (const e of edges) last = Math.max(last, rankOf(dag.to[e]!));
    let lane = busyUntil.findIndex((end) => end <= rankOf(u));
    if (lane < 0) lane = busyUntil.push(0) - 1;
    busyUntil[lane] = last;
    const x = shape.right + (lane + 1) * laneStep;
    for (const e of edges) {
      const v = dag.to[e]!;
      jogs[rankOf(u)]!.push({ edge: e, source: u, gap: rankOf(u), from: port[u]!, to: x, track: 0 });
      const into = port[v]! + shape.portRoom(v);
      jogs[rankOf(v) - 1]!.push({ edge: e, source: u, gap: rankOf(v) - 1, from: x, to: into, track: 0 });
    }
  }
  return shape.right + (busyUntil.length === 0 ? 0 : (busyUntil.length + 1) * laneStep);
}

/**
 * Sideways runs that overlap get tracks of their own, those of one tensor share; returns the height of the
 * gap.
 */
function assignTracks(row: Jog[]): number {
  if (row.length === 0) return labelGap;
  const left = (j: Jog): number => Math.min(j.from, j.to);
  row.sort((j, k) => left(j) - left(k) || j.edge - k.edge);
  const ends: number[] = [];
  const owner: number[] = [];
  for (const jog of row) {
    let track = ends.findIndex(
      (end, i) => end < left(jog) || (owner[i] === jog.source && ends[i]! >= left(jog)),
    );
    if (track < 0) track = ends.length < mostTracks ? ends.push(0) - 1 : mostTracks - 1;
    ends[track] = Math.max(ends[track]!, jog.from, jog.to);
    owner[track] = jog.source;
    jog.track = track;
  }
  return labelGap + (ends.length - 1) * trackStep + arrowRoom;
}
