// Where the graph stands in its pane: fitted until somebody moves it, then left alone; a new pin brings its
// node into sight.
import { useCallback, useEffect, useRef, useState } from "react";
import type { PlacedGraph, PlacedNode } from "./placed.ts";
import type { Size } from "../../kit/use-pane-size.ts";
import { fitAll, fitWidth, reveal, type Viewport } from "./viewport.ts";

const glideMs = 180;

export interface GraphViewControl {
  readonly view: Viewport;
  readonly change: (to: (view: Viewport) => Viewport) => void;
  readonly fit: () => void;
  /** Back to the first look. */
  readonly first: () => void;
  readonly show: (node: PlacedNode) => void;
}

export function useGraphView(graph: PlacedGraph, pane: Size | null, flagged: number): GraphViewControl {
  const [view, setState] = useState<Viewport>({ x: 0, y: 0, k: 1 });
  const now = useRef(view);
  const mode = useRef<"first" | "all" | "free">("first");
  const glide = useRef(0);
  const set = useCallback((next: Viewport) => {
    now.current = next;
    setState(next);
  }, []);
  const place = useCallback(() => {
    if (pane === null || pane.width === 0 || pane.height === 0) return;
    if (mode.current === "first") set(fitWidth(graph, pane, trunkStart(graph)));
    else if (mode.current === "all") set(fitAll(graph, pane));
  }, [graph, pane, set]);
  useEffect(place, [place]);
  useEffect(() => () => cancelAnimationFrame(glide.current), []);

  const change = useCallback(
    (to: (view: Viewport) => Viewport) => {
      cancelAnimationFrame(glide.current);
      mode.current = "free";
      set(to(now.current));
    },
    [set],
  );
  const show = useCallback(
    (node: PlacedNode) => {
      if (pane === null) return;
      const from = now.current;
      const to = reveal(from, node, graph, pane);
      if (to === from) return;
      mode.current = "free";
      if (matchMedia("(prefers-reduced-motion: reduce)").matches) set(to);
      else glideTo(from, to, glide, set);
    },
    [graph, pane, set],
  );
  // A new pin moves the view, and a pane of another size (the chain takes its room on a phone), but not a new
  // drawing.
  const shownFor = useRef({ flagged: -1, pane });
  useEffect(() => {
    if (pane === null || (shownFor.current.flagged === flagged && shownFor.current.pane === pane)) return;
    shownFor.current = { flagged, pane };
    const node = graph.byId.get(flagged);
    if (node) show(node);
  }, [flagged, graph, pane, show]);
  const back = (next: "first" | "all") => () => {
    cancelAnimationFrame(glide.current);
    mode.current = next;
    place();
  };
  return { view, change, fit: back("all"), first: back("first"), show };
}

/** x of the leftmost node of the topmost rank. */
function trunkStart(graph: PlacedGraph): number {
  let [x, y] = [0, Infinity];
  for (const n of graph.nodes) if (n.y < y || (n.y === y && n.x < x)) [x, y] = [n.x, n.y];
  return x;
}

function glideTo(
  from: Viewport,
  to: Viewport,
  frame: { current: number },
  set: (view: Viewport) => void,
): void {
  cancelAnimationFrame(frame.current);
  let start: number | null = null;
  const step = (now: number): void => {
    start ??= now;
    const t = Math.min(1, (now - start) / glideMs);
    const eased = 1 - (1 - t) ** 3;
    set(t === 1 ? to : { x: from.x + (to.x - from.x) * eased, y: from.y + (to.y - from.y) * eased, k: to.k });
    if (t < 1) frame.current = requestAnimationFrame(step);
  };
  frame.current = requestAnimationFrame(step);
}
