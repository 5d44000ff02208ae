// The source in Monaco: squiggles, types after lines, the gutter of primitives, lit lines. The store owns the
// text.
import {
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type ReactNode,
  type Ref,
  type RefObject,
} from "react";
import type { DiagnosticView } from "../../../../protocol/compile.ts";
import { sameEntity, type Entity, type Lit } from "../../../store/selection.ts";
import type { ShownRun } from "../../../store/state.ts";
import { useActions, useApp, useAppObject, useHover, usePinned, useShown } from "../../kit/context.tsx";
import { primitiveStyle } from "../../kit/primitive-style.tsx";
import { recallCaret, rememberCaret } from "./editor-memory.ts";
import { monaco } from "./monaco.ts";
import { followTheme } from "./monaco-theme.ts";
import type { EditorHandle } from "./plain-editor.tsx";
import { languageContext, registerRelay, relayLanguage } from "./relay-language.ts";
import { lineFacts, litLines, nodeAt, nodeOfLine } from "./source-lines.ts";

type Editor = monaco.editor.IStandaloneCodeEditor;
type Decoration = monaco.editor.IModelDeltaDecoration;

/** A click pins only when no second one follows: a double click selects a word and must not move the page. */
const clickMs = 230;

export function SourceEditor({ handle }: { readonly handle: Ref<EditorHandle> }): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  const [editor, setEditor] = useState<Editor | null>(null);
  const app = useAppObject();
  const run = useShown();
  const diagnostics = useApp((state) => state.compile.diagnostics);
  const revision = useApp((state) => state.source.revision);
  const wrap = useApp((state) => state.settings.wrap);
  const text = useApp((state) => state.source.text);
  /** The run, while its spans are those of the text. */
  const current = run !== null && run.text === text ? run : null;
  const pinned = usePinned(current);
  const hover = useHover(current);
  const fromHereRef = useRef<Entity | null>(null);

  // Layout effect: the caret is remembered before the element goes.
  useLayoutEffect(() => {
    if (place.current === null) return;
    registerRelay(monaco);
    const made = makeEditor(place.current, app.store.getState().source.text);
    const stopTheme = followTheme(monaco);
    made.onDidChangeModelContent(() =>
      app.actions.edit(made.getModel()?.getValue(monaco.editor.EndOfLinePreference.LF) ?? ""),
    );
    setEditor(made);
    resumeCaret(made);
    void app.client.opDocs().then((docs) => {
      languageContext.opDocs = docs;
    });
    return () => {
      keepCaret(made);
      stopTheme();
      made.getModel()?.dispose();
      made.dispose();
    };
  }, [app]);

  useImperativeHandle(
    handle,
    () => ({
      goTo(line, column) {
        editor?.setPosition({ lineNumber: line, column });
        editor?.revealLineInCenterIfOutsideViewport(line);
        editor?.focus();
      },
      focus: () => editor?.focus(),
    }),
    [editor],
  );

  useEffect(() => {
    languageContext.run = run;
    // A worker that was replaced before it could answer is asked again with the next run.
    if (run === null || languageContext.opDocs.length > 0) return;
    void app.client.opDocs().then((docs) => {
      languageContext.opDocs = docs;
    });
  }, [app, run]);
  useEffect(() => {
    const model = editor?.getModel();
    const wanted = app.store.getState().source.text;
    if (!editor || !model || model.getValue() === wanted) return;
    // As one edit, so that the editor's own undo brings the old text back too.
    editor.pushUndoStop();
    editor.executeEdits("relayscope", [
      { range: model.getFullModelRange(), text: wanted, forceMoveMarkers: true },
    ]);
    editor.pushUndoStop();
    editor.setPosition({ lineNumber: 1, column: 1 });
    editor.setScrollTop(0);
  }, [editor, revision, app]);
  useEffect(() => editor?.updateOptions({ wordWrap: wrap ? "on" : "off" }), [editor, wrap]);
  useMarkers(editor, diagnostics);
  useLineFacts(editor, current);
  useLit(editor, current, pinned, "pinned");
  useLit(editor, current, hover, "hover");
  usePointing(editor, current, fromHereRef);
  useRevealPin(editor, current, pinned, fromHereRef);
  return <div ref={place} className="monaco" data-editor />;
}

