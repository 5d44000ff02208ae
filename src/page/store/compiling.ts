// Compiling: what is asked when, what is done with the reply, and what outlives the worker's memory.
import type { CompileReply, RunId, Source, Summary } from "../../protocol/compile.ts";
import { sameListing, type ListingId } from "../../protocol/listing-id.ts";
import type { ViewKey } from "../../protocol/views.ts";
import { applyReply, applyRequest, noCompile, type Asked } from "./apply-reply.ts";
import type { Handle } from "./handle.ts";
import { carryEntity } from "./selection.ts";
import { firstLayout } from "./start.ts";
import type { AppState, LayoutState, SourceState } from "./state.ts";

const debounceMs = 150;
const slowMs = 150;

export interface Compiling {
  readonly compileNow: () => Promise<void>;
  /** After a rest of 150 ms. */
  readonly compileSoon: () => void;
  /** Forgets a compilation that waits for the rest. */
  readonly forget: () => void;
  readonly dispose: () => void;
}

export function createCompiling({ client, views, around, get, set }: Handle): Compiling {
  let typing: ReturnType<typeof setTimeout> | undefined;
  let slow: ReturnType<typeof setTimeout> | undefined;

  function settle(asked: Asked, reply: CompileReply): void {
    const before = get().compile;
    const after = applyReply(before, asked, reply, around.now());
    if (after === before) return;
    if (after.phase !== "compiling") clearTimeout(slow);
    const patch: { -readonly [K in keyof AppState]?: AppState[K] } = { compile: after };
    if (after.shown !== null && after.shown !== before.shown) {
      const { pinned } = get().selection;
      const summary = before.shown?.summary;
      patch.selection = {
        hover: null,
        pinned: pinned && summary ? carryEntity(summary, after.shown.summary, pinned) : pinned,
      };
      patch.layout = layoutFor(get().layout, after.shown.summary);
    }
    set(patch);
    if (after.stale && after.shown !== null && !before.stale) holdStale(after.shown.runId);
    views.keepOnly(
      [after.shown?.runId, before.shown?.runId, after.failure?.runId].filter((id) => id !== undefined),
    );
  }

  function holdStale(runId: RunId): void {
    for (const key of keptWhenStale) void views.load(runId, key);
  }

  async function compileNow(): Promise<void> {
    clearTimeout(typing);
    clearTimeout(slow);
    const { source, options, compile } = get();
    const asked: Asked = { sequence: compile.latestRequested + 1, source: requestSource(source), options };
    if (isEmpty(source)) {
      // Nothing to compile is the empty page, not an error.
      client.cancel();
      set({
        compile: { ...noCompile, latestRequested: asked.sequence },
        selection: { hover: null, pinned: null },
      });
      return;
    }
    set({ compile: applyRequest(compile, asked.sequence) });
    slow = setTimeout(() => {
      if (get().compile.phase === "compiling") set({ compile: { ...get().compile, slow: true } });
    }, slowMs);
    const reply = await client.compile(asked.source, options);
    settle(asked, reply);
  }

  return {
    compileNow,
    compileSoon() {
      clearTimeout(typing);
      typing = setTimeout(() => void compileNow(), debounceMs);
    },
    forget: () => clearTimeout(typing),
    dispose() {
      clearTimeout(typing);
      clearTimeout(slow);
    },
  };
}

const keptListings: readonly ListingId[] = [
  { kind: "c-library", library: 0 },
  { kind: "c-library", library: 1 },
  { kind: "c-header" },
  { kind: "wat" },
  { kind: "graph-json" },
  { kind: "metadata" },
  { kind: "aot" },
  { kind: "relay", step: -1 },
];

/**
 * Views that must outlive the worker's memory once a later run failed: what the panes show while it is stale.
 */
const keptWhenStale: readonly ViewKey[] = [
  { kind: "graph" },
  { kind: "memory" },
  ...keptListings.map((id): ViewKey => ({ kind: "listing", id })),
];

export function isEmpty({ text, file }: Pick<SourceState, "text" | "file">): boolean {
  return file === null && text.trim() === "";
}

function requestSource({ text, file, name }: SourceState): Source {
  return file === null ? { kind: "relay", text, name } : { ...file, text: "", name };
}

/** Indices that the new run does not have any more fall back. */
function layoutFor(layout: LayoutState, { primitives, steps, listings }: Summary): LayoutState {
  const beyond = (step: number | null): boolean => step !== null && step >= steps.length;
  const has = (wanted: ListingId): boolean => listings.some(({ id }) => sameListing(id, wanted));
  const reset = beyond(layout.diffBefore) || beyond(layout.diffAfter);
  return {
    ...layout,
    tirPrimitive: layout.tirPrimitive >= primitives.length ? 0 : layout.tirPrimitive,
    tirListing: layout.tirListing !== null && has(layout.tirListing) ? layout.tirListing : null,
    cFile: has(layout.cFile) ? layout.cFile : firstLayout.cFile,
    ...(reset ? { diffBefore: null, diffAfter: null } : {}),
  };
}
