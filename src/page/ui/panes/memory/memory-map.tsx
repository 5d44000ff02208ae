// Memory map: which tensor lies where and how long, by planner. The step is the pinned call, else the peak;
// keys move it.
import { useCallback, useMemo, useRef, useState, type ReactNode } from "react";
import type { MemoryBlockView, MemoryView, PlanView } from "../../../../protocol/views.ts";
import { shownCallMicros } from "../../../store/selectors.ts";
import type { Lit } from "../../../store/selection.ts";
import type { ShownRun } from "../../../store/state.ts";
import { useActions, useApp, useHover, usePinned, useShown, useView } from "../../kit/context.tsx";
import { deviceLabel } from "../../kit/device-names.ts";
import { formatCount, formatMicros } from "../../kit/labels.ts";
import type { FigureRow } from "./figures.tsx";
import { MapDrawing } from "./map-drawing.tsx";
import { MapHeader } from "./map-header.tsx";
import { MemoryTable } from "./memory-table.tsx";
import { figuresAt, planOf, slackByStep, zoomRange, type StepRange } from "./model.ts";
import { PlanStrip } from "./plan-strip.tsx";
import { SidePanel } from "./side-panel.tsx";
import { usePaneSize } from "../../kit/use-pane-size.ts";
import "./memory.css";

export function MemoryMap(): ReactNode {
  const shown = useShown();
  const got = useView(shown, { kind: "memory" });
  const planner = useApp((state) => state.layout.planner);
  if (shown !== null && shown.summary.dynamic)
    return (
      <Word>
        No memory plan: how large tensors are is known only when the program runs. Fix shapes in the Shapes
        tab to plan for them.
      </Word>
    );
  if (got === "gone")
    return <Word>The memory plans of this run are no longer kept. Compile again to see them.</Word>;
  if (got === null) return <Word>{shown === null ? "Nothing compiled yet." : ""}</Word>;
  const plan = planOf(got.view.memory, planner);
  if (plan === null || got.view.memory.steps === 0) {
    return (
      <Word>
        No memory plan: {got.run.summary.aotError ?? got.run.summary.graphError ?? "nothing is called"}.
      </Word>
    );
  }
  return <MapOfRun run={got.run} memory={got.view.memory} plan={plan} />;
}

function Word({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <section className="pane mem" aria-label="Memory map">
      <div className="hd">
        <h2>Memory map</h2>
      </div>
      <p className="paneword">{children}</p>
    </section>
  );
}

const narrowWidth = 760;
const tallHeight = 420;
/** There is room for the planners side by side. */
const roomyHeight = 640;
const sideWidth = 296;

interface MapOfRunProps {
  readonly run: ShownRun;
  readonly memory: MemoryView;
  readonly plan: PlanView;
}

function MapOfRun({ run, memory, plan }: MapOfRunProps): ReactNode {
  const actions = useActions();
  const pinned = usePinned(run);
  const hover = useHover(run);
  const micros = useApp((state) => (state.compile.shown === run ? shownCallMicros(state) : null));
  const host = useRef<HTMLDivElement>(null);
  const size = usePaneSize(host);
  const narrow = size !== null && size.width < narrowWidth;
  const tall = size !== null && size.height > tallHeight && !narrow;
  const cursor = useMapCursor(pinned, memory);
  const { step, range, setRange, go } = cursor;
  const figures = useMemo(() => figuresAt(plan, step), [plan, step]);
  const rows = useRows(memory, plan, micros, tall);
  const blocks: BlockActions = {
    lit: (block) => isLit(pinned, block),
    hover: (block) => isLit(hover, block),
    deviceOf: useCallback(
      (device: number) => (run.options.targets.length > 1 ? deviceLabel(run.options, device) : ""),
      [run],
    ),
    onHover: (block) => actions.hover(block ? { kind: "call", id: block.from } : null),
    onPin: (block) => actions.pin({ kind: "call", id: block.from }),
  };
  const onPlan = (planner: PlanView["planner"]): void => actions.setLayout({ planner });
  return (
    <section className="pane mem" aria-label="Memory map" data-tall={tall}>
      <MapHeader
        memory={memory}
        plan={plan}
        step={step}
        narrow={narrow}
        zoomable={memory.steps > 24}
        onPlan={onPlan}
        onStep={go}
        onZoom={(factor) => setRange(zoomRange(range, memory.steps, factor, step + 0.5))}
      />
      <div className={narrow ? "bdy narrow" : "bdy"} ref={host}>
        <div className="mapcol">
          <MapDrawing
            run={run}
            memory={memory}
            plan={plan}
            rows={rows}
            micros={micros}
            step={step}
            stepPinned={cursor.pinned}
            range={range}
            onRange={setRange}
            figures={figures}
            {...blocks}
            litStep={(s) => pinned?.calls.has(s) ?? false}
            hoverStep={(s) => hover?.calls.has(s) ?? false}
            onStep={go}
            onHoverStep={(s) => actions.hover(s === null ? null : { kind: "call", id: s })}
          />
          {tall && size.height > roomyHeight && (
            <PlanStrip memory={memory} current={plan} width={size.width - sideWidth} onPlan={onPlan} />
          )}
        </div>
        <SidePanel
          summary={run.summary}
          memory={memory}
          plan={plan}
          figures={figures}
          step={step}
          tall={tall || narrow}
          {...blocks}
        />
      </div>
      <MemoryTable plan={plan} step={step} peakStep={memory.peakStep} />
    </section>
  );
}