function makeEditor(place: HTMLElement, text: string): Editor {
  const font = getComputedStyle(document.documentElement).getPropertyValue("--mono");
  return monaco.editor.create(place, {
    value: text,
    language: relayLanguage,
    automaticLayout: true,
    ariaLabel: "Relay source",
    tabFocusMode: true,
    fontFamily: font,
    fontSize: 12,
    lineHeight: 16,
    fontLigatures: false,
    letterSpacing: 0,
    padding: { top: 4, bottom: 4 },
    minimap: { enabled: false },
    overviewRulerLanes: 0,
    hideCursorInOverviewRuler: true,
    overviewRulerBorder: false,
    folding: true,
    showFoldingControls: "never",
    glyphMargin: false,
    lineNumbersMinChars: 6,
    lineDecorationsWidth: 12,
    renderLineHighlight: "none",
    scrollBeyondLastLine: false,
    stickyScroll: { enabled: false },
    scrollbar: { verticalScrollbarSize: 8, horizontalScrollbarSize: 8, useShadows: false },
    bracketPairColorization: { enabled: false },
    guides: { indentation: false },
    renderFinalNewline: "on",
    occurrencesHighlight: "singleFile",
    quickSuggestions: { other: true, comments: false, strings: false },
    wordBasedSuggestions: "off",
    fixedOverflowWidgets: true,
    contextmenu: false,
    accessibilityPageSize: 200,
  });
}

function resumeCaret(editor: Editor): void {
  const caret = recallCaret();
  const model = editor.getModel();
  if (caret === null || !model) return;
  editor.setSelection(
    monaco.Range.fromPositions(model.getPositionAt(caret.start), model.getPositionAt(caret.end)),
  );
  editor.setScrollTop(caret.scrollTop);
  if (caret.focused) editor.focus();
}

function keepCaret(editor: Editor): void {
  const model = editor.getModel();
  const selection = editor.getSelection();
  if (!model || !selection) return;
  rememberCaret({
    focused: editor.hasTextFocus(),
    scrollTop: editor.getScrollTop(),
    start: model.getOffsetAt(selection.getStartPosition()),
    end: model.getOffsetAt(selection.getEndPosition()),
  });
}

const severities = {
  error: monaco.MarkerSeverity.Error,
  warning: monaco.MarkerSeverity.Warning,
  info: monaco.MarkerSeverity.Info,
} as const;

function useMarkers(editor: Editor | null, diagnostics: readonly DiagnosticView[]): void {
  const shown = useMemo(() => diagnostics.filter((found) => found.line > 0).slice(0, 1000), [diagnostics]);
  useEffect(() => {
    const model = editor?.getModel();
    if (!editor || !model) return;
    monaco.editor.setModelMarkers(
      model,
      "relayscope",
      shown.map((found) => ({
        startLineNumber: found.line,
        startColumn: found.column,
        endLineNumber: Math.max(found.line, found.endLine),
        endColumn:
          found.endLine > found.line || found.endColumn > found.column ? found.endColumn : found.column + 1,
        severity: severities[found.severity],
        code: found.code,
        source: "relayscope",
        message: [
          found.message,
          ...(found.expected === null ? [] : [`expected ${found.expected}`]),
          ...(found.got === null ? [] : [`got ${found.got}`]),
          ...(found.hint === null ? [] : [`hint: ${found.hint}`]),
        ].join("\n"),
      })),
    );
    const rows = shown
      .filter((found) => found.severity === "error" && found.line <= model.getLineCount())
      .map((found): Decoration => ({
        range: new monaco.Range(found.line, 1, found.line, 1),
        options: { isWholeLine: true, className: "errln", marginClassName: "errmargin" },
      }));
    const collection = editor.createDecorationsCollection(rows);
    return () => collection.clear();
  }, [editor, shown]);
}

/**
 * Gutter marks and types. While the text is newer than the run the old marks stay and move with the lines.
 */
function useLineFacts(editor: Editor | null, run: ShownRun | null): void {
  const collection = useRef<monaco.editor.IEditorDecorationsCollection | null>(null);
  useEffect(() => {
    collection.current = editor?.createDecorationsCollection() ?? null;
    // Lines that were replaced as a whole take their marks with them; Monaco would heap them up at the end.
    const listening = editor?.onDidChangeModelContent(({ changes, isFlush }) => {
      if (isFlush || changes.some(({ range }) => range.endLineNumber - range.startLineNumber > 1))
        collection.current?.clear();
    });
    return () => listening?.dispose();
  }, [editor]);
  useEffect(() => {
    const model = editor?.getModel();
    if (!model || run === null || collection.current === null) return;
    const facts = lineFacts(run.summary, model.getLineCount());
    const decorations: Decoration[] = [];
    for (let line = 1; line <= model.getLineCount(); line++) {
      const primitive = facts.primitive[line] ?? -1;
      if (primitive >= 0)
        decorations.push({
          range: new monaco.Range(line, 1, line, 1),
          options: { linesDecorationsClassName: `gutbar ${primitiveStyle(primitive).gutterClass}` },
        });
      const type = facts.types.get(line);
      const content = model.getLineContent(line);
      if (type === undefined || content.includes("/* ty=")) continue;
      const end = content.length + 1;
      decorations.push({
        range: new monaco.Range(line, end, line, end),
        options: {
          showIfCollapsed: true,
          after: {
            content: `\u2002${type}`,
            inlineClassName: "typehint",
            cursorStops: monaco.editor.InjectedTextCursorStops.None,
          },
        },
      });
    }
    collection.current.set(decorations);
  }, [editor, run]);
}

