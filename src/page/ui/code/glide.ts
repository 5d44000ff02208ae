// Scrolls an element to a place in at most 180 ms; at once where the reader asked for less motion.
const glideMs = 160;

function glide(element: HTMLElement, top: number): void {
  const to = Math.max(0, Math.min(top, element.scrollHeight - element.clientHeight));
  const from = element.scrollTop;
  if (matchMedia("(prefers-reduced-motion: reduce)").matches || Math.abs(to - from) < 2) {
    element.scrollTop = to;
    return;
  }
  const start = performance.now();
  const step = (now: number): void => {
    const part = Math.min(1, (now - start) / glideMs);
    element.scrollTop = from + (to - from) * (1 - (1 - part) ** 3);
    if (part < 1) requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}

/**
 * Brings rows first..last (px) into view, with some air above; does nothing when they are in view already.
 */
export function reveal(element: HTMLElement, top: number, bottom: number): void {
  const { scrollTop, clientHeight } = element;
  if (top >= scrollTop && bottom <= scrollTop + clientHeight) return;
  if (top >= scrollTop && top < scrollTop + clientHeight * 0.5 && bottom - top > clientHeight) return;
  const air = Math.min(48, Math.max(0, clientHeight - (bottom - top)) / 2);
  glide(element, top - air);
}
