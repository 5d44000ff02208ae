// What the actions work on: the store, the client and the view cache, with the little that the page takes
// from outside.
import type { StoreApi } from "zustand/vanilla";
import type { CompilerClient } from "../../protocol/api.ts";
import type { Draft } from "./start.ts";
import type { AppState, SettingsState } from "./state.ts";
import type { ViewCache } from "./views.ts";

/** What the page takes from its surroundings, so that the store runs in tests without a browser. */
export interface Surroundings {
  readonly now: () => number;
  /** Called with what a draft must keep, at most every 300 ms and when the page goes. */
  readonly saveDraft: (draft: Draft) => void;
  readonly saveSettings: (settings: SettingsState) => void;
}

export interface Handle {
  readonly store: StoreApi<AppState>;
  readonly client: CompilerClient;
  readonly views: ViewCache;
  readonly around: Surroundings;
  readonly get: () => AppState;
  readonly set: (patch: Partial<AppState>) => void;
}
