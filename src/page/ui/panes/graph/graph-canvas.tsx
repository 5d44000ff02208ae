// The drawing when too much is in view for one element a node: boxes in their tint with the leading block,
// wires, no text.
import { useEffect, useRef, type ReactNode } from "react";
import { primitiveStyle } from "../../kit/primitive-style.tsx";
import type { NodeState } from "./graph-svg.tsx";
import type { PlacedEdge, PlacedNode } from "./placed.ts";
import { useThemeInk, type Ink } from "./theme-ink.ts";
import type { Size } from "../../kit/use-pane-size.ts";
import type { Viewport } from "./viewport.ts";

interface GraphCanvasProps {
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly PlacedEdge[];
  readonly stateOf: (node: PlacedNode) => NodeState;
  readonly cursor: number;
  readonly view: Viewport;
  readonly pane: Size;
}

export function GraphCanvas({ nodes, edges, stateOf, cursor, view, pane }: GraphCanvasProps): ReactNode {
  const ref = useRef<HTMLCanvasElement>(null);
  const ink = useThemeInk();
  useEffect(() => {
    const canvas = ref.current;
    const context = canvas?.getContext("2d");
    if (!canvas || !context) return;
    const ratio = window.devicePixelRatio || 1;
    canvas.width = Math.round(pane.width * ratio);
    canvas.height = Math.round(pane.height * ratio);
    context.setTransform(ratio * view.k, 0, 0, ratio * view.k, ratio * view.x, ratio * view.y);
    const pen: Pen = { context, ink, k: view.k };
    drawEdges(pen, edges);
    for (const placed of nodes) drawNode(pen, placed, stateOf(placed), placed.node.id === cursor);
  }, [nodes, edges, stateOf, cursor, view, pane, ink]);
  return (
    <canvas
      ref={ref}
      style={{ width: pane.width, height: pane.height, display: "block" }}
      aria-hidden="true"
    />
  );
}

interface Pen {
  readonly context: CanvasRenderingContext2D;
  readonly ink: Ink;
  /** Zoom. */
  readonly k: number;
}

function drawEdges({ context, ink, k }: Pen, edges: readonly PlacedEdge[]): void {
  context.strokeStyle = ink("--ink3");
  context.lineWidth = Math.max(1, 0.75 / k);
  context.beginPath();
  for (const { points } of edges) {
    points.forEach(([x, y], i) => (i === 0 ? context.moveTo(x, y) : context.lineTo(x, y)));
  }
  context.stroke();
}

function drawNode({ context, ink, k }: Pen, placed: PlacedNode, state: NodeState, cursor: boolean): void {
  const { x, y, width, height, node } = placed;
  const lit = state === "lit" || state === "flagged";
  if (lit) {
    context.fillStyle = ink("--acc");
    const rim = Math.max(3, 2.5 / k);
    context.fillRect(x - rim, y - rim, width + 2 * rim, height + 2 * rim);
  }
  const hue = node.primitive >= 0 ? ink(`--p${primitiveStyle(node.primitive).hue}`) : ink("--rule2");
  if (height * k < 3) {
    // An outline would be all that shows.
    context.fillStyle = hue;
    context.fillRect(x, y, width, Math.max(height, 0.75 / k));
    return;
  }
  context.fillStyle = ink("--paper");
  context.fillRect(x, y, width, height);
  context.fillStyle = hue;
  context.globalAlpha = 0.15;
  context.fillRect(x, y, width, height);
  context.globalAlpha = 0.7;
  context.fillRect(x, y, 16, height);
  context.globalAlpha = 1;
  context.strokeStyle = lit || state === "hover" || cursor ? ink("--edge") : hue;
  context.lineWidth = Math.max(lit || state === "hover" ? 1.5 : 1, 0.75 / k);
  context.strokeRect(x, y, width, height);
}
