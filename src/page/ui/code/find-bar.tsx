// The search of one pane: letter case ignored, Enter goes on, Shift+Enter back, Esc closes.
import { useEffect, useRef, type ReactNode } from "react";
import { IconButton } from "../kit/pane-tools.tsx";

export interface FindState {
  readonly query: string;
  /** Which of the places found. */
  readonly at: number;
}

export function FindBar({
  state,
  count,
  onChange,
  onClose,
}: {
  readonly state: FindState;
  readonly count: number;
  readonly onChange: (next: FindState) => void;
  readonly onClose: () => void;
}): ReactNode {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.select(), []);
  const step = (by: number): void => {
    if (count > 0) onChange({ ...state, at: (state.at + by + count) % count });
  };
  return (
    <search className="findbar">
      <input
        ref={input}
        autoFocus
        aria-label="Find in this pane"
        placeholder="Find"
        value={state.query}
        spellCheck={false}
        onChange={(event) => onChange({ query: event.target.value, at: 0 })}
        onKeyDown={(event) => {
          if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
          else if (event.key === "Escape") onClose();
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      <span className="q" role="status">
        {state.query === "" ? "" : count === 0 ? "none" : `${state.at + 1} of ${count.toLocaleString("en")}`}
      </span>
      <IconButton icon="up" label="Previous place" onClick={() => step(-1)} />
      <IconButton icon="down" label="Next place" onClick={() => step(1)} />
      <IconButton icon="close" label="Close search" onClick={onClose} />
    </search>
  );
}
