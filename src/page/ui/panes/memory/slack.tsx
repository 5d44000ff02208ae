// The hatching of storage that is held: under the blocks of a plan it shows where no tensor uses it.
import type { ReactNode } from "react";
import type { MemoryHoldView } from "../../../../protocol/views.ts";
import type { Scale } from "./scale.ts";

export function Slack({
  holds,
  scale,
}: {
  readonly holds: readonly MemoryHoldView[];
  readonly scale: Scale;
}): ReactNode {
  return holds
    .filter((h) => h.to >= scale.range.from && h.from <= scale.range.to)
    .map((h) => {
      const y = scale.y(h.offset + h.bytes);
      return (
        <rect
          key={`${h.sid}-${h.from}`}
          className="slack"
          x={scale.x(h.from)}
          y={y}
          width={scale.column * (h.to - h.from + 1)}
          height={Math.max(0, scale.y(h.offset) - y)}
        />
      );
    });
}
