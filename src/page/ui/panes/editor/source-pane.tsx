// The source. Monaco comes after the first paint; until then, and on touch and narrow screens, a plain text
// area serves.
import { lazy, Suspense, useEffect, useRef, useState, type ReactNode } from "react";
import { useApp, useAppObject } from "../../kit/context.tsx";
import { ErrorBoundary } from "../../kit/error-boundary.tsx";
import { MaximiseButton, Room, ToolsContext } from "../../kit/pane-tools.tsx";
import type { OpenedFile } from "../../../store/state.ts";
import { onGoTo } from "../../kit/regions.ts";
import { emptyHint, PlainEditor, type EditorHandle } from "./plain-editor.tsx";

const ModelFilePane = lazy(() =>
  import("./model-file-pane.tsx").then((module) => ({ default: module.ModelFilePane })),
);
const SourceEditor = lazy(() =>
  import("./source-editor.tsx").then((module) => ({ default: module.SourceEditor })),
);

/** True once the browser is idle after the first paint. */
function useAfterPaint(): boolean {
  const [after, setAfter] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const frame = requestAnimationFrame(() => {
      timer = setTimeout(() => setAfter(true), 0);
    });
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }, []);
  return after;
}

/** "Relay 0.0.5" of `#[version = "0.0.5"]`. */
function relayVersion(text: string): string {
  const found = /#\[version\s*=\s*"([\d.]+)"\]/.exec(text.slice(0, 400));
  return found ? `Relay ${found[1]}` : "Relay";
}

interface SourcePaneProps {
  readonly narrow: boolean;
  /** Below the text: the problems. */
  readonly children?: ReactNode;
}

export function SourcePane(props: SourcePaneProps): ReactNode {
  const file = useApp((state) => state.source.file);
  return file === null ? <TextSource {...props} /> : <FileSource file={file} {...props} />;
}

interface SourceFrameProps extends SourcePaneProps {
  /** Between the name and the maximise button. */
  readonly tools: ReactNode;
}

function SourceFrame({ narrow, tools, children }: SourceFrameProps): ReactNode {
  const name = useApp((state) => state.source.name);
  const head = (
    <>
      <span className="q fname">{name}</span>
      <span className="sp" />
      {tools}
      {!narrow && <MaximiseButton region="source" what="source" />}
    </>
  );
  return (
    <Room region="source" title="Source" head={head}>
      {children}
    </Room>
  );
}

/** A model file: facts and its Relay, which cannot be edited, but a copy can. */
function FileSource({ file, narrow, children }: SourcePaneProps & { readonly file: OpenedFile }): ReactNode {
  const app = useAppObject();
  const readable = useApp(({ compile }) =>
    [compile.failure, compile.shown].some((run) => run?.file === file.file && run.summary.sources.length > 0),
  );
  const [tools, setTools] = useState<HTMLElement | null>(null);
  return (
    <SourceFrame
      narrow={narrow}
      tools={
        <>
          <button
            type="button"
            className="hbtn"
            disabled={!readable}
            title="Open the imported Relay as text; its weights become seeded values"
            onClick={() => void import("./edit-copy.ts").then(({ editCopy }) => editCopy(app))}
          >
            Edit a copy
          </button>
          <span className="tools" ref={setTools} />
        </>
      }
    >
      <div className="bd">
        <ToolsContext value={tools}>
          <ErrorBoundary what="The file">
            <Suspense fallback={null}>
              <ModelFilePane file={file} />
            </Suspense>
          </ErrorBoundary>
        </ToolsContext>
      </div>
      {children}
    </SourceFrame>
  );
}

function TextSource({ narrow, children }: SourcePaneProps): ReactNode {
  const version = useApp((state) => relayVersion(state.source.text));
  const empty = useApp((state) => state.source.text === "");
  const handle = useRef<EditorHandle>(null);
  const ready = useAfterPaint();
  const touch = narrow || matchMedia("(pointer: coarse)").matches;
  useEffect(() => onGoTo(({ line, column }) => handle.current?.goTo(line, column)), []);
  const plain = <PlainEditor handle={handle} narrow={narrow} />;
  return (
    <SourceFrame narrow={narrow} tools={<span className="tag q">{version}</span>}>
      <div className="bd ed">
        {empty && !touch && (
          <pre className="ph-text" aria-hidden="true">
            {emptyHint}
          </pre>
        )}
        <ErrorBoundary what="The editor">
          {touch || !ready ? (
            plain
          ) : (
            <Suspense fallback={plain}>
              <SourceEditor handle={handle} />
            </Suspense>
          )}
        </ErrorBoundary>
      </div>
      {children}
    </SourceFrame>
  );
}