function useLit(
  editor: Editor | null,
  run: ShownRun | null,
  lit: Lit | null,
  which: "pinned" | "hover",
): void {
  useEffect(() => {
    const model = editor?.getModel();
    if (!editor || !model || run === null || lit === null) return;
    const lines = litLines(run.summary, lit);
    const partly = [...lines.values()].includes(true) && [...lines.values()].includes(false);
    const ordered = [...lines.keys()].filter((line) => line <= model.getLineCount()).sort((a, b) => a - b);
    const first = ordered[0] ?? 0;
    const collection = editor.createDecorationsCollection(
      ordered.map((line): Decoration => {
        const starts = !lines.has(line - 1);
        const ends = !lines.has(line + 1);
        const edges = `${starts ? " first" : ""}${ends ? " last" : ""}`;
        const hit = partly ? lines.get(line) === true : starts;
        return {
          range: new monaco.Range(line, 1, line, 1),
          options:
            which === "hover"
              ? { isWholeLine: true, className: `rshov${edges}`, zIndex: 2 }
              : {
                  isWholeLine: true,
                  className: `rssel${hit ? " hit" : ""}${edges}`,
                  marginClassName: `rssel m${hit ? " hit" : ""}${edges}${line === first ? " flag1" : ""}`,
                  zIndex: 1,
                },
        };
      }),
    );
    return () => collection.clear();
  }, [editor, run, lit, which]);
}

/** Pointing at a place previews what is there; a click, in the text or on the line number, pins it. */
function usePointing(
  editor: Editor | null,
  run: ShownRun | null,
  fromHereRef: RefObject<Entity | null>,
): void {
  const actions = useActions();
  useEffect(() => {
    if (editor === null || run === null) return;
    const { sources } = run.summary;
    const entityAt = ({ position, type }: monaco.editor.IMouseTarget): Entity | null => {
      const model = editor.getModel();
      if (!model || position === null) return null;
      const { MouseTargetType } = monaco.editor;
      const exact = type === MouseTargetType.CONTENT_TEXT ? nodeAt(sources, model.getOffsetAt(position)) : -1;
      const node = sources[exact];
      // Structure that spans the whole text is not what the pointer means.
      const id =
        node !== undefined && node.endLine - node.line <= 40
          ? exact
          : nodeOfLine(sources, position.lineNumber);
      const found = sources[id];
      return found === undefined || found.endLine - found.line > 40 ? null : { kind: "source", id };
    };
    let timer: ReturnType<typeof setTimeout> | undefined;
    const parts = [
      editor.onMouseMove((event) => actions.hover(entityAt(event.target))),
      editor.onMouseLeave(() => actions.hover(null)),
      editor.onMouseDown(() => clearTimeout(timer)),
      editor.onMouseUp((event) => {
        if (event.event.detail > 1 || editor.getSelection()?.isEmpty() === false) return;
        const entity = entityAt(event.target);
        timer = setTimeout(() => {
          fromHereRef.current = entity;
          if (entity) actions.togglePin(entity);
        }, clickMs);
      }),
      editor.onKeyDown(() => clearTimeout(timer)),
    ];
    return () => {
      clearTimeout(timer);
      for (const part of parts) part.dispose();
    };
  }, [editor, run, actions, fromHereRef]);
}

function useRevealPin(
  editor: Editor | null,
  run: ShownRun | null,
  pinned: Lit | null,
  fromHereRef: RefObject<Entity | null>,
): void {
  const key = pinned === null ? "" : `${pinned.primary.kind}${pinned.primary.id}`;
  const revealed = useRef("");
  useEffect(() => {
    if (pinned === null) {
      fromHereRef.current = null;
      revealed.current = "";
      return;
    }
    // Only a new pin moves the text.
    if (editor === null || run === null || revealed.current === key) return;
    revealed.current = key;
    if (sameEntity(fromHereRef.current, pinned.primary)) return;
    const lines = [...litLines(run.summary, pinned).keys()];
    if (lines.length > 0)
      editor.revealLinesInCenterIfOutsideViewport(
        Math.min(...lines),
        Math.min(Math.max(...lines), Math.min(...lines) + 20),
      );
  }, [editor, run, pinned, key, fromHereRef]);
}
