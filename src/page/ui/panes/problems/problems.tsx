// Problems under the source: errors with expected / got / because / hint, or, when all is well, what the
// passes remarked.
import { Fragment, useState, type ReactNode } from "react";
import type { DiagnosticView, RemarkView } from "../../../../protocol/compile.ts";
import { useActions, useApp, useShown } from "../../kit/context.tsx";
import { StateMark } from "../../kit/icons.tsx";
import { Swatch, primitiveStyle } from "../../kit/primitive-style.tsx";
import { stageTitles } from "../../../../compiler/options.ts";
import { issueText } from "./issue-text.ts";
import { differingParts } from "./differing-parts.ts";

/** Problems shown at most; the total is always said. */
const mostShown = 100;

interface ProblemsProps {
  /** Puts the editor's caret at a place, 1-based. */
  readonly onPlace: (line: number, column: number) => void;
}

function count(diagnostics: readonly DiagnosticView[], severity: DiagnosticView["severity"]): number {
  return diagnostics.filter((found) => found.severity === severity).length;
}

function plural(many: number, word: string): string {
  return `${many.toLocaleString("en")} ${word}${many === 1 ? "" : "s"}`;
}

export function Problems({ onPlace }: ProblemsProps): ReactNode {
  const diagnostics = useApp((state) => state.compile.diagnostics);
  const crash = useApp((state) => state.compile.crash);
  const phase = useApp((state) => state.compile.phase);
  const shown = useShown();
  const [minimised, setMinimised] = useState(false);
  const errors = count(diagnostics, "error");
  const remarks = phase === "done" ? (shown?.summary.remarks ?? []) : [];
  const facts = [
    plural(errors, "error"),
    plural(count(diagnostics, "warning"), "warning"),
    ...(errors === 0 && remarks.length > 0 ? [plural(remarks.length, "remark")] : []),
  ];
  return (
    <section
      className={errors > 0 || crash !== null ? "prob" : diagnostics.length > 0 ? "prob mild" : "prob calm"}
      aria-label="Problems"
      data-region="problems"
      tabIndex={-1}
    >
      <div className="hd">
        <h2 className={errors > 0 || crash ? "bad" : ""}>Problems</h2>
        <span className="qq">{crash ? "the compiler stopped" : facts.join(", ")}</span>
        <span className="sp" />
        {errors > 0 && <CopyIssue diagnostics={diagnostics} />}
        <button
          type="button"
          className="q"
          aria-expanded={!minimised}
          onClick={() => setMinimised(!minimised)}
        >
          {minimised ? "Show" : "Minimise"}
        </button>
      </div>
      {!minimised && (
        <div className="probs scroll">
          {crash !== null && <CrashCard message={crash.message} repro={crash.repro} />}
          {crash === null &&
            diagnostics
              .slice(0, mostShown)
              .map((found, index) => <Problem key={index} found={found} onPlace={onPlace} />)}
          {diagnostics.length > mostShown && (
            <p className="note q">
              The first {mostShown} of {diagnostics.length.toLocaleString("en")} problems.
            </p>
          )}
          {crash === null && errors === 0 && remarks.length > 0 && <Remarks remarks={remarks} />}
        </div>
      )}
    </section>
  );
}

function CopyIssue({ diagnostics }: { readonly diagnostics: readonly DiagnosticView[] }): ReactNode {
  const text = useApp(({ source }) =>
    source.file === null
      ? source.text
      : `${source.name}, ${source.file.file.size} bytes: attach its .repro.zip`,
  );
  const options = useApp((state) => state.options);
  const { say } = useActions();
  return (
    <button
      type="button"
      className="q"
      onClick={() => {
        void navigator.clipboard
          .writeText(issueText(text, options, diagnostics))
          .then(() => say("Copied as an issue"));
      }}
    >
      Copy as issue
    </button>
  );
}

