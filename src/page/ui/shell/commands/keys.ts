// Keys as the reader's keyboard says them, and whether an event is one: "Mod+Enter", "F6", "Alt+1", "[". Mod
// is Ctrl, or Cmd on a Mac.
import { last } from "../../../../support/assert.ts";

const mac = typeof navigator !== "undefined" && /Mac|iPhone|iPad/.test(navigator.platform);

/** "Ctrl+Shift+S" as the reader's keyboard says it. */
export function keyText(key: string): string {
  return mac
    ? key.replace("Mod+", "⌘").replace("Shift+", "⇧").replace("Alt+", "⌥")
    : key.replace("Mod+", "Ctrl+");
}

/** Whether a key event is `key`. Shift counts only where the key text names it or a letter is meant. */
export function matchesKey(
  event: Pick<KeyboardEvent, "key" | "code" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">,
  key: string,
): boolean {
  const parts = key.length === 1 ? [key] : key.split("+");
  const name = last(parts, "part of a key");
  const wants = (part: string): boolean => parts.slice(0, -1).includes(part);
  const mod = mac ? event.metaKey : event.ctrlKey;
  if (mod !== wants("Mod") || event.altKey !== wants("Alt")) return false;
  // Alt changes what digits and letters type on some layouts; the code does not lie.
  if (wants("Alt") && /^\d$/.test(name)) return event.code === `Digit${name}`;
  if (name.length > 1 || wants("Mod"))
    return event.key.toLowerCase() === name.toLowerCase() && event.shiftKey === wants("Shift");
  return event.key.toLowerCase() === name.toLowerCase();
}
