// The IR diff: Relay before and after a step (or any two steps), as a diff that looks past renumbered locals, or as plain text.
import { memo, useMemo, useState, type MouseEvent, type PointerEvent, type ReactNode } from "react";
import type { RemarkView, StepView } from "../../../../protocol/compile.ts";
import type { ListingView } from "../../../../protocol/views.ts";
import { entityOfRow, lineIsLit, primitiveOfRow, rowSources, type Entity } from "../../../store/selection.ts";
import type { ShownRun } from "../../../store/state.ts";
import { useActions, useApp, useHover, usePinned, useView } from "../../kit/context.tsx";
import { PaneTools } from "../../kit/pane-tools.tsx";
import { listingLines } from "../../code/rows.ts";
import { HeaderSelect } from "../../kit/header-select.tsx";
import { ListingPane } from "../../code/listing-pane.tsx";
import { tokenise } from "../../code/tokenise.ts";
import { Tokens } from "../../code/tokens.tsx";
import { primitiveStyle } from "../../kit/primitive-style.tsx";
import { useRailRun } from "../../kit/use-rail-run.ts";
import {
  diffLines,
  foldSame,
  withoutNames,
  withoutNumbers,
  type DiffItem,
  type DiffRow,
} from "../../code/line-diff.ts";

/** Steps compared: as chosen in the rail, else what fusion did. -1 = the text as parsed. */
export function useDiffSteps(run: ShownRun | null): readonly [number, number] {
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
          id={`relay/${after}`}
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
  const left = useView(run, run === null ? null : { kind: "listing", id: `relay/${before}` });
  const right = useView(run, run === null ? null : { kind: "listing", id: `relay/${after}` });
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

/** Remarks of the steps compared, by source node: what is said of a changed line. */
function useStepRemarks(
  run: ShownRun,
  before: number,
  after: number,
): ReadonlyMap<number, readonly RemarkView[]> {
  return useMemo(() => {
    const bySource = new Map<number, RemarkView[]>();
    for (const remark of run.summary.remarks) {
      if (remark.step <= before || remark.step > after) continue;
      for (const id of new Set([...remark.sources, ...remark.otherSources])) {
        const list = bySource.get(id);
        if (list === undefined) bySource.set(id, [remark]);
        else list.push(remark);
      }
    }
    return bySource;
  }, [run, before, after]);
}

const mostNotes = 6;

/** What the steps remarked on the nodes of one line, without repeats. */
function notesOf(
  remarks: ReadonlyMap<number, readonly RemarkView[]>,
  listing: ListingView,
  line: number,
): readonly string[] {
  if (remarks.size === 0) return noNotes;
  const texts = new Set<string>();
  for (const id of rowSources(listing.owners, (listing.lineOwner[line] ?? 0) - 1))
    for (const remark of remarks.get(id) ?? []) texts.add(`${remark.pass}: ${remark.text}`);
  return texts.size === 0 ? noNotes : [...texts].slice(0, mostNotes);
}

const noNotes: readonly string[] = [];

function DiffRows({
  run,
  before,
  after,
  left,
  right,
  label,
}: {
  readonly run: ShownRun;
  readonly before: number;
  readonly after: number;
  readonly left: ListingView;
  readonly right: ListingView;
  readonly label: string;
}): ReactNode {
  const actions = useActions();
  const pinned = usePinned(run);
  const hover = useHover(run);
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const [asked, setAsked] = useState<string | null>(null);
  const remarks = useStepRemarks(run, before, after);
  const texts = useMemo(() => [listingLines(left), listingLines(right)] as const, [left, right]);
  const items = useMemo(() => foldSame(diffLines(texts[0], texts[1], withoutNames)), [texts]);
  const changes = items.filter((item) => item.kind === "removed" || item.kind === "added").length;
  const rows = useMemo(() => open(items, opened), [items, opened]);
  const entityAt = (target: EventTarget): Entity | null => {
    const element = target instanceof Element ? target.closest<HTMLElement>("[data-line]") : null;
    if (element === null) return null;
    const listing = element.dataset["side"] === "left" ? left : right;
    return entityOfRow(listing.owners, (listing.lineOwner[Number(element.dataset["line"])] ?? 0) - 1);
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
          if (item.kind === "skipped") {
            const key = item.rows[0]!.after;
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
          }
          const side = item.kind === "removed" ? "left" : "right";
          const listing = side === "left" ? left : right;
          const line = side === "left" ? item.before : item.after;
          const row = (listing.lineOwner[line] ?? 0) - 1;
          const notes = item.kind === "same" ? noNotes : notesOf(remarks, listing, line);
          const name = `${side}${line}`;
          return (
            <DiffLine
              key={name}
              notes={notes}
              open={asked === name}
              onAsk={() => setAsked((old) => (old === name ? null : name))}
              kind={item.kind}
              renamed={
                item.kind === "same" &&
                withoutNumbers(texts[0][item.before] ?? "").trim() !==
                  withoutNumbers(texts[1][item.after] ?? "").trim()
              }
              side={side}
              line={line}
              text={(side === "left" ? texts[0] : texts[1])[line] ?? ""}
              primitive={primitiveOfRow(run.summary, listing.owners, row)}
              lit={pinned !== null && lineIsLit(pinned, listing.owners, row)}
              hovered={hover !== null && lineIsLit(hover, listing.owners, row)}
            />
          );
        })}
        {rows.length > mostRows && (
          <p className="note q">{rows.length - mostRows} more rows: see them in text mode.</p>
        )}
      </div>
    </div>
  );
}