function Problem({
  found,
  onPlace,
}: {
  readonly found: DiagnosticView;
  readonly onPlace: ProblemsProps["onPlace"];
}): ReactNode {
  const stage = stageTitles[found.stage];
  const [expected, got] =
    found.expected !== null && found.got !== null ? differingParts(found.expected, found.got) : [null, null];
  const rows: [string, ReactNode][] = [];
  if (found.expected !== null)
    rows.push([
      "expected",
      expected === null ? (
        <Prose key="e" text={found.expected} />
      ) : (
        <Marked key="e" parts={expected} className="y" />
      ),
    ]);
  if (found.got !== null)
    rows.push([
      "got",
      got === null ? <Prose key="g" text={found.got} /> : <Marked key="g" parts={got} className="x" />,
    ]);
  if (found.because !== null) rows.push(["because", <Prose key="b" text={found.because} />]);
  if (found.hint !== null) rows.push(["hint", <Prose key="h" text={found.hint} />]);
  for (const note of found.notes) rows.push(["note", <Prose key={note} text={note} />]);
  return (
    <article
      className={`perr ${found.severity}`}
      data-code={found.code}
      aria-label={`${found.severity} ${found.code}`}
    >
      <div className="phead">
        {found.severity === "error" ? (
          <StateMark state="error" />
        ) : (
          <span className="warnmark" aria-hidden="true">
            !
          </span>
        )}
        <span className="mono b">{found.code}</span>
        <span className="b msg">
          <Prose text={found.message} />
        </span>
        <span className="sp" />
        {found.line > 0 ? (
          <button
            type="button"
            className="mono q place"
            title={`${stage}: go to the place`}
            onClick={() => onPlace(found.line, found.column)}
          >
            {found.line}:{found.column}
          </button>
        ) : (
          <span className="q">{stage}</span>
        )}
      </div>
      {rows.length > 0 && (
        <dl>
          {rows.map(([term, value], index) => (
            <Fragment key={index}>
              <dt>{term}</dt>
              <dd className={term === "expected" || term === "got" ? "mono" : ""}>{value}</dd>
            </Fragment>
          ))}
        </dl>
      )}
    </article>
  );
}

/** Words of the compiler; what stands in backticks is code. */
function Prose({ text }: { readonly text: string }): ReactNode {
  return text.split("`").map((part, index) => (index % 2 === 0 ? part : <code key={index}>{part}</code>));
}

/** Parts in turn alike and differing: the differing ones are marked by colour and underline. */
function Marked({
  parts,
  className,
}: {
  readonly parts: readonly string[];
  readonly className: string;
}): ReactNode {
  return parts.map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      <b key={index} className={className}>
        {part}
      </b>
    ),
  );
}

function sourceOf({ sources: [id] }: RemarkView): { kind: "source"; id: number } | null {
  return id === undefined ? null : { kind: "source", id };
}

function Remarks({ remarks }: { readonly remarks: readonly RemarkView[] }): ReactNode {
  const { hover, togglePin } = useActions();
  const entityOf = (remark: RemarkView): { kind: "primitive" | "source"; id: number } | null =>
    remark.primitive >= 0 ? { kind: "primitive", id: remark.primitive } : sourceOf(remark);
  return (
    <ul aria-label="Remarks">
      {remarks.slice(0, mostShown).map((remark, index) => {
        const entity = entityOf(remark);
        return (
          <li key={index}>
            <button
              type="button"
              className="rem"
              title={remark.text}
              onPointerEnter={() => hover(entity)}
              onPointerLeave={() => hover(null)}
              onClick={() => entity && togglePin(entity)}
            >
              <Swatch index={remark.primitive} />
              <span className="mono b pn">
                {remark.primitive >= 0 ? primitiveStyle(remark.primitive).label : ""}
              </span>
              <span className="q rt">{remark.text}</span>
              <span className="sp" />
              <span className="mono qq">{remark.pass}</span>
            </button>
          </li>
        );
      })}
      {remarks.length > mostShown && (
        <li className="q">
          The first {mostShown} of {remarks.length.toLocaleString("en")} remarks.
        </li>
      )}
    </ul>
  );
}

function CrashCard({ message, repro }: { readonly message: string; readonly repro: string }): ReactNode {
  const { say, compileNow } = useActions();
  return (
    <article className="perr error" aria-label="The compiler stopped">
      <div className="phead">
        <StateMark state="error" />
        <span className="b msg">This is a bug of the compiler, not of your model.</span>
      </div>
      <dl>
        <dt>what</dt>
        <dd className="mono">{message}</dd>
        <dt>text</dt>
        <dd>Kept. The compiler was replaced and is ready.</dd>
        <dt>repro</dt>
        <dd>
          <button
            type="button"
            className="fix"
            onClick={() => void navigator.clipboard.writeText(repro).then(() => say("Copied the repro"))}
          >
            Copy repro
          </button>{" "}
          <button type="button" className="fix" onClick={() => void compileNow()}>
            Try again
          </button>
          <pre className="repro" tabIndex={0} aria-label="Repro">
            {repro.slice(0, 4000)}
          </pre>
        </dd>
      </dl>
    </article>
  );
}
