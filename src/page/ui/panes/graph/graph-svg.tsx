// The drawing itself, live and for export: boxes with the leading block of their primitive, wires, labels,
// flags.
import { memo, type ReactNode } from "react";
import { firstTensorName } from "../../../../protocol/call-arg.ts";
import { Swatched } from "../../kit/swatched.tsx";
import {
  advance,
  cutStart,
  fitNames,
  formatMicros,
  kindWord,
  shortOp,
  tensorLabel,
} from "../../kit/labels.ts";
import type { NotesOf } from "./node-notes.ts";
import { operatorRow, type PlacedEdge, type Point, type PlacedNode } from "./placed.ts";
import type { Rect } from "./viewport.ts";

export type NodeState = "plain" | "hover" | "lit" | "flagged";

const block = 16;
const namesShown = 3;
const nameLength = 10;

export interface GraphSvgProps {
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly PlacedEdge[];
  readonly stateOf: (node: PlacedNode) => NodeState;
  readonly microsOf: (node: PlacedNode) => number | null;
  readonly notesOf: NotesOf;
  /** Node that the keyboard is at, -1 for none. */
  readonly cursor: number;
}

/** Contents of an <svg>; world coordinates. */
export function GraphShapes({ nodes, edges, stateOf, microsOf, notesOf, cursor }: GraphSvgProps): ReactNode {
  const state = new Map(nodes.map((n) => [n.node.id, stateOf(n)]));
  const wired = (id: number): boolean => state.get(id) === "lit" || state.get(id) === "flagged";
  // Lit wires last, so that they lie on top.
  const sorted = edges
    .map((e) => ({ e, lit: wired(e.edge.from) || wired(e.edge.to) }))
    .sort((a, b) => Number(a.lit) - Number(b.lit));
  const labelled = new Set(sorted.filter((s) => s.lit).map((s) => s.e.edge.from));
  return (
    <>
      {sorted.map(({ e, lit }) => (
        <Wire key={`${e.edge.from}-${e.edge.to}`} points={e.points} lit={lit} />
      ))}
      {nodes.map((n) => (
        <NodeShape
          key={n.node.id}
          placed={n}
          state={state.get(n.node.id) ?? "plain"}
          micros={microsOf(n)}
          {...notesOf(n.node)}
          wireLit={labelled.has(n.node.id)}
          cursor={n.node.id === cursor}
        />
      ))}
    </>
  );
}

const Wire = memo(function Wire({
  points,
  lit,
}: {
  readonly points: readonly Point[];
  readonly lit: boolean;
}): ReactNode {
  return (
    <path
      d={wirePath(points)}
      className={lit ? "wirel" : "wire"}
      markerEnd={lit ? "url(#arrow-lit)" : "url(#arrow)"}
    />
  );
});

/** Orthogonal with corners rounded by 4 px. */
function wirePath(points: readonly Point[]): string {
  const parts = points.map(([x, y], i) => {
    const before = points[i - 1];
    const after = points[i + 1];
    if (before === undefined) return `M${x} ${y}`;
    return after === undefined ? `L${x} ${y}` : corner(before, [x, y], after);
  });
  return parts.join("");
}

function corner([px, py]: Point, [x, y]: Point, [nx, ny]: Point): string {
  const before = Math.min(4, (Math.abs(x - px) + Math.abs(y - py)) / 2);
  const after = Math.min(4, (Math.abs(nx - x) + Math.abs(ny - y)) / 2);
  const from = `${x - Math.sign(x - px) * before} ${y - Math.sign(y - py) * before}`;
  const to = `${x + Math.sign(nx - x) * after} ${y + Math.sign(ny - y) * after}`;
  return `L${from}Q${x} ${y} ${to}`;
}

interface ShapeProps {
  readonly placed: PlacedNode;
  readonly state: NodeState;
  readonly micros: number | null;
  readonly wireLit: boolean;
  readonly cursor: boolean;
  readonly external: string | null;
  readonly device: string;
}

const NodeShape = memo(function NodeShape(props: ShapeProps): ReactNode {
  const { placed, cursor } = props;
  const { node, x, y, width, height } = placed;
  const isBox = node.kind === "call" || node.kind === "tuple";
  return (
    <g data-node={node.id}>
      {isBox ? <Box {...props} /> : <Terminal {...props} />}
      {cursor && <rect className="gcursor" x={x - 4.5} y={y - 4.5} width={width + 9} height={height + 9} />}
    </g>
  );
});

function Terminal({ placed, state }: ShapeProps): ReactNode {
  const { node, x, y, tensor } = placed;
  const output = node.kind === "output";
  const middle = y + (output ? 4 : 7);
  const name = shortName(node.label);
  return (
    <>
      {state !== "plain" && (
        <rect
          className="edge"
          x={x - 1}
          y={middle - 7.5}
          width={34 + advance.mono10 * name.length}
          height={15}
        />
      )}
      <circle cx={x + 8} cy={middle} r={3.5} className="hair" />
      <text className="m t10" x={x + 18} y={middle + 3.5}>
        {name}
      </text>
      {tensor && (
        <text className="m t10 f3" x={x + 24 + advance.mono10 * name.length} y={middle + 3.5}>
          {tensorLabel(tensor)}
        </text>
      )}
    </>
  );
}

