// Mounts the page on a compiler client: what to open first (a link, this tab's draft, the last draft, else
// the first example).
import { at } from "../../support/assert.ts";
import { createRoot } from "react-dom/client";
import type { CompilerClient } from "../../protocol/api.ts";
import { createApp, type App } from "../store/app.ts";
import { browserSurroundings, firstStart, watchLinks, type LinkText } from "../store/boot.ts";
import type { CompileState } from "../store/state.ts";
import { AppProvider } from "./kit/context.tsx";
import { prefetchParts } from "./shell/prefetch.ts";
import { Page } from "./shell/page.tsx";
import { exampleById, examples } from "./examples/examples.ts";
import "./theme.css";
import "./page.css";

/**
 * On the document, for scripts and stories that wait: how far the newest request is and which compilation the
 * panes show.
 */
function markRun({ phase, shown }: CompileState): void {
  const { dataset } = document.documentElement;
  dataset["phase"] = phase;
  if (shown !== null && phase === "done") dataset["runId"] = String(shown.sequence);
}

export async function mount(client: CompilerClient): Promise<App | null> {
  const root = document.getElementById("root");
  if (root === null) return null;
  const example = (id: string): { text: string; name: string } | undefined => {
    const found = exampleById(id);
    return found && { text: found.text, name: `${found.id}.relay` };
  };
  const first = at(examples, 0, "example");
  const fromLink: LinkText = { text: null };
  const start = await firstStart(
    { text: first.text, name: `${first.id}.relay`, exampleId: first.id },
    example,
    fromLink,
  );
  const app = createApp(client, browserSurroundings(fromLink), start);
  watchLinks(app, example, fromLink);
  addEventListener("pagehide", () => app.actions.flushDraft());
  app.store.subscribe(({ compile }) => markRun(compile));
  createRoot(root).render(
    <AppProvider app={app}>
      <Page />
    </AppProvider>,
  );
  void app.actions.compileNow();
  prefetchParts();
  return app;
}
