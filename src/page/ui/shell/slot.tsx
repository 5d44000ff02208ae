// A view slot: tabs, the pane's own buttons, the strip that says since when its output is stale, and the
// pane.
import { at, first } from "../../../support/assert.ts";
import { Suspense, useState, type KeyboardEvent, type ReactNode } from "react";
import type { Region } from "../../store/state.ts";
import { usePanes, type Pane } from "../panes/index.tsx";
import { stageTitles } from "../../../compiler/options.ts";
import { useApp, useShown } from "../kit/context.tsx";
import { ErrorBoundary } from "../kit/error-boundary.tsx";
import { clock, MaximiseButton, RunTag, runWords, ToolsContext, useStale } from "../kit/pane-tools.tsx";

interface SlotProps<Id extends string> {
  readonly region: Region;
  readonly label: string;
  readonly panes: readonly Pane<Id>[];
  readonly tab: Id;
  readonly onTab: (tab: Id) => void;
  /** Before the tabs, on narrow screens. */
  readonly before?: ReactNode;
  readonly maximisable?: boolean;
}

export function Slot<Id extends string>(props: SlotProps<Id>): ReactNode {
  const { region, label, tab, onTab } = props;
  const panes = usePanes(props.panes);
  const [tools, setTools] = useState<HTMLElement | null>(null);
  const maximised = useApp((state) => state.layout.maximised === region);
  const pinned = useApp((state) => state.selection.pinned !== null);
  const stale = useStale();
  const run = useShown();
  const current = panes.find((pane) => pane.id === tab) ?? first(panes, "pane");
  function arrows(event: KeyboardEvent<HTMLElement>): void {
    const here = panes.indexOf(current);
    const to = { ArrowRight: here + 1, ArrowLeft: here - 1, Home: 0, End: panes.length - 1 }[event.key];
    if (to === undefined) return;
    const next = at(panes, (to + panes.length) % panes.length, "pane");
    onTab(next.id);
    event.currentTarget.querySelector<HTMLElement>(`[data-tab="${next.id}"]`)?.focus();
    event.preventDefault();
  }
  const Body = current.component;
  return (
    <section
      className={maximised ? "pane maxed" : "pane"}
      aria-label={label}
      data-region={region}
      tabIndex={-1}
    >
      <div className="hd">
        {props.before}
        <div className="tabs" role="tablist" aria-label={label} onKeyDown={arrows}>
          {panes.map((pane) => (
            <button
              key={pane.id}
              type="button"
              role="tab"
              id={`${region}-tab-${pane.id}`}
              data-tab={pane.id}
              aria-selected={pane === current}
              aria-controls={`${region}-panel`}
              tabIndex={pane === current ? 0 : -1}
              onClick={() => onTab(pane.id)}
            >
              {pane.title}
              {pinned && pane.flag !== null && pane !== current && (
                <b className="co" aria-hidden="true">
                  {pane.flag}
                </b>
              )}
            </button>
          ))}
        </div>
        <RunTag run={current.dims ? run : null} />
        <span className="tools" ref={setTools} />
        {props.maximisable !== false && <MaximiseButton region={region} what={current.title} />}
      </div>
      {current.dims && <StaleStrip title={current.title} />}
      <div
        className={current.dims && stale !== null ? "panel stale" : "panel"}
        role="tabpanel"
        id={`${region}-panel`}
        aria-labelledby={`${region}-tab-${current.id}`}
      >
        <ToolsContext value={tools}>
          <ErrorBoundary key={current.id} what={current.title}>
            <Suspense fallback={<div className="bd" />}>
              <Body toolbar={tools} />
            </Suspense>
          </ErrorBoundary>
        </ToolsContext>
      </div>
    </section>
  );
}

/** `short` leaves out why: where there is little room and other strips say it. */
export function StaleStrip({
  title,
  short,
}: {
  readonly title: string;
  readonly short?: boolean;
}): ReactNode {
  const since = useStale();
  const phase = useApp((state) => state.compile.phase);
  const stopped = useApp((state) => state.compile.failure?.stoppedAt ?? null);
  const shown = useShown();
  if (since === null || shown === null) return null;
  const why =
    phase === "failed" && stopped !== null
      ? `${title} waits for ${stageTitles[stopped]}`
      : phase === "compiling"
        ? "compiling"
        : phase === "stopped"
          ? "stopped"
          : "before this edit";
  if (short)
    return (
      <div className="staletag">
        <b>Stale</b>
        <span>
          {title} of {shown.name}, {clock(since)}
        </span>
      </div>
    );
  return (
    <div className="staletag">
      <b>Stale</b>
      <span>
        {runWords(shown)}; {why}
      </span>
    </div>
  );
}
