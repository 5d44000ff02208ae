// The graph as drawn: expanded nodes grow and push everything below them down; weights stand beside their
// readers. Pure.
import { at } from "../../../../support/assert.ts";
import type { GraphEdgeView, GraphNodeView, GraphView } from "../../../../protocol/views.ts";
import type { Rect } from "./viewport.ts";

export const operatorRow = 17;
const expandedPadding = 6;

export interface PlacedNode extends Rect {
  readonly node: GraphNodeView;
  readonly expanded: boolean;
  /** Weights written at the left, in the order of the arguments. */
  readonly beside: readonly GraphNodeView[];
  /** The tensor that it makes, from its first edge to a reader; of an output, the tensor that comes in. */
  readonly tensor: GraphEdgeView | null;
}
export type Point = readonly [x: number, y: number];

export interface PlacedEdge {
  readonly edge: GraphEdgeView;
  readonly points: readonly Point[];
  readonly box: Rect;
}
export interface PlacedGraph {
  readonly nodes: readonly PlacedNode[];
  readonly byId: ReadonlyMap<number, PlacedNode>;
  readonly edges: readonly PlacedEdge[];
  readonly width: number;
  readonly height: number;
}

export function expandable(node: GraphNodeView): boolean {
  return node.ops.length > 1;
}

export function placeGraph(graph: GraphView, expanded: ReadonlySet<number>): PlacedGraph {
  // Several tensors between the same two nodes share one wire.
  const wired = [
    ...new Map(graph.edges.filter((e) => e.points.length > 0).map((e) => [`${e.from} ${e.to}`, e])).values(),
  ];
  const byId = new Map(graph.nodes.map((n) => [n.id, n]));
  const beside = new Map<number, GraphNodeView[]>();
  const tensor = new Map<number, GraphEdgeView>();
  const apart = new Set<number>();
  for (const e of graph.edges) {
    // What only leaves the graph is written beside the output and not in the gap before it.
    const end = byId.get(e.to)?.kind === "output" ? e.to : e.from;
    if (!tensor.has(end)) tensor.set(end, e);
    const node = byId.get(e.from);
    if (e.points.length > 0 || node === undefined) continue;
    apart.add(e.from);
    const known = beside.get(e.to) ?? [];
    if (!known.includes(node)) beside.set(e.to, [...known, node]);
  }
  const grown = new Map(
    graph.nodes
      .filter((n) => expanded.has(n.id) && expandable(n))
      .map((n) => [n.id, n.ops.length * operatorRow + expandedPadding]),
  );
  const shift = shiftBelow(
    graph.nodes.flatMap(({ id, y }) => {
      const extra = grown.get(id);
      return extra === undefined ? [] : [[y, extra] as const];
    }),
  );
  const nodes = graph.nodes
    .filter((n) => !apart.has(n.id))
    .map((node): PlacedNode => ({
      node,
      x: node.x,
      y: node.y + shift(node.y),
      width: node.width,
      height: node.height + (grown.get(node.id) ?? 0),
      expanded: grown.has(node.id),
      beside: beside.get(node.id) ?? [],
      tensor: tensor.get(node.id) ?? null,
    }));
  const placed = new Map(nodes.map((n) => [n.node.id, n]));
  const edges = wired.map((edge) => placeEdge(edge, placed, shift));
  return { nodes, byId: placed, edges, width: graph.width, height: graph.height + shift(Infinity) };
}

/** y -> how far it moves: the growth of every band that starts above it, the largest of each. */
function shiftBelow(growth: readonly (readonly [top: number, extra: number])[]): (y: number) => number {
  const bands = new Map<number, number>();
  for (const [top, extra] of growth) bands.set(top, Math.max(bands.get(top) ?? 0, extra));
  const sorted = [...bands].sort((a, b) => a[0] - b[0]);
  return (y) => {
    let sum = 0;
    for (const [top, extra] of sorted) {
      if (top >= y) break;
      sum += extra;
    }
    return sum;
  };
}

