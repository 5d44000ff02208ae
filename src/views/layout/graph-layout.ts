// Layered layout of the fused graph, run in the worker: ranks by longest path, order by barycentres, columns
// by aligned blocks, wires orthogonal. No recursion; a chain of 10,000 calls is fine. No TVM counterpart.
import { firstTensorName } from "../../protocol/call-arg.ts";
import type { GraphEdgeView, GraphNodeView, GraphView } from "../../protocol/views.ts";
import { makeLayers } from "./layers.ts";
import { placeColumns } from "./place.ts";
import { makeDag, rankNodes } from "./rank.ts";
import { routeWires } from "./route.ts";

/** A box in px at zoom 1. */
export interface LayoutNode {
  readonly width: number;
  readonly height: number;
  /** Room kept free beside the box: names of parameters at the left, the storage at the right. */
  readonly left: number;
  readonly right: number;
  /** Where wires enter and leave, from the box's left edge. */
  readonly port: number;
}
export interface LayoutEdge {
  readonly from: number;
  readonly to: number;
}
interface Layout {
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** By edge: x and y in turn, from the bottom of `from` to the top of `to`. */
  readonly points: readonly (readonly number[])[];
  readonly width: number;
  readonly height: number;
}

const columnGap = 16;
const standInReach = 7;

/** Lays out a DAG whose edges name nodes by index. Throws InvariantError on a cycle. */
export function layoutLayered(nodes: readonly LayoutNode[], edges: readonly LayoutEdge[]): Layout {
  const dag = makeDag(nodes.length, edges);
  const ranks = rankNodes(dag);
  const layers = makeLayers(dag, ranks);
  const left = (v: number): number => (v < nodes.length ? nodes[v]!.left + nodes[v]!.port : standInReach);
  const rightOf = (n: LayoutNode): number => n.width - n.port + n.right;
  const right = (v: number): number => (v < nodes.length ? rightOf(nodes[v]!) : standInReach);
  const port = placeColumns(layers, ranks.through, { left, right, gap: columnGap });
  let extent = 0;
  for (const [v, x] of port.entries()) extent = Math.max(extent, x + right(v));
  const wires = routeWires(dag, layers, port, {
    heightOf: (v) => nodes[v]!.height,
    right: extent,
    portRoom: (v) => Math.max(0, Math.min(nodes[v]!.width, 160) - nodes[v]!.port - 12),
  });
  return {
    x: Float64Array.from(nodes, (n, v) => port[v]! - n.port),
    y: Float64Array.from(nodes, (_, v) => wires.top[layers.rankOf[v]!]!),
    points: wires.points,
    width: wires.right,
    height: wires.height,
  };
}

export type UnplacedNode = Omit<GraphNodeView, "x" | "y" | "width" | "height">;
export type UnplacedEdge = Omit<GraphEdgeView, "points">;

const margin = 8;
const callWidth = 260;
const sizes: Readonly<Record<GraphNodeView["kind"], LayoutNode>> = {
  call: { width: callWidth, height: 24, left: 36, right: 48, port: 8 },
  tuple: { width: callWidth, height: 24, left: 36, right: 48, port: 8 },
  input: { width: 0, height: 14, left: 0, right: 0, port: 8 },
  output: { width: 0, height: 14, left: 0, right: 0, port: 8 },
  constant: { width: 30, height: 11, left: 0, right: 0, port: 0 },
};

/**
 * The graph as the pane draws it. Constants and inputs take no place of their own: the pane writes their
 * names beside their reader, so their x and y say where that is, and their edges have no points. Only the
 * first input of the text and the one that the longest path starts from are placed: a network has hundreds of
 * weights, and which inputs are weights nobody says.
 */
