// A view's key as text: what caches keep it by. Nobody reads it back.
import { listingText } from "./listing-id.ts";
import type { ViewKey } from "./views.ts";

/** Equal keys have equal texts, others do not. */
export function viewKeyText(key: ViewKey): string {
  return key.kind === "listing" ? `listing ${listingText(key.id)}` : key.kind;
}
