// The source of a model file: what the file says of itself, its inputs with fields for dynamic dimensions, and below, read-only,
// the Relay that it was imported as, linked like every listing.
import { useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import type { ModelFactsView } from "../../../../protocol/compile.ts";
import type { OpenedFile } from "../../../store/state.ts";
import type { ShownRun } from "../../../store/state.ts";
import { useActions, useApp, useView } from "../../kit/context.tsx";
import { onGoTo } from "../../kit/regions.ts";
import { ListingPane } from "../../code/listing-pane.tsx";
import { rowHeight } from "../../code/rows.ts";
import { bytesText } from "../../kit/labels.ts";
import { readNumbers } from "../../kit/option-text.ts";
import { dynamicInputs, typedShapes, valueInputs, type DynamicInput } from "../../kit/dynamic-inputs.ts";
import { InputFields } from "../../kit/shape-fields.tsx";
import "./model-file.css";

/** The newest run of this very file that was read: a failed one says as much about it. */
export function useFileRun(file: OpenedFile): ShownRun | null {
  const shown = useApp((state) => state.compile.shown);
  const failure = useApp((state) => state.compile.failure);
  return [failure, shown].find((run) => run?.file === file.file && run.summary.model !== null) ?? null;
}

export function ModelFilePane({ file }: { readonly file: OpenedFile }): ReactNode {
  const run = useFileRun(file);
  const name = useApp((state) => state.source.name);
  const phase = useApp((state) => state.compile.phase);
  const [hidden, setHidden] = useState(false);
  const list = useRef<HTMLDivElement>(null);
  useEffect(
    () =>
      onGoTo(({ line }) => {
        const scroller = list.current?.querySelector<HTMLElement>("[data-code]");
        scroller?.scrollTo({ top: Math.max(0, line - 5) * rowHeight });
        scroller?.focus();
      }),
    [],
  );
  const imported = useView(run, run === null ? null : { kind: "listing", id: { kind: "relay", step: -1 } });
  const hasRelay = run !== null && run.summary.sources.length > 0 && imported !== null && imported !== "gone";
  return (
    <div className="modelfile">
      {run?.summary.model == null ? (
        <p className="note q">
          {phase === "compiling" || phase === "idle"
            ? `Reading ${name}…`
            : `${name} could not be read. Problems, below, says why.`}{" "}
          <FileSize file={file} />
        </p>
      ) : (
        !hidden && <Facts run={run} facts={run.summary.model} file={file} />
      )}
      {hasRelay && (
        <>
          <div className="hd sub">
            <h3 className="b">Imported Relay</h3>
            <span className="qq">read-only</span>
            <span className="sp" />
            <button type="button" className="hbtn" aria-expanded={!hidden} onClick={() => setHidden(!hidden)}>
              {hidden ? "Show facts" : "Hide facts"}
            </button>
          </div>
          <div className="filelisting" ref={list}>
            <ListingPane
              run={run}
              id={{ kind: "relay", step: -1 }}
              language="relay"
              label="Imported Relay"
              fileName="imported.relay"
              flag={1}
            />
          </div>
        </>
      )}
    </div>
  );
}

function FileSize({ file }: { readonly file: OpenedFile }): ReactNode {
  const more =
    file.extra.length === 0
      ? ""
      : `, with ${file.extra.map(({ name, file: data }) => `${name} (${bytesText(data.size)})`).join(", ")}`;
  return (
    <span className="q">
      {bytesText(file.file.size)}
      {more}
    </span>
  );
}

function Facts({
  run,
  facts,
  file,
}: {
  readonly run: ShownRun;
  readonly facts: ModelFactsView;
  readonly file: OpenedFile;
}): ReactNode {
  const [all, setAll] = useState(false);
  const inputs = useMemo(() => dynamicInputs(run.summary), [run]);
  const deciding = useMemo(() => valueInputs(run.summary), [run]);
  // Long tables wait until they are asked for: what can be changed comes first.
  const details = all ? facts.details : facts.details.slice(0, 2);
  const operators = all ? facts.operators : facts.operators.slice(0, 16);
  const more = facts.details.length - 2 + Math.max(0, facts.operators.length - 16);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls must be reachable by keys
    <div className="filefacts scroll" role="region" aria-label="The file" tabIndex={0}>
      <dl>
        <dt>format</dt>
        <dd>
          {facts.format}, <FileSize file={file} />
        </dd>
        {facts.producer !== "" && (
          <>
            <dt>producer</dt>
            <dd>{facts.producer}</dd>
          </>
        )}
        <dt>inputs</dt>
        <dd>
          <ul>
            {facts.inputs.map(([name, type]) => (
              <Input
                key={name}
                name={name}
                type={type}
                dynamic={inputs.find((input) => input.name === name) ?? null}
                inputs={inputs}
                decides={deciding.includes(name)}
              />
            ))}
          </ul>
          <FixShapes inputs={inputs} dynamic={run.summary.dynamic} />
        </dd>
        <dt>outputs</dt>
        <dd>
          <ul>
            {facts.outputs.map(([name, type]) => (
              <li key={name}>
                <span className="mono b">{name}</span> <span className="mono q">{type}</span>
              </li>
            ))}
          </ul>
        </dd>
        <dt>operators</dt>
        <dd className="opcounts">
          {operators.map(([op, count]) => (
            <span key={op}>
              <span className="mono">{op}</span> <span className="q">{count.toLocaleString("en")}</span>
            </span>
          ))}
        </dd>
        {details.map(([name, value]) => [
          <dt key={name}>{name}</dt>,
          <dd key={`${name}d`} className="wide">
            {value}
          </dd>,
        ])}
        {more > 0 && (
          <>
            <dt />
            <dd>
              <button type="button" className="flink" aria-expanded={all} onClick={() => setAll(!all)}>
                {all ? "less" : `${more} more`}
              </button>
            </dd>
          </>
        )}
      </dl>
    </div>
  );
}

