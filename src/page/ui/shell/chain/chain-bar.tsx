// The pinned chain as a readout strip: seven numbered links; the same numbers stand as flags on the lit
// things in the panes. A link shows its pane; `,` and `.` walk from link to link (with nothing pinned they
// are shell/commands/commands.ts's).
import { useEffect, useMemo, useState, type ReactNode } from "react";
import { flushSync } from "react-dom";
import { shownCallMicros } from "../../../store/selectors.ts";
import type { LayoutState } from "../../../store/state.ts";
import { useActions, useApp, usePinned, useShown, useView } from "../../kit/context.tsx";
import { Icon } from "../../kit/icons.tsx";
import { IconButton } from "../../kit/pane-tools.tsx";
import { planOf } from "../../panes/memory/model.ts";
import { Flag, Swatch, type ChainNumber } from "../../kit/primitive-style.tsx";
import { chainLinks, type ChainLink } from "./chain.ts";
import "./chain.css";

/** What each link brings to the front. */
const places: Readonly<Record<ChainNumber, Partial<LayoutState>>> = {
  1: { phoneTab: "source", drawer: true },
  2: { tabA: "graph", slot: "a", phoneTab: "graph" },
  3: { tabB: "c", slot: "b", phoneTab: "code" },
  4: { phoneTab: "memory" },
  5: { tabB: "c", slot: "b", phoneTab: "code" },
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
  const singleKeys = useApp((state) => state.settings.singleKeys);
  const maximised = useApp((state) => state.layout.maximised);
  const actions = useActions();
  const [active, setActive] = useState<ChainNumber | null>(null);
  const links = useMemo(() => {
    if (run === null || lit === null) return null;
    const plan =
      memory !== null && memory !== "gone" && memory.run === run ? planOf(memory.view.memory, planner) : null;
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
    const there = links?.filter((l) => l.there).map((l) => l.number) ?? [];
    const at = active === null ? -1 : there.indexOf(active);
    const next = there[at < 0 ? (by === 1 ? 0 : there.length - 1) : (at + by + there.length) % there.length];
    if (next !== undefined) show(next);
  };
  useChainKeys(singleKeys && links !== null, walk);
  if (links === null) return null;
  return (
    <nav className="chain" aria-label="Pinned chain">
      <span className="pin" title="Pinned">
        <Icon name="pin" size={16} />
      </span>
      <h2 className="chaintitle">Pinned chain</h2>
      <ol>
        {links.map((l) => (
          <Link key={l.number} link={l} current={l.number === active} onShow={() => show(l.number)} />
        ))}
      </ol>
      <span className="ctl">
        <IconButton
          icon="back"
          label="Back along the chain"
          title="Back along the chain ( , )"
          onClick={() => walk(-1)}
        />
        <IconButton
          icon="forward"
          label="Forward along the chain"
          title="Forward along the chain ( . )"
          onClick={() => walk(1)}
        />
        <IconButton icon="close" label="Unpin" title="Unpin (Esc)" onClick={() => actions.pin(null)} />
      </span>
    </nav>
  );
}

function Link({
  link,
  current,
  onShow,
}: {
  readonly link: ChainLink;
  readonly current: boolean;
  readonly onShow: () => void;
}): ReactNode {
  const text = (
    <>
      <span className="cap">
        <Flag number={link.number} />
        {link.title}{" "}
        {link.primitive >= 0 && (
          <>
            <Swatch index={link.primitive} />
            <span className="mono">p{link.primitive}</span>
          </>
        )}
      </span>
      <span className="val" title={link.value.length > 30 ? link.value : undefined}>
        {link.value}
        {link.rest !== "" && <i> {link.rest}</i>}
      </span>
    </>
  );
  return (
    <li className={`k${link.number}`} aria-current={current ? "step" : undefined}>
      {link.there ? (
        <button type="button" className="lk" onClick={onShow}>
          {text}
        </button>
      ) : (
        <span className="lk none">{text}</span>
      )}
    </li>
  );
}

/** `,` and `.` anywhere but in a field or an editor. */
function useChainKeys(on: boolean, walk: (by: 1 | -1) => void): void {
  useEffect(() => {
    if (!on) return;
    const keys = (event: KeyboardEvent): void => {
      if (
        (event.key !== "," && event.key !== ".") ||
        event.ctrlKey ||
        event.metaKey ||
        event.altKey ||
        event.defaultPrevented
      )
        return;
      const { target } = event;
      if (
        target instanceof Element &&
        target.closest("input, textarea, select, dialog, [contenteditable], .monaco-editor") !== null
      )
        return;
      event.preventDefault();
      walk(event.key === "." ? 1 : -1);
    };
    window.addEventListener("keydown", keys);
    return () => window.removeEventListener("keydown", keys);
  });
}