export function layoutGraph(nodes: readonly UnplacedNode[], edges: readonly UnplacedEdge[]): GraphView {
  const beside = nodesBeside(nodes, edges);
  const placed = nodes.filter((n) => !beside.has(n.id));
  const indexOf = new Map(placed.map((n, i) => [n.id, i]));
  // Several tensors between the same two nodes are one wire.
  const pairOf = (e: UnplacedEdge): string => `${e.from} ${e.to}`;
  const wired = [
    ...new Map(
      edges.filter((e) => indexOf.has(e.from) && indexOf.has(e.to)).map((e) => [pairOf(e), e]),
    ).values(),
  ];
  const leftOf = roomForNames(nodes, edges, beside);
  const tensorOf = new Map(
    edges.flatMap(
      (e) =>
        [
          [e.from, e],
          [e.to, e],
        ] as const,
    ),
  );
  const boxes = placed.map((n): LayoutNode => {
    if (n.kind === "input" || n.kind === "output")
      return { ...sizes[n.kind], width: terminalWidth(n, tensorOf.get(n.id)) };
    const right = Math.max(sizes[n.kind].right, 12 + characterWidth * firstTensorName(n.results).length);
    return { ...sizes[n.kind], left: leftOf.get(n.id) ?? sizes[n.kind].left, right };
  });
  const layout = layoutLayered(
    boxes,
    wired.map((e) => ({ from: indexOf.get(e.from)!, to: indexOf.get(e.to)! })),
  );
  const views = new Map(
    placed.map((n, i): [number, GraphNodeView] => {
      const { width, height } = boxes[i]!;
      return [n.id, { ...n, x: layout.x[i]! + margin, y: layout.y[i]! + margin, width, height }];
    }),
  );
  const points = new Map(wired.map((e, i) => [pairOf(e), layout.points[i]!.map((p) => p + margin)]));
  placeBeside(nodes, edges, beside, views);
  return {
    nodes: nodes.map((n) => views.get(n.id)!),
    edges: edges.map((e) => ({ ...e, points: points.get(pairOf(e)) ?? [] })),
    width: layout.width + 2 * margin,
    height: layout.height + 2 * margin,
  };
}

/** A circle, the name, and the tensor beside it: "data 1×1×28×28 · 3,136 B". */
function terminalWidth(node: UnplacedNode, tensor: UnplacedEdge | undefined): number {
  const characters =
    node.label.length +
    (tensor === undefined ? 0 : tensor.shape.length + tensor.dtype.length + String(tensor.bytes).length + 9);
  return Math.ceil(30 + characterWidth * characters);
}

/**
 * Names of weights stand left of their reader, before an arrow of 14 px; longer ones than this are cut by the
 * pane.
 */
const longestName = 10;
const characterWidth = 6.1;
const arrowWidth = 18;

function roomForNames(
  nodes: readonly UnplacedNode[],
  edges: readonly UnplacedEdge[],
  beside: ReadonlySet<number>,
): Map<number, number> {
  const labels = new Map(nodes.filter((n) => beside.has(n.id)).map((n) => [n.id, n.label]));
  const room = new Map<number, number>();
  for (const e of edges) {
    const label = labels.get(e.from);
    if (label === undefined) continue;
    const width = arrowWidth + characterWidth * Math.min(label.length, longestName);
    room.set(e.to, Math.max(room.get(e.to) ?? sizes.call.left, Math.ceil(width)));
  }
  return room;
}

function nodesBeside(nodes: readonly UnplacedNode[], edges: readonly UnplacedEdge[]): Set<number> {
  const indexOf = new Map(nodes.map((n, i) => [n.id, i]));
  const dag = makeDag(
    nodes.length,
    edges.map((e) => ({ from: indexOf.get(e.from)!, to: indexOf.get(e.to)! })),
  );
  const { through } = rankNodes(dag);
  const place = (n: UnplacedNode): number => n.sources[0] ?? Infinity;
  const inputs = nodes.filter((n) => n.kind === "input").sort((m, n) => place(m) - place(n) || m.id - n.id);
  const placed = new Set(inputs.slice(0, 1).map((n) => n.id));
  let longest = 0;
  let start = -1;
  for (const [e, edge] of edges.entries()) {
    if (through[e]! <= longest || nodes[dag.from[e]!]!.kind !== "input") continue;
    longest = through[e]!;
    start = edge.from;
  }
  placed.add(start);
  const read = new Set(edges.map((e) => e.from));
  return new Set(
    nodes
      .filter((n) => n.kind === "constant" || (n.kind === "input" && read.has(n.id) && !placed.has(n.id)))
      .map((n) => n.id),
  );
}

function placeBeside(
  nodes: readonly UnplacedNode[],
  edges: readonly UnplacedEdge[],
  beside: ReadonlySet<number>,
  views: Map<number, GraphNodeView>,
): void {
  const { width, height } = sizes.constant;
  const byId = new Map(nodes.filter((n) => beside.has(n.id)).map((n) => [n.id, n]));
  const taken = new Map<number, number>();
  for (const e of edges) {
    const node = byId.get(e.from);
    const reader = views.get(e.to);
    if (node === undefined || reader === undefined) continue;
    const row = taken.get(e.to) ?? 0;
    taken.set(e.to, row + 1);
    if (!views.has(node.id))
      views.set(node.id, { ...node, x: reader.x - 36, y: reader.y + 2 + row * height, width, height });
  }
  for (const n of byId.values())
    if (!views.has(n.id)) views.set(n.id, { ...n, x: margin, y: margin, width, height });
}
