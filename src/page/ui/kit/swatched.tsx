// A rectangle of a primitive: its hue as outline, its pattern on the leading block, optionally its tint over
// all. Graph boxes, memory blocks and time segments are all this.
import type { ReactNode } from "react";
import { primitiveStyle } from "./primitive-style.tsx";

interface SwatchedProps {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Width of the patterned block at the left. */
  readonly block: number;
  /** -1: no primitive, drawn in grey. */
  readonly primitive: number;
  /** Tint over the whole rectangle, not only under the block. */
  readonly filled: boolean;
}

export function Swatched({ x, y, width, height, block, primitive, filled }: SwatchedProps): ReactNode {
  const style = primitive >= 0 ? primitiveStyle(primitive) : null;
  const line = style?.color ?? "var(--rule2)";
  const inner = { x: x + 0.5, y: y + 0.5, width: Math.max(0, width - 1), height: Math.max(0, height - 1) };
  const leading = Math.min(block, width);
  return (
    <>
      <rect {...inner} className="paperf" />
      {style && (
        <rect {...(filled ? inner : { x, y, width: leading, height })} style={{ fill: style.tint }} />
      )}
      {style && leading > 0 && (
        <rect
          x={inner.x}
          y={inner.y}
          width={Math.max(0, leading - 0.5)}
          height={inner.height}
          fill={style.patternFill}
        />
      )}
      <rect {...inner} style={{ fill: "none", stroke: line }} />
      {style && leading < width && (
        <path d={`M${x + leading + 0.5} ${y}v${height}`} style={{ fill: "none", stroke: line }} />
      )}
    </>
  );
}
