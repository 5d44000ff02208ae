// Pan and zoom as numbers: screen = world * k + (x, y). Pure.
import type { Size } from "../../kit/use-pane-size.ts";

export interface Viewport {
  readonly x: number;
  readonly y: number;
  readonly k: number;
}
export interface Rect extends Size {
  readonly x: number;
  readonly y: number;
}

const leastZoom = 0.0005;
const mostZoom = 4;
const leastReadable = 0.7;
/** Room for names at the left of the anchor. */
const besideAnchor = 100;

/**
 * The first look: as large as life unless that is too wide, the top of what is too tall; `anchor` (x) is near
 * the left of what stays too wide.
 */
export function fitWidth(content: Size, pane: Size, anchor: number): Viewport {
  const wide = pane.width / Math.max(1, content.width);
  const tall = pane.height / Math.max(1, content.height);
  // Shrinking a little so that all of it shows is worth it, shrinking a lot is not.
  const k = Math.max(leastReadable, Math.min(1, wide, tall >= 0.8 ? tall : 1));
  const spare = pane.width - content.width * k;
  const x = spare >= 0 ? spare / 2 : Math.max(spare, -Math.max(0, anchor - besideAnchor) * k);
  return { x: Math.round(x), y: 0, k };
}

export function fitAll(content: Size, pane: Size): Viewport {
  const k = clampZoom(
    Math.min(1, pane.width / Math.max(1, content.width), pane.height / Math.max(1, content.height)),
  );
  return {
    x: Math.round((pane.width - content.width * k) / 2),
    y: Math.round(Math.max(0, (pane.height - content.height * k) / 2)),
    k,
  };
}

export function zoomAt(view: Viewport, factor: number, px: number, py: number): Viewport {
  const k = clampZoom(view.k * factor);
  const scale = k / view.k;
  return { x: px - (px - view.x) * scale, y: py - (py - view.y) * scale, k };
}

/** Moves no further than to where a corner of the content still shows. */
export function keepInSight(view: Viewport, content: Size, pane: Size): Viewport {
  const rest = 48;
  const x = Math.min(pane.width - rest, Math.max(rest - content.width * view.k, view.x));
  const y = Math.min(pane.height - rest, Math.max(rest - content.height * view.k, view.y));
  return x === view.x && y === view.y ? view : { ...view, x, y };
}

/**
 * The same view if `rect` (world) shows whole, else moved so that it stands in the middle, as far as the
 * content's ends allow.
 */
export function reveal(view: Viewport, rect: Rect, content: Size, pane: Size): Viewport {
  const x = revealAlong(view.x, view.k, [rect.x, rect.width], content.width, pane.width);
  const y = revealAlong(view.y, view.k, [rect.y, rect.height], content.height, pane.height);
  return x === view.x && y === view.y ? view : { x, y, k: view.k };
}

/** The offset along one axis. */
function revealAlong(
  offset: number,
  k: number,
  [start, extent]: readonly [start: number, extent: number],
  content: number,
  pane: number,
): number {
  const margin = 4;
  const from = start * k + offset;
  const fits = from >= margin && from + extent * k <= pane - margin;
  if (fits || extent * k > pane - 2 * margin) return offset;
  const centred = pane / 2 - (start + extent / 2) * k;
  const spare = pane - content * k;
  return Math.round(Math.min(Math.max(0, spare), Math.max(Math.min(0, spare), centred)));
}

/** World rectangle that the pane shows. */
export function shownRect(view: Viewport, pane: Size): Rect {
  return {
    x: -view.x / view.k,
    y: -view.y / view.k,
    width: pane.width / view.k,
    height: pane.height / view.k,
  };
}

function clampZoom(k: number): number {
  return Math.min(mostZoom, Math.max(leastZoom, k));
}
