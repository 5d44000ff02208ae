// Damaged files, links and zips: reading and compiling them ends in a message or in a model, never in an
// error of ours.
import { strToU8, zipSync } from "fflate";
import { compile } from "../../compiler/compile.ts";
import type { Compilation } from "../../compiler/compilation.ts";
import { CompileError } from "../../compiler/ir/diagnostic.ts";
import { defaultOptions, type Options } from "../../compiler/options.ts";
import { filledInputs, verifyingHost } from "../../node/engine.ts";
import { runDynamic } from "../../runtime/dynamic-run.ts";
import { runPrimitive } from "../../runtime/jit.ts";
import { runModel } from "../../runtime/run.ts";
import { decodeLink, encodeLink, plainView } from "../../page/store/permalink.ts";
import { packRepro, unpackRepro } from "../../page/store/repro-zip.ts";
import { detectorFile } from "../harness/detector-file.ts";
import { dscnn, resnet8, squeeze, transformer } from "../harness/onnx-networks.ts";
import { writeOnnx } from "../harness/onnx-writer.ts";
import { mutatedBytes, mutatedPlain, mutatedProtobuf, mutatedText, type Plain } from "./mutate.ts";
import { randomOnnxNode } from "./onnx-node.ts";
import { programText, randomProgram } from "./program.ts";
import type { Random } from "./random.ts";
import { randomOptions } from "./settings.ts";
import { tfliteModel } from "./tflite-models.ts";
import { crash, messageProblem, type Problem } from "./ways.ts";

export interface FileTried {
  readonly problems: readonly Problem[];
  readonly refused: boolean;
  readonly runs: number;
}

type Source = Parameters<typeof compile>[0];

/** Memory that a damaged model may take to be run, bytes. */
const mostBytes = 2 ** 22;

/** Compiles what was read and, where it is small, runs it. */
async function tryCompile(source: Source, options: Options): Promise<FileTried> {
  try {
    const done = await compile(source, options, verifyingHost);
    const errors = done.diagnostics.flatMap((found, i) =>
      found.severity === "error" ? [messageProblem(found, done.diagnosticStages[i] ?? "")] : [],
    );
    // Files have no lines: their messages name the node.
    const problems = errors.filter(
      (one): one is Problem => one !== null && (source.kind === "relay" || !/no place/.test(one.key)),
    );
    if (errors.length > 0) return { problems, refused: true, runs: 0 };
    return { problems, refused: false, runs: runIfSmall(done) ? 1 : 0 };
  } catch (error) {
    return { problems: [crash(source.kind, error)], refused: false, runs: 0 };
  }
}

function runIfSmall(done: Compilation): boolean {
  try {
    if (done.reached === "dynamic")
      runDynamic({ plan: done.dynamic, te: done.teCompiler }, filledInputs(done), runPrimitive);
    else if (done.reached === "wasm" && done.wasm.layout.totalBytes < mostBytes)
      runModel(done, filledInputs(done), { repeats: 0 });
    return done.reached === "wasm";
  } catch (error) {
    if (error instanceof CompileError || (error instanceof Error && /^no value/.test(error.message)))
      return false;
    throw error;
  }
}

export function tryDamagedOnnx(rng: Random): Promise<FileTried> {
  const whole = rng.chance(0.95)
    ? randomOnnxNode(rng).file
    : rng.pick([resnet8, dscnn, squeeze, () => transformer(4, 8, 2)])();
  const bytes = mutatedProtobuf(rng, writeOnnx(whole));
  return tryCompile({ kind: "onnx", name: "fuzz.onnx", bytes, files: new Map() }, defaultOptions);
}

export function tryDamagedTflite(rng: Random): Promise<FileTried> {
  const bytes = rng.chance(0.85)
    ? tfliteModel(rng)
    : detectorFile({ anchors: 6, classes: 2, detections: 3, scoreThreshold: 0.2, overlapThreshold: 0.5 });
  const damaged = rng.chance(0.5) ? mutatedBytes(rng, bytes) : bytes;
  return tryCompile(
    { kind: "tflite", name: "fuzz.tflite", bytes: damaged, files: new Map() },
    defaultOptions,
  );
}

const smallText =
  "def @main(%x: Tensor[(2, 3), float32], %w: Tensor[(4, 3), float32]) {\n  nn.relu(nn.dense(%x, %w))\n}\n";

/** Links whose checksum is right and whose options are not, and links with characters changed. */
export async function tryDamagedLink(rng: Random): Promise<FileTried> {
  const text = rng.chance(0.5) ? smallText : programText(randomProgram(rng, 2));
  const options = mutatedPlain(rng, randomOptions(rng, "link") as unknown as Plain) as unknown as Options;
  const state = {
    source: { text, name: "fuzz", exampleId: null },
    imported: null,
    options,
    view: plainView,
    pinned: null,
  };
  let link: string;
  try {
    link = encodeLink(state, "0.1.0");
  } catch {
    link = encodeLink({ ...state, options: defaultOptions }, "0.1.0");
  }
  const damaged = rng.chance(0.5) ? mutatedText(rng, link) : link;
  try {
    const read = decodeLink(damaged, () => undefined);
    if (read.status !== "read") return { problems: [], refused: true, runs: 0 };
    return await tryCompile(
      { kind: "relay", text: read.state.source.text, name: "link" },
      read.state.options,
    );
  } catch (error) {
    return { problems: [crash("link", error)], refused: false, runs: 0 };
  }
}

/** Zips with other manifests, and with bytes changed. */
export async function tryDamagedZip(rng: Random): Promise<FileTried> {
  const source = { kind: "relay", name: "fuzz.relay", bytes: strToU8(smallText), extra: [] } as const;
  const manifest: Plain = {
    ...{
      format: 1,
      version: "0.1.0",
      kind: "relay",
      name: "fuzz.relay",
      model: "model/fuzz.relay",
      extra: [],
    },
    options: randomOptions(rng, "zip") as unknown as Plain,
  };
  const text = JSON.stringify(mutatedPlain(rng, manifest));
  const made = rng.chance(0.7)
    ? zipSync({ "relayscope.json": strToU8(text), "model/fuzz.relay": strToU8(smallText) })
    : packRepro({
        source,
        options: defaultOptions,
        version: "0.1.0",
        diagnostics: [],
        stoppedAt: null,
        outputs: [],
      });
  const bytes = rng.chance(0.5) ? mutatedBytes(rng, made) : made;
  try {
    const read = unpackRepro(bytes);
    if (read.status !== "read") return { problems: [], refused: true, runs: 0 };
    const { kind, name, bytes: model } = read.source;
    const opened: Source =
      kind === "relay"
        ? { kind, text: new TextDecoder().decode(model), name }
        : { kind, name, bytes: model, files: new Map() };
    return await tryCompile(opened, read.options);
  } catch (error) {
    return { problems: [crash("zip", error)], refused: false, runs: 0 };
  }
}
