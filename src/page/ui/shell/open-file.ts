// Opening what the user chose or dropped: Relay text, a model file with its data files, a .repro.zip. Other
// kinds are refused by name, never guessed; what is on screen stays.
import { mostModelBytes, mostTextBytes } from "../../../compiler/limits.ts";
import { present } from "../../../support/assert.ts";
import type { DiagnosticView } from "../../../protocol/compile.ts";
import type { App } from "../../store/app.ts";
import { modelOptions, type NewSource } from "../../store/source-actions.ts";
import type { UnpackedRepro } from "../../store/repro-zip.ts";
import type { OpenedFile } from "../../store/state.ts";
import { lookAt, refusal, type LookedAt } from "./file-kind.ts";

/** ONNX: the values of a tensor are in another file, which did not come along. */
const dataMissing: DiagnosticView["code"] = "RS1822";

interface Looked {
  readonly file: File;
  readonly seen: LookedAt;
}

/** null where the browser cannot read it: a folder, or a file that is gone. */
async function look(file: File): Promise<Looked | null> {
  try {
    return { file, seen: lookAt(file.name, new Uint8Array(await file.slice(0, 512).arrayBuffer())) };
  } catch {
    return null;
  }
}

function refuse(app: App, text: string): void {
  app.actions.setNote({ title: "File", text });
}

function tooLarge(file: File, most: number, what: string): string {
  return `${file.name} has ${Math.round(file.size / 1e6).toLocaleString("en")} MB; ${what} of up to ${(most / 1e6).toLocaleString("en")} MB can be opened. The command line (relayscope compile) takes larger ones, or cut it into parts.`;
}

/** Opens one file, or a model with the data files that came together with it. */
export async function openFiles(files: readonly File[], app: App, by: string): Promise<void> {
  const [chosen] = files;
  if (chosen === undefined) return;
  const looked = (await Promise.all(files.map(look))).filter((one) => one !== null);
  const [first] = looked;
  if (first === undefined)
    return refuse(app, `${chosen.name} cannot be read. Folders cannot be opened: drop the files in it.`);
  const isModel = ({ seen }: Looked): boolean => seen.kind === "onnx" || seen.kind === "tflite";
  const main =
    looked.find(isModel) ??
    looked.find(({ seen }) => seen.kind === "zip") ??
    looked.find(({ seen }) => seen.kind === "text") ??
    first;
  const others = looked.filter((one) => one !== main);
  if (!isModel(main) && joinsOpenModel(looked, app)) return addData(looked, app);
  const why = refusal(main.file.name, main.file.size, main.seen);
  if (why !== null) refuse(app, why);
  else if (isModel(main)) openModel(main, others, app, by);
  else if (main.seen.kind === "zip") await openRepro(main.file, app);
  else await openText(main.file, app, by);
}

async function openText(file: File, app: App, by: string): Promise<void> {
  if (file.size > mostTextBytes) refuse(app, tooLarge(file, mostTextBytes, "text"));
  else app.actions.replaceSource({ text: await file.text(), name: file.name, exampleId: null }, by);
}

function openModel({ file, seen }: Looked, others: readonly Looked[], app: App, by: string): void {
  if (file.size > mostModelBytes) return refuse(app, tooLarge(file, mostModelBytes, "model files"));
  const second = others.find((other) => other.seen.kind === seen.kind);
  app.actions.replaceSource(
    {
      text: "",
      name: file.name,
      exampleId: null,
      file: {
        kind: seen.kind === "onnx" ? "onnx" : "tflite",
        file,
        extra: others.map((other) => ({ name: other.file.name, file: other.file })),
      },
      ...(second === undefined
        ? {}
        : {
            note: {
              title: "File" as const,
              text: `One model at a time: ${file.name} is open, ${second.file.name} is not.`,
            },
          }),
    },
    by,
  );
}

/** The open model waits for its data files, and these may be they. */
function joinsOpenModel(looked: readonly Looked[], app: App): boolean {
  const { source, compile } = app.store.getState();
  const missing =
    compile.phase === "failed" ? compile.diagnostics.filter(({ code }) => code === dataMissing) : [];
  const isData = ({ seen, file }: Looked): boolean =>
    file.size > 0 &&
    (missing.some(({ subject }) => subject?.kind === "file" && subject.name === file.name) ||
      (seen.kind === "unknown" && seen.format === null));
  return source.file !== null && missing.length > 0 && looked.every(isData);
}

function addData(looked: readonly Looked[], app: App): void {
  const { source, options } = app.store.getState();
  const added = looked.map(({ file }) => ({ name: file.name, file }));
  const extra = [
    ...(source.file?.extra ?? []).filter(({ name }) => added.every((one) => one.name !== name)),
    ...added,
  ];
  const file: OpenedFile = { ...present(source.file, "open model"), extra };
  app.actions.replaceSource(
    { text: "", name: source.name, exampleId: null, file, options: modelOptions(options) },
    "Its data",
  );
}

async function openRepro(file: File, app: App): Promise<void> {
  const { unpackRepro } = await import("../../store/repro-zip.ts");
  const read = unpackRepro(new Uint8Array(await file.arrayBuffer()));
  if (read.status === "unreadable")
    return refuse(
      app,
      `${file.name} cannot be opened: ${read.why}. A single model inside a zip is opened after unpacking it.`,
    );
  app.store.setState({ options: read.options });
  app.actions.replaceSource(reproSource(file.name, read), file.name);
}

function reproSource(
  zip: string,
  { source, options, version }: Extract<UnpackedRepro, { status: "read" }>,
): NewSource {
  const made = { title: "File" as const, text: `${zip} was made with Relayscope ${version}.` };
  const rest = { name: source.name, exampleId: null, options: modelOptions(options), note: made };
  if (source.kind === "relay") return { ...rest, text: new TextDecoder().decode(source.bytes) };
  const blob = (bytes: Uint8Array, name: string): File => new File([new Uint8Array(bytes)], name);
  return {
    ...rest,
    text: "",
    file: {
      kind: source.kind,
      file: blob(source.bytes, source.name),
      extra: source.extra.map(({ name, bytes }) => ({ name, file: blob(bytes, name) })),
    },
  };
}

export function chooseFile(app: App): void {
  const input = document.createElement("input");
  input.type = "file";
  input.multiple = true;
  // No filter: data files of a model have any name, and a wrong file is told what it is.
  input.addEventListener("change", () => void openFiles([...(input.files ?? [])], app, "The file"));
  input.click();
}
