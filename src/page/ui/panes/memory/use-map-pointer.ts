// The pointer on the map: a drag moves the columns, a click pins a block or a call, the wheel zooms with
// Ctrl.
import { useEffect, useRef, type PointerEvent, type RefObject } from "react";
import type { MemoryBlockView } from "../../../../protocol/views.ts";
import type { MapDrawingProps } from "./map-drawing.tsx";
import { moveRange, zoomRange, type StepRange } from "./model.ts";
import { stepAt, type Scale } from "./scale.ts";

interface MapPointer {
  readonly onPointerDown: (event: PointerEvent) => void;
  readonly onPointerMove: (event: PointerEvent) => void;
  readonly onPointerUp: (event: PointerEvent) => void;
  readonly onPointerLeave: () => void;
}

export function useMapPointer(
  props: MapDrawingProps,
  scale: Scale,
  host: RefObject<HTMLDivElement | null>,
): MapPointer {
  const { memory, plan, range, onRange, onStep, onHover } = props;
  const press = useRef<{ x: number; range: StepRange; moved: boolean } | null>(null);
  useWheelZoom(host, props, scale);
  const at = (event: PointerEvent): { x: number; y: number } => {
    const box = event.currentTarget.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const blockAt = (x: number, y: number): MemoryBlockView | null => {
    if (y > scale.bottom + 1 || x < scale.left || scale.column < 1) return null;
    const s = stepAt(scale, memory.steps, x);
    const here = plan.blocks.filter((b) => b.from <= s && s <= b.to);
    return (
      here.find(
        (b) =>
          y >= Math.min(scale.y(b.offset + b.bytes), scale.y(b.offset) - 3) - 1 && y <= scale.y(b.offset) + 1,
      ) ?? null
    );
  };
  return {
    onPointerDown(event: PointerEvent) {
      if (event.button === 0) press.current = { x: at(event).x, range, moved: false };
    },
    onPointerMove(event: PointerEvent) {
      const { x, y } = at(event);
      const from = press.current;
      if (from !== null && (from.moved || Math.abs(x - from.x) > 4)) {
        from.moved = true;
        onRange(moveRange(from.range, memory.steps, (from.x - x) / scale.column));
        return;
      }
      const block = blockAt(x, y);
      if (block !== null) onHover(block);
      else props.onHoverStep(x >= scale.left && y > scale.bottom ? stepAt(scale, memory.steps, x) : null);
    },
    onPointerUp(event: PointerEvent) {
      const from = press.current;
      press.current = null;
      if (from === null || from.moved) return;
      const { x, y } = at(event);
      const block = blockAt(x, y);
      if (block !== null) props.onPin(block);
      else if (x >= scale.left) onStep(stepAt(scale, memory.steps, x));
    },
    onPointerLeave() {
      press.current = null;
      onHover(null);
    },
  };
}

/**
 * Ctrl and wheel (or a pinch on a trackpad) zoom about the pointer, Shift and wheel move sideways; the plain
 * wheel is the page's.
 */
function useWheelZoom(host: RefObject<HTMLDivElement | null>, props: MapDrawingProps, scale: Scale): void {
  const now = useRef({ props, scale });
  useEffect(() => {
    now.current = { props, scale };
  });
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const wheel = (event: WheelEvent): void => {
      const { props, scale } = now.current;
      const { range, memory, onRange } = props;
      const sideways = event.shiftKey ? event.deltaY + event.deltaX : event.deltaX;
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault();
        const x = event.clientX - element.getBoundingClientRect().left;
        onRange(
          zoomRange(
            range,
            memory.steps,
            Math.exp(-event.deltaY * 0.01),
            range.from + (x - scale.left) / scale.column,
          ),
        );
      } else if (sideways !== 0) {
        event.preventDefault();
        onRange(moveRange(range, memory.steps, sideways / scale.column));
      }
    };
    element.addEventListener("wheel", wheel, { passive: false });
    return () => element.removeEventListener("wheel", wheel);
  }, [host]);
}
