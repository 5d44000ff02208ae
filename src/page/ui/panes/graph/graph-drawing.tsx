// The drawing with its pan, zoom, keys and hit tests: SVG while the nodes in view can be elements, canvas
// beyond that.
import { useCallback, useMemo, useRef, useState, type ReactNode } from "react";
import { IconButton, PaneTools } from "../../kit/pane-tools.tsx";
import { saveFile } from "../../kit/save-file.ts";
import { usePaneSize, type Size } from "../../kit/use-pane-size.ts";
import { graphSvgText } from "./export-svg.ts";
import type { GapRemarks } from "./gap-remarks.ts";
import { GraphCanvas } from "./graph-canvas.tsx";
import { GraphShapes, type NodeState } from "./graph-svg.tsx";
import { GraphTree } from "./graph-tree.tsx";
import type { NotesOf } from "./node-notes.ts";
import { edgesIn, nodesIn, type PlacedEdge, type PlacedGraph, type PlacedNode } from "./placed.ts";
import { useGraphKeys } from "./use-graph-keys.ts";
import { useGraphPointer, type GapNote } from "./use-graph-pointer.ts";
import { useGraphView } from "./use-graph-view.ts";
import { shownRect, zoomAt, type Viewport } from "./viewport.ts";

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

/**
 * Above this, elements cost more than pixels (DEPS: SVG frames at 1,000 nodes are three times canvas frames).
 */
const mostElements = 600;
const textZoom = 0.3;

export function GraphDrawing(props: GraphDrawingProps): ReactNode {
  const { graph, gaps, lit, flagged, microsOf, notesOf, onPin, onExpand } = props;
  const host = useRef<HTMLDivElement>(null);
  const pane = usePaneSize(host);
  const [cursor, setCursor] = useState(-1);
  const control = useGraphView(graph, pane, flagged);
  const { view, change, fit, show } = control;
  const note = useGraphPointer(props, host, pane, control, setCursor);
  const goTo = (node: PlacedNode): void => {
    setCursor(node.node.id);
    show(node);
  };
  const zoom = (by: number): void => {
    if (pane) change((v) => zoomAt(v, by, pane.width / 2, pane.height / 2));
  };
  const keys = useGraphKeys(props, cursor, goTo, { ...control, zoom });
  const stateOf = useNodeState(props);
  const save = (): void => {
    const all = { nodes: graph.nodes, edges: graph.edges, stateOf, microsOf, notesOf, cursor: -1 };
    saveFile("graph.svg", [graphSvgText(all, graph, props.primitives)], "image/svg+xml");
  };
  const shapes = useShapesIn(graph, view, pane);
  const asCanvas = shapes.nodes.length > mostElements || view.k < textZoom;
  return (
    <>
      <Tools tag={props.tag} zoom={zoom} fit={fit} save={save} />
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
            <GraphCanvas {...shapes} stateOf={stateOf} cursor={cursor} view={view} pane={pane} />
          ) : (
            <svg width={pane.width} height={pane.height} aria-hidden="true">
              <g transform={`translate(${view.x} ${view.y}) scale(${view.k})`}>
                <GraphShapes
                  {...shapes}
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

/** What the pane shows of the graph. */
function useShapesIn(
  graph: PlacedGraph,
  view: Viewport,
  pane: Size | null,
): { readonly nodes: readonly PlacedNode[]; readonly edges: readonly PlacedEdge[] } {
  return useMemo(() => {
    if (pane === null) return { nodes: [], edges: [] };
    const shown = shownRect(view, pane);
    return { nodes: nodesIn(graph, shown), edges: edgesIn(graph, shown) };
  }, [graph, view, pane]);
}

function useNodeState({ flagged, lit, hover }: GraphDrawingProps): (node: PlacedNode) => NodeState {
  return useCallback(
    ({ node: { id } }) =>
      id === flagged ? "flagged" : lit.has(id) ? "lit" : hover.has(id) ? "hover" : "plain",
    [flagged, lit, hover],
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
      <IconButton
        icon="minus"
        label="Zoom out"
        title="Zoom out ( − )"
        className="zoomb"
        onClick={() => zoom(0.8)}
      />
      <IconButton
        icon="plus"
        label="Zoom in"
        title="Zoom in ( + )"
        className="zoomb"
        onClick={() => zoom(1.25)}
      />
      <IconButton icon="fit" label="Show the whole graph" title="Fit (Space)" onClick={fit} />
      <IconButton icon="save" label="Save the graph as SVG" title="Save as SVG" onClick={save} />
    </PaneTools>
  );
}
