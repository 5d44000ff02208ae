// The map's drawing with its pointer and keys: columns can be zoomed and moved, blocks and columns hovered and pinned.
import {
  useEffect,
  useId,
  useMemo,
  useRef,
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
} from "react";
import type { MemoryBlockView, MemoryView, PlanView } from "../../../../protocol/views.ts";
import type { ShownRun } from "../../../store/state.ts";
import { usePaneSize } from "../../kit/use-pane-size.ts";
import { callRowHeight, figureRowHeight, Figures, Ribbon, ribbonHeight, type FigureRow } from "./figures.tsx";
import { moveRange, rangeWith, zoomRange, type StepFigures, type StepRange } from "./model.ts";
import { Plot } from "./plot.tsx";
import { makeScale, stepAt, topPad, type Scale } from "./scale.ts";

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
  const { handlers, keys } = useMapEvents(props, scale, host);
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

interface MapEvents {
  readonly handlers: {
    readonly onPointerDown: (event: PointerEvent) => void;
    readonly onPointerMove: (event: PointerEvent) => void;
    readonly onPointerUp: (event: PointerEvent) => void;
    readonly onPointerLeave: () => void;
  };
  readonly keys: (event: KeyboardEvent) => void;
}

function useMapEvents(
  props: MapDrawingProps,
  scale: Scale,
  host: React.RefObject<HTMLDivElement | null>,
): MapEvents {
  const { memory, plan, range, step, onRange, onStep, figures, onHover, hover } = props;
  const press = useRef<{ x: number; range: StepRange; moved: boolean } | null>(null);
  useWheelZoom(host, props, scale);
  // The cursor never leaves the view because of keys or pins.
  const seen = useRef(step);
  useEffect(() => {
    if (seen.current === step) return;
    seen.current = step;
    const next = rangeWith(range, memory.steps, step);
    if (next !== range) onRange(next);
  }, [step, range, memory, onRange]);
  const at = (event: PointerEvent): { x: number; y: number } => {
    const box = host.current!.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const blockAt = (x: number, y: number): MemoryBlockView | null => {
    if (y > scale.bottom + 1 || x < scale.left || scale.column < 1) return null;
    const s = stepAt(scale, memory.steps, x);
    const here = plan.blocks.filter((b) => b.from <= s && s <= b.to);
    return (
      here.find(
        (b) =>
          y >= Math.min(scale.y(b.offset + b.bytes), scale.y(b.offset) - 3) - 1 && y <= scale.y(b.offset) + 1,
      ) ?? null
    );
  };
  const handlers = {
    onPointerDown(event: PointerEvent) {
      if (event.button === 0) press.current = { x: at(event).x, range, moved: false };
    },
    onPointerMove(event: PointerEvent) {
      const { x, y } = at(event);
      const from = press.current;
      if (from !== null && (from.moved || Math.abs(x - from.x) > 4)) {
        from.moved = true;
        onRange(moveRange(from.range, memory.steps, (from.x - x) / scale.column));
        return;
      }
      const block = blockAt(x, y);
      if (block !== null) onHover(block);
      else props.onHoverStep(x >= scale.left && y > scale.bottom ? stepAt(scale, memory.steps, x) : null);
    },
    onPointerUp(event: PointerEvent) {
      const from = press.current;
      press.current = null;
      if (from === null || from.moved) return;
      const { x, y } = at(event);
      const block = blockAt(x, y);
      if (block !== null) props.onPin(block);
      else if (x >= scale.left) onStep(stepAt(scale, memory.steps, x));
    },
    onPointerLeave() {
      press.current = null;
      onHover(null);
    },
  };
  const lookAt = (by: number): void => {
    const rows = figures.alive;
    if (rows.length === 0) return;
    const now = rows.findIndex((b) => hover(b));
    onHover(rows[(now + by + rows.length) % rows.length] ?? rows[0]!);
  };
  const actions: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => onStep(step - 1),
    ArrowRight: () => onStep(step + 1),
    ArrowUp: () => lookAt(-1),
    ArrowDown: () => lookAt(1),
    p: () => onStep(memory.peakStep),
    P: () => onStep(memory.peakStep),
    Home: () => onStep(0),
    End: () => onStep(memory.steps - 1),
    "+": () => onRange(zoomRange(range, memory.steps, 2, step + 0.5)),
    "=": () => onRange(zoomRange(range, memory.steps, 2, step + 0.5)),
    "-": () => onRange(zoomRange(range, memory.steps, 0.5, step + 0.5)),
    "0": () => onRange({ from: 0, to: memory.steps }),
    " ": () => onRange({ from: 0, to: memory.steps }),
  };
  const keys = (event: KeyboardEvent): void => {
    const action = actions[event.key];
    if (action === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  };
  return { handlers, keys };
}

/** Ctrl and wheel (or a pinch on a trackpad) zoom about the pointer, Shift and wheel move sideways; the plain wheel is the page's. */
function useWheelZoom(
  host: React.RefObject<HTMLDivElement | null>,
  props: MapDrawingProps,
  scale: Scale,
): void {
  const now = useRef({ props, scale });
  useEffect(() => {
    now.current = { props, scale };
  });
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const wheel = (event: WheelEvent): void => {
      const { props, scale } = now.current;
      const { range, memory, onRange } = props;
      const sideways = event.shiftKey ? event.deltaY + event.deltaX : event.deltaX;
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault();
        const x = event.clientX - element.getBoundingClientRect().left;
        onRange(
          zoomRange(
            range,
            memory.steps,
            Math.exp(-event.deltaY * 0.01),
            range.from + (x - scale.left) / scale.column,
          ),
        );
      } else if (sideways !== 0) {
        event.preventDefault();
        onRange(moveRange(range, memory.steps, sideways / scale.column));
      }
    };
    element.addEventListener("wheel", wheel, { passive: false });
    return () => element.removeEventListener("wheel", wheel);
  }, [host]);
}
