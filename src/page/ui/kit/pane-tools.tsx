// What panes share of the shell: a place for their own buttons in the slot's header, the maximise button, the
// stale strip.
import { createContext, useContext, type ReactNode } from "react";
import { createPortal } from "react-dom";
import { optionWords } from "../../store/run-words.ts";
import { staleSince } from "../../store/selectors.ts";
import type { RunIdentity } from "../../store/state.ts";
import type { Region } from "../../store/state.ts";
import { useActions, useApp } from "./context.tsx";
import { Icon } from "./icons.tsx";

/** The header's right end of the slot that a pane stands in; null outside of one. */
export const ToolsContext = createContext<HTMLElement | null>(null);

/** Renders its children into the header of the slot (buttons, a tag); nothing where there is no header. */
export function PaneTools({ children }: { readonly children: ReactNode }): ReactNode {
  const place = useContext(ToolsContext);
  return place === null ? null : createPortal(children, place);
}

export function MaximiseButton({
  region,
  what,
}: {
  readonly region: Region;
  readonly what: string;
}): ReactNode {
  const on = useApp((state) => state.layout.maximised === region);
  const { setLayout } = useActions();
  return (
    <button
      type="button"
      className="ibtn max"
      aria-pressed={on}
      title={on ? "Restore (M)" : "Maximise (M)"}
      aria-label={on ? `Restore ${what}` : `Maximise ${what}`}
      onClick={() => setLayout({ maximised: on ? null : region })}
    >
      <Icon name={on ? "restore" : "maximise"} />
    </button>
  );
}

/** A room of the page: a header with `title` and what else `head` has, its content below. */
export function Room({
  region,
  title,
  className = "",
  head,
  children,
}: {
  readonly region: Region;
  readonly title: string;
  readonly className?: string;
  readonly head: ReactNode;
  readonly children: ReactNode;
}): ReactNode {
  const maximised = useApp((state) => state.layout.maximised === region);
  return (
    <section
      className={["pane", className, maximised ? "maxed" : ""].filter((word) => word !== "").join(" ")}
      aria-label={title}
      data-region={region}
      tabIndex={-1}
    >
      <div className="hd">
        <h2>{title}</h2>
        {head}
      </div>
      {children}
    </section>
  );
}

export function IconButton({
  icon,
  label,
  title,
  onClick,
  pressed,
  disabled,
  className = "",
}: {
  readonly icon: Parameters<typeof Icon>[0]["name"];
  readonly label: string;
  readonly title?: string;
  readonly onClick: () => void;
  readonly pressed?: boolean;
  readonly disabled?: boolean;
  readonly className?: string;
}): ReactNode {
  return (
    <button
      type="button"
      className={`ibtn ${className}`.trimEnd()}
      aria-label={label}
      title={title ?? label}
      onClick={onClick}
      aria-pressed={pressed}
      disabled={disabled}
    >
      <Icon name={icon} />
    </button>
  );
}

/** "12:04:31" in the reader's own clock. */
export function clock(at: number): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map((part) => String(part).padStart(2, "0"))
    .join(":");
}

/**
 * When what panes show was made, if it is not the output of the text as it stands; null when it is. Panes dim
 * by it.
 */
export function useStale(): number | null {
  return useApp(staleSince);
}

/** Model, options and time of the compilation that a pane shows: "lenet.relay, O3, aot, 12:04:31". */
export function runWords({ name, options, at }: RunIdentity): string {
  return `${name}, ${optionWords(options)}, ${clock(at)}`;
}

/** In a header, where there is room: whose output the pane shows. */
export function RunTag({ run }: { readonly run: RunIdentity | null }): ReactNode {
  if (run === null) return <span className="sp" />;
  return (
    <span className="sp runtag" title={runWords(run)}>
      <span>
        {run.name}, O{run.options.optLevel}
      </span>
    </span>
  );
}
