// The source of a model file: what the file says of itself, its inputs with fields for dynamic dimensions,
// and below, read-only, the Relay that it was imported as, linked like every listing.
import { useEffect, useRef, useState, type ReactNode } from "react";
import type { ModelFactsView } from "../../../../protocol/compile.ts";
import type { OpenedFile, ShownRun } from "../../../store/state.ts";
import { useApp, useView } from "../../kit/context.tsx";
import { onGoTo } from "../../kit/regions.ts";
import { ListingPane } from "../../code/listing-pane.tsx";
import { rowHeight } from "../../code/rows.ts";
import { bytesText } from "../../kit/labels.ts";
import { FileInputs } from "./file-inputs.tsx";
import "./model-file.css";

/** The newest run of this very file that was read: a failed one says as much about it. */
function useFileRun(file: OpenedFile): ShownRun | null {
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
  // Long tables wait until they are asked for: what can be changed comes first.
  const details = all ? facts.details : facts.details.slice(0, 2);
  const operators = all ? facts.operators : facts.operators.slice(0, 16);
  const more = facts.details.length - 2 + Math.max(0, facts.operators.length - 16);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls: keys must reach it
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
          <FileInputs run={run} facts={facts} />
        </dd>
        <dt>outputs</dt>
        <dd>
          <ul>
            {facts.outputs.map(({ name, type }) => (
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
