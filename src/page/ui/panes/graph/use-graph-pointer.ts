// The pointer on the graph's drawing: hover, pin, open a node by two clicks; in the gap before a node, why it
// was not fused.
import { useState, type RefObject } from "react";
import type { Size } from "../../kit/use-pane-size.ts";
import { gapKey } from "./gap-remarks.ts";
import type { GraphDrawingProps } from "./graph-drawing.tsx";
import { expandable, hitTest, type Hit } from "./placed.ts";
import type { GraphViewControl } from "./use-graph-view.ts";
import { usePanZoom } from "./use-pan-zoom.ts";

/** Remarks that stand beside the pointer, px of the pane. */
export interface GapNote {
  readonly x: number;
  readonly y: number;
  readonly texts: readonly string[];
}

export function useGraphPointer(
  { graph, gaps, lit, onHover, onPin, onExpand }: GraphDrawingProps,
  host: RefObject<HTMLDivElement | null>,
  pane: Size | null,
  { view, change }: Pick<GraphViewControl, "view" | "change">,
  setCursor: (id: number) => void,
): GapNote | null {
  const [note, setNote] = useState<GapNote | null>(null);
  const under = (x: number, y: number): Hit => hitTest(graph, (x - view.x) / view.k, (y - view.y) / view.k);
  usePanZoom(host, graph, pane, {
    onView: change,
    onClick(x, y, double) {
      const hit = under(x, y);
      if (hit?.kind !== "node") return;
      setCursor(hit.node.node.id);
      if (!double) onPin(hit.node);
      else {
        // The first click of the two pinned it or let it go: keep it pinned.
        if (!lit.has(hit.node.node.id)) onPin(hit.node);
        if (expandable(hit.node.node)) onExpand(hit.node, !hit.node.expanded);
      }
    },
    onPoint(x, y) {
      const hit = under(x, y);
      onHover(hit?.kind === "node" ? hit.node : null);
      const texts = hit?.kind === "gap" ? gaps.get(gapKey(hit.from.node.id, hit.to.node.id)) : undefined;
      setNote((old) => (texts === undefined ? null : old?.texts === texts ? old : { x, y, texts }));
    },
    onLeave() {
      onHover(null);
      setNote(null);
    },
  });
  return note;
}
