// What is on screen as a link, and as a zip; copying the link. An imported model travels in a link as its
// Relay text, with seeded values for its weights; in the zip as the file that it is.
import type { ListingId } from "../../../protocol/listing-id.ts";
import type { App } from "../../store/app.ts";
import { encodeLink, type LinkState } from "../../store/permalink.ts";
import type { ShownRun } from "../../store/state.ts";
import { version } from "./version.ts";
import { saveFile } from "./save-file.ts";

/** "net.onnx" -> "net.relay". */
export function relayName(name: string): string {
  return `${name.replace(/\.(onnx|tflite|lite)$/i, "")}.relay`;
}

/** The newest run of the open source that came as far as reading it, null before there is one. */
function currentRun(app: App): ShownRun | null {
  const { source, compile } = app.store.getState();
  const file = source.file?.file ?? null;
  return (
    [compile.failure, compile.shown].find(
      (run) => run !== null && run.file === file && (file !== null || run.text === source.text),
    ) ?? null
  );
}

/**
 * The Relay text of the open model: the source itself, or what the file was imported as; null where it could
 * not be.
 */
export async function relayText(app: App): Promise<string | null> {
  const { source } = app.store.getState();
  if (source.file === null) return source.text;
  const run = currentRun(app);
  // A file that was refused has facts, but no node.
  if (run === null || run.summary.sources.length === 0) return null;
  const reply = await app.views.load(run.runId, { kind: "listing", id: { kind: "relay", step: -1 } });
  return reply.status === "listing" ? reply.listing.text : null;
}

function linkState(app: App, text: string): LinkState {
  const { source, options, layout, selection } = app.store.getState();
  const { tabA, tabB, planner, stage, diffBefore, diffAfter } = layout;
  const imported = source.file === null ? null : source.name;
  return {
    source: {
      text,
      name: imported === null ? source.name : relayName(source.name),
      exampleId: source.exampleId,
    },
    imported,
    // Shapes and bound values are in the text already.
    options: imported === null ? options : { ...options, shapes: {}, bindFill: [], bindValues: {} },
    view: { tabA, tabB, planner, stage, diffBefore, diffAfter },
    // Source nodes of a file are other things than those of its text.
    pinned: imported !== null && selection.pinned?.kind === "source" ? null : selection.pinned,
  };
}

/**
 * Whole address of the open model with its Relay `text`, without what stands before the fragment being
 * changed.
 */
export function linkWith(app: App, text: string): string {
  const { origin, pathname } = location;
  return `${origin}${pathname}${encodeLink(linkState(app, text), version)}`;
}

/** null where the model could not be read. */
async function currentLink(app: App): Promise<string | null> {
  const text = await relayText(app);
  return text === null ? null : linkWith(app, text);
}

/**
 * Copies the link and puts it into the address bar (for text only: a reload shall find the file). Never adds
 * to the history.
 */
export async function copyLink(app: App): Promise<void> {
  const link = await currentLink(app);
  if (link === null) {
    app.actions.say("There is no link to a model that could not be read");
    return;
  }
  if (app.store.getState().source.file === null) history.replaceState(null, "", link);
  await navigator.clipboard.writeText(link);
  app.actions.say(`Copied the link, ${link.length.toLocaleString("en")} characters`);
}

async function outputs(app: App, run: ShownRun, withRelay: boolean): Promise<(readonly [string, string])[]> {
  const files: (readonly [string, string])[] = [];
  for (const { id, title } of run.summary.listings) {
    const name = outputName(id, title, withRelay && run.summary.sources.length > 0);
    if (name === null) continue;
    const reply = await app.views.load(run.runId, { kind: "listing", id });
    if (reply.status === "listing") files.push([name, reply.listing.text]);
  }
  return files;
}

/** The file of a listing in the zip, null for one that stays out of it. */
function outputName(id: ListingId, title: string, withRelay: boolean): string | null {
  switch (id.kind) {
    case "relay":
      return withRelay && id.step === -1 ? "imported.relay" : null;
    case "tir":
    case "schedule":
    case "shape":
    case "kernel":
      return null;
    case "c-library":
    case "c-header":
    case "c-runtime":
      return title;
    case "aot":
      return "aot-main.tir";
    case "wat":
      return "module.wat";
    case "graph-json":
      return "graph.json";
    case "metadata":
      return "metadata.json";
  }
}

async function bytesOf(file: Blob): Promise<Uint8Array> {
  return new Uint8Array(await file.arrayBuffer());
}

/** Makes the zip and hands it to the browser's downloads. */
export async function saveRepro(app: App): Promise<void> {
  const { packRepro } = await import("../../store/repro-zip.ts");
  const { source, options, compile } = app.store.getState();
  const run = currentRun(app);
  const { file } = source;
  const bytes = packRepro({
    source: {
      kind: file?.kind ?? "relay",
      name: file === null && !source.name.includes(".") ? `${source.name}.relay` : source.name,
      bytes: file === null ? new TextEncoder().encode(source.text) : await bytesOf(file.file),
      extra: await Promise.all(
        (file?.extra ?? []).map(async (one) => ({ name: one.name, bytes: await bytesOf(one.file) })),
      ),
    },
    options,
    version,
    diagnostics: compile.diagnostics,
    stoppedAt: run?.stoppedAt ?? null,
    outputs: run === null ? [] : await outputs(app, run, file !== null),
  });
  const base = source.name.replace(/\.(relay|txt|onnx|tflite|lite)$/i, "");
  saveFile(`${base}.repro.zip`, [bytes], "application/zip");
  app.actions.say(`Saved ${base}.repro.zip, ${bytes.length.toLocaleString("en")} bytes`);
}
