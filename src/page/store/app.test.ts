import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { CompileReply } from "../../protocol/compile.ts";
import { defaultOptions } from "../../compiler/options.ts";
import { lenetSummary } from "../../testing/harness/lenet-run.ts";
import { createScriptedClient } from "../../testing/harness/scripted-client.ts";
import { applyReply, applyRequest, noCompile, type Asked } from "./apply-reply.ts";
import { createApp } from "./app.ts";
import { shownCallMicros, staleSince } from "./selectors.ts";
import { emptyStart, type Draft } from "./start.ts";

const asked = (sequence: number): Asked => ({
  sequence,
  source: { kind: "relay", text: "t", name: "t" },
  options: defaultOptions,
});
const ok = (runId: number): CompileReply => ({
  status: "ok",
  runId,
  diagnostics: [],
  summary: lenetSummary(""),
  stoppedAt: null,
});
const failed = (runId: number): CompileReply => ({
  status: "failed",
  runId,
  diagnostics: [],
  summary: lenetSummary(""),
  stoppedAt: "types",
});

test("a reply older than what is shown is dropped", () => {
  let state = applyRequest(applyRequest(noCompile, 1), 2);
  state = applyReply(state, asked(2), ok(2), 10);
  expect(state.phase).toBe("done");
  expect(applyReply(state, asked(1), ok(1), 20)).toBe(state);
  expect(applyReply(state, asked(1), failed(1), 20)).toBe(state);
});

test("a good reply that is not the newest is shown as stale and the newest is still waited for", () => {
  const state = applyReply(applyRequest(applyRequest(noCompile, 1), 2), asked(1), ok(1), 10);
  expect([state.shown?.runId, state.stale, state.phase]).toEqual([1, true, "compiling"]);
});

test("failure, crash and stop keep the last good output and mark it", () => {
  const good = applyReply(applyRequest(noCompile, 1), asked(1), ok(1), 10);
  for (const reply of [
    failed(2),
    { status: "crashed", runId: 2, message: "m", repro: "r" } as const,
    { status: "cancelled", runId: 2 } as const,
  ]) {
    const state = applyReply(applyRequest(good, 2), asked(2), reply, 20);
    expect([state.shown?.runId, state.shown?.at, state.stale]).toEqual([1, 10, true]);
  }
  const again = applyReply(
    applyRequest(applyReply(applyRequest(good, 2), asked(2), failed(2), 20), 3),
    asked(3),
    ok(3),
    30,
  );
  expect([again.shown?.runId, again.stale, again.failure, again.phase]).toEqual([3, false, null, "done"]);
});

function setup(script: Parameters<typeof createScriptedClient>[0] = {}) {
  const client = createScriptedClient(script);
  const drafts: Draft[] = [];
  let clock = 1000;
  const app = createApp(
    client,
    { now: () => clock++, saveDraft: (draft) => drafts.push(draft), saveSettings: () => {} },
    emptyStart,
  );
  return { app, client, drafts, state: app.store.getState };
}
beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test("typing compiles once, 150 ms after the last key, and drafts are saved", async () => {
  const { app, client, drafts, state } = setup();
  app.actions.edit("a");
  await vi.advanceTimersByTimeAsync(100);
  app.actions.edit("ab");
  await vi.advanceTimersByTimeAsync(149);
  expect(client.requests).toHaveLength(0);
  await vi.advanceTimersByTimeAsync(200);
  expect(client.requests.map((request) => request.source.text)).toEqual(["ab"]);
  expect(state().compile.phase).toBe("done");
  expect(drafts.at(-1)?.text).toBe("ab");
});

test("the reply of an old run never shows over a newer one", async () => {
  const { app, client, state } = setup({ delay: 500 });
  app.actions.edit("old");
  await vi.advanceTimersByTimeAsync(200);
  client.script.delay = 10;
  app.actions.edit("new");
  await vi.advanceTimersByTimeAsync(1000);
  expect(state().compile.shown?.text).toBe("new");
  expect(state().compile.stale).toBe(false);
});

test("a slow compile dims what is shown after 150 ms, and an error keeps it dimmed", async () => {
  const { app, client, state } = setup();
  app.actions.edit("good");
  await vi.advanceTimersByTimeAsync(200);
  const { at } = state().compile.shown!;
  client.script.delay = 1000;
  app.actions.edit("bad !error");
  await vi.advanceTimersByTimeAsync(200);
  expect(staleSince(state())).toBeNull();
  await vi.advanceTimersByTimeAsync(200);
  expect(staleSince(state())).toBe(at);
  await vi.advanceTimersByTimeAsync(2000);
  expect(state().compile.phase).toBe("failed");
  expect(staleSince(state())).toBe(at);
  expect(state().compile.diagnostics[0]?.code).toBe("RS2104");
});

test("views of the stale run are held while the worker forgets it", async () => {
  const { app, state } = setup();
  app.actions.edit("good");
  await vi.advanceTimersByTimeAsync(200);
  const { runId } = state().compile.shown!;
  for (let i = 0; i < 3; i++) {
    app.actions.edit(`bad ${i} !error`);
    await vi.advanceTimersByTimeAsync(200);
  }
  expect(app.views.peek(runId, { kind: "graph" })?.status).toBe("graph");
  expect(app.views.peek(runId, { kind: "listing", id: { kind: "c-library", library: 1 } })?.status).toBe(
    "listing",
  );
});

