// What is in memory at one call: the tensors alive, what their storages hold beyond them, what is freed after
// it. The arena (tensors between calls) and the workspace (scratch inside a primitive) are told apart and
// never added up here.
import type { ReactNode } from "react";
import type { Summary } from "../../../../protocol/compile.ts";
import type { MemoryBlockView, MemoryView, PlanView } from "../../../../protocol/views.ts";
import { formatBytes, formatCount } from "../../kit/labels.ts";
import { Swatch } from "../../kit/primitive-style.tsx";
import {
  blockRemarks,
  bytesByDevice,
  callName,
  callSentence,
  placeOf,
  writerLabel,
  type StepFigures,
} from "./model.ts";

interface SidePanelProps {
  readonly summary: Summary;
  readonly memory: MemoryView;
  readonly plan: PlanView;
  readonly figures: StepFigures;
  readonly step: number;
  readonly tall: boolean;
  readonly lit: (block: MemoryBlockView) => boolean;
  readonly hover: (block: MemoryBlockView) => boolean;
  /** "4=opencl" of a device; "" where there is one. */
  readonly deviceOf: (device: number) => string;
  readonly onHover: (block: MemoryBlockView | null) => void;
  readonly onPin: (block: MemoryBlockView) => void;
}

const mostRows = 60;

export function SidePanel(props: SidePanelProps): ReactNode {
  const { summary, memory, plan, figures, step, tall } = props;
  const workspace = memory.workspaceBytes[step] ?? 0;
  const shown = figures.alive.slice(0, mostRows);
  return (
    <div className="side" role="group" aria-label="Memory at this call">
      <table className="kv">
        <caption>
          At call {step}
          {step === memory.peakStep ? ", the peak" : ""}{" "}
          <span className="q" style={{ fontWeight: 400 }}>
            {callName(summary, step)} {callSentence(summary, memory, step)}
          </span>
        </caption>
        <thead>
          <tr>
            <th scope="col">tensor</th>
            <th scope="col">storage</th>
            {tall && <th scope="col">calls</th>}
            <th scope="col" className="r">
              bytes
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((b) => (
            <Alive key={`${b.from}-${b.offset}`} block={b} {...props} />
          ))}
          {figures.alive.length > shown.length && (
            <tr>
              <th scope="row" colSpan={tall ? 4 : 3}>
                and {formatCount(figures.alive.length - shown.length)} more
              </th>
            </tr>
          )}
          <Sum title="live" bytes={figures.live} tall={tall} strong />
          {plan.holds.length > 0 && <Sum title="slack in held sids" bytes={figures.slack} tall={tall} />}
          <Sum title="not held" bytes={figures.notHeld} tall={tall} />
          <Sum title="arena" bytes={figures.total} tall={tall} strong />
          {[...bytesByDevice(plan)]
            .filter(([device]) => props.deviceOf(device) !== "")
            .map(([device, bytes]) => (
              <Sum key={device} title={`on ${props.deviceOf(device)}`} bytes={bytes} tall={tall} />
            ))}
        </tbody>
      </table>
      <Why {...props} />
      <p className="q freed">{freedText(figures)}</p>
      <p className="q">
        Operator workspace here: <span className="mono">{formatBytes(workspace)}</span>
        {workspace > 0 ? ", not in the arena." : "."}
      </p>
      {tall && <PlannerTable memory={memory} current={plan} />}
    </div>
  );
}

/** Of the tensor that is asked about (under the pointer, else pinned): why it lies where it does. */
function Why({ summary, plan, figures, hover, lit }: SidePanelProps): ReactNode {
  const block = figures.alive.find(hover) ?? figures.alive.find(lit);
  const texts = block === undefined ? [] : blockRemarks(summary, plan, block);
  if (block === undefined || texts.length === 0) return null;
  return (
    <p className="why">
      <span className="mono b">{writerLabel(block.primitive)}</span> {texts.join("; ")}
    </p>
  );
}

function freedText(figures: StepFigures): ReactNode {
  if (figures.freed.length === 0) return "Freed after this call: nothing.";
  const told = figures.freed.slice(0, 3).map((b) => `${writerLabel(b.primitive)}, ${formatBytes(b.bytes)}`);
  const more = figures.freed.length - told.length;
  return (
    <>
      Freed after this call:{" "}
      <span className="mono">
        {told.join("; ")}
        {more > 0 ? `; ${more} more` : ""}
      </span>
      .
    </>
  );
}

function Alive({
  block,
  tall,
  lit,
  deviceOf,
  onHover,
  onPin,
}: SidePanelProps & { readonly block: MemoryBlockView }): ReactNode {
  return (
    <tr
      className={lit(block) ? "on" : ""}
      onPointerEnter={() => onHover(block)}
      onPointerLeave={() => onHover(null)}
    >
      <th scope="row">
        <button type="button" className="mono" onClick={() => onPin(block)}>
          <Swatch index={block.primitive} size={10} /> {writerLabel(block.primitive)}
        </button>
      </th>
      <td className="l" title={deviceOf(block.device) === "" ? undefined : `on ${deviceOf(block.device)}`}>
        {placeOf(block, deviceOf(block.device) === "" ? "" : `· ${block.device}`)}
      </td>
      {tall && <td className="l">{block.from === block.to ? block.from : `${block.from}–${block.to}`}</td>}
      <td>{formatCount(block.bytes)}</td>
    </tr>
  );
}

function Sum({
  title,
  bytes,
  tall,
  strong = false,
}: {
  readonly title: string;
  readonly bytes: number;
  readonly tall: boolean;
  readonly strong?: boolean;
}): ReactNode {
  return (
    <tr className={strong ? "sum" : ""}>
      <th scope="row">{title}</th>
      <td />
      {tall && <td />}
      <td>{formatCount(bytes)}</td>
    </tr>
  );
}

/** Bytes of every planner and how far above the lower bound; shown where there is room for it. */
function PlannerTable({
  memory,
  current,
}: {
  readonly memory: MemoryView;
  readonly current: PlanView;
}): ReactNode {
  const most = Math.max(1, ...memory.plans.map((p) => p.totalBytes));
  const bound = memory.plans.find((p) => p.planner === "lower-bound")?.totalBytes ?? 0;
  return (
    <table className="kv planners">
      <caption>
        Planners{" "}
        <span className="q" style={{ fontWeight: 400 }}>
          bytes, and over the bound
        </span>
      </caption>
      <tbody>
        {memory.plans.map((p) => (
          <tr key={p.planner} className={p === current ? "b" : ""}>
            <th scope="row">{p.title}</th>
            <td className="l">
              <svg width={72} height={8} aria-hidden="true">
                <rect
                  y={1}
                  height={6}
                  width={(72 * p.totalBytes) / most}
                  style={{ fill: p === current ? "var(--ink)" : "var(--rule2)" }}
                />
              </svg>
            </td>
            <td>{formatCount(p.totalBytes)}</td>
            <td>
              {bound > 0 && p.totalBytes > bound
                ? `+${((100 * (p.totalBytes - bound)) / bound).toFixed(1)} %`
                : "0"}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