/** How blocks are lit, and what is done with them, in the drawing and beside it. */
interface BlockActions {
  readonly lit: (block: MemoryBlockView) => boolean;
  readonly hover: (block: MemoryBlockView) => boolean;
  readonly deviceOf: (device: number) => string;
  readonly onHover: (block: MemoryBlockView | null) => void;
  readonly onPin: (block: MemoryBlockView) => void;
}

interface MapCursor {
  /** The pinned call, else the peak. */
  readonly step: number;
  readonly pinned: boolean;
  /** Calls in sight. */
  readonly range: StepRange;
  readonly setRange: (range: StepRange) => void;
  /** Pins a call, the nearest end where there is none. */
  readonly go: (step: number) => void;
}

function useMapCursor(pinned: Lit | null, memory: MemoryView): MapCursor {
  const actions = useActions();
  const [range, setRange] = useState<StepRange | null>(null);
  const pinnedStep = useMemo(() => stepOf(pinned, memory.steps), [pinned, memory]);
  const shownRange = useMemo(
    () => (range === null || range.to > memory.steps ? { from: 0, to: memory.steps } : range),
    [range, memory],
  );
  return {
    step: pinnedStep ?? Math.min(memory.peakStep, memory.steps - 1),
    pinned: pinnedStep !== null,
    range: shownRange,
    setRange,
    go: (to) => actions.pin({ kind: "call", id: Math.min(memory.steps - 1, Math.max(0, to)) }),
  };
}

function useRows(
  memory: MemoryView,
  plan: PlanView,
  micros: Float64Array | null,
  tall: boolean,
): readonly FigureRow[] {
  return useMemo(() => {
    const live: FigureRow = { title: "live B", value: (s) => formatCount(memory.liveBytes[s] ?? 0) };
    if (!tall) return [live];
    const slack = slackByStep(plan, memory.steps);
    return [
      live,
      { title: "slack B", value: (s) => formatCount(slack[s] ?? 0) },
      { title: "workspace", value: (s) => formatCount(memory.workspaceBytes[s] ?? 0) },
      ...(micros === null
        ? []
        : [{ title: "µs", value: (s: number) => formatMicros(micros[s] ?? 0).replace(" µs", "") }]),
    ];
  }, [memory, plan, micros, tall]);
}

/** The call that the cursor stands on: the one pinned, else the first that is lit. */
function stepOf(pinned: Lit | null, steps: number): number | null {
  if (pinned === null) return null;
  if (pinned.primary.kind === "call") return pinned.primary.id < steps ? pinned.primary.id : null;
  let least: number | null = null;
  for (const call of pinned.calls) if (call < steps && (least === null || call < least)) least = call;
  return least;
}

function isLit(lit: Lit | null, block: MemoryBlockView): boolean {
  if (lit === null) return false;
  return lit.primary.kind === "sid" && block.sid >= 0 ? lit.sids.has(block.sid) : lit.calls.has(block.from);
}
