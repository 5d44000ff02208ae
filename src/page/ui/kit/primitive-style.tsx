// One hue and one pattern a primitive, the same in gutter, graph, map, table and time ribbon. Past eight, hue
// and pattern advance at different periods, so that 64 pairs stay unique. Colours are CSS variables of
// theme.css.
import type { ReactNode } from "react";

interface PrimitiveStyle {
  readonly hue: number;
  readonly pattern: number;
  /** "p2". */
  readonly label: string;
  /** Sets --h to the hue; `gut0`…`gut7` on the same element draws the 4 px gutter mark. */
  readonly hueClass: string;
  readonly gutterClass: string;
  /** CSS colours: the hue, and its tint on paper (fill of a shape under the pattern). */
  readonly color: string;
  readonly tint: string;
  /** For SVG fill, once PatternDefs is in the page. */
  readonly patternFill: string;
}

const HUES = 8;

export function primitiveStyle(index: number): PrimitiveStyle {
  const hue = ((index % HUES) + HUES) % HUES;
  const pattern = (hue + Math.floor(Math.max(index, 0) / HUES)) % HUES;
  const color = `var(--p${hue})`;
  return {
    hue,
    pattern,
    color,
    label: `p${index}`,
    hueClass: `hue${hue}`,
    gutterClass: `hue${hue} gut${pattern}`,
    tint: `color-mix(in oklab, ${color} var(--mix), var(--paper))`,
    patternFill: `url(#${patternId(hue, pattern)})`,
  };
}

function patternId(hue: number, pattern: number): string {
  return `pat${hue}-${pattern}`;
}

function drawing(pattern: number, color: string): { width: number; height: number; body: ReactNode } {
  const line = { stroke: color, fill: "none" };
  switch (pattern) {
    case 0:
      return {
        width: 6,
        height: 6,
        body: <rect width={6} height={6} style={{ fill: color }} opacity={0.16} />,
      };
    case 1:
      return {
        width: 8,
        height: 8,
        body: <path d="M-2 2 2 -2M-1 9 9 -1M6 10 10 6" style={line} strokeWidth={1.1} opacity={0.55} />,
      };
    case 2:
      return {
        width: 6,
        height: 6,
        body: (
          <g style={{ fill: color }} opacity={0.7}>
            <circle cx={1.5} cy={1.5} r={0.9} />
            <circle cx={4.5} cy={4.5} r={0.9} />
          </g>
        ),
      };
    case 3:
      return { width: 5, height: 5, body: <path d="M2.5 0V5" style={line} opacity={0.5} /> };
    case 4:
      return { width: 4, height: 4, body: <path d="M0 1.5H4" style={line} opacity={0.5} /> };
    case 5:
      return {
        width: 6,
        height: 6,
        body: <path d="M3 0V6M0 3H6" style={line} strokeWidth={0.9} opacity={0.55} />,
      };
    case 6:
      return {
        width: 8,
        height: 8,
        body: <path d="M-1 -1 9 9M-1 7 1 9M7 -1 9 1" style={line} strokeWidth={1.1} opacity={0.6} />,
      };
    default:
      return { width: 8, height: 6, body: <path d="M0 4.5 4 1.5 8 4.5" style={line} opacity={0.6} /> };
  }
}

/** Patterns of all primitives and the grey slack hatching (`url(#slack)`); mounted once by the app. */
export function PatternDefs({ count }: { readonly count: number }): ReactNode {
  const styles = Array.from({ length: Math.min(Math.max(count, HUES), HUES * HUES) }, (_, index) =>
    primitiveStyle(index),
  );
  return (
    <svg width={0} height={0} style={{ position: "absolute" }} aria-hidden="true">
      <defs>
        {styles.map(({ hue, pattern, color, label }) => {
          const { width, height, body } = drawing(pattern, color);
          return (
            <pattern
              key={label}
              id={patternId(hue, pattern)}
              width={width}
              height={height}
              patternUnits="userSpaceOnUse"
            >
              {body}
            </pattern>
          );
        })}
        <pattern id="slack" width={4} height={4} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <path d="M0 0V4" style={{ stroke: "var(--rule2)" }} strokeWidth={1} />
        </pattern>
        <marker
          id="arrow"
          viewBox="0 0 6 6"
          refX="5.5"
          refY="3"
          markerWidth="6"
          markerHeight="6"
          orient="auto"
        >
          <path d="M0 .5 5.5 3 0 5.5Z" style={{ fill: "var(--ink3)" }} />
        </marker>
        <marker
          id="arrow-lit"
          viewBox="0 0 6 6"
          refX="5.5"
          refY="3"
          markerWidth="4"
          markerHeight="4"
          orient="auto"
        >
          <path d="M0 .2 5.5 3 0 5.8Z" style={{ fill: "var(--edge)" }} />
        </marker>
      </defs>
    </svg>
  );
}

/** The small square that stands before a primitive's name. */
export function Swatch({ index, size = 12 }: { readonly index: number; readonly size?: number }): ReactNode {
  if (index < 0) return <svg className="sw" width={size} height={size} aria-hidden="true" />;
  const { color, tint, patternFill } = primitiveStyle(index);
  return (
    <svg className="sw" width={size} height={size} viewBox="0 0 12 12" aria-hidden="true">
      <rect x={0.5} y={0.5} width={11} height={11} style={{ fill: tint, stroke: color }} />
      <rect x={1} y={1} width={10} height={10} fill={patternFill} />
    </svg>
  );
}

/** The numbered flag of the chain: 1 Relay, 2 primitive, 3 call, 4 storage, 5 C, 6 WASM, 7 time. */
export type ChainNumber = 1 | 2 | 3 | 4 | 5 | 6 | 7;
export function Flag({ number }: { readonly number: ChainNumber }): ReactNode {
  return <b className="co">{number}</b>;
}
