// The drawing with its pan, zoom, keys and hit tests: SVG while the nodes in view can be elements, canvas beyond that.
import { useCallback, useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { Icon } from "../../kit/icons.tsx";
import { PaneTools } from "../../kit/pane-tools.tsx";
import { saveFile } from "../../kit/save-file.ts";
import { graphSvgText } from "./export-svg.ts";
import { gapKey, type GapRemarks } from "./gap-remarks.ts";
import { GraphCanvas } from "./graph-canvas.tsx";
import { GraphShapes, type NodeState } from "./graph-svg.tsx";
import { Glyph } from "../../kit/glyph.tsx";
import { GraphTree } from "./graph-tree.tsx";
import type { NotesOf } from "./node-notes.ts";
import {
  edgesIn,
  expandable,
  hitTest,
  neighbour,
  nodesIn,
  type PlacedGraph,
  type PlacedNode,
} from "./placed.ts";
import { useGraphView } from "./use-graph-view.ts";
import { usePanZoom } from "./use-pan-zoom.ts";
import { usePaneSize } from "../../kit/use-pane-size.ts";
import { shownRect, zoomAt } from "./viewport.ts";

export interface GraphDrawingProps {
  readonly graph: PlacedGraph;
  readonly gaps: GapRemarks;
  readonly lit: ReadonlySet<number>;
  /** Node that bears the flag of the chain, -1 for none. */
  readonly flagged: number;
  readonly hover: ReadonlySet<number>;
  readonly microsOf: (node: PlacedNode) => number | null;
  readonly notesOf: NotesOf;
  readonly primitives: number;
  readonly onHover: (node: PlacedNode | null) => void;
  readonly onPin: (node: PlacedNode) => void;
  readonly onExpand: (node: PlacedNode, open: boolean) => void;
  /** Stands before the buttons. */
  readonly tag: string;
}

/** Above this, elements cost more than pixels (DEPS: SVG frames at 1,000 nodes are three times canvas frames). */
const mostElements = 600;
const textZoom = 0.3;

interface GapNote {
  readonly x: number;
  readonly y: number;
  readonly texts: readonly string[];
}

export function GraphDrawing(props: GraphDrawingProps): ReactNode {
  const { graph, gaps, lit, flagged, hover, microsOf, notesOf, onHover, onPin, onExpand } = props;
  const host = useRef<HTMLDivElement>(null);
  const pane = usePaneSize(host);
  const [cursor, setCursor] = useState(-1);
  const [note, setNote] = useState<GapNote | null>(null);
  const { view, change, fit, first, show } = useGraphView(graph, pane, flagged);

  const point = (x: number, y: number) => hitTest(graph, (x - view.x) / view.k, (y - view.y) / view.k);
  usePanZoom(host, graph, pane, {
    onView: change,
    onClick(x, y, double) {
      const hit = point(x, y);
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
      const hit = point(x, y);
      onHover(hit?.kind === "node" ? hit.node : null);
      const texts = hit?.kind === "gap" ? gaps.get(gapKey(hit.from.node.id, hit.to.node.id)) : undefined;
      setNote((old) => (texts === undefined ? null : old?.texts === texts ? old : { x, y, texts }));
    },
    onLeave() {
      onHover(null);
      setNote(null);
    },
  });

  const nodes = useMemo(
    () => (pane === null ? [] : nodesIn(graph, shownRect(view, pane))),
    [graph, view, pane],
  );
  const edges = useMemo(
    () => (pane === null ? [] : edgesIn(graph, shownRect(view, pane))),
    [graph, view, pane],
  );
  const stateOf = useCallback(
    (n: PlacedNode): NodeState =>
      n.node.id === flagged
        ? "flagged"
        : lit.has(n.node.id)
          ? "lit"
          : hover.has(n.node.id)
            ? "hover"
            : "plain",
    [flagged, lit, hover],
  );
  const keys = useGraphKeys(
    props,
    cursor,
    setCursor,
    show,
    (by) => pane && change((v) => zoomAt(v, by, pane.width / 2, pane.height / 2)),
    fit,
    first,
  );
  const asCanvas = nodes.length > mostElements || view.k < textZoom;
  const save = (): void => {
    const all = { nodes: graph.nodes, edges: graph.edges, stateOf, microsOf, notesOf, cursor: -1 };
    saveFile("graph.svg", [graphSvgText(all, graph, props.primitives)], "image/svg+xml");
  };
  return (
    <>
      <Tools
        tag={props.tag}
        zoom={(by) => pane && change((v) => zoomAt(v, by, pane.width / 2, pane.height / 2))}
        fit={fit}
        save={save}
      />
      <div
        className="gdraw"
        ref={host}
        tabIndex={0}
        role="group"
        aria-label="Graph drawing"
        aria-description="Arrow keys walk along the wires, Enter opens a node, plus, minus and 0 zoom, Space shows all"
        data-mode={asCanvas ? "canvas" : "svg"}
        onKeyDown={keys}
        onBlur={() => setCursor(-1)}
      >
        {pane !== null &&
          (asCanvas ? (
            <GraphCanvas
              nodes={nodes}
              edges={edges}
              stateOf={stateOf}
              cursor={cursor}
              view={view}
              pane={pane}
            />
          ) : (
            <svg width={pane.width} height={pane.height} aria-hidden="true">
              <g transform={`translate(${view.x} ${view.y}) scale(${view.k})`}>
                <GraphShapes
                  nodes={nodes}
                  edges={edges}
                  stateOf={stateOf}
                  microsOf={microsOf}
                  notesOf={notesOf}
                  cursor={cursor}
                />
              </g>
            </svg>
          ))}
      </div>
      {note && pane && <Note note={note} paneWidth={pane.width} />}
      <GraphTree
        graph={graph}
        gaps={gaps}
        pinned={lit}
        microsOf={microsOf}
        notesOf={notesOf}
        onPin={onPin}
        onExpand={onExpand}
        onCursor={(id) => {
          setCursor(id);
          const node = graph.byId.get(id);
          if (node) show(node);
        }}
      />
    </>
  );
}

function Note({ note, paneWidth }: { readonly note: GapNote; readonly paneWidth: number }): ReactNode {
  return (
    <div
      className="gnote"
      role="note"
      style={{ left: Math.max(8, Math.min(note.x + 12, paneWidth - 268)), top: note.y + 14 }}
    >
      <b>Not fused</b>
      {note.texts.map((text) => (
        <p key={text}>{text}</p>
      ))}
    </div>
  );
}

/** Keys act while the drawing has the focus. */
function useGraphKeys(
  { graph, onPin, onExpand, lit }: GraphDrawingProps,
  cursor: number,
  setCursor: (id: number) => void,
  show: (node: PlacedNode) => void,
  zoom: (by: number) => void,
  fit: () => void,
  first: () => void,
): (event: KeyboardEvent) => void {
  return (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const from = cursor >= 0 ? cursor : ([...lit][0] ?? -1);
    const walk = (direction: "up" | "down" | "left" | "right") => () => {
      const next = from < 0 ? graph.nodes[0] : neighbour(graph, from, direction);
      if (!next) return;
      setCursor(next.node.id);
      show(next);
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

interface ToolsProps {
  readonly tag: string;
  readonly zoom: (by: number) => void;
  readonly fit: () => void;
  readonly save: () => void;
}

function Tools({ tag, zoom, fit, save }: ToolsProps): ReactNode {
  return (
    <PaneTools>
      {tag !== "" && <span className="tag">{tag}</span>}
      <button
        type="button"
        className="ibtn zoomb"
        aria-label="Zoom out"
        title="Zoom out ( − )"
        onClick={() => zoom(0.8)}
      >
        <Glyph d="M3 7H11" />
      </button>
      <button
        type="button"
        className="ibtn zoomb"
        aria-label="Zoom in"
        title="Zoom in ( + )"
        onClick={() => zoom(1.25)}
      >
        <Glyph d="M3 7H11M7 3V11" />
      </button>
      <button
        type="button"
        className="ibtn"
        aria-label="Show the whole graph"
        title="Fit (Space)"
        onClick={fit}
      >
        <Icon name="fit" />
      </button>
      <button
        type="button"
        className="ibtn"
        aria-label="Save the graph as SVG"
        title="Save as SVG"
        onClick={save}
      >
        <Glyph d="M7 2V9M4 6.5 7 9.5 10 6.5M2 12H12" />
      </button>
    </PaneTools>
  );
}
