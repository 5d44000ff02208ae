// The keys of the graph's drawing; they act while it has the focus.
import type { KeyboardEvent } from "react";
import type { GraphDrawingProps } from "./graph-drawing.tsx";
import { expandable, neighbour, type PlacedNode } from "./placed.ts";
import type { GraphViewControl } from "./use-graph-view.ts";

/** `goTo` moves the cursor to a node and brings it into sight. */
export function useGraphKeys(
  { graph, onPin, onExpand, lit }: GraphDrawingProps,
  cursor: number,
  goTo: (node: PlacedNode) => void,
  { zoom, fit, first }: Pick<GraphViewControl, "fit" | "first"> & { readonly zoom: (by: number) => void },
): (event: KeyboardEvent) => void {
  return (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const from = cursor >= 0 ? cursor : ([...lit][0] ?? -1);
    const walk = (direction: "up" | "down" | "left" | "right") => () => {
      const next = from < 0 ? graph.nodes[0] : neighbour(graph, from, direction);
      if (next) goTo(next);
    };
    const here = graph.byId.get(from);
    const actions: Readonly<Record<string, () => void>> = {
      ArrowDown: walk("down"),
      ArrowUp: walk("up"),
      ArrowLeft: walk("left"),
      ArrowRight: walk("right"),
      "+": () => zoom(1.25),
      "=": () => zoom(1.25),
      "-": () => zoom(0.8),
      "0": first,
      " ": fit,
      Enter: () => {
        if (!here) return;
        if (!lit.has(here.node.id)) onPin(here);
        else if (expandable(here.node)) onExpand(here, !here.expanded);
      },
      Backspace: () => here && onExpand(here, false),
    };
    const action = actions[event.key];
    if (action === undefined) return;
    event.preventDefault();
    action();
  };
}
