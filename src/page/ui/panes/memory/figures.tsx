// Under the map, in the same columns: calls, bytes of each, and after a run the time ribbon to scale with
// thin lines from each call to its share.
import type { ReactNode } from "react";
import type { Summary } from "../../../../protocol/compile.ts";
import type { MemoryView } from "../../../../protocol/views.ts";
import { advance, cutEnd, formatMicros, formatShare } from "../../kit/labels.ts";
import { Swatched } from "../../kit/swatched.tsx";
import { primitiveStyle } from "../../kit/primitive-style.tsx";
import { callName } from "./model.ts";
import { stepsShown, type Scale } from "./scale.ts";

export interface FigureRow {
  readonly title: string;
  readonly value: (step: number) => string;
}

interface FiguresProps {
  readonly summary: Summary;
  readonly memory: MemoryView;
  readonly scale: Scale;
  readonly rows: readonly FigureRow[];
  readonly step: number;
  readonly stepPinned: boolean;
}

export const callRowHeight = 24;
export const figureRowHeight = 18;

/** Where the numbers of a call stand, px. */
interface Place {
  readonly step: number;
  readonly start: number;
  readonly room: number;
}

export function Figures({ summary, memory, scale, rows, step, stepPinned }: FiguresProps): ReactNode {
  const top = scale.bottom;
  const height = callRowHeight + rows.length * figureRowHeight;
  const [first, last] = stepsShown(scale, memory.steps);
  const steps = Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i);
  const widest =
    Math.max(...rows.map((r) => Math.max(...sampled(steps).map((s) => r.value(s).length)))) * advance.mono11 +
    14;
  const stride = Math.max(1, Math.ceil(Math.max(widest, 34) / scale.column));
  const told = steps.filter(
    (s) =>
      (s === step || (s % stride === 0 && Math.abs(s - step) >= stride)) && scale.x(s) + 24 < scale.right,
  );
  const startOf = (s: number): number => Math.max(scale.left, scale.x(s));
  const places = told.map((s, i): Place => {
    const next = told[i + 1];
    const spaced = next === undefined ? scale.right : startOf(next);
    const end = stride === 1 ? Math.min(scale.x(s + 1), scale.right) : spaced;
    return { step: s, start: startOf(s), room: end - startOf(s) };
  });
  return (
    <g>
      <rect
        className={stepPinned ? "washf" : "sunkf"}
        x={scale.x(step) + 0.5}
        y={top + 4}
        width={Math.max(1, scale.column - 0.5)}
        height={height - 4}
      />
      <text className="t10 e f3" x={scale.left - 7} y={top + 18}>
        call
      </text>
      {places.map(({ step: s, room }) => (
        <CallHead key={s} summary={summary} step={s} scale={scale} current={s === step} room={room - 33} />
      ))}
      {rows.map((row, r) => {
        const y = top + callRowHeight + r * figureRowHeight;
        return (
          <g key={row.title}>
            <path d={`M${scale.left} ${y + 0.5}H${scale.right}`} className="rule" />
            <text className="t10 e f3" x={scale.left - 7} y={y + 13}>
              {row.title}
            </text>
            {places.map(({ step: s, start, room }) => {
              const peak = r === 0 && s === memory.peakStep;
              const text = row.value(s);
              if (advance.mono11 * text.length + 6 > room) return null;
              // Right-aligned in its column; where columns are narrower than numbers, from the left edge of
              // the call.
              const wide = stride === 1;
              return (
                <g key={s}>
                  <text
                    className={`m ${wide ? "e" : ""} ${s === step || peak ? "bo" : "f2"}`}
                    x={wide ? start + room - 10 : start + 6}
                    y={y + 13}
                  >
                    {text}
                  </text>
                  {peak && wide && scale.column > advance.mono11 * text.length + 44 && (
                    <text className="t10" x={scale.x(s) + 22} y={y + 13}>
                      peak
                    </text>
                  )}
                </g>
              );
            })}
          </g>
        );
      })}
      <path d={`M${scale.left} ${top + height + 0.5}H${scale.right}`} className="hair" />
    </g>
  );
}

/** Enough steps to know how wide numbers get. */
function sampled(steps: readonly number[]): readonly number[] {
  const every = Math.max(1, Math.floor(steps.length / 200));
  return steps.length === 0 ? [0] : steps.filter((_, i) => i % every === 0);
}

interface CallHeadProps {
  readonly summary: Summary;
  readonly step: number;
  readonly scale: Scale;
  readonly current: boolean;
  readonly room: number;
}

function CallHead({ summary, step, scale, current, room }: CallHeadProps): ReactNode {
  const x = Math.max(scale.left, scale.x(step));
  const y = scale.bottom + 18;
  const primitive = summary.calls[step]?.primitive ?? -1;
  const digits = advance.mono11 * String(step).length;
  const letters = Math.floor((room - digits) / 5.4);
  const swatch = room > digits - 12;
  return (
    <g>
      {swatch && primitive >= 0 && (
        <Swatched x={x + 6} y={y - 10} width={11} height={11} block={11} primitive={primitive} filled />
      )}
      <text className={current ? "m bo" : "m"} x={x + (swatch ? 21 : 2)} y={y}>
        {step}
      </text>
      {letters >= 4 && (
        <text className={current ? "t10" : "t10 f2"} x={x + 27 + digits} y={y}>
          {cutEnd(callName(summary, step), letters)}
        </text>
      )}
    </g>
  );
}

