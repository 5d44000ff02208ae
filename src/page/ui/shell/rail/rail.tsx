// The stages rail: what each stage took, what changed the operators, where a compilation stopped. A row sets
// the IR diff.
import { first } from "../../../../support/assert.ts";
import { useState, type KeyboardEvent, type MouseEvent, type ReactNode } from "react";
import { stageTitles, type StageId } from "../../../../compiler/options.ts";
import type { StepView } from "../../../../protocol/compile.ts";
import type { ShownRun } from "../../../store/state.ts";
import { useActions, useApp } from "../../kit/context.tsx";
import { runWords, useStale } from "../../kit/pane-tools.tsx";
import { optionWords } from "../../../store/run-words.ts";
import { useRailRun } from "../../kit/use-rail-run.ts";
import { railModel, railMs, type RailGroup, type RailItem } from "./rail-model.ts";

function Mark({ kind }: { readonly kind: "same" | "changed" | "failed" | "waiting" | "running" }): ReactNode {
  const drawing = {
    same: <path d="M2 4.5H7" />,
    changed: <path d="M4.5 1 8.2 8H.8Z" strokeWidth={1.2} />,
    failed: <path d="M1 1 8 8M8 1 1 8" strokeWidth={1.5} />,
    waiting: <circle cx={4.5} cy={4.5} r={3} strokeDasharray="2 1.6" />,
    running: <circle cx={4.5} cy={4.5} r={3} strokeDasharray="14 5" strokeWidth={1.4} />,
  }[kind];
  return (
    <svg
      className={kind === "running" ? "ch busy" : "ch"}
      viewBox="0 0 9 9"
      fill="none"
      stroke="currentColor"
      aria-hidden="true"
    >
      {drawing}
    </svg>
  );
}

export function StagesRail(): ReactNode {
  const run = useRailRun();
  const phase = useApp((state) => state.compile.phase);
  const slow = useApp((state) => state.compile.slow);
  const progress = useApp((state) => state.compile.progress);
  const stage = useApp((state) => state.layout.stage);
  const after = useApp((state) => state.layout.diffAfter);
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const choose = useChoose();
  const stale = useStale() !== null;
  if (run === null)
    return (
      <div className="bd">
        <p className="note qq">{phase === "compiling" ? "Compiling…" : "Nothing compiled yet."}</p>
      </div>
    );
  const failed = phase === "failed" ? run.stoppedAt : null;
  const groups = railModel(
    run.summary,
    failed,
    phase === "compiling" && slow ? (progress?.stage ?? "parse") : null,
  );
  const toggle = (index: number): void => {
    const next = new Set(opened);
    if (!next.delete(index)) next.add(index);
    setOpened(next);
  };
  const rows = groups.flatMap((group) => [
    <GroupRow
      key={group.stage}
      group={group}
      current={group.stage === stage}
      onChoose={(event) => choose.group(group, event.shiftKey)}
    />,
    ...group.items.flatMap((item) => itemRows(item, opened, toggle, after, choose.step)),
    ...(group.state === "failed" ? [<FailedRow key={`${group.stage}-failed`} run={run} />] : []),
  ]);
  return (
    <div className="bd scroll" onKeyDown={arrows}>
      <ul aria-label="Stages and passes" className="railrows">
        {rows}
      </ul>
      <p className={stale && failed === null ? "railrun stale" : "railrun"} title={runWords(run)}>
        {stale && failed === null && <b>Stale</b>} {run.name}, {optionWords(run.options)}
      </p>
      <div className="tot">
        <span>{failed === null ? "Total" : "Stopped after"}</span>
        <span className="t">{railMs(run.summary.totalMs)}</span>
      </div>
      {failed !== null && (
        <p className="railnote">Later stages need what {stageTitles[failed]} did not give.</p>
      )}
    </div>
  );
}

/** Up and down move between rows, as in a list; Enter and Shift+Enter are the button's own. */
function arrows(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>("button")];
  const here = rows.findIndex((row) => row === document.activeElement);
  rows[Math.max(0, Math.min(rows.length - 1, here + (event.key === "ArrowDown" ? 1 : -1)))]?.focus();
  event.preventDefault();
}

