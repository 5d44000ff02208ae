// Brings into view what was pinned elsewhere, and the place that the search stands on.
import { useEffect, useRef, type RefObject } from "react";
import { sameEntity, type Entity, type Lit } from "../../store/selection.ts";
import { reveal } from "./glide.ts";
import { rowOfLine, rowTop, type Found, type LaidRows } from "./rows.ts";

function revealLines(scroller: HTMLElement, { rows, tops }: LaidRows, first: number, last: number): void {
  reveal(scroller, rowTop(tops, rowOfLine(rows, first)), rowTop(tops, rowOfLine(rows, last) + 1));
}

/**
 * Another pane pinned something: brings its first run of lines into view, once. An own click, whose entity
 * `ownRef` holds, does not move the text.
 */
export function useRevealPinned(
  scroller: HTMLElement | null,
  laid: LaidRows,
  pinned: Lit | null,
  [firstLit, lastLit]: readonly [number, number],
  ownRef: RefObject<Entity | null>,
): void {
  const key = pinned === null ? "" : `${pinned.primary.kind}${pinned.primary.id}`;
  const revealed = useRef("");
  useEffect(() => {
    if (pinned === null) {
      ownRef.current = null;
      revealed.current = "";
    }
    if (scroller === null || pinned === null || firstLit < 0 || revealed.current === key) return;
    revealed.current = key;
    if (ownRef.current !== null && sameEntity(ownRef.current, pinned.primary)) return;
    revealLines(scroller, laid, firstLit, lastLit);
  }, [scroller, pinned, key, laid, firstLit, lastLit, ownRef]);
}

export function useRevealFound(
  scroller: HTMLElement | null,
  laid: LaidRows,
  current: Found | undefined,
): void {
  useEffect(() => {
    if (scroller !== null && current !== undefined) revealLines(scroller, laid, current.line, current.line);
  }, [scroller, current, laid]);
}
