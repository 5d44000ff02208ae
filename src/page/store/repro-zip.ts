// A `.repro.zip`: everything that somebody else needs to see what you see. Source or model file, options,
// version, what the compiler said, the C and WAT that it made, and a README. Dropping one on the page opens
// it again. Pure.
import { mostZipBytes } from "../../compiler/limits.ts";
import { changedOptions } from "./changed-options.ts";
import { knownOptions } from "./known-options.ts";
import { strFromU8, strToU8, unzipSync, zipSync, type Zippable } from "fflate";
import { type Options } from "../../compiler/options.ts";
import { own } from "../../support/own.ts";
import { type DiagnosticView } from "../../protocol/compile.ts";

const manifestName = "relayscope.json";
const readmeName = "README.md";
const format = 1;

interface ReproFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

interface ReproSource {
  readonly kind: "relay" | "onnx" | "tflite";
  readonly name: string;
  /** The Relay text (UTF-8) or the model file. */
  readonly bytes: Uint8Array;
  readonly extra: readonly ReproFile[];
}

export interface ReproInput {
  readonly source: ReproSource;
  readonly options: Options;
  readonly version: string;
  readonly diagnostics: readonly DiagnosticView[];
  /** Where the compilation stopped, null if it did not. */
  readonly stoppedAt: string | null;
  /** What was made, by file name: C, WAT, Relay, graph JSON. */
  readonly outputs: readonly (readonly [name: string, text: string])[];
}

interface Manifest {
  readonly format: number;
  readonly version: string;
  readonly kind: ReproSource["kind"];
  readonly name: string;
  readonly model: string;
  readonly extra: readonly string[];
  readonly options: Options;
}

/** Two names of one zip may not be one path: directories of a name go. */
function plainName(name: string): string {
  const last = name.slice(Math.max(name.lastIndexOf("/"), name.lastIndexOf("\\")) + 1);
  return last.replace(/^\.+/, "") || "model";
}

function extraPath(name: string): string {
  return `model/${plainName(name)}`;
}

export function packRepro(input: ReproInput): Uint8Array<ArrayBuffer> {
  const { source, options, version } = input;
  const model = `model/${plainName(source.name)}`;
  const manifest: Manifest = {
    format,
    version,
    kind: source.kind,
    name: source.name,
    model,
    extra: source.extra.map(({ name }) => extraPath(name)),
    options,
  };
  const files: Zippable = {
    [readmeName]: strToU8(readme(input, manifest)),
    [manifestName]: strToU8(`${JSON.stringify(manifest, null, 2)}\n`),
    "diagnostics.txt": strToU8(diagnosticsText(input)),
  };
  // Weights do not get smaller, and take long.
  const level = source.kind === "relay" ? 9 : 0;
  files[model] = [source.bytes, { level }];
  for (const { name, bytes } of source.extra) files[extraPath(name)] = [bytes, { level: 0 }];
  for (const [name, text] of input.outputs) files[`out/${plainName(name)}`] = strToU8(text);
  return new Uint8Array(zipSync(files, { level: 6 }));
}

function diagnosticsText({ diagnostics, stoppedAt }: ReproInput): string {
  const rows = diagnostics.map((found) => {
    const place = found.line > 0 ? `${found.line}:${found.column} ` : "";
    const parts = (
      [
        ["expected", found.expected],
        ["got", found.got],
        ["because", found.because],
        ["hint", found.hint],
      ] as const
    ).flatMap(([term, text]) => (text === null ? [] : [`  ${term}: ${text}`]));
    return [
      `${place}${found.severity} ${found.code} (${found.stage}): ${found.message}`,
      ...parts,
      ...found.notes.map((note) => `  note: ${note}`),
    ].join("\n");
  });
  const end =
    stoppedAt === null ? "The compilation came to its end." : `The compilation stopped in ${stoppedAt}.`;
  return `${[...(rows.length === 0 ? ["No problems."] : rows), end].join("\n\n")}\n`;
}

function changed(options: Options): string {
  const rows = Object.entries(changedOptions(options));
  return rows.length === 0
    ? "All options are the defaults."
    : rows.map(([key, value]) => `- ${key}: \`${JSON.stringify(value)}\``).join("\n");
}

function readme({ source, version, options, outputs, diagnostics }: ReproInput, manifest: Manifest): string {
  const error = diagnostics.find(({ severity }) => severity === "error");
  return `# ${source.name}, as Relayscope ${version} compiled it

Drop this zip on the page to open it again: the model, its options and, if the version is the same, the same output.

- \`${manifest.model}\`: the ${source.kind === "relay" ? "Relay text" : `${source.kind.toUpperCase()} file, weights included`}${source.extra.length > 0 ? `, with ${source.extra.map(({ name }) => `\`${plainName(name)}\``).join(", ")}` : ""}
- \`${manifestName}\`: version and options
- \`diagnostics.txt\`: what the compiler said${error === undefined ? "" : ` (${error.code}: ${error.message})`}
${outputs.map(([name]) => `- \`out/${plainName(name)}\``).join("\n")}

${changed(options)}

The same from a command line: \`relayscope compile ${manifest.model} --json\`, with the options as flags.
`;
}

export type UnpackedRepro =
  | {
      readonly status: "read";
      readonly source: ReproSource;
      readonly options: Options;
      readonly version: string;
    }
  /** A zip, but none of ours, or a damaged one; `why` is for the reader. */
  | { readonly status: "unreadable"; readonly why: string };

/** Never throws, whatever the bytes are. */
export function unpackRepro(bytes: Uint8Array): UnpackedRepro {
  try {
    let size = 0;
    const files = unzipSync(bytes, {
      filter: ({ name, originalSize }) => {
        if (name !== manifestName && !name.startsWith("model/")) return false;
        size += originalSize;
        return size <= mostZipBytes;
      },
    });
    if (size > mostZipBytes)
      return {
        status: "unreadable",
        why: `it holds more than ${mostZipBytes / 1e9} GB; open the model that is in it`,
      };
    const text = files[manifestName];
    if (text === undefined)
      return { status: "unreadable", why: `it is no .repro.zip: ${manifestName} is missing` };
    return readManifest(JSON.parse(strFromU8(text)), files);
  } catch {
    return { status: "unreadable", why: "it is damaged or incomplete" };
  }
}

function isManifest(value: unknown): value is Manifest {
  return (
    typeof value === "object" &&
    value !== null &&
    "name" in value &&
    typeof value.name === "string" &&
    "model" in value &&
    typeof value.model === "string" &&
    "extra" in value &&
    Array.isArray(value.extra) &&
    "kind" in value &&
    ["relay", "onnx", "tflite"].some((kind) => kind === value.kind) &&
    "options" in value &&
    typeof value.options === "object" &&
    value.options !== null
  );
}

function readManifest(manifest: unknown, files: Readonly<Record<string, Uint8Array>>): UnpackedRepro {
  if (!isManifest(manifest)) return { status: "unreadable", why: `its ${manifestName} is not one` };
  if (manifest.format !== format)
    return {
      status: "unreadable",
      why: `it has format ${manifest.format}; this page reads format ${format}`,
    };
  const model = own(files, manifest.model);
  if (model === undefined) return { status: "unreadable", why: `${manifest.model} is missing` };
  const extra = manifest.extra.flatMap((path) => {
    const bytes = own(files, path);
    return bytes === undefined ? [] : [{ name: plainName(path), bytes }];
  });
  return {
    status: "read",
    version: manifest.version,
    options: knownOptions(manifest.options),
    source: { kind: manifest.kind, name: manifest.name, bytes: model, extra },
  };
}
