// Loads in idle time what the page loads only when needed, so that a page once opened works without a
// network.
const parts: readonly (() => Promise<unknown>)[] = [
  () => import("../panes/graph/graph-pane.tsx"),
  () => import("../panes/memory/memory-map.tsx"),
  () => import("./chain/chain-bar.tsx"),
  () => import("../panes/primitives/primitives-pane.tsx"),
  () => import("../panes/shapes/shapes-pane.tsx"),
  () => import("../panes/editor/model-file-pane.tsx"),
  () => import("../panes/diff/ir-diff.tsx"),
  () => import("../panes/runner/result-pane.tsx"),
  () => import("./dialogs/dialogs.tsx"),
  () => import("../kit/share.ts"),
  () => import("../panes/editor/source-editor.tsx"),
];

async function loadAll(): Promise<void> {
  for (const load of parts) {
    try {
      await load();
    } catch {
      // Offline already: whoever needs the part asks again and is told.
    }
  }
}

/** After the first paint and whatever else is more urgent. */
export function prefetchParts(): void {
  if (typeof requestIdleCallback === "function") requestIdleCallback(() => void loadAll(), { timeout: 3000 });
  else setTimeout(() => void loadAll(), 1000);
}
