// The graph for who does not see it: a tree in topological order, only the rows around the active one in the
// document. Focus shows in the drawing as a ring; Enter pins.
import { useId, useState, type KeyboardEvent, type ReactNode } from "react";
import { tensorName } from "../../../../protocol/call-arg.ts";
import { formatMicros, kindWord, opNames, shortOp, tensorLabel } from "../../kit/labels.ts";
import { gapKey, type GapRemarks } from "./gap-remarks.ts";
import type { NotesOf } from "./node-notes.ts";
import { expandable, type PlacedGraph, type PlacedNode } from "./placed.ts";

interface GraphTreeProps {
  readonly graph: PlacedGraph;
  readonly gaps: GapRemarks;
  readonly pinned: ReadonlySet<number>;
  readonly microsOf: (node: PlacedNode) => number | null;
  readonly notesOf: NotesOf;
  readonly onCursor: (id: number) => void;
  readonly onPin: (node: PlacedNode) => void;
  readonly onExpand: (node: PlacedNode, open: boolean) => void;
}

const around = 12;

export function GraphTree(props: GraphTreeProps): ReactNode {
  const { graph, pinned, onCursor, onPin, onExpand } = props;
  const [active, setActive] = useState(0);
  const prefix = useId();
  const count = graph.nodes.length;
  const at = Math.min(active, Math.max(0, count - 1));
  const go = (index: number): void => {
    const next = Math.min(count - 1, Math.max(0, index));
    setActive(next);
    onCursor(graph.nodes[next]?.node.id ?? -1);
  };
  const keys = (event: KeyboardEvent): void => {
    const node = graph.nodes[at];
    const moves: Readonly<Record<string, () => void>> = {
      ArrowDown: () => go(at + 1),
      ArrowUp: () => go(at - 1),
      PageDown: () => go(at + 10),
      PageUp: () => go(at - 10),
      Home: () => go(0),
      End: () => go(count - 1),
      ArrowRight: () => node && onExpand(node, true),
      ArrowLeft: () => node && onExpand(node, false),
      Enter: () => node && onPin(node),
    };
    const move = moves[event.key];
    if (move === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    move();
  };
  if (count === 0) return null;
  const first = Math.max(0, at - around);
  return (
    <div
      role="tree"
      aria-label="Graph nodes"
      className="vh"
      tabIndex={0}
      aria-activedescendant={`${prefix}-${at}`}
      onKeyDown={keys}
      onFocus={() => go(at)}
      onBlur={() => onCursor(-1)}
    >
      {graph.nodes.slice(first, at + around + 1).map((placed, i) => (
        <Item
          key={placed.node.id}
          {...props}
          placed={placed}
          id={`${prefix}-${first + i}`}
          position={first + i + 1}
          lit={pinned.has(placed.node.id)}
        />
      ))}
    </div>
  );
}

function Item(
  props: GraphTreeProps & {
    readonly placed: PlacedNode;
    readonly id: string;
    readonly position: number;
    readonly lit: boolean;
  },
): ReactNode {
  const { placed, id, position, lit, graph } = props;
  const { node, expanded } = placed;
  return (
    <div
      role="treeitem"
      id={id}
      aria-level={1}
      aria-setsize={graph.nodes.length}
      aria-posinset={position}
      aria-selected={lit}
      {...(expandable(node) ? { "aria-expanded": expanded } : {})}
      aria-label={describe(props, placed)}
    >
      {expanded && (
        <div role="group">
          {node.ops.map((op, i) => (
            // oxlint-disable-next-line react/no-array-index-key -- only the place tells operators apart
            <div
              role="treeitem"
              key={i}
              aria-level={2}
              aria-selected={false}
              aria-label={`${op.local} ${shortOp(op.name)}, ${kindWord(op.pattern)}`}
            />
          ))}
        </div>
      )}
    </div>
  );
}

function describe({ graph, gaps, microsOf, notesOf }: GraphTreeProps, placed: PlacedNode): string {
  const { node, beside, tensor } = placed;
  const parts = [node.primitive >= 0 ? `p${node.primitive} ${opNames(node)}` : `${node.kind} ${node.label}`];
  if (node.call >= 0) parts.push(`call ${node.call}`);
  if (tensor) parts.push(tensorLabel(tensor));
  if (node.results.length > 0) parts.push(node.results.map(tensorName).join(", "));
  const { external, device } = notesOf(node);
  if (external !== null) parts.push(`made by ${external}`);
  if (device !== "") parts.push(`on device ${device}`);
  if (beside.length > 0) parts.push(`with ${beside.map((b) => b.label).join(", ")}`);
  const micros = microsOf(placed);
  if (micros !== null) parts.push(formatMicros(micros));
  const readers = graph.edges
    .filter((e) => e.edge.from === node.id)
    .map((e) => graph.byId.get(e.edge.to))
    .filter((n) => n !== undefined);
  if (readers.length > 0)
    parts.push(
      `read by ${readers.map((n) => (n.node.primitive >= 0 ? `p${n.node.primitive}` : n.node.label)).join(", ")}`,
    );
  for (const reader of readers) {
    const why = gaps.get(gapKey(node.id, reader.node.id));
    if (why) parts.push(`not fused with p${reader.node.primitive}: ${why.join(" ")}`);
  }
  return parts.join(", ");
}
