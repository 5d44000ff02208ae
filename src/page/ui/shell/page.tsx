// The page. Wide: source, stages, two view slots, memory map. Middle: the source is a drawer and there is one
// slot. Phone: one room a tab.
import { lazy, Suspense, useEffect, useState, type DragEvent, type ReactNode } from "react";
import { Group, Panel, Separator, useDefaultLayout } from "react-resizable-panels";
import type { TabA, TabB } from "../../store/state.ts";
import { panesA, panesB } from "../panes/index.tsx";
import { PatternDefs } from "../kit/primitive-style.tsx";
import { handleKey } from "./commands/commands.ts";
import { useActions, useApp, useAppObject } from "../kit/context.tsx";
import { EmptyPage } from "./empty-page.tsx";
import { ErrorBoundary } from "../kit/error-boundary.tsx";
import { Notices, ToastView } from "./notices.tsx";
import { openFiles } from "./open-file.ts";
import { PhonePage } from "./phone-page.tsx";
import { Chain, MemoryRegion, SlotA, SlotB, SourceRoom, StagesPane } from "./rooms.tsx";
import { Slot } from "./slot.tsx";
import { useTheme } from "./use-theme.ts";
import { TopBar } from "./top-bar.tsx";
import { useWidth } from "./use-width.ts";

const Dialogs = lazy(() => import("./dialogs/dialogs.tsx").then((module) => ({ default: module.Dialogs })));

export function Page(): ReactNode {
  const app = useAppObject();
  const width = useWidth();
  const empty = useApp(
    (state) => state.source.text === "" && state.source.file === null && state.compile.shown === null,
  );
  const primitives = useApp((state) => state.compile.shown?.summary.primitives.length ?? 0);
  const dialog = useApp((state) => state.dialog);
  useTheme();
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!event.defaultPrevented && handleKey(app, event)) {
        event.preventDefault();
        event.stopPropagation();
      }
    };
    // Capture: the editor has keys of its own for some of these.
    window.addEventListener("keydown", onKey, { capture: true });
    return () => window.removeEventListener("keydown", onKey, { capture: true });
  }, [app]);
  useDocumentTitle();
  return (
    <DropTarget>
      <PatternDefs count={primitives} />
      {empty ? (
        <EmptyPage width={width} />
      ) : width === "phone" ? (
        <PhonePage />
      ) : width === "middle" ? (
        <MiddlePage />
      ) : (
        <WidePage />
      )}
      {dialog !== null && (
        <ErrorBoundary key={dialog} what="The dialog">
          <Suspense fallback={null}>
            <Dialogs />
          </Suspense>
        </ErrorBoundary>
      )}
      <ToastView />
    </DropTarget>
  );
}

function useDocumentTitle(): void {
  const name = useApp((state) => state.source.name);
  const phase = useApp((state) => state.compile.phase);
  useEffect(() => {
    document.title = `${phase === "failed" ? "Error · " : ""}${name} · Relayscope`;
  }, [name, phase]);
}

function DropTarget({ children }: { readonly children: ReactNode }): ReactNode {
  const app = useAppObject();
  const [over, setOver] = useState(false);
  const carriesFile = (event: DragEvent): boolean => event.dataTransfer.types.includes("Files");
  return (
    <div
      className="droproot"
      onDragOver={(event) => {
        if (!carriesFile(event)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={(event) => {
        if (event.relatedTarget === null) setOver(false);
      }}
      onDropCapture={(event) => {
        if (!carriesFile(event)) return;
        event.preventDefault();
        event.stopPropagation();
        setOver(false);
        void openFiles([...event.dataTransfer.files], app, "The file");
      }}
    >
      {children}
      {over && (
        <div className="dropover" aria-hidden="true">
          Drop to open
        </div>
      )}
    </div>
  );
}

const storage = typeof localStorage === "undefined" ? undefined : localStorage;

/** Sizes that the reader dragged are kept; nothing else of the layout is. */
function useSizes(
  id: string,
): Pick<ReturnType<typeof useDefaultLayout>, "defaultLayout" | "onLayoutChanged"> {
  const { defaultLayout, onLayoutChanged } = useDefaultLayout({
    id: `relayscope-${id}`,
    onlySaveAfterUserInteractions: true,
    ...(storage ? { storage } : {}),
  });
  return { defaultLayout, onLayoutChanged };
}

function Frame({
  onDrawer,
  children,
}: {
  readonly onDrawer: (() => void) | null;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <div className="app">
      <a className="skiplink" href="#main">
        Skip to the panes
      </a>
      <TopBar onDrawer={onDrawer} />
      <Notices />
      <Chain />
      <main id="main" className="body" tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}

function WidePage(): ReactNode {
  const rows = useSizes("rows");
  const columns = useSizes("columns");
  return (
    <Frame onDrawer={null}>
      <Group orientation="vertical" id="rows" className="grp" {...rows}>
        <Panel id="mid" minSize={200}>
          <Group orientation="horizontal" id="columns" className="grp" {...columns}>
            <Panel id="source" defaultSize={432} minSize={240}>
              <SourceRoom narrow={false} />
            </Panel>
            <Separator className="sepv" />
            <Panel id="stages" defaultSize={148} minSize={100} maxSize={320}>
              <StagesPane />
            </Panel>
            <Separator className="sepv" />
            <Panel id="a" defaultSize={364} minSize={240}>
              <SlotA />
            </Panel>
            <Separator className="sepv" />
            <Panel id="b" minSize={280}>
              <SlotB />
            </Panel>
          </Group>
        </Panel>
        <Separator className="seph" />
        <Panel id="memory" defaultSize={292} minSize={120}>
          <MemoryRegion />
        </Panel>
      </Group>
    </Frame>
  );
}

const allPanes = [...panesA, ...panesB] as const;

function isTabA(tab: TabA | TabB): tab is TabA {
  return panesA.some((pane) => pane.id === tab);
}

function MiddlePage(): ReactNode {
  const { slot, tabA, tabB, drawer } = useApp((state) => state.layout);
  const { setLayout } = useActions();
  const rows = useSizes("rows-middle");
  return (
    <Frame onDrawer={() => setLayout({ drawer: !drawer })}>
      <Group orientation="vertical" id="rows-middle" className="grp" {...rows}>
        <Panel id="mid" minSize={160}>
          <div className="middle">
            <StagesPane />
            <Slot
              region={slot}
              label="View"
              panes={allPanes}
              tab={slot === "a" ? tabA : tabB}
              onTab={(tab: TabA | TabB) =>
                setLayout(isTabA(tab) ? { tabA: tab, slot: "a" } : { tabB: tab, slot: "b" })
              }
            />
          </div>
        </Panel>
        <Separator className="seph" />
        <Panel id="memory" defaultSize={240} minSize={100}>
          <MemoryRegion />
        </Panel>
      </Group>
      {drawer && (
        <div className="drawer">
          <SourceRoom narrow={false} />
        </div>
      )}
    </Frame>
  );
}
