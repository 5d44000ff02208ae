// The keys of the map: from call to call, along the tensors alive, to the peak and the ends, zoom.
import { useEffect, useRef, type KeyboardEvent } from "react";
import type { MapDrawingProps } from "./map-drawing.tsx";
import { rangeWith, zoomRange } from "./model.ts";

export function useMapKeys(props: MapDrawingProps): (event: KeyboardEvent) => void {
  const { memory, range, step, onRange, onStep, figures, onHover, hover } = props;
  // The cursor never leaves the view because of keys or pins.
  const seen = useRef(step);
  useEffect(() => {
    if (seen.current === step) return;
    seen.current = step;
    const next = rangeWith(range, memory.steps, step);
    if (next !== range) onRange(next);
  }, [step, range, memory, onRange]);
  const lookAt = (by: number): void => {
    const rows = figures.alive;
    if (rows.length === 0) return;
    const now = rows.findIndex((b) => hover(b));
    onHover(rows[(now + by + rows.length) % rows.length] ?? rows[0] ?? null);
  };
  const actions: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => onStep(step - 1),
    ArrowRight: () => onStep(step + 1),
    ArrowUp: () => lookAt(-1),
    ArrowDown: () => lookAt(1),
    p: () => onStep(memory.peakStep),
    P: () => onStep(memory.peakStep),
    Home: () => onStep(0),
    End: () => onStep(memory.steps - 1),
    "+": () => onRange(zoomRange(range, memory.steps, 2, step + 0.5)),
    "=": () => onRange(zoomRange(range, memory.steps, 2, step + 0.5)),
    "-": () => onRange(zoomRange(range, memory.steps, 0.5, step + 0.5)),
    "0": () => onRange({ from: 0, to: memory.steps }),
    " ": () => onRange({ from: 0, to: memory.steps }),
  };
  return (event) => {
    const action = actions[event.key];
    if (action === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  };
}