function open(items: readonly DiffItem[], opened: ReadonlySet<number>): DiffItem[] {
  return items.flatMap((item): readonly DiffItem[] =>
    item.kind === "skipped" && opened.has(item.rows[0]!.after) ? item.rows : [item],
  );
}

const signs: Readonly<Record<DiffRow["kind"], string>> = { same: " ", removed: "−", added: "+" };
const spoken: Readonly<Record<DiffRow["kind"], string>> = {
  same: "",
  removed: "removed: ",
  added: "added: ",
};

interface DiffLineProps {
  readonly kind: DiffRow["kind"];
  readonly renamed: boolean;
  readonly side: "left" | "right";
  readonly line: number;
  readonly text: string;
  readonly primitive: number;
  readonly lit: boolean;
  readonly hovered: boolean;
  readonly notes: readonly string[];
  readonly open: boolean;
  readonly onAsk: () => void;
}

const DiffLine = memo(function DiffLine(props: DiffLineProps): ReactNode {
  const { kind, text, notes, open } = props;
  return (
    <>
      <div
        className={`ln rel ${kind}${props.lit ? " sel" : ""}${props.hovered ? " hov" : ""}`}
        data-line={props.line}
        data-side={props.side}
      >
        <i>{props.line + 1}</i>
        <u className={props.primitive < 0 ? "" : primitiveStyle(props.primitive).gutterClass} />
        <b className="sign" aria-hidden="true">
          {props.renamed ? "≈" : signs[kind]}
        </b>
        <span className="tx">
          {kind !== "same" && <span className="vh">{spoken[kind]}</span>}
          {props.renamed && <span className="vh">names changed: </span>}
          <Tokens text={text} tokens={tokenise("relay", text)} found={[]} />
        </span>
        {notes.length > 0 && (
          <button
            type="button"
            className="whyb"
            aria-expanded={open}
            aria-label={`Why line ${props.line + 1} changed`}
            title={notes.join("\n")}
            onClick={(event) => {
              event.stopPropagation();
              props.onAsk();
            }}
          >
            why
          </button>
        )}
      </div>
      {open && (
        <ul className="linenotes" aria-label={`Remarks on line ${props.line + 1}`}>
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
    </>
  );
}, sameLine);

/** All but the callback, which does the same for the same line. */
function sameLine(a: DiffLineProps, b: DiffLineProps): boolean {
  return (
    a.text === b.text &&
    a.kind === b.kind &&
    a.renamed === b.renamed &&
    a.side === b.side &&
    a.line === b.line &&
    a.primitive === b.primitive &&
    a.lit === b.lit &&
    a.hovered === b.hovered &&
    a.open === b.open &&
    a.notes.length === b.notes.length &&
    a.notes.every((note, i) => note === b.notes[i])
  );
}
