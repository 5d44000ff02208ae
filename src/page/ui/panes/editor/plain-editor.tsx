// The editor of touch and narrow screens: a text area over the same diagnostics. Text keys, undo and
// selection are the browser's own.
import { useEffect, useImperativeHandle, useLayoutEffect, useRef, type ReactNode, type Ref } from "react";
import { useActions, useApp } from "../../kit/context.tsx";
import { recallCaret, rememberCaret } from "./editor-memory.ts";

/** What the shell may ask of any editor. Lines and columns count from 1. */
export interface EditorHandle {
  goTo(line: number, column: number): void;
  focus(): void;
}

export const emptyHint = `Paste Relay text, or type. For example:
#[version = "0.0.5"]
def @main(%x: Tensor[(1, 3, 32, 32), float32],
          %w: Tensor[(8, 3, 3, 3), float32]) {
  %0 = nn.conv2d(%x, %w, padding=[1, 1, 1, 1]);
  nn.relu(%0)
}`;

export function PlainEditor({
  handle,
  narrow,
}: {
  readonly handle: Ref<EditorHandle>;
  readonly narrow: boolean;
}): ReactNode {
  const text = useApp((state) => state.source.text);
  const diagnostics = useApp((state) => state.compile.diagnostics);
  const actions = useActions();
  const area = useRef<HTMLTextAreaElement>(null);
  const gutter = useRef<HTMLDivElement>(null);
  useImperativeHandle(handle, () => ({
    goTo(line, column) {
      const element = area.current;
      if (!element) return;
      const lines = element.value.split("\n");
      const start = lines.slice(0, line - 1).reduce((sum, part) => sum + part.length + 1, 0) + column - 1;
      element.focus();
      element.setSelectionRange(start, start);
      element.scrollTop = Math.max(0, (line - 4) * 16);
    },
    focus: () => area.current?.focus(),
  }));
  useLayoutEffect(() => {
    const element = area.current;
    if (!element) return;
    const caret = recallCaret();
    if (caret) {
      element.setSelectionRange(caret.start, caret.end);
      element.scrollTop = caret.scrollTop;
      if (caret.focused) element.focus();
    }
    return () =>
      rememberCaret({
        focused: document.activeElement === element,
        start: element.selectionStart,
        end: element.selectionEnd,
        scrollTop: element.scrollTop,
      });
  }, []);
  const marks = new Map(
    diagnostics.filter((found) => found.line > 0).map((found) => [found.line, found.severity]),
  );
  const count = text.split("\n").length;
  useEffect(() => {
    if (gutter.current && area.current) gutter.current.scrollTop = area.current.scrollTop;
  });
  return (
    <div className={narrow ? "plain narrow" : "plain"}>
      <div className="nums" ref={gutter} aria-hidden="true">
        {Array.from({ length: Math.min(count, 5000) }, (_, index) => (
          <i key={index} className={marks.get(index + 1) ?? ""}>
            {index + 1}
          </i>
        ))}
      </div>
      <textarea
        ref={area}
        value={text}
        aria-label="Relay source"
        aria-describedby="problems"
        spellCheck={false}
        autoCapitalize="off"
        autoCorrect="off"
        wrap="off"
        placeholder={narrow ? emptyHint : undefined}
        onChange={(event) => actions.edit(event.target.value)}
        onScroll={() => {
          if (gutter.current && area.current) gutter.current.scrollTop = area.current.scrollTop;
        }}
      />
    </div>
  );
}
