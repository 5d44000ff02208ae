// Loads in idle time what the page loads only when needed, so that a page once opened works without a network.
const parts: readonly (() => Promise<unknown>)[] = [
  () => import("../graph/GraphPane.tsx"),
  () => import("../memory/MemoryMap.tsx"),
  () => import("../chain/ChainBar.tsx"),
  () => import("../primitives/PrimitivesPane.tsx"),
  () => import("../shapes/shapes-pane.tsx"),
  () => import("../editor/model-file-pane.tsx"),
  () => import("../diff/ir-diff.tsx"),
  () => import("../runner/result-pane.tsx"),
  () => import("./dialogs.tsx"),
  () => import("./share.ts"),
  () => import("../editor/source-editor.tsx"),
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
