// Pixels of the map: one column a call, addresses upwards, rows of figures and the time ribbon below in the
// same columns.
import type { StepRange } from "./model.ts";

export interface Scale {
  readonly range: StepRange;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly column: number;
  readonly x: (step: number) => number;
  readonly y: (bytes: number) => number;
}

const axisWidth = 62;
const rightPad = 12;
export const topPad = 16;

export function makeScale(width: number, plotHeight: number, range: StepRange, totalBytes: number): Scale {
  const left = axisWidth;
  const right = Math.max(left + 40, width - rightPad);
  const bottom = topPad + plotHeight;
  const column = (right - left) / Math.max(1e-9, range.to - range.from);
  const perByte = plotHeight / Math.max(1, totalBytes);
  return {
    range,
    left,
    right,
    top: topPad,
    bottom,
    column,
    x: (step) => left + (step - range.from) * column,
    y: (bytes) => bottom - bytes * perByte,
  };
}

/** Steps that show at least in part, first and last. */
export function stepsShown(scale: Scale, steps: number): readonly [number, number] {
  return [Math.max(0, Math.floor(scale.range.from)), Math.min(steps - 1, Math.ceil(scale.range.to) - 1)];
}

export function stepAt(scale: Scale, steps: number, px: number): number {
  return Math.min(steps - 1, Math.max(0, Math.floor(scale.range.from + (px - scale.left) / scale.column)));
}
