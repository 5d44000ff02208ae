// The map's drawing with its pointer and keys: columns can be zoomed and moved, blocks and columns hovered
// and pinned.
import { useId, useMemo, useRef, type ReactNode } from "react";
import type { MemoryBlockView, MemoryView, PlanView } from "../../../../protocol/views.ts";
import type { ShownRun } from "../../../store/state.ts";
import { usePaneSize } from "../../kit/use-pane-size.ts";
import { callRowHeight, figureRowHeight, Figures, Ribbon, ribbonHeight, type FigureRow } from "./figures.tsx";
import type { StepFigures, StepRange } from "./model.ts";
import { Plot } from "./plot.tsx";
import { makeScale, topPad } from "./scale.ts";
import { useMapKeys } from "./use-map-keys.ts";
import { useMapPointer } from "./use-map-pointer.ts";

export interface MapDrawingProps {
  readonly run: ShownRun;
  readonly memory: MemoryView;
  readonly plan: PlanView;
  readonly rows: readonly FigureRow[];
  readonly micros: Float64Array | null;
  readonly step: number;
  readonly stepPinned: boolean;
  readonly range: StepRange;
  readonly figures: StepFigures;
  readonly onRange: (range: StepRange) => void;
  readonly lit: (block: MemoryBlockView) => boolean;
  readonly hover: (block: MemoryBlockView) => boolean;
  readonly deviceOf: (device: number) => string;
  readonly litStep: (step: number) => boolean;
  readonly hoverStep: (step: number) => boolean;
  readonly onStep: (step: number) => void;
  readonly onHoverStep: (step: number | null) => void;
  readonly onHover: (block: MemoryBlockView | null) => void;
  readonly onPin: (block: MemoryBlockView) => void;
}

const leastPlot = 60;

export function MapDrawing(props: MapDrawingProps): ReactNode {
  const { run, memory, plan, rows, micros, step, stepPinned, range } = props;
  const host = useRef<HTMLDivElement>(null);
  const size = usePaneSize(host);
  const figuresHeight = callRowHeight + rows.length * figureRowHeight + (micros ? ribbonHeight : 0);
  const plot = size === null ? 0 : Math.max(leastPlot, size.height - topPad - figuresHeight - 8);
  const scale = useMemo(
    () => makeScale(size?.width ?? 0, plot, range, plan.totalBytes),
    [size, plot, range, plan],
  );
  const figuresEnd = scale.bottom + callRowHeight + rows.length * figureRowHeight;
  const hint = useId();
  const handlers = useMapPointer(props, scale, host);
  const keys = useMapKeys(props);
  return (
    <div
      className="mapdraw"
      ref={host}
      tabIndex={0}
      role="group"
      aria-label="Memory by call and address"
      aria-describedby={hint}
      onKeyDown={keys}
      {...handlers}
    >
      <span id={hint} className="vh">
        Left and right move to the call before and after, up and down look at the tensors alive, P goes to the
        peak, Home and End to the ends, plus, minus and 0 zoom
      </span>
      {size !== null && (
        <svg width={size.width} height={size.height} aria-hidden="true">
          <Plot
            plan={plan}
            memory={memory}
            scale={scale}
            step={step}
            stepPinned={stepPinned}
            lit={props.lit}
            hover={props.hover}
            deviceOf={props.deviceOf}
          />
          <Figures
            summary={run.summary}
            memory={memory}
            scale={scale}
            rows={rows}
            step={step}
            stepPinned={stepPinned}
          />
          {micros && (
            <Ribbon
              summary={run.summary}
              micros={micros}
              scale={scale}
              top={figuresEnd}
              step={step}
              lit={props.litStep}
              hover={props.hoverStep}
            />
          )}
        </svg>
      )}
    </div>
  );
}
