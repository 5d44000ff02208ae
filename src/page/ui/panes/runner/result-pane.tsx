// The Result tab: outputs with shape, facts and first values, the time of each call, and what the inputs
// were.
import { useState, type ReactNode } from "react";
import type { RunReply, TensorValueView } from "../../../../protocol/runner.ts";
import { useActions, useApp, useShown } from "../../kit/context.tsx";
import { PaneTools, runWords, useStale } from "../../kit/pane-tools.tsx";
import { HeaderSelect } from "../../kit/header-select.tsx";
import { shapeText } from "../../kit/labels.ts";
import { showNumber, showValue, tensorStats } from "./tensor-stats.ts";
import { Times } from "./times.tsx";
import type { ShownRun } from "../../../store/state.ts";

const repeatChoices = ["1", "5", "20", "100"].map(
  (value) => [value, value === "1" ? "1 run" : `best of ${value}`] as const,
);

export function ResultPane(): ReactNode {
  const run = useShown();
  const runner = useApp((state) => state.runner);
  const executor = useApp((state) => state.options.executor);
  const actions = useActions();
  const running = runner.status === "running";
  const stale = useStale() !== null;
  const outdated = runner.reply !== null && (stale || runner.runId !== run?.runId);
  return (
    <>
      <PaneTools>
        <HeaderSelect
          label="Repeats"
          value={String(runner.repeats)}
          options={repeatChoices}
          onChange={(value) => actions.setRepeats(Number(value))}
        />
        <button
          type="button"
          className="hbtn"
          disabled={run === null}
          onClick={() => (running ? actions.stop() : void actions.run())}
        >
          {running ? "Stop" : "Run"}
        </button>
      </PaneTools>
      <div
        className="bd scroll result"
        tabIndex={0}
        role="region"
        aria-label="Result of the run"
        aria-busy={running}
      >
        {run === null && <p className="note qq">Nothing compiled yet.</p>}
        {run !== null && <InputsNote run={run} executor={executor} />}
        {run !== null && runner.reply === null && !running && (
          <p className="note">
            <button type="button" className="fix" onClick={() => void actions.run()}>
              Run the model
            </button>{" "}
            <span className="qq">Ctrl+Shift+Enter</span>
          </p>
        )}
        {running && (
          <p className="note q" role="status">
            Running…
          </p>
        )}
        {outdated && !running && (
          <p className="staletag in">
            <b>Stale</b>
            <span>
              numbers of {runner.ran === null ? "an earlier compilation" : runWords(runner.ran)}; run again
            </span>
          </p>
        )}
        {runner.ran !== null && !outdated && !running && <p className="note qq">{runWords(runner.ran)}</p>}
        {runner.reply !== null && run !== null && (
          <div className={outdated || running ? "stale" : ""}>
            <Reply reply={runner.reply} run={run} live={!outdated} />
          </div>
        )}
      </div>
    </>
  );
}

function InputsNote({ run, executor }: { readonly run: ShownRun; readonly executor: string }): ReactNode {
  const { inputs, seededConstants } = run.summary;
  return (
    <div className="note q">
      <p>
        {inputs.length === 1 ? "The input " : `${inputs.length} inputs `}
        {inputs.slice(0, 6).map((input) => (
          <span key={input.name} className="mono">
            {input.name} {shapeText(input.shape)} {input.dtype}{" "}
          </span>
        ))}
        {inputs.length > 6 && "… "}
        {inputs.length === 1 ? "is" : "are"} filled by rule: each value follows from the name and the index,
        the same everywhere. Executor {executor}.
      </p>
      {seededConstants > 0 && (
        <p className="seeded">
          <b>
            {seededConstants} constant{seededConstants === 1 ? "" : "s"}
          </b>{" "}
          came without values in the text; they are seeded by rule, so the numbers below are not those of the
          trained model.
        </p>
      )}
    </div>
  );
}

function Reply({
  reply,
  run,
  live,
}: {
  readonly reply: RunReply;
  readonly run: ShownRun;
  readonly live: boolean;
}): ReactNode {
  if (reply.status === "failed") {
    return (
      <article className="perr error" aria-label="Run failed">
        <div className="phead">
          <span className="mono b">{reply.code}</span>
          <span className="b msg">{reply.message}</span>
        </div>
      </article>
    );
  }
  return (
    <>
      {reply.outputs.map((output, index) => (
        <Output key={`${index} ${output.name}`} output={output} />
      ))}
      {live && <Times run={run} micros={reply.callMicros} ms={reply.ms} />}
    </>
  );
}

const firstValues = 32;

function Output({ output }: { readonly output: TensorValueView }): ReactNode {
  const [all, setAll] = useState(false);
  const stats = tensorStats(output.values);
  const count = output.values.length;
  const many = Math.min(count, all ? 4096 : firstValues);
  const best = argmax(output);
  return (
    <section className="out" aria-label={`Output ${output.name}`}>
      <h3>
        <span className="mono b">{output.name}</span>{" "}
        <span className="mono q">
          {shapeText(output.shape)} {output.dtype}
        </span>
      </h3>
      {stats !== null && (
        <p className="facts mono">
          <span>min {showNumber(stats.least)}</span>
          <span>max {showNumber(stats.greatest)}</span>
          <span>mean {showNumber(stats.mean)}</span>
          {best >= 0 && <span>greatest at {best}</span>}
          {stats.notANumber > 0 && <span className="bad">{stats.notANumber} NaN</span>}
        </p>
      )}
      <ol className="values mono" start={0}>
        {Array.from({ length: many }, (_, index) => (
          <li key={index}>
            <i>{index}</i>
            {showValue(output, index)}
          </li>
        ))}
      </ol>
      {count > many && (
        <button type="button" className="hbtn" onClick={() => setAll(true)}>
          {many} of {count.toLocaleString("en")} shown; more
        </button>
      )}
    </section>
  );
}

/**
 * Index of the greatest value of a vector-like output (a classifier's answer), -1 where that means nothing.
 */
function argmax({ values, shape }: TensorValueView): number {
  const long = shape.filter((size) => size !== 1);
  if (long.length !== 1 || values.length > 100_000) return -1;
  let best = -1;
  for (let i = 0; i < values.length; i++) if (best < 0 || Number(values[i]) > Number(values[best])) best = i;
  return best;
}
