import { describe, expect, it } from "vitest";
import { lenetFixture } from "../../../../testing/fixtures/lenet-views.ts";
import { gapKey, gapRemarks } from "./gap-remarks.ts";
import { cutStart, fitNames, formatCount, formatMicros, tensorLabel } from "../../kit/labels.ts";
import { edgesIn, hitTest, neighbour, nodesIn, placeGraph } from "./placed.ts";
import { fitAll, fitWidth, keepInSight, reveal, zoomAt } from "./viewport.ts";

const { graph, summary } = lenetFixture();
const conv = graph.nodes.find((n) => n.call === 2)!;
const plain = placeGraph(graph, new Set());

describe("placeGraph", () => {
  it("writes weights beside their reader and tensors below their writer", () => {
    expect(plain.byId.get(conv.id)!.beside.map((n) => n.label)).toEqual(["c2w", "c2b"]);
    expect(tensorLabel(plain.byId.get(conv.id)!.tensor!)).toBe("1×16×10×10 · 6,400 B");
    expect(plain.nodes.some((n) => n.node.label === "c2w")).toBe(false);
    const output = plain.nodes.find((n) => n.node.kind === "output")!;
    expect(output.tensor!.bytes).toBe(40);
  });

  it("pushes what is below an open node down, with its wires", () => {
    const open = placeGraph(graph, new Set([conv.id]));
    const grown = open.byId.get(conv.id)!.height - conv.height;
    expect(grown).toBe(74);
    for (const n of open.nodes)
      expect(n.y - plain.byId.get(n.node.id)!.y).toBe(n.node.y > conv.y ? grown : 0);
    for (const { edge, points } of open.edges) {
      expect(points[0]?.[1]).toBe(open.byId.get(edge.from)!.y + open.byId.get(edge.from)!.height);
      expect(points.at(-1)?.[1]).toBe(open.byId.get(edge.to)!.y - 1);
    }
    expect(open.height - plain.height).toBe(grown);
  });

  it("finds nodes and the gaps between them", () => {
    const at = plain.byId.get(conv.id)!;
    expect(hitTest(plain, at.x + 20, at.y + 5)).toMatchObject({
      kind: "node",
      node: { node: { id: conv.id } },
    });
    expect(hitTest(plain, at.x + 20, at.y + at.height + 10)).toMatchObject({
      kind: "gap",
      from: { node: { id: conv.id } },
      to: { node: { id: conv.id + 1 } },
    });
    expect(hitTest(plain, -50, -50)).toBeNull();
  });

  it("walks along wires", () => {
    expect(neighbour(plain, conv.id, "down")!.node.id).toBe(conv.id + 1);
    expect(neighbour(plain, conv.id, "up")!.node.id).toBe(conv.id - 1);
    expect(neighbour(plain, conv.id, "left")).toBeNull();
  });

  it("draws only what shows", () => {
    const shown = { x: 0, y: conv.y, width: 300, height: 10 };
    expect(nodesIn(plain, shown).length).toBeLessThan(plain.nodes.length);
    expect(edgesIn(plain, { x: 0, y: 1e6, width: 10, height: 10 })).toEqual([]);
  });
});

describe("gapRemarks", () => {
  it("joins a refusal to the edge between its two ends", () => {
    const gaps = gapRemarks(graph, summary.remarks);
    expect(gaps.get(gapKey(conv.id, conv.id + 1))).toEqual(["avg_pool2d starts new: kind above broadcast"]);
    expect(gaps.has(gapKey(conv.id + 1, conv.id + 2))).toBe(false);
  });
});

describe("viewport", () => {
  it("fits without enlarging, and shows the top of what is long", () => {
    expect(fitWidth({ width: 364, height: 496 }, { width: 364, height: 496 }, 50)).toEqual({
      x: 0,
      y: 0,
      k: 1,
    });
    expect(fitWidth({ width: 400, height: 90_000 }, { width: 364, height: 496 }, 50).y).toBe(0);
    const wide = fitWidth({ width: 4000, height: 900 }, { width: 364, height: 496 }, 2000);
    expect(2000 * wide.k + wide.x).toBeCloseTo(100 * wide.k);
    const all = fitAll({ width: 400, height: 90_000 }, { width: 364, height: 450 });
    expect(90_000 * all.k).toBeLessThanOrEqual(450);
  });

  it("zooms about the pointer and keeps the content in sight", () => {
    const view = zoomAt({ x: 10, y: 20, k: 1 }, 2, 50, 60);
    expect((50 - view.x) / view.k).toBe(40);
    expect(
      keepInSight({ x: 9999, y: -9999, k: 1 }, { width: 300, height: 300 }, { width: 200, height: 200 }),
    ).toEqual({ x: 152, y: -252, k: 1 });
  });

  it("moves only if a node does not show, and not past the ends", () => {
    const view = { x: 0, y: 0, k: 1 };
    const pane = { width: 364, height: 500 };
    const long = { width: 364, height: 2000 };
    expect(reveal(view, { x: 44, y: 100, width: 260, height: 24 }, long, pane)).toBe(view);
    expect(reveal(view, { x: 44, y: 900, width: 260, height: 24 }, long, pane).y).toBe(-662);
    expect(reveal(view, { x: 44, y: 1990, width: 260, height: 10 }, long, pane).y).toBe(-1500);
    expect(reveal({ ...view, y: -300 }, { x: 44, y: 2, width: 260, height: 24 }, long, pane).y).toBe(0);
  });
});

describe("labels", () => {
  it("cuts names to the room they have", () => {
    expect(fitNames(conv, 200)).toBe("conv2d expand_dims add relu");
    expect(fitNames(conv, 80)).toBe("conv2d…relu");
    expect(cutStart("layer1.0.conv2.weight", 10)).toBe("…v2.weight");
  });

  it("writes numbers the same everywhere", () => {
    expect([formatCount(1234567), formatMicros(41.25), formatMicros(0.031), formatMicros(12345)]).toEqual([
      "1,234,567",
      "41.3 µs",
      "0.03 µs",
      "12,345 µs",
    ]);
  });
});
