// Pointer and keys of a code view: hover and pin by line, open folds, walk by row.
import { useState, type KeyboardEvent, type MouseEvent, type PointerEvent, type RefObject } from "react";
import type { ListingView } from "../../../protocol/views.ts";
import type { Entity } from "../../store/selection.ts";
import { useActions } from "../kit/context.tsx";
import { entityOfLine } from "./levels.ts";
import { rowAt, rowHeight, rowOfLine, rowTop, type LaidRows } from "./rows.ts";
import type { Window } from "./use-window.ts";

function closest(target: EventTarget, selector: string): HTMLElement | null {
  return target instanceof Element ? target.closest<HTMLElement>(selector) : null;
}

/** Line under an event, null beside all lines. */
function lineAt(target: EventTarget): number | null {
  const line = closest(target, "[data-line]")?.dataset["line"];
  return line === undefined ? null : Number(line);
}

interface CodeEvents {
  /** Line that the keys stand on, -1 for none. */
  readonly cursor: number;
  readonly handlers: {
    readonly onPointerOver: (event: PointerEvent) => void;
    readonly onPointerLeave: () => void;
    readonly onClick: (event: MouseEvent) => void;
    readonly onKeyDown: (event: KeyboardEvent) => void;
    readonly onBlur: () => void;
  };
}

/** What the events act on; `ownRef` is set to what the reader pinned here. */
interface CodeTarget {
  readonly listing: ListingView;
  readonly laid: LaidRows;
  readonly scroller: HTMLElement | null;
  readonly view: Window;
  readonly ownRef: RefObject<Entity | null>;
  readonly openFold: (key: string) => void;
}

export function useCodeEvents({ listing, laid, scroller, view, ownRef, openFold }: CodeTarget): CodeEvents {
  const actions = useActions();
  const [cursor, setCursor] = useState(-1);
  const { rows, tops } = laid;

  function pinLine(line: number | null): void {
    const entity = line === null ? null : entityOfLine(listing, line);
    ownRef.current = entity;
    if (entity) actions.togglePin(entity);
  }

  function onClick(event: MouseEvent): void {
    const fold = closest(event.target, "[data-fold]")?.dataset["fold"];
    if (fold !== undefined) {
      openFold(fold);
      return;
    }
    // A drag that selected text is not a click on the line.
    if (getSelection()?.isCollapsed === false) return;
    const line = lineAt(event.target);
    if (line !== null) setCursor(line);
    pinLine(line);
  }

  function moveTo(line: number): void {
    setCursor(line);
    if (scroller) {
      const top = rowTop(tops, rowOfLine(rows, line));
      if (top < scroller.scrollTop) scroller.scrollTo({ top });
      else if (top + rowHeight > scroller.scrollTop + scroller.clientHeight)
        scroller.scrollTo({ top: top + rowHeight - scroller.clientHeight });
    }
    actions.hover(entityOfLine(listing, line));
  }

  function onKeyDown(event: KeyboardEvent): void {
    const here = cursor < 0 ? rowAt(tops, view.top) : rowOfLine(rows, cursor);
    const go: Readonly<Record<string, number>> = {
      ArrowDown: here + 1,
      ArrowUp: here - 1,
      PageDown: here + view.height - 2,
      PageUp: here - view.height + 2,
      Home: 0,
      End: rows.length - 1,
    };
    const next = go[event.key];
    if (next !== undefined && !event.ctrlKey && !event.altKey && !event.metaKey) {
      event.preventDefault();
      moveTo(rows[Math.max(0, Math.min(rows.length - 1, next))]?.line ?? 0);
    } else if (event.key === "Enter" && cursor >= 0) {
      event.preventDefault();
      const fold = rows[rowOfLine(rows, cursor)]?.fold;
      if (!fold) return pinLine(cursor);
      ownRef.current = entityOfLine(listing, cursor);
      openFold(fold.key);
    }
  }

  return {
    cursor,
    handlers: {
      onPointerOver(event) {
        const line = lineAt(event.target);
        actions.hover(line === null ? null : entityOfLine(listing, line));
      },
      onPointerLeave: () => actions.hover(null),
      onClick,
      onKeyDown,
      onBlur: () => actions.hover(null),
    },
  };
}
