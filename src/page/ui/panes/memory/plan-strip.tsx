// All planners side by side, small: the same tensors placed differently, with the lower bound as dotted line.
// Shown where the map has room to spare; a figure switches the map to its planner.
import { useMemo, type ReactNode } from "react";
import type { MemoryView, PlanView } from "../../../../protocol/views.ts";
import { formatBytes } from "../../kit/labels.ts";
import { Swatched } from "../../kit/swatched.tsx";
import { makeScale, topPad } from "./scale.ts";
import { Slack } from "./slack.tsx";

const figureHeight = 112;
const mostBlocks = 300;

interface PlanStripProps {
  readonly memory: MemoryView;
  readonly current: PlanView;
  readonly width: number;
  readonly onPlan: (planner: PlanView["planner"]) => void;
}

export function PlanStrip({ memory, current, width, onPlan }: PlanStripProps): ReactNode {
  const plans = memory.plans.filter((p) => p.planner !== "lower-bound" && p.blocks.length <= mostBlocks);
  const most = Math.max(1, ...plans.map((p) => p.totalBytes));
  const bound = memory.plans.find((p) => p.planner === "lower-bound")?.totalBytes ?? 0;
  const each = Math.floor((width - 74) / Math.max(1, plans.length)) - 8;
  if (each < 120) return null;
  return (
    <div className="strip" role="group" aria-label="Planners side by side">
      {plans.map((p) => (
        <button
          key={p.planner}
          type="button"
          aria-pressed={p === current}
          style={{ width: each }}
          onClick={() => onPlan(p.planner)}
        >
          <span className="cap">
            <b>{p.title}</b> <span className="mono">{formatBytes(p.totalBytes)}</span>
          </span>
          <MiniPlan plan={p} memory={memory} width={each} most={most} bound={bound} />
        </button>
      ))}
    </div>
  );
}

function MiniPlan({
  plan,
  memory,
  width,
  most,
  bound,
}: {
  readonly plan: PlanView;
  readonly memory: MemoryView;
  readonly width: number;
  readonly most: number;
  readonly bound: number;
}): ReactNode {
  // The scale keeps room for an axis that a small figure does not have: the drawing is moved over it.
  const scale = useMemo(
    () => makeScale(width + 74, figureHeight - 6, { from: 0, to: memory.steps }, most),
    [width, memory, most],
  );
  return (
    <svg width={width} height={figureHeight} aria-hidden="true">
      <g transform={`translate(${-scale.left} ${4 - topPad})`}>
        <Slack holds={plan.holds} scale={scale} />
        {plan.blocks.map((b) => {
          const y = scale.y(b.offset + b.bytes);
          const size = {
            width: Math.max(1, scale.column * (b.to - b.from + 1) - 1),
            height: Math.max(2, scale.y(b.offset) - y - 0.5),
          };
          return (
            <Swatched
              key={`${b.from}-${b.offset}`}
              x={scale.x(b.from) + 0.5}
              y={scale.y(b.offset) - size.height}
              {...size}
              block={size.width}
              primitive={b.primitive}
              filled
            />
          );
        })}
        <path className="hair" d={`M${scale.left + 0.5} ${scale.top}V${scale.bottom - 0.5}H${scale.right}`} />
        {bound > 0 && <path className="boundline" d={`M${scale.left} ${scale.y(bound)}H${scale.right}`} />}
      </g>
    </svg>
  );
}