test("an example over own text can be undone; over an untouched example there is nothing to undo", async () => {
  const { app, state } = setup();
  app.actions.replaceSource({ text: "one", name: "one", exampleId: "one" }, "The example");
  expect(state().toast).toBeNull();
  app.actions.edit("mine");
  app.actions.replaceSource({ text: "two", name: "two", exampleId: "two" }, "The example");
  expect(state().toast?.action).toBe("undo");
  app.actions.undoReplace();
  expect(state().source.text).toBe("mine");
  await vi.advanceTimersByTimeAsync(500);
  expect(state().compile.shown?.text).toBe("mine");
});

test("run compiles first when the text is newer, and its times belong to that run only", async () => {
  const { app, state } = setup();
  app.actions.edit("a");
  const running = app.actions.run();
  await vi.advanceTimersByTimeAsync(200);
  await running;
  expect(state().layout.tabB).toBe("result");
  expect(shownCallMicros(state())?.length).toBe(8);
  app.actions.edit("b");
  await vi.advanceTimersByTimeAsync(200);
  expect(shownCallMicros(state())).toBeNull();
});

test("stop cancels and keeps the text", async () => {
  const { app, client, state } = setup({ delay: 10_000 });
  app.actions.edit("long");
  await vi.advanceTimersByTimeAsync(400);
  app.actions.stop();
  await vi.advanceTimersByTimeAsync(10);
  expect([client.cancels.compile, state().compile.phase, state().source.text]).toEqual([
    1,
    "stopped",
    "long",
  ]);
});

test("a pin survives an edit and goes when its thing goes", async () => {
  const { app, state } = setup();
  app.actions.edit("a");
  await vi.advanceTimersByTimeAsync(200);
  app.actions.pin({ kind: "primitive", id: 2 });
  app.actions.edit("ab");
  await vi.advanceTimersByTimeAsync(200);
  expect(state().selection.pinned).toEqual({ kind: "primitive", id: 2 });
  app.actions.edit("");
  await vi.advanceTimersByTimeAsync(200);
  expect([state().selection.pinned, state().compile.shown, state().compile.phase]).toEqual([
    null,
    null,
    "idle",
  ]);
});

test("a replaced worker is told once", () => {
  const { app, client, state } = setup();
  client.killWorkerForTest();
  expect(state().compile.workerReplaced).toBe("killed by the test");
  app.actions.dismissWorkerNote();
  expect(state().compile.workerReplaced).toBeNull();
});

test("a model file is compiled as a file, and Undo brings it back with its options", async () => {
  const { app, client, state } = setup();
  const file = new Blob(["bytes"]);
  app.actions.replaceSource(
    { text: "", file: { kind: "onnx", file, extra: [] }, name: "net.onnx", exampleId: null },
    "The file",
  );
  await vi.advanceTimersByTimeAsync(10);
  expect(client.requests.at(-1)?.source).toEqual({
    kind: "onnx",
    text: "",
    name: "net.onnx",
    file,
    extra: [],
  });
  expect(state().compile.shown?.file).toBe(file);
  app.actions.setOptions({ shapes: { x: [1, 3] } });
  app.actions.replaceSource(
    { text: "two", name: "two", exampleId: "two", options: { partition: ["ccompiler"] } },
    "The example",
  );
  expect([state().options.shapes, state().options.partition]).toEqual([{}, ["ccompiler"]]);
  app.actions.undoReplace();
  expect([state().source.file?.file, state().options.shapes, state().options.partition]).toEqual([
    file,
    { x: [1, 3] },
    [],
  ]);
});

test("a file that a reload lost gets the options that it had when it is dropped again", () => {
  const client = createScriptedClient();
  const start = {
    ...emptyStart,
    awaited: "net.onnx",
    source: { ...emptyStart.source, options: { ...defaultOptions, shapes: { x: [2] } } },
  };
  const app = createApp(client, { now: () => 0, saveDraft: () => {}, saveSettings: () => {} }, start);
  const file = { kind: "onnx", file: new Blob(["bytes"]), extra: [] } as const;
  app.actions.replaceSource({ text: "", file, name: "net.onnx", exampleId: null }, "The file");
  expect([app.store.getState().options.shapes, app.store.getState().awaited]).toEqual([{ x: [2] }, null]);
  app.actions.replaceSource({ text: "", file, name: "other.onnx", exampleId: null }, "The file");
  expect(app.store.getState().options.shapes).toEqual({});
});

test("several targets belong to the model that needs them", () => {
  const { app, state } = setup();
  app.actions.setOptions({ targets: [{ device: 1, kind: "wasm" }] });
  app.actions.replaceSource(
    {
      text: "a",
      name: "a",
      exampleId: "a",
      options: {
        targets: [
          { device: 1, kind: "c" },
          { device: 4, kind: "opencl" },
        ],
      },
    },
    "The example",
  );
  expect(state().options.targets).toHaveLength(2);
  app.actions.replaceSource({ text: "b", name: "b", exampleId: "b" }, "The example");
  expect(state().options.targets).toEqual([{ device: 1, kind: "c" }]);
});