interface RibbonProps {
  readonly summary: Summary;
  readonly micros: Float64Array;
  readonly scale: Scale;
  /** y of the end of the figures. */
  readonly top: number;
  readonly step: number;
  readonly lit: (step: number) => boolean;
  readonly hover: (step: number) => boolean;
}

export const ribbonHeight = 36;
const connector = 17;
const bar = 18;
const mostConnectors = 160;

interface Segment {
  readonly step: number;
  readonly x: number;
  readonly width: number;
  readonly micros: number;
}

export function Ribbon({ summary, micros, scale, top, step, lit, hover }: RibbonProps): ReactNode {
  const [first, last] = stepsShown(scale, micros.length);
  const total = micros.reduce((sum, t) => sum + t, 0);
  const segments = timeSegments(micros, first, last, scale);
  const y = top + connector;
  const here = segments.find((s) => s.step === step);
  const pinned = segments.find((s) => lit(s.step));
  return (
    <g>
      <text className="t10 e f3" x={scale.left - 7} y={y + 13}>
        time
      </text>
      {segments.length <= mostConnectors &&
        segments.map((s) => (
          <path key={s.step} className="rule" d={`M${column(scale, s.step)} ${top}L${s.x} ${y}`} />
        ))}
      {here && <Joint scale={scale} top={top} y={y} segment={here} pinned={pinned !== undefined} />}
      <Bars summary={summary} segments={segments} y={y} total={total} left={scale.left} right={scale.right} />
      {segments
        .filter((s) => lit(s.step) || hover(s.step))
        .map((s) => (
          <g key={s.step}>
            {lit(s.step) && (
              <rect
                className="halo thin"
                x={s.x}
                y={y}
                width={Math.max(thinnestSegment, s.width)}
                height={bar}
              />
            )}
            <rect className="edge" x={s.x} y={y} width={Math.max(thinnestSegment, s.width)} height={bar} />
          </g>
        ))}
      {pinned && (
        <g>
          <circle className="coc" cx={pinned.x + pinned.width - 1} cy={y} r={7} />
          <text className="onacc c" x={pinned.x + pinned.width - 1} y={y + 3.5}>
            7
          </text>
        </g>
      )}
    </g>
  );
}

const thinnestSegment = 2.5;

function column(scale: Scale, step: number): number {
  return Math.min(scale.right, Math.max(scale.left, scale.x(step)));
}

function timeSegments(micros: Float64Array, first: number, last: number, scale: Scale): Segment[] {
  let sum = 0;
  const shown = micros.subarray(first, last + 1);
  for (const time of shown) sum += time;
  const width = scale.right - scale.left;
  const segments: Segment[] = [];
  let before = 0;
  shown.forEach((time, i) => {
    segments.push({
      step: first + i,
      x: scale.left + (sum > 0 ? (before / sum) * width : 0),
      width: sum > 0 ? (time / sum) * width : 0,
      micros: time,
    });
    before += time;
  });
  return segments;
}

function Joint({
  scale,
  top,
  y,
  segment,
  pinned,
}: {
  readonly scale: Scale;
  readonly top: number;
  readonly y: number;
  readonly segment: Segment;
  readonly pinned: boolean;
}): ReactNode {
  const [left, right] = [column(scale, segment.step), column(scale, segment.step + 1)];
  const end = segment.x + segment.width;
  return (
    <>
      <path
        d={`M${left} ${top}L${segment.x} ${y}H${end}L${right} ${top}Z`}
        className={pinned ? "washf" : "sunkf"}
      />
      {pinned && (
        <path d={`M${left} ${top}L${segment.x} ${y}M${end} ${y}L${right} ${top}`} className="edge hairline" />
      )}
    </>
  );
}

function Bars({
  summary,
  segments,
  y,
  total,
  left,
  right,
}: {
  readonly summary: Summary;
  readonly segments: readonly Segment[];
  readonly y: number;
  readonly total: number;
  readonly left: number;
  readonly right: number;
}): ReactNode {
  const visible = segments.filter((s) => s.width >= 0.6);
  return (
    <>
      <rect x={left} y={y} width={right - left} height={bar} className="sunkf" />
      {visible.map((s) => {
        const primitive = summary.calls[s.step]?.primitive ?? -1;
        if (visible.length > mostConnectors) {
          return (
            <rect
              key={s.step}
              x={s.x}
              y={y}
              width={s.width}
              height={bar}
              style={{ fill: primitive >= 0 ? primitiveStyle(primitive).tint : "var(--sunk)" }}
            />
          );
        }
        const time = formatMicros(s.micros);
        const share = formatShare(s.micros, total);
        const room = s.width - 40 - advance.mono11 * `p${primitive}`.length;
        return (
          <g key={s.step}>
            <Swatched
              x={s.x}
              y={y}
              width={Math.max(1, s.width)}
              height={bar}
              block={24}
              primitive={primitive}
              filled
            />
            {room >= 0 && primitive >= 0 && (
              <text x={s.x + 32} y={y + 13}>
                <tspan className="m bo">p{primitive}</tspan>
                {room >= advance.mono11 * time.length + 6 && (
                  <tspan dx={6} className="m">
                    {time}
                  </tspan>
                )}
                {room >= advance.mono11 * (time.length + share.length) + 14 && (
                  <tspan dx={6} className="m f2">
                    {share}
                  </tspan>
                )}
              </text>
            )}
          </g>
        );
      })}
    </>
  );
}
