// Notes under the top bar and the toast: a worker that was replaced, a link that was damaged, text that was
// replaced.
import { useEffect, type ReactNode } from "react";
import { useActions, useApp } from "../kit/context.tsx";
import { IconButton } from "../kit/pane-tools.tsx";

export function Notices(): ReactNode {
  const replaced = useApp((state) => state.compile.workerReplaced);
  const note = useApp((state) => state.note);
  const actions = useActions();
  return (
    <>
      {note !== null && (
        <div className="notice" role="alert">
          <b>{note.title}</b>
          <span>{note.text}</span>
          <span className="sp" />
          <IconButton icon="close" label="Dismiss" onClick={() => actions.setNote(null)} />
        </div>
      )}
      {replaced !== null && (
        <div className="notice" role="alert">
          <b>Compiler restarted</b>
          <span>The worker stopped ({replaced}) and was replaced. Your text is as it was.</span>
          <span className="sp" />
          <IconButton icon="close" label="Dismiss" onClick={actions.dismissWorkerNote} />
        </div>
      )}
    </>
  );
}

/** Undo stays until it is used or another toast comes; plain words go after four seconds. */
export function ToastView(): ReactNode {
  const toast = useApp((state) => state.toast);
  const actions = useActions();
  useEffect(() => {
    if (toast === null) return;
    const timer = setTimeout(actions.dismissToast, toast.action === null ? 4000 : 20_000);
    return () => clearTimeout(timer);
  }, [toast, actions]);
  return (
    <div className="toastplace" role="status">
      {toast !== null && (
        <div className="toast">
          <span>{toast.text}</span>
          {toast.action === "undo" && (
            <button type="button" className="fix" onClick={actions.undoReplace}>
              Undo
            </button>
          )}
          <IconButton icon="close" label="Dismiss" onClick={actions.dismissToast} />
        </div>
      )}
    </div>
  );
}
