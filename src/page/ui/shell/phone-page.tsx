// The phone's page: one room at a time, the chain above the tab bar, targets of 44 px.
import { present } from "../../../support/assert.ts";
import { Suspense, useState, type ReactNode } from "react";
import type { PhoneTab, TabB } from "../../store/state.ts";
import { panesA, panesB } from "../panes/index.tsx";
import { useActions, useApp } from "../kit/context.tsx";
import { ErrorBoundary } from "../kit/error-boundary.tsx";
import { Logo } from "../kit/icons.tsx";
import { Notices } from "./notices.tsx";
import { ToolsContext } from "../kit/pane-tools.tsx";
import { Chain, MemoryRegion, SourceRoom, StagesPane } from "./rooms.tsx";
import { Slot } from "./slot.tsx";
import { ModelMenu, RunButton, StatusChip, useSwitchTheme } from "./top-bar.tsx";

const tabs: readonly (readonly [PhoneTab, string, string])[] = [
  ["source", "Source", "M3 3.5H13M3 6.5H10M3 9.5H12M3 12.5H8"],
  ["stages", "Stages", "M3 3.5H13M3 8H11M3 12.5H8M13 8H13.1"],
  ["graph", "Graph", "M5.5 2.5H10.5V5.5H5.5ZM5.5 10.5H10.5V13.5H5.5ZM8 5.5V10.5"],
  ["memory", "Memory", "M2.5 13.5V2.5M2.5 13.5H13.5M4.5 11.5V4.5H8V11.5ZM9 11.5V8.5H12.5V11.5Z"],
  ["code", "Code", "M6 4 2.5 8 6 12M10 4 13.5 8 10 12"],
  ["run", "Run", "M4 2.5 13 8 4 13.5Z"],
];

export function PhonePage(): ReactNode {
  const tab = useApp((state) => state.layout.phoneTab);
  const failed = useApp((state) => state.compile.phase === "failed" || state.compile.phase === "crashed");
  const { setLayout } = useActions();
  return (
    <div className="ph">
      <PhoneHeader />
      <Notices />
      <main className="phmain" id="main" tabIndex={-1}>
        <Room tab={tab} />
      </main>
      {(tab === "graph" || tab === "memory" || tab === "code") && <Chain />}
      <nav aria-label="Rooms">
        <div className="tb" role="tablist" aria-label="Rooms">
          {tabs.map(([id, title, path]) => (
            <button
              key={id}
              type="button"
              role="tab"
              aria-selected={id === tab}
              onClick={() => setLayout({ phoneTab: id })}
            >
              <svg
                width={16}
                height={16}
                viewBox="0 0 16 16"
                fill="none"
                stroke="currentColor"
                strokeWidth={1.3}
                aria-hidden="true"
              >
                <path d={path} />
              </svg>
              {title}
              {id === "source" && failed && (
                <span className="errdot">
                  <span className="vh">has problems</span>
                </span>
              )}
            </button>
          ))}
        </div>
      </nav>
    </div>
  );
}

function PhoneHeader(): ReactNode {
  const [more, setMore] = useState(false);
  const actions = useActions();
  const switchTheme = useSwitchTheme();
  const entries: readonly (readonly [string, () => void])[] = [
    ["Share…", () => actions.openDialog("share")],
    ["Options…", () => actions.openDialog("options")],
    ["Switch theme", switchTheme],
    ["Help", () => actions.openDialog("help")],
  ];
  return (
    <header aria-label="Toolbar" data-region="bar" tabIndex={-1}>
      <h1 className="logo">
        <Logo />
        <span className="vh">Relayscope</span>
      </h1>
      <ModelMenu compact />
      <span className="sp" />
      <StatusChip compact />
      <RunButton compact />
      <span className="menu">
        <button
          type="button"
          className="more"
          aria-label="More"
          aria-haspopup="menu"
          aria-expanded={more}
          onClick={() => setMore(!more)}
        >
          <svg width={16} height={16} fill="currentColor" aria-hidden="true">
            <circle cx={3} cy={8} r={1.4} />
            <circle cx={8} cy={8} r={1.4} />
            <circle cx={13} cy={8} r={1.4} />
          </svg>
        </button>
        {more && (
          <ul className="pop right" role="menu" aria-label="More">
            {entries.map(([title, run]) => (
              <li key={title} role="none">
                <button
                  type="button"
                  role="menuitem"
                  onClick={() => {
                    setMore(false);
                    run();
                  }}
                >
                  {title}
                </button>
              </li>
            ))}
          </ul>
        )}
      </span>
    </header>
  );
}

const codePanes = panesB.filter((pane) => pane.id !== "result");
const graphPanes = panesA.filter((pane) => pane.id !== "diff");
const { component: DiffPane } = present(
  panesA.find((pane) => pane.id === "diff"),
  "IR diff",
);
const resultPane = panesB.filter((pane) => pane.id === "result");

function Room({ tab }: { readonly tab: PhoneTab }): ReactNode {
  const tabA = useApp((state) => state.layout.tabA);
  const tabB = useApp((state) => state.layout.tabB);
  const { setLayout } = useActions();
  switch (tab) {
    case "source":
      return <SourceRoom narrow />;
    case "stages":
      return <StagesRoom />;
    case "graph":
      return (
        <Slot
          region="a"
          label="Graph"
          panes={graphPanes}
          tab={tabA === "diff" ? "graph" : tabA}
          onTab={(next) => setLayout({ tabA: next })}
          maximisable={false}
        />
      );
    case "memory":
      return <MemoryRegion />;
    case "code":
      return (
        <Slot
          region="b"
          label="Code"
          panes={codePanes}
          tab={tabB === "result" ? "c" : tabB}
          onTab={(next: TabB) => setLayout({ tabB: next })}
          maximisable={false}
        />
      );
    case "run":
      return (
        <Slot region="b" label="Run" panes={resultPane} tab="result" onTab={() => {}} maximisable={false} />
      );
  }
}

function StagesRoom(): ReactNode {
  const [tools, setTools] = useState<HTMLElement | null>(null);
  return (
    <div className="stagesroom">
      <StagesPane />
      <section className="pane" aria-label="IR diff" data-region="a" tabIndex={-1}>
        <div className="hd">
          <h2>IR diff</h2>
          <span className="sp" />
          <span className="tools" ref={setTools} />
        </div>
        <div className="panel">
          <ToolsContext value={tools}>
            <ErrorBoundary what="IR diff">
              <Suspense fallback={null}>
                <DiffPane toolbar={tools} />
              </Suspense>
            </ErrorBoundary>
          </ToolsContext>
        </div>
      </section>
    </div>
  );
}
