// The IR diff: Relay before and after a step (or any two steps), as a diff that looks past renumbered locals,
// or as plain text.
import { useMemo, useState, type MouseEvent, type PointerEvent, type ReactNode } from "react";
import { first } from "../../../../support/assert.ts";
import type { StepView } from "../../../../protocol/compile.ts";
import type { ListingView } from "../../../../protocol/views.ts";
import { lineIsLit, primitiveOfRow, type Entity } from "../../../store/selection.ts";
import type { ShownRun } from "../../../store/state.ts";
import { entityOfLine, ownerRow } from "../../code/levels.ts";
import {
  diffLines,
  foldSame,
  withoutNames,
  withoutNumbers,
  type DiffItem,
  type DiffRow,
} from "../../code/line-diff.ts";
import { ListingPane } from "../../code/listing-pane.tsx";
import { listingLines } from "../../code/rows.ts";
import { useActions, useApp, useHover, usePinned, useView } from "../../kit/context.tsx";
import { HeaderSelect } from "../../kit/header-select.tsx";
import { PaneTools } from "../../kit/pane-tools.tsx";
import { useRailRun } from "../../kit/use-rail-run.ts";
import { DiffLine, type DiffLineProps } from "./diff-line.tsx";
import { noNotes, notesOf, useStepRemarks } from "./line-notes.ts";

/** Steps compared: as chosen in the rail, else what fusion did. -1 = the text as parsed. */
function useDiffSteps(run: ShownRun | null): readonly [number, number] {
  const before = useApp((state) => state.layout.diffBefore);
  const after = useApp((state) => state.layout.diffAfter);
  const steps = run?.summary.steps ?? [];
  const last = steps[steps.length - 1]?.index ?? -1;
  const fuse = steps.find((step) => step.pass === "FuseOps")?.index ?? last;
  const to = Math.min(after ?? fuse, last);
  return [Math.max(-1, Math.min(before ?? to - 1, to)), to];
}

function stepName(steps: readonly StepView[], index: number): string {
  return index < 0 ? "as parsed" : (steps[index]?.pass ?? "?");
}

const noSteps: readonly StepView[] = [];

export function IrDiffPane(): ReactNode {
  const run = useRailRun();
  const [before, after] = useDiffSteps(run);
  const mode = useApp((state) => state.layout.diffMode);
  const actions = useActions();
  const steps = run?.summary.steps ?? noSteps;
  const options = useMemo(
    () => [
      ["-1", "as parsed"] as const,
      ...steps.map(
        (step) =>
          [String(step.index), `${step.index} ${step.pass}${step.changed ? "" : " (unchanged)"}`] as const,
      ),
    ],
    [steps],
  );
  const tools = (
    <button
      type="button"
      className="hbtn"
      aria-pressed={mode === "diff"}
      title="Diff or text (D)"
      onClick={() => actions.setLayout({ diffMode: mode === "diff" ? "text" : "diff" })}
    >
      {mode === "diff" ? "Diff" : "Text"}
    </button>
  );
  const bar = (
    <div className="subhd">
      {mode === "diff" && (
        <HeaderSelect
          label="Before"
          value={String(before)}
          options={options}
          onChange={(value) => actions.setLayout({ diffBefore: Number(value) })}
        />
      )}
      {mode === "diff" && <span className="qq">→</span>}
      <HeaderSelect
        label="After"
        value={String(after)}
        options={options}
        onChange={(value) => actions.setLayout({ diffAfter: Number(value), diffBefore: Number(value) - 1 })}
      />
    </div>
  );
  if (mode === "text" || before === after) {
    return (
      <>
        {bar}
        <ListingPane
          run={run}
          id={{ kind: "relay", step: after }}
          language="relay"
          label={`Relay after ${stepName(steps, after)}`}
          fileName={`${stepName(steps, after)}.relay`}
          tools={tools}
          flag={1}
        />
      </>
    );
  }
  return (
    <>
      <PaneTools>{tools}</PaneTools>
      {bar}
      <Diff run={run} before={before} after={after} />
    </>
  );
}

function Diff({
  run,
  before,
  after,
}: {
  readonly run: ShownRun | null;
  readonly before: number;
  readonly after: number;
}): ReactNode {
  const left = useView(run, run === null ? null : { kind: "listing", id: { kind: "relay", step: before } });
  const right = useView(run, run === null ? null : { kind: "listing", id: { kind: "relay", step: after } });
  if (left === "gone" || right === "gone")
    return (
      <div className="bd">
        <p className="note">The worker does not keep this text any more. Compile again to see it.</p>
      </div>
    );
  if (left === null || right === null || run === null)
    return (
      <div className="bd">
        <p className="note qq">…</p>
      </div>
    );
  return (
    <DiffRows
      run={right.run}
      before={before}
      after={after}
      left={left.view.listing}
      right={right.view.listing}
      label={`Relay, ${stepName(run.summary.steps, before)} against ${stepName(run.summary.steps, after)}`}
    />
  );
}