function Input({
  name,
  type,
  dynamic,
  inputs,
  decides,
}: {
  readonly name: string;
  readonly type: string;
  readonly dynamic: DynamicInput | null;
  readonly inputs: readonly DynamicInput[];
  readonly decides: boolean;
}): ReactNode {
  const fix = useFix(inputs);
  return (
    <li>
      <span className="mono b">{name}</span> <span className="mono q">{type}</span>
      {dynamic !== null && (
        <span className="dynamicrow">
          <InputFields input={dynamic} onEnter={fix ?? noFix} />
        </span>
      )}
      {decides && <ValueField name={name} />}
    </li>
  );
}

/** Binds a small input to what is typed, on Enter or when left; empty leaves it an input. */
function ValueField({ name }: { readonly name: string }): ReactNode {
  const bound = useApp((state) => state.options.bindValues[name]);
  return <EditedValue key={bound?.join() ?? ""} name={name} bound={bound?.join(", ") ?? ""} />;
}

function EditedValue({ name, bound }: { readonly name: string; readonly bound: string }): ReactNode {
  const values = useApp((state) => state.options.bindValues);
  const actions = useActions();
  const [text, setText] = useState(bound);
  const numbers = readNumbers(text);
  const commit = (): void => {
    if (numbers === null || text === bound) return;
    const { [name]: _old, ...others } = values;
    actions.setOptions({ bindValues: numbers.length === 0 ? others : { ...others, [name]: numbers } });
  };
  return (
    <label
      className="dynamicrow q"
      title="With a value here it is a constant: shapes and branches that it decides settle"
    >
      value{" "}
      <input
        className="dimf wide"
        value={text}
        placeholder="given when it runs"
        aria-label={`Value of ${name}`}
        aria-invalid={numbers === null}
        spellCheck={false}
        onChange={(event) => setText(event.target.value)}
        onBlur={commit}
        onKeyDown={(event) => {
          if (event.key === "Enter") commit();
        }}
      />
    </label>
  );
}

const noFix = (): void => {};

/** Compiles for what the fields say; null while one of them is no number. */
function useFix(inputs: readonly DynamicInput[]): (() => void) | null {
  const typed = useApp((state) => state.layout.shapeDraft);
  const fixed = useApp((state) => state.options.shapes);
  const actions = useActions();
  const shapes = typedShapes(inputs, typed, fixed, "name");
  return shapes === null ? null : () => actions.setOptions({ shapes });
}

function FixShapes({
  inputs,
  dynamic,
}: {
  readonly inputs: readonly DynamicInput[];
  readonly dynamic: boolean;
}): ReactNode {
  const fix = useFix(inputs);
  const fixed = useApp((state) => Object.keys(state.options.shapes).length > 0);
  const actions = useActions();
  if (inputs.length === 0) return null;
  return (
    <p className="btns">
      <button
        type="button"
        className={dynamic && !fixed ? "fix strong" : "fix"}
        disabled={fix === null}
        onClick={fix ?? noFix}
      >
        {fixed ? "Compile for these shapes" : "Fix these shapes"}
      </button>
      {fixed && (
        <button type="button" className="fix" onClick={() => actions.setOptions({ shapes: {} })}>
          Leave them dynamic
        </button>
      )}
      {dynamic && (
        <button
          type="button"
          className="fix"
          onClick={() => actions.setLayout({ tabA: "shapes", slot: "a", phoneTab: "graph" })}
        >
          Evaluate shapes…
        </button>
      )}
    </p>
  );
}