function GroupRow({
  group,
  current,
  onChoose,
}: {
  readonly group: RailGroup;
  readonly current: boolean;
  readonly onChoose: (event: MouseEvent) => void;
}): ReactNode {
  const { state, delta } = group;
  const className = state === "failed" ? "fail" : state === "waiting" ? "dead" : current ? "on" : "";
  const head =
    state === "failed" ? (
      <Mark kind="failed" />
    ) : state === "waiting" ? (
      <Mark kind="waiting" />
    ) : state === "running" ? (
      <Mark kind="running" />
    ) : (
      group.number
    );
  return (
    <li className={className} data-stage={group.stage}>
      <button
        type="button"
        aria-current={current ? "step" : undefined}
        disabled={state === "waiting"}
        onClick={onChoose}
      >
        <span className="no">{head}</span>
        <span className="n">
          {group.title}
          {delta && (
            <span className="delta">
              {delta[0]}→{delta[1]}
            </span>
          )}
        </span>
        <span className="t">{group.ms === null ? "—" : railMs(group.ms)}</span>
        <span className="vh">
          {state === "failed" ? "stopped here" : state === "waiting" ? "not reached" : "ms"}
        </span>
      </button>
    </li>
  );
}

function FailedRow({ run }: { readonly run: ShownRun }): ReactNode {
  const problem = run.diagnostics.find((found) => found.severity === "error");
  if (problem === undefined) return null;
  return (
    <li className="sub failsub">
      <span />
      <span className="n" title={problem.message}>
        {problem.line > 0 ? `line ${problem.line}, ` : ""}
        {problem.code}
      </span>
    </li>
  );
}

function itemRows(
  item: RailItem,
  opened: ReadonlySet<number>,
  toggle: (index: number) => void,
  after: number | null,
  onStep: (step: StepView, other: boolean) => void,
): ReactNode[] {
  if (item.kind === "step")
    return [
      <StepRow key={item.step.index} step={item.step} current={after === item.step.index} onStep={onStep} />,
    ];
  const head = first(item.steps, "step").index;
  const open = opened.has(head);
  return [
    <li key={`u${head}`} className="sub same">
      <button type="button" aria-expanded={open} onClick={() => toggle(head)}>
        <span>
          <Mark kind="same" />
        </span>
        <span className="n">{item.steps.length} unchanged</span>
        <span className="t">{railMs(item.ms)}</span>
      </button>
    </li>,
    ...(open
      ? item.steps.map((step) => (
          <StepRow key={step.index} step={step} current={after === step.index} onStep={onStep} />
        ))
      : []),
  ];
}

function StepRow({
  step,
  current,
  onStep,
}: {
  readonly step: StepView;
  readonly current: boolean;
  readonly onStep: (step: StepView, other: boolean) => void;
}): ReactNode {
  const delta = step.opsBefore === step.opsAfter ? "" : ` ${step.opsBefore}→${step.opsAfter}`;
  return (
    <li className={`sub${current ? " on" : ""}`}>
      <button
        type="button"
        aria-current={current ? "step" : undefined}
        onClick={(event) => onStep(step, event.shiftKey)}
        title={`${step.pass}${delta === "" ? "" : `:${delta} operators`}\nShift-click: compare with the one shown`}
      >
        <span>
          <Mark kind={step.changed ? "changed" : "same"} />
        </span>
        <span className="n">{step.pass}</span>
        <span className="t">{railMs(step.ms)}</span>
        <span className="vh">
          {step.changed ? "changed" : "unchanged"}
          {delta}
        </span>
      </button>
    </li>
  );
}

/** What a row of the rail opens. Shift keeps the side that is shown and picks the other. */
function useChoose(): {
  readonly group: (group: RailGroup, other: boolean) => void;
  readonly step: (step: StepView, other: boolean) => void;
} {
  const actions = useActions();
  const before = useApp((state) => state.layout.diffBefore);
  const after = useApp((state) => state.layout.diffAfter);
  const open = (stage: StageId, from: number, to: number): void => {
    actions.showStage(stage, from, to);
    actions.setLayout({ tabA: "diff", slot: "a", phoneTab: "stages" });
  };
  return {
    step(step, other) {
      if (other && after !== null) open(step.stage, Math.min(after, step.index), Math.max(after, step.index));
      else open(step.stage, step.index - 1, step.index);
    },
    group({ stage, steps }, other) {
      const firstStep = steps[0];
      const last = steps[steps.length - 1];
      if (firstStep && last) {
        if (other && after !== null && before !== null)
          open(stage, Math.min(before, firstStep.index - 1), Math.max(after, last.index));
        else open(stage, firstStep.index - 1, last.index);
        return;
      }
      actions.showStage(stage, before, after);
      if (stage === "parse") open(stage, -1, -1);
      else if (stage === "lower" || stage === "tir") actions.setLayout({ tabB: "tir", slot: "b" });
      else if (stage === "aot") actions.setLayout({ tabB: "tir", tirPrimitive: -1, slot: "b" });
      else if (stage === "c") actions.setLayout({ tabB: "c", slot: "b" });
      else if (stage === "wasm") actions.setLayout({ tabB: "wasm", slot: "b" });
    },
  };
}