/** Rows drawn at most; a diff of more than this is read in text mode. */
const mostRows = 3000;

interface DiffRowsProps {
  readonly run: ShownRun;
  readonly before: number;
  readonly after: number;
  readonly left: ListingView;
  readonly right: ListingView;
  readonly label: string;
}

function DiffRows({ run, before, after, left, right, label }: DiffRowsProps): ReactNode {
  const actions = useActions();
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const texts = useMemo(() => ({ left: listingLines(left), right: listingLines(right) }), [left, right]);
  const items = useMemo(() => foldSame(diffLines(texts.left, texts.right, withoutNames)), [texts]);
  const changes = items.filter((item) => item.kind === "removed" || item.kind === "added").length;
  const rows = useMemo(() => open(items, opened), [items, opened]);
  const lineProps = useLineProps({ run, before, after, listings: { left, right }, texts });
  const entityAt = (target: EventTarget): Entity | null => {
    const element = target instanceof Element ? target.closest<HTMLElement>("[data-line]") : null;
    if (element === null) return null;
    const listing = element.dataset["side"] === "left" ? left : right;
    return entityOfLine(listing, Number(element.dataset["line"]));
  };
  const onClick = (event: MouseEvent): void => {
    if (getSelection()?.isCollapsed === false) return;
    const entity = entityAt(event.target);
    if (entity) actions.togglePin(entity);
  };
  return (
    <div className="bd col">
      <p className="vh" role="status">
        {changes === 0 ? "no change" : `${changes} lines changed`}
      </p>
      {changes === 0 && <p className="note q">Nothing but the numbers of locals differs.</p>}
      <div
        className="code scroll diff"
        role="region"
        aria-label={label}
        tabIndex={0}
        onClick={onClick}
        onPointerOver={(event: PointerEvent) => actions.hover(entityAt(event.target))}
        onPointerLeave={() => actions.hover(null)}
      >
        {rows.slice(0, mostRows).map((item) => {
          if (item.kind !== "skipped") {
            const props = lineProps(item);
            return <DiffLine key={`${props.side}${props.line}`} {...props} />;
          }
          const key = skippedKey(item);
          return (
            <button
              key={`s${key}`}
              type="button"
              className="ln rel skip"
              onClick={() => setOpened(new Set([...opened, key]))}
            >
              ⋯ {item.rows.length} unchanged lines
            </button>
          );
        })}
        {rows.length > mostRows && (
          <p className="note q">{rows.length - mostRows} more rows: see them in text mode.</p>
        )}
      </div>
    </div>
  );
}

interface Compared {
  readonly run: ShownRun;
  readonly before: number;
  readonly after: number;
  readonly listings: { readonly left: ListingView; readonly right: ListingView };
  readonly texts: { readonly left: readonly string[]; readonly right: readonly string[] };
}

/** What each row shows: its text and remarks, and how it is lit. */
function useLineProps({ run, before, after, listings, texts }: Compared): (row: DiffRow) => DiffLineProps {
  const pinned = usePinned(run);
  const hover = useHover(run);
  const remarks = useStepRemarks(run, before, after);
  const [asked, setAsked] = useState<string | null>(null);
  return (item) => {
    const side = item.kind === "removed" ? "left" : "right";
    const listing = listings[side];
    const line = side === "left" ? item.before : item.after;
    const row = ownerRow(listing, line);
    const name = `${side}${line}`;
    return {
      kind: item.kind,
      renamed:
        item.kind === "same" &&
        withoutNumbers(texts.left[item.before] ?? "").trim() !==
          withoutNumbers(texts.right[item.after] ?? "").trim(),
      side,
      line,
      text: texts[side][line] ?? "",
      notes: item.kind === "same" ? noNotes : notesOf(remarks, listing, line),
      open: asked === name,
      onAsk: () => setAsked((old) => (old === name ? null : name)),
      primitive: primitiveOfRow(run.summary, listing.owners, row),
      lit: pinned !== null && lineIsLit(pinned, listing.owners, row),
      hovered: hover !== null && lineIsLit(hover, listing.owners, row),
    };
  };
}

type Skipped = Extract<DiffItem, { kind: "skipped" }>;

function skippedKey(item: Skipped): number {
  return first(item.rows, "skipped row").after;
}

function open(items: readonly DiffItem[], opened: ReadonlySet<number>): DiffItem[] {
  return items.flatMap((item): readonly DiffItem[] =>
    item.kind === "skipped" && opened.has(skippedKey(item)) ? item.rows : [item],
  );
}
