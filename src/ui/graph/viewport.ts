// Pan and zoom as numbers: screen = world * k + (x, y). Pure.

export interface Viewport {
  readonly x: number;
  readonly y: number;
  readonly k: number;
}
export interface Size {
  readonly width: number;
  readonly height: number;
}
export interface Rect extends Size {
  readonly x: number;
  readonly y: number;
}

export const leastZoom = 0.0005;
export const mostZoom = 4;
const leastReadable = 0.55;

/** The first look: as large as life unless that is too wide, the top of what is too tall; `anchor` (x) shows in any case. */
export function fitWidth(content: Size, pane: Size, anchor: number): Viewport {
  const wide = pane.width / Math.max(1, content.width);
  const tall = pane.height / Math.max(1, content.height);
  // Shrinking a little so that all of it shows is worth it, shrinking a lot is not.
  const k = Math.max(leastReadable, Math.min(1, wide, tall >= 0.8 ? tall : 1));
  const spare = pane.width - content.width * k;
  const x = spare >= 0 ? spare / 2 : Math.max(spare, Math.min(0, pane.width / 2 - anchor * k));
  return { x: Math.round(x), y: 0, k };
}

export function fitAll(content: Size, pane: Size): Viewport {
  const k = clampZoom(Math.min(1, pane.width / Math.max(1, content.width), pane.height / Math.max(1, content.height)));
  return { x: Math.round((pane.width - content.width * k) / 2), y: Math.round(Math.max(0, (pane.height - content.height * k) / 2)), k };
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

/** The same view if `rect` (world) shows whole, else moved so that it stands in the middle. */
export function reveal(view: Viewport, rect: Rect, pane: Size): Viewport {
  const margin = 12;
  const left = rect.x * view.k + view.x;
  const top = rect.y * view.k + view.y;
  const fits = (start: number, extent: number, room: number): boolean => start >= margin && start + extent <= room - margin;
  const x = fits(left, rect.width * view.k, pane.width) || rect.width * view.k > pane.width - 2 * margin
    ? view.x
    : view.x + pane.width / 2 - (left + (rect.width * view.k) / 2);
  const y = fits(top, rect.height * view.k, pane.height) ? view.y : view.y + pane.height / 2 - (top + (rect.height * view.k) / 2);
  return x === view.x && y === view.y ? view : { x: Math.round(x), y: Math.round(y), k: view.k };
}

/** World rectangle that the pane shows. */
export function shownRect(view: Viewport, pane: Size): Rect {
  return { x: -view.x / view.k, y: -view.y / view.k, width: pane.width / view.k, height: pane.height / view.k };
}

function clampZoom(k: number): number {
  return Math.min(mostZoom, Math.max(leastZoom, k));
}
