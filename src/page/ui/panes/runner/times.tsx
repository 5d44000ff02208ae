// The time of each call as a table with bars; a row pins its call.
import type { ReactNode } from "react";
import type { CallView } from "../../../../protocol/compile.ts";
import type { ShownRun } from "../../../store/state.ts";
import { useActions, useHover, usePinned } from "../../kit/context.tsx";
import { bytesText } from "../../kit/labels.ts";
import { primitiveStyle, Swatch } from "../../kit/primitive-style.tsx";
import { microsText } from "./tensor-stats.ts";

/** Rows of the table. */
const mostCalls = 400;

/** `micros` of each call, `ms` of the whole run. */
export function Times({
  run,
  micros,
  ms,
}: {
  readonly run: ShownRun;
  readonly micros: Float64Array;
  readonly ms: number;
}): ReactNode {
  const { summary } = run;
  const pinned = usePinned(run);
  const hovered = useHover(run);
  const sum = micros.reduce((total, value) => total + value, 0);
  const most = micros.reduce((best, value) => Math.max(best, value), 0);
  return (
    <section className="times" aria-label="Time a call">
      <h3>
        <span className="b">Time</span> <span className="mono">{microsText(ms * 1000)}</span>{" "}
        <span className="q">the whole run; calls one by one {microsText(sum)}</span>
      </h3>
      <table>
        <thead>
          <tr>
            <th>call</th>
            <th>primitive</th>
            <th className="r">time</th>
            <th className="r">share</th>
            <th className="r">GFLOP/s</th>
            <th>
              <span className="vh">bar</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {summary.calls.slice(0, Math.min(micros.length, mostCalls)).map((call) => (
            <CallTime
              key={call.index}
              run={run}
              call={call}
              micros={micros[call.index] ?? 0}
              sum={sum}
              most={most}
              pinned={pinned?.calls.has(call.index) ?? false}
              hovered={hovered?.calls.has(call.index) ?? false}
            />
          ))}
        </tbody>
      </table>
      {micros.length > mostCalls && (
        <p className="q">
          The first {mostCalls} of {micros.length.toLocaleString("en")} calls; the memory map's ribbon has
          them all.
        </p>
      )}
      <p className="q">
        Least of the repeats, after one warm-up, in this browser. Constants {bytesText(summary.constantBytes)}
        .
      </p>
    </section>
  );
}

interface CallTimeProps {
  readonly run: ShownRun;
  readonly call: CallView;
  readonly micros: number;
  /** Of all calls. */
  readonly sum: number;
  readonly most: number;
  readonly pinned: boolean;
  readonly hovered: boolean;
}

function CallTime({ run, call, micros, sum, most, pinned, hovered }: CallTimeProps): ReactNode {
  const { hover, togglePin } = useActions();
  const primitive = run.summary.primitives[call.primitive];
  const style = primitiveStyle(Math.max(call.primitive, 0));
  const width = `${most > 0 ? (100 * micros) / most : 0}%`;
  const entity = { kind: "call", id: call.index } as const;
  return (
    <tr
      className={`${pinned ? "sel" : ""} ${hovered ? "hov" : ""}`}
      onClick={() => togglePin(entity)}
      onPointerEnter={() => hover(entity)}
      onPointerLeave={() => hover(null)}
    >
      <td className="mono">{call.index}</td>
      <td>
        <button type="button" className="hbtn name" aria-pressed={pinned}>
          <Swatch index={call.primitive} />{" "}
          <span className="mono b">
            {call.primitive >= 0 ? style.label : call.symbol === "memcpy" ? "copy" : call.symbol}
          </span>{" "}
          <span className="q">{primitive?.name.replace(/^fused_/, "") ?? ""}</span>
        </button>
      </td>
      <td className="mono r">{microsText(micros)}</td>
      <td className="mono r">{sum > 0 ? Math.round((100 * micros) / sum) : 0} %</td>
      <td className="mono r">
        {primitive && micros > 0 && primitive.operations > 0
          ? (primitive.operations / micros / 1000).toFixed(2)
          : ""}
      </td>
      <td className="bar">
        <svg width="100%" height={10} aria-hidden="true">
          <rect width={width} height={10} style={{ fill: style.tint, stroke: style.color }} />
          <rect width={width} height={10} fill={style.patternFill} />
        </svg>
      </td>
    </tr>
  );
}
