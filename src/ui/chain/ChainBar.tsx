// The pinned chain as a readout strip: seven numbered links; the same numbers stand as flags on the lit things in the panes. A
// link shows its pane; back and forward pin the call before and after (the keys , and . of app/commands.ts).
import { useMemo, useState, type ReactNode } from "react";
import { flushSync } from "react-dom";
import { shownCallMicros } from "../../store/app.ts";
import type { LayoutState } from "../../store/state.ts";
import { useActions, useApp, usePinned, useShown, useView } from "../app/context.tsx";
import { Icon } from "../app/icons.tsx";
import { planOf } from "../memory/model.ts";
import { Flag, Swatch, type ChainNumber } from "../primitive-style.tsx";
import { chainLinks, type ChainLink } from "./chain.ts";
import "./chain.css";

/** What each link brings to the front. */
const places: Readonly<Record<ChainNumber, Partial<LayoutState>>> = {
  1: { phoneTab: "source", drawer: true },
  2: { tabA: "graph", slot: "a", phoneTab: "graph" },
  3: { tabB: "c", cFile: "lib1", slot: "b", phoneTab: "code" },
  4: { phoneTab: "memory" },
  5: { tabB: "c", cFile: "lib1", slot: "b", phoneTab: "code" },
  6: { tabB: "wasm", slot: "b", phoneTab: "code" },
  7: { phoneTab: "memory" },
};

/** Nothing is rendered while nothing is pinned. */
export function ChainBar(): ReactNode {
  const run = useShown();
  const lit = usePinned(run);
  const memory = useView(run, { kind: "memory" });
  const planner = useApp((state) => state.layout.planner);
  const callMicros = useApp(shownCallMicros);
  const maximised = useApp((state) => state.layout.maximised);
  const actions = useActions();
  const [active, setActive] = useState<ChainNumber | null>(null);
  const links = useMemo(() => {
    if (run === null || lit === null) return null;
    const plan = memory !== null && memory !== "gone" && memory.run === run ? planOf(memory.view.memory, planner) : null;
    return chainLinks({ summary: run.summary, lit, plan, callMicros });
  }, [run, lit, memory, planner, callMicros]);
  const entity = lit?.primary ?? null;

  const show = (number: ChainNumber): void => {
    setActive(number);
    // A maximised pane would hide the place that the link leads to.
    actions.setLayout({ ...places[number], ...(maximised === null ? {} : { maximised: null }) });
    // Pinned anew, every pane scrolls to it again, also where the reader had scrolled away.
    flushSync(() => actions.pin(null));
    flushSync(() => actions.pin(entity));
  };
  const walk = (by: 1 | -1): void => {
    const count = run?.summary.calls.length ?? 0;
    const at = entity?.kind === "call" ? entity.id : Math.min(count, ...(lit?.calls ?? [])) - (by === 1 ? 1 : 0);
    if (count > 0) actions.pin({ kind: "call", id: Math.max(0, Math.min(count - 1, at + by)) });
  };
  if (links === null) return null;
  return (
    <nav className="chain" aria-label="Pinned chain">
      <span className="pin" title="Pinned"><Icon name="pin" size={16} /></span>
      <h2 className="chaintitle">Pinned chain</h2>
      <ol>{links.map((l) => <Link key={l.number} link={l} current={l.number === active} onShow={() => show(l.number)} />)}</ol>
      <span className="ctl">
        <button type="button" className="ibtn" aria-label="Pin the call before" title="Call before ( , )" onClick={() => walk(-1)}><Icon name="back" /></button>
        <button type="button" className="ibtn" aria-label="Pin the call after" title="Call after ( . )" onClick={() => walk(1)}><Icon name="forward" /></button>
        <button type="button" className="ibtn" aria-label="Unpin" title="Unpin (Esc)" onClick={() => actions.pin(null)}><Icon name="close" /></button>
      </span>
    </nav>
  );
}

function Link({ link, current, onShow }: { readonly link: ChainLink; readonly current: boolean; readonly onShow: () => void }): ReactNode {
  const text = (
    <>
      <span className="cap">
        <Flag number={link.number} />{link.title}{" "}
        {link.primitive >= 0 && <><Swatch index={link.primitive} /><span className="mono">p{link.primitive}</span></>}
      </span>
      <span className="val" title={link.value.length > 30 ? link.value : undefined}>{link.value}{link.rest !== "" && <i> {link.rest}</i>}</span>
    </>
  );
  return (
    <li className={`k${link.number}`} aria-current={current ? "step" : undefined}>
      {link.there ? <button type="button" className="lk" onClick={onShow}>{text}</button> : <span className="lk none">{text}</span>}
    </li>
  );
}
