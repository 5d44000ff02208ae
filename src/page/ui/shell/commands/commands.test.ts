import { expect, test } from "vitest";
import { createApp } from "../../../store/app.ts";
import { emptyStart } from "../../../store/start.ts";
import { createScriptedClient } from "../../../../testing/harness/scripted-client.ts";
import { commandsFor } from "./commands.ts";
import { matchesKey } from "./keys.ts";

const key = (key: string, more: Partial<KeyboardEvent> = {}) => ({
  key,
  code: "",
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...more,
});

test("keys match with their modifiers and no others", () => {
  expect(matchesKey(key("Enter", { ctrlKey: true }), "Mod+Enter")).toBe(true);
  expect(matchesKey(key("Enter", { ctrlKey: true, shiftKey: true }), "Mod+Enter")).toBe(false);
  expect(matchesKey(key("s", { ctrlKey: true }), "Mod+S")).toBe(true);
  expect(matchesKey(key("S", { ctrlKey: true, shiftKey: true }), "Mod+Shift+S")).toBe(true);
  expect(matchesKey(key("[", {}), "[")).toBe(true);
  expect(matchesKey(key("?", { shiftKey: true }), "?")).toBe(true);
  expect(matchesKey(key("¡", { altKey: true, code: "Digit1" }), "Alt+1")).toBe(true);
  expect(matchesKey(key("m", { ctrlKey: true }), "M")).toBe(false);
});

test("no key does two things, and every command has its own id", () => {
  const app = createApp(
    createScriptedClient(),
    { now: () => 0, saveDraft: () => {}, saveSettings: () => {} },
    emptyStart,
  );
  const commands = commandsFor(app);
  const keys = commands.flatMap((command) => command.keys);
  expect(new Set(keys).size).toBe(keys.length);
  expect(new Set(commands.map((command) => command.id)).size).toBe(commands.length);
});
