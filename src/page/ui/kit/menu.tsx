// A button that opens a list of choices. Arrow keys move, Enter chooses, Esc closes and gives the focus back.
import {
  useEffect,
  useId,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
} from "react";
import { Caret } from "./icons.tsx";

export interface MenuItem {
  readonly key: string;
  readonly label: ReactNode;
  /** Quiet text at the right. */
  readonly note?: string;
  readonly checked?: boolean;
  readonly disabled?: boolean;
  /** A rule stands above it. */
  readonly parted?: boolean;
  readonly onChoose: () => void;
}

interface MenuButtonProps {
  readonly name: string;
  readonly value: ReactNode;
  readonly items: readonly MenuItem[];
  /** Full name for assistive tech where `name` is short. */
  readonly label?: string;
  readonly compact?: boolean;
  /** The value is a drawing: no caret, the label is all that is said. */
  readonly icon?: boolean;
  /** Opens towards the left. */
  readonly right?: boolean;
}

export function MenuButton({ name, value, items, label, compact, icon, right }: MenuButtonProps): ReactNode {
  const { open, setOpen, close, onKeyDown, root, list, button } = useMenu();
  const id = useId();
  return (
    <span className="menu" ref={root} onKeyDown={onKeyDown}>
      <button
        ref={button}
        type="button"
        className={icon ? "ibtn" : compact ? "fld compact" : "fld"}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        aria-label={icon ? label : undefined}
        title={icon ? label : undefined}
        onClick={() => setOpen(!open)}
      >
        {name !== "" && <span>{name}</span>}
        {name === "" && label !== undefined && !icon && <span className="vh">{label}</span>}
        {icon ? value : <span className="b">{value}</span>}
        {!icon && <Caret />}
      </button>
      {open && (
        <ul ref={list} id={id} className={right ? "pop right" : "pop"} role="menu" aria-label={label ?? name}>
          {items.map((item) => (
            <Item key={item.key} item={item} close={close} />
          ))}
        </ul>
      )}
    </span>
  );
}

function Item({ item, close }: { readonly item: MenuItem; readonly close: () => void }): ReactNode {
  return (
    <li role="none" className={item.parted ? "parted" : ""}>
      <button
        type="button"
        role={item.checked === undefined ? "menuitem" : "menuitemradio"}
        aria-checked={item.checked}
        disabled={item.disabled}
        tabIndex={-1}
        onClick={() => {
          close();
          item.onChoose();
        }}
      >
        <span className="tick" aria-hidden="true">
          {item.checked ? "✓" : ""}
        </span>
        <span className="ml">{item.label}</span>
        {item.note !== undefined && <span className="qq">{item.note}</span>}
      </button>
    </li>
  );
}

interface MenuState {
  readonly open: boolean;
  readonly setOpen: (open: boolean) => void;
  /** Gives the focus back to the button. */
  readonly close: () => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly root: RefObject<HTMLSpanElement | null>;
  readonly list: RefObject<HTMLUListElement | null>;
  readonly button: RefObject<HTMLButtonElement | null>;
}

/** Opening, closing by a press beside it, and the keys. */
function useMenu(): MenuState {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLSpanElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!open) return;
    const checked =
      list.current?.querySelector<HTMLElement>('[aria-checked="true"]') ??
      list.current?.querySelector<HTMLElement>("button");
    checked?.focus();
    const outside = (event: PointerEvent): void => {
      const within = event.target instanceof Node && root.current?.contains(event.target) === true;
      if (!within) setOpen(false);
    };
    document.addEventListener("pointerdown", outside);
    return () => document.removeEventListener("pointerdown", outside);
  }, [open]);
  function close(): void {
    setOpen(false);
    button.current?.focus();
  }
  function onKeyDown(event: KeyboardEvent): void {
    if (!open) {
      if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        setOpen(true);
        event.preventDefault();
      }
      return;
    }
    const rows = [...(list.current?.querySelectorAll<HTMLElement>("button:not(:disabled)") ?? [])];
    const here = rows.findIndex((row) => row === document.activeElement);
    const to = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: rows.length - 1 }[event.key];
    if (to !== undefined) rows[(to + rows.length) % rows.length]?.focus();
    else if (event.key === "Escape") close();
    else if (event.key === "Tab") setOpen(false);
    else return;
    if (event.key !== "Tab") {
      event.preventDefault();
      event.stopPropagation();
    }
  }
  return { open, setOpen, close, onKeyDown, root, list, button };
}
