import { describe, expect, it } from "vitest";
import {
  layoutGraph,
  layoutLayered,
  type LayoutEdge,
  type LayoutNode,
  type UnplacedNode,
} from "./graph-layout.ts";

const box: LayoutNode = { width: 260, height: 24, left: 36, right: 48, port: 8 };
const boxes = (n: number): LayoutNode[] => Array.from({ length: n }, () => box);
const chain = (n: number): LayoutEdge[] => Array.from({ length: n - 1 }, (_, i) => ({ from: i, to: i + 1 }));

/** A reproducible DAG: a chain with skips, splits and a few long edges. */
function branchy(n: number): LayoutEdge[] {
  const edges = chain(n);
  let state = 12345;
  const next = (below: number): number => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  for (let i = 0; i < n; i++) {
    const span = 2 + next(next(10) === 0 ? 200 : 6);
    if (next(3) === 0 && i + span < n) edges.push({ from: i, to: i + span });
  }
  return edges;
}

function expectSound(nodes: readonly LayoutNode[], edges: readonly LayoutEdge[]): void {
  const { x, y, points, width, height } = layoutLayered(nodes, edges);
  const byRow = new Map<number, number[]>();
  for (let v = 0; v < nodes.length; v++) byRow.set(y[v]!, [...(byRow.get(y[v]!) ?? []), v]);
  for (const row of byRow.values()) {
    row.sort((u, v) => x[u]! - x[v]!);
    for (let i = 1; i < row.length; i++)
      expect(x[row[i]!]! - x[row[i - 1]!]!).toBeGreaterThanOrEqual(260 + 36 + 48);
  }
  const bands = [...byRow.keys()].sort((p, q) => p - q);
  for (let i = 1; i < bands.length; i++) expect(bands[i]! - bands[i - 1]!).toBeGreaterThanOrEqual(24);
  for (const [e, { from, to }] of edges.entries()) {
    const line = points[e]!;
    expect(line[1]).toBe(y[from]! + 24);
    expect(line.at(-1)).toBe(y[to]!);
    for (let k = 3; k < line.length; k += 2) {
      expect(line[k]!).toBeGreaterThanOrEqual(line[k - 2]!);
      expect(line[k] === line[k - 2] || line[k - 1] === line[k - 3]).toBe(true);
    }
    for (let k = 0; k < line.length; k += 2)
      expect(line[k]! >= 0 && line[k]! <= width && line[k + 1]! <= height).toBe(true);
  }
}

describe("layoutLayered", () => {
  it("stacks a chain in one straight column", () => {
    const { x, points } = layoutLayered(boxes(8), chain(8));
    expect(new Set(x).size).toBe(1);
    expect(points.every((line) => line.length === 4)).toBe(true);
  });

  it("keeps the trunk straight and takes the skip edge around it", () => {
    const edges = [...chain(5), { from: 0, to: 3 }];
    const { x, points } = layoutLayered(boxes(5), edges);
    expect(new Set(x).size).toBe(1);
    const skip = points[4]!;
    expect(Math.max(...skip.filter((_, k) => k % 2 === 0))).toBeGreaterThanOrEqual(x[1]! + 260 + 48);
  });

  it("keeps what prepares weights next to who reads them, also when two read them", () => {
    // 0 … 5 trunk; 6 feeds 7, which 4 and 5 read.
    const edges = [...chain(6), { from: 6, to: 7 }, { from: 7, to: 4 }, { from: 7, to: 5 }];
    const { y } = layoutLayered(boxes(8), edges);
    expect([y[6], y[7]]).toEqual([y[2], y[3]]);
    expectSound(boxes(8), edges);
  });

  it("puts the branches of a split side by side", () => {
    const edges = [1, 2, 3].flatMap((b) => [
      { from: 0, to: b },
      { from: b, to: 4 },
    ]);
    const { x, y } = layoutLayered(boxes(5), edges);
    expect(new Set([y[1], y[2], y[3]]).size).toBe(1);
    expect(new Set([x[1], x[2], x[3]]).size).toBe(3);
    expectSound(boxes(5), edges);
  });

  it("starts a side input right above its reader", () => {
    const edges = [...chain(6), { from: 6, to: 4 }];
    const { y } = layoutLayered(boxes(7), edges);
    expect(y[6]).toBe(y[3]);
  });

  it("never lets boxes overlap or wires go upwards", () => {
    expectSound(boxes(400), branchy(400));
  });

  it("refuses a cycle", () => {
    expect(() =>
      layoutLayered(boxes(2), [
        { from: 0, to: 1 },
        { from: 1, to: 0 },
      ]),
    ).toThrow(/cycle/);
  });

  it("lays out nothing, one node, and islands", () => {
    expect(layoutLayered([], []).height).toBe(0);
    expect(layoutLayered(boxes(1), []).width).toBe(344);
    expectSound(boxes(3), []);
  });

  it("takes a chain of 10,000 whose input everyone reads", () => {
    const edges = [...chain(10_000), ...Array.from({ length: 9_998 }, (_, i) => ({ from: 0, to: i + 2 }))];
    const { points, width } = layoutLayered(boxes(10_000), edges);
    expect(points.at(-1)!.length).toBe(12);
    expect(width).toBeLessThan(1000);
  });
});

describe("layoutGraph", () => {
  const node = (id: number, kind: UnplacedNode["kind"], label: string): UnplacedNode => ({
    id,
    kind,
    label,
    primitive: kind === "call" ? 0 : -1,
    call: -1,
    results: [],
    device: 1,
    sid: -1,
    sources: [],
    ops: [],
  });
  const edge = { shape: "1×10", dtype: "float32", bytes: 40 };

  it("leaves constants beside their reader and gives wires only to what is placed", () => {
    const nodes = [
      node(7, "input", "data"),
      node(3, "constant", "w"),
      node(4, "constant", "b"),
      node(9, "call", "dense add"),
    ];
    const view = layoutGraph(nodes, [
      { from: 7, to: 9, ...edge },
      { from: 3, to: 9, ...edge },
      { from: 4, to: 9, ...edge },
    ]);
    const [data, w, b, call] = view.nodes;
    expect(call!.y).toBeGreaterThan(data!.y);
    expect(w!.x).toBeLessThan(call!.x);
    expect(b!.y).toBeGreaterThan(w!.y);
    expect(view.edges.map((e) => e.points.length)).toEqual([4, 0, 0]);
    expect(view.nodes.map((n) => n.id)).toEqual([7, 3, 4, 9]);
  });

  it("places the first input and the start of the longest path, and writes other inputs beside their reader", () => {
    const nodes = [
      node(0, "input", "x"),
      node(1, "input", "y"),
      node(2, "input", "w"),
      node(3, "call", "dense"),
      node(4, "call", "add"),
      node(5, "call", "relu"),
    ];
    const pairs = [
      [1, 3],
      [2, 3],
      [3, 4],
      [0, 4],
      [4, 5],
    ] as const;
    const view = layoutGraph(
      nodes,
      pairs.map(([from, to]) => ({ from, to, ...edge })),
    );
    expect(view.edges.map((e) => e.points.length > 0)).toEqual([true, false, true, true, true]);
  });

  it("keeps a constant that nobody reads on the page", () => {
    const view = layoutGraph([node(0, "constant", "w")], []);
    expect(view.nodes[0]).toMatchObject({ x: 8, y: 8 });
  });
});
