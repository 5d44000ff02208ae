// How much of a listing is in sight, and how many characters fit beside each other.
import { useLayoutEffect, useState } from "react";
import { rowHeight } from "./rows.ts";

/** In row heights. */
export interface Window {
  readonly top: number;
  readonly height: number;
}

/** First visible row and how many, following scroll and size. */
export function useWindow(element: HTMLElement | null): Window {
  const [view, setView] = useState<Window>({ top: 0, height: 0 });
  useLayoutEffect(() => {
    if (element === null) return;
    const read = (): void => {
      const top = Math.floor(element.scrollTop / rowHeight);
      const height = Math.ceil(element.clientHeight / rowHeight) + 1;
      setView((old) => (old.top === top && old.height === height ? old : { top, height }));
    };
    read();
    element.addEventListener("scroll", read, { passive: true });
    const observer = new ResizeObserver(read);
    observer.observe(element);
    return () => {
      element.removeEventListener("scroll", read);
      observer.disconnect();
    };
  }, [element]);
  return view;
}

/** Characters that fit into a line where lines wrap, 0 where they do not. */
export function useColumns(element: HTMLElement | null, wrap: boolean): number {
  const [columns, setColumns] = useState(0);
  useLayoutEffect(() => {
    if (element === null || !wrap) return;
    const probe = document.createElement("canvas").getContext("2d");
    const style = getComputedStyle(element);
    if (probe) probe.font = `${style.fontSize} ${style.fontFamily}`;
    const width = probe?.measureText("0".repeat(100)).width ?? 722;
    const measure = (): void =>
      setColumns(Math.max(20, Math.floor((element.clientWidth - 56 - 8) / (width / 100))));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [element, wrap]);
  return wrap ? columns : 0;
}
