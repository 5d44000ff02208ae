// Primitives: what the TE compiler made, with its cache, and what each costs. A row is the primitive in every
// pane.
import { useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import type { Lit } from "../../../store/selection.ts";
import { usePinned, useShown } from "../../kit/context.tsx";
import { PaneTools, useStale } from "../../kit/pane-tools.tsx";
import { CacheTable } from "./cache-table.tsx";
import { CostTable } from "./cost-table.tsx";
import "./primitives.css";

export function PrimitivesPane(): ReactNode {
  const run = useShown();
  const pinned = usePinned(run);
  const stale = useStale();
  const [cache, setCache] = useState(false);
  const flagged = useMemo(() => least(pinned), [pinned]);
  const scroller = useRef<HTMLDivElement>(null);
  useEffect(() => {
    scroller.current?.querySelector(`[data-primitive="${flagged}"]`)?.scrollIntoView({ block: "nearest" });
  }, [flagged]);
  if (run === null) return <div className="bd prims" />;
  if (run.summary.primitives.length === 0) return <p className="bd paneword">No primitive was lowered.</p>;
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls: keys must reach it
    <div
      className={stale === null ? "bd prims" : "bd prims stale"}
      ref={scroller}
      tabIndex={0}
      role="region"
      aria-label={cache ? "Compile cache" : "Primitives"}
    >
      <PaneTools>
        <span className="seg small" role="group" aria-label="Primitives or cache">
          <button type="button" aria-pressed={!cache} onClick={() => setCache(false)}>
            Costs
          </button>
          <button type="button" aria-pressed={cache} onClick={() => setCache(true)}>
            Cache
          </button>
        </span>
      </PaneTools>
      {cache ? <CacheTable run={run} /> : <CostTable run={run} flagged={flagged} />}
    </div>
  );
}

function least(lit: Lit | null): number {
  let index = -1;
  for (const p of lit?.primitives ?? []) if (index < 0 || p < index) index = p;
  return index;
}
