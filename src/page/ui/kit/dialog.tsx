// The frame of every dialog: native <dialog>, which traps the focus and gives it back; Esc and a press beside
// it close it.
import { useEffect, useRef, type ReactNode } from "react";
import { useActions } from "./context.tsx";
import { IconButton } from "./pane-tools.tsx";

export function Dialog({
  title,
  className,
  children,
}: {
  readonly title: string;
  readonly className?: string;
  readonly children: ReactNode;
}): ReactNode {
  const ref = useRef<HTMLDialogElement>(null);
  const { openDialog } = useActions();
  useEffect(() => {
    const element = ref.current;
    if (!element || element.open) return;
    element.showModal();
    // React's autoFocus acts before the dialog shows, when nothing in it can take the focus yet.
    element.querySelector<HTMLElement>("[data-first]")?.focus();
  }, []);
  return (
    <dialog
      ref={ref}
      className={`dlg ${className ?? ""}`}
      aria-label={title}
      onClose={() => openDialog(null)}
      onPointerDown={(event) => {
        if (event.target === ref.current) ref.current?.close();
      }}
    >
      <div className="dlgin">
        <div className="hd">
          <h2>{title}</h2>
          <span className="sp" />
          <IconButton icon="close" label="Close" title="Close (Esc)" onClick={() => ref.current?.close()} />
        </div>
        {children}
      </div>
    </dialog>
  );
}
