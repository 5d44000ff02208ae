// Graph of fused primitives: what calls what, which tensor of how many bytes goes where, into which storage.
// Click pins, hover previews, double-click or Enter opens a node, hovering the gap between two says why they
// were not fused.
import { useCallback, useMemo, useState, type ReactNode } from "react";
import type { GraphView } from "../../../../protocol/views.ts";
import { shownCallMicros } from "../../../store/selectors.ts";
import type { Entity, Lit } from "../../../store/selection.ts";
import type { ShownRun } from "../../../store/state.ts";
import { useActions, useApp, useHover, usePinned, useShown, useView } from "../../kit/context.tsx";
import { useStale } from "../../kit/pane-tools.tsx";
import { GraphDrawing } from "./graph-drawing.tsx";
import { gapRemarks } from "./gap-remarks.ts";
import { nodeNotes } from "./node-notes.ts";
import { placeGraph, type PlacedNode } from "./placed.ts";
import "./graph.css";

export function GraphPane(): ReactNode {
  const shown = useShown();
  const got = useView(shown, { kind: "graph" });
  if (got === "gone" && shown?.summary.graphError != null)
    return <p className="bd paneword">No graph: {shown.summary.graphError}.</p>;
  if (got === "gone")
    return <p className="bd paneword">The graph of this run is no longer kept. Compile again to see it.</p>;
  if (got === null)
    return shown === null ? <p className="bd paneword">Nothing compiled yet.</p> : <div className="bd" />;
  if (got.view.graph.nodes.length === 0) {
    return (
      <p className="bd paneword">
        No graph: {got.run.summary.aotError ?? got.run.summary.graphError ?? "nothing was lowered"}.
      </p>
    );
  }
  return <GraphOfRun run={got.run} graph={got.view.graph} />;
}

function GraphOfRun({ run, graph }: { readonly run: ShownRun; readonly graph: GraphView }): ReactNode {
  const pinned = usePinned(run);
  const hover = useHover(run);
  const actions = useActions();
  const stale = useStale();
  const micros = useApp((state) => (state.compile.shown === run ? shownCallMicros(state) : null));
  const [expanded, setExpanded] = useState<ReadonlySet<number>>(new Set());
  const placed = useMemo(() => placeGraph(graph, expanded), [graph, expanded]);
  const gaps = useMemo(() => gapRemarks(graph, run.summary.remarks), [graph, run]);
  const microsOf = useCallback(
    (n: PlacedNode) => (n.node.call >= 0 ? (micros?.[n.node.call] ?? null) : null),
    [micros],
  );
  const notesOf = useMemo(() => nodeNotes(run.summary, run.options), [run]);
  const lit = useMemo(() => litNodes(graph, pinned), [graph, pinned]);
  const under = useMemo(() => litNodes(graph, hover).all, [graph, hover]);
  const expand = useCallback((node: PlacedNode, open: boolean) => {
    setExpanded((old) => {
      const next = new Set(old);
      if (open) next.add(node.node.id);
      else next.delete(node.node.id);
      return next;
    });
  }, []);
  const flaggedCall = lit.flagged >= 0 ? graph.nodes.find((n) => n.id === lit.flagged)?.call : undefined;
  const graphNode = flaggedCall === undefined ? -1 : (run.summary.calls[flaggedCall]?.graphNode ?? -1);
  return (
    <div className={stale === null ? "bd" : "bd stale"}>
      <GraphDrawing
        graph={placed}
        gaps={gaps}
        lit={lit.all}
        flagged={lit.flagged}
        hover={under}
        microsOf={microsOf}
        notesOf={notesOf}
        primitives={run.summary.primitives.length}
        onHover={(node) => actions.hover(node ? entityOf(node) : null)}
        onPin={(node) => {
          const entity = entityOf(node);
          if (entity) actions.togglePin(entity);
        }}
        onExpand={expand}
        tag={graphNode >= 0 ? `node ${graphNode}` : ""}
      />
    </div>
  );
}

/** What pointing at a node means. */
function entityOf({ node }: PlacedNode): Entity | null {
  if (node.call >= 0) return { kind: "call", id: node.call };
  if (node.primitive >= 0) return { kind: "primitive", id: node.primitive };
  const source = node.sources[0];
  return source === undefined ? null : { kind: "source", id: source };
}

/** Nodes that are lit, and the one that bears the flag: what was pointed at, else the first call. */
function litNodes(
  graph: GraphView,
  lit: Lit | null,
): { readonly all: ReadonlySet<number>; readonly flagged: number } {
  const all = new Set<number>();
  if (lit === null) return { all, flagged: -1 };
  let flagged = -1;
  for (const node of graph.nodes) {
    const isLit =
      node.call >= 0
        ? lit.calls.has(node.call)
        : node.primitive >= 0
          ? lit.primitives.has(node.primitive)
          : lit.primary.kind === "source" && node.sources.includes(lit.primary.id);
    if (!isLit) continue;
    all.add(node.id);
    if (flagged < 0 && node.call >= 0) flagged = node.id;
  }
  return { all, flagged };
}
