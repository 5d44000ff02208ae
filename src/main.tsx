// Mounts the page: the client, what to open first (a link, this tab's draft, the last draft, else the first example), the drafts.
import { createRoot } from "react-dom/client";
import type { CompilerClient } from "./protocol/api.ts";
import { createApp } from "./store/app.ts";
import { browserSurroundings, firstStart, watchLinks } from "./store/boot.ts";
import type { CompileState } from "./store/state.ts";
import { AppProvider } from "./ui/app/context.tsx";
import { Page } from "./ui/app/app.tsx";
import { examples } from "./ui/examples/examples.ts";
import { createWorkerClient } from "./worker/client.ts";
import "./ui/theme.css";
import "./ui/page.css";

async function chooseClient(): Promise<CompilerClient> {
  // The scripted double serves tests of states that a real compiler rarely shows; builds for readers do not contain it.
  if ((import.meta.env.DEV || import.meta.env.MODE === "test") && new URLSearchParams(location.search).has("scripted")) {
    const { createScriptedClient } = await import("./testing/scripted-client.ts");
    const client = createScriptedClient();
    Object.assign(globalThis, { scriptedClient: client });
    return client;
  }
  return createWorkerClient();
}

/** On the document, for scripts and stories that wait: how far the newest request is and which compilation the panes show. */
function markRun({ phase, shown }: CompileState): void {
  const { dataset } = document.documentElement;
  dataset["phase"] = phase;
  if (shown !== null && phase === "done") dataset["runId"] = String(shown.sequence);
}

async function start(): Promise<void> {
  const root = document.getElementById("root");
  if (root === null) return;
  const example = (id: string): { text: string; name: string } | undefined => {
    const found = examples.find((item) => item.id === id);
    return found && { text: found.text, name: `${found.id}.relay` };
  };
  const first = examples[0]!;
  const app = createApp(await chooseClient(), browserSurroundings(), firstStart({ text: first.text, name: `${first.id}.relay`, exampleId: first.id }, example));
  watchLinks(app, example);
  if (import.meta.env.DEV) Object.assign(globalThis, { relayscopeApp: app });
  addEventListener("pagehide", app.actions.flushDraft);
  app.store.subscribe(({ compile }) => markRun(compile));
  createRoot(root).render(<AppProvider app={app}><Page /></AppProvider>);
  void app.actions.compileNow();
}

void start();