function placeEdge(
  edge: GraphEdgeView,
  placed: ReadonlyMap<number, PlacedNode>,
  shift: (y: number) => number,
): PlacedEdge {
  const from = placed.get(edge.from);
  const to = placed.get(edge.to);
  const flat = edge.points.map((p, i) => (i % 2 === 1 ? p + shift(p) : p));
  if (from) flat[1] = from.y + from.height;
  if (to) flat[flat.length - 1] = to.y - 1;
  const points = pairs(flat);
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const [x, y] of points) {
    left = Math.min(left, x);
    right = Math.max(right, x);
    top = Math.min(top, y);
    bottom = Math.max(bottom, y);
  }
  return { edge, points, box: { x: left, y: top, width: right - left, height: bottom - top } };
}

function pairs(flat: readonly number[]): Point[] {
  const points: Point[] = [];
  for (let i = 1; i < flat.length; i += 2)
    points.push([at(flat, i - 1, "coordinate"), at(flat, i, "coordinate")]);
  return points;
}

const overhang = 64;

export function nodesIn(graph: PlacedGraph, shown: Rect): PlacedNode[] {
  return graph.nodes.filter(
    (n) =>
      n.y <= shown.y + shown.height + overhang &&
      n.y + n.height >= shown.y - overhang &&
      n.x <= shown.x + shown.width + overhang &&
      n.x + n.width >= shown.x - overhang,
  );
}

export function edgesIn(graph: PlacedGraph, shown: Rect): PlacedEdge[] {
  return graph.edges.filter(
    ({ box }) =>
      box.y <= shown.y + shown.height &&
      box.y + box.height >= shown.y &&
      box.x <= shown.x + shown.width &&
      box.x + box.width >= shown.x,
  );
}

export type Hit =
  | { readonly kind: "node"; readonly node: PlacedNode }
  | { readonly kind: "gap"; readonly from: PlacedNode; readonly to: PlacedNode }
  | null;

/** What is at a world point: a node, or the gap under a node where its wire to a reader starts. */
export function hitTest(graph: PlacedGraph, x: number, y: number): Hit {
  for (const node of graph.nodes) {
    if (x >= node.x - 4 && x <= node.x + node.width + 4 && y >= node.y && y <= node.y + node.height)
      return { kind: "node", node };
  }
  for (const { edge, points } of graph.edges) {
    const from = graph.byId.get(edge.from);
    const to = graph.byId.get(edge.to);
    if (!from || !to) continue;
    const straight = points[0]?.[0] === points.at(-1)?.[0];
    const between = y > from.y + from.height && y < to.y;
    if (straight && between && x >= from.x && x <= from.x + from.width * 0.75)
      return { kind: "gap", from, to };
    if (nearLine(points, x, y)) return { kind: "gap", from, to };
  }
  return null;
}

function nearLine(points: readonly Point[], x: number, y: number): boolean {
  const reach = 5;
  return points.some(([x1, y1], i) => {
    const before = points[i - 1];
    if (before === undefined) return false;
    const [x0, y0] = before;
    return (
      x >= Math.min(x0, x1) - reach &&
      x <= Math.max(x0, x1) + reach &&
      y >= Math.min(y0, y1) - reach &&
      y <= Math.max(y0, y1) + reach
    );
  });
}

/** Where arrow keys lead: down to the first reader, up to the first producer, sideways in the same rank. */
export function neighbour(
  graph: PlacedGraph,
  id: number,
  direction: "up" | "down" | "left" | "right",
): PlacedNode | null {
  const here = graph.byId.get(id);
  if (here === undefined) return null;
  if (direction === "down")
    return pick(
      graph,
      graph.edges.filter((e) => e.edge.from === id).map((e) => e.edge.to),
    );
  if (direction === "up")
    return pick(
      graph,
      graph.edges.filter((e) => e.edge.to === id).map((e) => e.edge.from),
    );
  const row = graph.nodes.filter((n) => n.node.y === here.node.y).sort((a, b) => a.x - b.x);
  return row[row.indexOf(here) + (direction === "left" ? -1 : 1)] ?? null;
}

function pick(graph: PlacedGraph, ids: readonly number[]): PlacedNode | null {
  for (const id of ids) {
    const node = graph.byId.get(id);
    if (node) return node;
  }
  return null;
}