function shortName(label: string): string {
  return label.length <= 18 ? label : cutStart(label, 18);
}

function Box({ placed, state, micros, wireLit, external, device }: ShapeProps): ReactNode {
  const { node, x, y, width, height, expanded, tensor } = placed;
  const lit = state === "lit" || state === "flagged";
  const right = x + width - 8;
  const time = micros === null ? "" : formatMicros(micros);
  const storage = firstTensorName(node.results);
  const nameX =
    x + (node.primitive < 0 ? 24 : Math.max(46, 30 + advance.mono11 * `p${node.primitive}`.length));
  const nameRoom = right - nameX - (time === "" ? 0 : advance.mono10 * time.length + 8);
  return (
    <>
      {lit && <rect className="halo" x={x} y={y} width={width} height={height} />}
      {external !== null && <Region name={external} {...placed} />}
      <Swatched
        x={x}
        y={y}
        width={width}
        height={height}
        block={block}
        primitive={node.primitive}
        filled={false}
      />
      {(lit || state === "hover") && <rect className="edge" x={x} y={y} width={width} height={height} />}
      {node.primitive >= 0 && (
        <text className="m bo" x={x + 24} y={y + 16}>
          p{node.primitive}
        </text>
      )}
      <text x={nameX} y={y + 16}>
        {expanded ? `fused, ${node.ops.length} operators` : fitNames(node, nameRoom)}
      </text>
      {time !== "" && (
        <text className="m t10 e f2" x={right} y={y + 16}>
          {time}
        </text>
      )}
      {expanded && <Operators placed={placed} />}
      <Weights placed={placed} lit={lit} />
      {storage !== "" && (
        <>
          <path d={`M${x + width} ${y + 12}h6`} className="rule" />
          <text
            className={lit ? "m t10 e bo" : "m t10 e f2"}
            x={x + width + Math.max(48, 12 + advance.mono10 * storage.length)}
            y={y + 16}
          >
            {storage}
          </text>
        </>
      )}
      {device !== "" && (
        <text
          className={lit ? "m t10 e bo" : "m t10 e f3"}
          x={x + width + Math.max(48, 12 + advance.mono10 * Math.max(storage.length, device.length))}
          y={y + 28}
        >
          {device}
        </text>
      )}
      {tensor && tensor.points.length > 0 && (
        <text className={lit || wireLit ? "m t10" : "m t10 f3"} x={x + 18} y={y + height + 13.5}>
          {tensorLabel(tensor)}
        </text>
      )}
      {state === "flagged" && (
        <g>
          <circle className="coc" cx={x + width} cy={y} r={7} />
          <text className="onacc c" x={x + width} y={y + 3.5}>
            2
          </text>
        </g>
      )}
    </>
  );
}

/** The frame of what an external code generator makes, with its name. */
function Region({ name, x, y, width, height }: { readonly name: string } & Rect): ReactNode {
  return (
    <>
      <rect className="region" x={x - 3.5} y={y - 3.5} width={width + 7} height={height + 7} />
      <text className="t10 e f2 out" x={x + width - 2} y={y + height + 13.5}>
        {name}
      </text>
    </>
  );
}

function Operators({ placed }: { readonly placed: PlacedNode }): ReactNode {
  const { node, x, y, width } = placed;
  const right = x + width - 8;
  return node.ops.map((op, i) => {
    const base = y + 37 + i * operatorRow;
    return (
      // oxlint-disable-next-line react/no-array-index-key -- the place is all that tells operators apart
      <g key={i}>
        <path d={`M${x + 24} ${base - 12.5}H${right}`} className="rule" />
        <text className="m t10 f3" x={x + 24} y={base}>
          {op.local}
        </text>
        <text className="m" x={x + 46 + Math.max(0, op.local.length - 3) * advance.mono10} y={base}>
          {shortOp(op.name)}
        </text>
        <text className="e t10 f2" x={right} y={base}>
          {kindWord(op.pattern)}
        </text>
      </g>
    );
  });
}

function Weights({ placed, lit }: { readonly placed: PlacedNode; readonly lit: boolean }): ReactNode {
  const { beside, x, y } = placed;
  const more = beside.length - namesShown;
  return beside.slice(0, namesShown).map((weight, i) => (
    <g key={weight.id}>
      <text className={lit ? "m t10 e" : "m t10 e f2"} x={x - 14} y={y + 10.5 + 11 * i}>
        {more > 0 && i === namesShown - 1 ? `+${more + 1}` : cutStart(weight.label, nameLength)}
      </text>
      <path
        d={`M${x - 11} ${y + 7 + 11 * i}H${x - 1}`}
        className={lit ? "wirel thin" : "wire"}
        markerEnd="url(#arrow)"
      />
    </g>
  ));
}
