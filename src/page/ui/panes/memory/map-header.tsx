// The map's header: planners with their totals, the step, the peak, the size of the panel.
import type { ReactNode } from "react";
import type { MemoryView, PlanView } from "../../../../protocol/views.ts";
import { IconButton, MaximiseButton } from "../../kit/pane-tools.tsx";
import { shortBytes } from "./model.ts";

interface MapHeaderProps {
  readonly memory: MemoryView;
  readonly plan: PlanView;
  readonly step: number;
  readonly narrow: boolean;
  readonly zoomable: boolean;
  readonly onPlan: (planner: PlanView["planner"]) => void;
  readonly onStep: (step: number) => void;
  readonly onZoom: (factor: number) => void;
}

export function MapHeader(props: MapHeaderProps): ReactNode {
  const { plan, narrow } = props;
  return (
    <div className="hd maphd">
      <h2 className={narrow ? "vh" : ""}>Memory map</h2>
      {narrow ? <PlanSelect {...props} /> : <PlanButtons {...props} />}
      <span className="sp" />
      {!narrow && plan.holds.length > 0 && (
        <span className="q legend">
          <svg width={18} height={10} aria-hidden="true">
            <rect width={18} height={10} className="slack" />
          </svg>
          slack: held, unused
        </span>
      )}
      <Steps {...props} />
      <MaximiseButton region="memory" what="the memory map" />
    </div>
  );
}

function PlanButtons({ memory, plan, onPlan }: MapHeaderProps): ReactNode {
  return (
    <div className="plan" role="group" aria-label="Memory planner">
      {memory.plans.map((p) =>
        p.planner === "lower-bound" ? (
          <span key={p.planner} className="lb">
            {p.title}
            <span className="mono">{shortBytes(p.totalBytes)}</span>
          </span>
        ) : (
          <button key={p.planner} type="button" aria-pressed={p === plan} onClick={() => onPlan(p.planner)}>
            {p.title}
            <span className="v">{shortBytes(p.totalBytes)}</span>
          </button>
        ),
      )}
    </div>
  );
}

function Steps({ memory, step, zoomable, onStep, onZoom }: MapHeaderProps): ReactNode {
  return (
    <span className="steps">
      {zoomable && (
        <>
          <IconButton
            icon="minus"
            label="Show more calls"
            title="Show more calls ( − )"
            onClick={() => onZoom(0.5)}
          />
          <IconButton
            icon="plus"
            label="Show fewer calls"
            title="Show fewer calls ( + )"
            onClick={() => onZoom(2)}
          />
        </>
      )}
      <IconButton icon="back" label="Previous call" disabled={step <= 0} onClick={() => onStep(step - 1)} />
      <span className="mono">call {step}</span>
      <IconButton
        icon="forward"
        label="Next call"
        disabled={step >= memory.steps - 1}
        onClick={() => onStep(step + 1)}
      />
      <button
        type="button"
        className="ibtn"
        title="Go to the peak ( P )"
        onClick={() => onStep(memory.peakStep)}
      >
        Peak
      </button>
    </span>
  );
}

function PlanSelect({ memory, plan, onPlan }: MapHeaderProps): ReactNode {
  return (
    <select
      aria-label="Memory planner"
      className="planselect"
      value={plan.planner}
      onChange={(event) => {
        const chosen = memory.plans.find((p) => p.planner === event.target.value);
        if (chosen) onPlan(chosen.planner);
      }}
    >
      {memory.plans.map((p) => (
        <option key={p.planner} value={p.planner} disabled={p.planner === "lower-bound"}>
          {p.title} {shortBytes(p.totalBytes)}
        </option>
      ))}
    </select>
  );
}
