// The rooms that every layout shares: the source, the chain, the stages, the two view slots, the memory map.
import { lazy, Suspense, type ReactNode } from "react";
import type { TabA, TabB } from "../../store/state.ts";
import { MemoryPane, panesA, panesB } from "../panes/index.tsx";
import { SourcePane } from "../panes/editor/source-pane.tsx";
import { Problems } from "../panes/problems/problems.tsx";
import { StagesRail } from "./rail/rail.tsx";
import { useActions, useApp } from "../kit/context.tsx";
import { ErrorBoundary } from "../kit/error-boundary.tsx";
import { MaximiseButton, Room, useStale } from "../kit/pane-tools.tsx";
import { goToPlace } from "../kit/regions.ts";
import { Slot, StaleStrip } from "./slot.tsx";

const ChainBar = lazy(() => import("./chain/chain-bar.tsx").then((module) => ({ default: module.ChainBar })));

export function Chain(): ReactNode {
  return (
    <ErrorBoundary what="The chain">
      <Suspense fallback={null}>
        <ChainBar />
      </Suspense>
    </ErrorBoundary>
  );
}

/** The source with its problems below. */
export function SourceRoom({ narrow }: { readonly narrow: boolean }): ReactNode {
  return (
    <SourcePane narrow={narrow}>
      <Problems onPlace={(line, column) => goToPlace({ line, column })} />
    </SourcePane>
  );
}

export function StagesPane(): ReactNode {
  const maximised = useApp((state) => state.layout.maximised === "stages");
  return (
    <Room
      region="stages"
      title="Stages"
      className="rail"
      head={
        <>
          <span className="sp" />
          {maximised ? <MaximiseButton region="stages" what="stages" /> : <span className="qq">ms</span>}
        </>
      }
    >
      <ErrorBoundary what="Stages">
        <StagesRail />
      </ErrorBoundary>
    </Room>
  );
}

export function SlotA(): ReactNode {
  const tab = useApp((state) => state.layout.tabA);
  const { setLayout } = useActions();
  return (
    <Slot region="a" label="View A" panes={panesA} tab={tab} onTab={(tabA: TabA) => setLayout({ tabA })} />
  );
}

export function SlotB(): ReactNode {
  const tab = useApp((state) => state.layout.tabB);
  const { setLayout } = useActions();
  return (
    <Slot region="b" label="View B" panes={panesB} tab={tab} onTab={(tabB: TabB) => setLayout({ tabB })} />
  );
}

export function MemoryRegion(): ReactNode {
  const maximised = useApp((state) => state.layout.maximised === "memory");
  const stale = useStale();
  return (
    <div className={`memwrap${maximised ? " maxed" : ""}`} data-region="memory" tabIndex={-1}>
      <StaleStrip title="plan" short />
      <div className={stale === null ? "memroom" : "memroom stale"}>
        <ErrorBoundary what="The memory map">
          <Suspense
            fallback={
              <div className="pane mem">
                <div className="hd">
                  <h2>Memory map</h2>
                </div>
              </div>
            }
          >
            <MemoryPane />
          </Suspense>
        </ErrorBoundary>
      </div>
    </div>
  );
}
