// A view's key as text: what caches keep it by.
import { listingOf, listingText } from "./listing-id.ts";
import type { ViewKey } from "./views.ts";

export function viewKeyText(key: ViewKey): string {
  return key.kind === "listing" ? `listing ${listingText(key.id)}` : key.kind;
}

/** The key that `viewKeyText` made the text of; null for a text that it did not make. */
export function viewKeyOf(text: string): ViewKey | null {
  if (text === "graph" || text === "memory" || text === "wasm") return { kind: text };
  const id = text.startsWith("listing ") ? listingOf(text.slice("listing ".length)) : null;
  return id === null ? null : { kind: "listing", id };
}
