// Pan and zoom by drag, wheel, pinch. A press that does not travel is a click, told apart here so that
// panning never pins.
import { useEffect, useRef, type RefObject } from "react";
import type { Size } from "../../kit/use-pane-size.ts";
import { keepInSight, zoomAt, type Viewport } from "./viewport.ts";

interface PanZoomEvents {
  readonly onView: (change: (view: Viewport) => Viewport) => void;
  /** Position in the pane, px. */
  readonly onClick: (x: number, y: number, double: boolean) => void;
  readonly onPoint: (x: number, y: number) => void;
  readonly onLeave: () => void;
}

const clickTravel = 4;
const doubleMs = 350;

interface Press {
  readonly pointers: Map<number, { x: number; y: number }>;
  travel: number;
  lastClick: number;
}

export function usePanZoom(
  ref: RefObject<HTMLElement | null>,
  content: Size,
  pane: Size | null,
  events: PanZoomEvents,
): void {
  const now = useRef({ content, pane, events });
  useEffect(() => {
    now.current = { content, pane, events };
  });
  useEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const press: Press = { pointers: new Map(), travel: 0, lastClick: 0 };
    const change = (to: (view: Viewport) => Viewport): void => {
      const { content, pane, events } = now.current;
      if (pane !== null) events.onView((view) => keepInSight(to(view), content, pane));
    };
    const at = (event: MouseEvent): { x: number; y: number } => {
      const box = element.getBoundingClientRect();
      return { x: event.clientX - box.left, y: event.clientY - box.top };
    };
    const stop = new AbortController();
    const listen = <K extends keyof HTMLElementEventMap>(
      type: K,
      handler: (event: HTMLElementEventMap[K]) => void,
    ): void => element.addEventListener(type, handler, { signal: stop.signal, passive: false });
    listen("wheel", (event) => {
      event.preventDefault();
      const { x, y } = at(event);
      const unit = event.deltaMode === 1 ? 16 : 1;
      if (event.ctrlKey || event.metaKey)
        change((view) => zoomAt(view, Math.exp(-event.deltaY * unit * 0.01), x, y));
      else if (event.shiftKey)
        change((view) => ({ ...view, x: view.x - (event.deltaY + event.deltaX) * unit }));
      else change((view) => ({ ...view, x: view.x - event.deltaX * unit, y: view.y - event.deltaY * unit }));
    });
    listen("pointerdown", (event) => {
      if (event.button !== 0) return;
      if (press.pointers.size === 0) press.travel = 0;
      press.pointers.set(event.pointerId, at(event));
    });
    listen("pointermove", (event) => {
      const from = press.pointers.get(event.pointerId);
      const to = at(event);
      if (from === undefined) return now.current.events.onPoint(to.x, to.y);
      press.travel += Math.abs(to.x - from.x) + Math.abs(to.y - from.y);
      if (press.travel < clickTravel) return;
      // Captured only once it is a drag, so that clicks still reach what they are on.
      element.setPointerCapture(event.pointerId);
      const others = [...press.pointers].filter(([id]) => id !== event.pointerId).map(([, p]) => p);
      press.pointers.set(event.pointerId, to);
      const other = others[0];
      change((view) => {
        if (other === undefined) return { ...view, x: view.x + to.x - from.x, y: view.y + to.y - from.y };
        const spread = (p: { x: number; y: number }): number =>
          Math.max(1, Math.hypot(p.x - other.x, p.y - other.y));
        const zoomed = zoomAt(view, spread(to) / spread(from), (to.x + other.x) / 2, (to.y + other.y) / 2);
        return { ...zoomed, x: zoomed.x + (to.x - from.x) / 2, y: zoomed.y + (to.y - from.y) / 2 };
      });
    });
    const release = (event: PointerEvent, click: boolean): void => {
      const known = press.pointers.delete(event.pointerId);
      if (!known || !click || press.travel >= clickTravel || press.pointers.size > 0) return;
      const { x, y } = at(event);
      const double = event.timeStamp - press.lastClick < doubleMs;
      press.lastClick = double ? 0 : event.timeStamp;
      now.current.events.onClick(x, y, double);
    };
    listen("pointerup", (event) => release(event, true));
    listen("pointercancel", (event) => release(event, false));
    listen("pointerleave", () => now.current.events.onLeave());
    return () => stop.abort();
  }, [ref]);
}
