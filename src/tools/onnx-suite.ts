// npm run onnx-suite [-- DIR] [--only TEXT] [--opsets 18-22]: ONNX's own backend tests (node, simple,
// pytorch-*), compiled and run on WebAssembly. Debian keeps those of ONNX 1.12 in libonnx-testdata (sudo
// apt-get install libonnx-testdata); DIR is the folder onnx/backend/test/data of the sources of any release,
// --opsets takes the tests that import one of these opsets. Prints how many pass and names the rest.
//
// Where a shape is an input of a test (Reshape, Expand, Slice, Pad, Range, …) or depends on values (NonZero,
// Compress), the program is compiled with dynamic dimensions and its kernels are made for the shapes at hand.
// What the program itself depends on (axes, scales of quantised sums, how often a loop runs, boxes that
// suppress others) must be known when importing: such inputs are given as `--bind NAME=FILE.pb` does, exactly
// those that flow into a place for which the operator table (frontend/onnx/ops) asks for a value, and inputs
// whose value has another shape than the file says. The count of tests that do so is printed. All other
// inputs are parameters of the compiled program.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { decodeModel } from "../compiler/frontend/onnx/model-proto.ts";
import { runOnnxTest, type Verdict } from "./onnx-case.ts";

/** Where Debian's package puts the tests. */
const debian = "/usr/share/libonnx-testdata/data";
/** So many of the 1,072 tests of ONNX 1.12 pass (later releases only add to them): fewer is an error. */
const leastPassing = 1030;
const groups = ["node", "simple", "pytorch-converted", "pytorch-operator"];

/** Tests whose own values are not what their node says, and why we keep ours. */
const disputed: ReadonlyMap<string, string> = new Map([
  [
    "test_adam_multiple",
    "its node leaves out the epsilon of 0.01 that its values were computed with; the default is 0.000001",
  ],
  [
    "test_averagepool_3d_dilations_large_count_include_pad_is_1_ceil_mode_is_True",
    "its values count elements behind the padding; ONNX Runtime gives ours",
  ],
  ...["2D", "3D"].map(
    (rank) =>
      [
        `test_qlinearmatmul_${rank}_int8_float32`,
        "its values wrap where the result saturates; ONNX Runtime gives ours",
      ] as const,
  ),
  ...["test_dft_inverse", "test_dft_inverse_opset19"].map(
    (name) =>
      [name, "its values are further from 0 than the tolerance; ours are nearer to what is right"] as const,
  ),
  [
    "test_roialign_mode_max",
    "its values are the greatest of weighted pixels; TVM's, and so ours, of interpolated samples",
  ],
  ...["linear", "cubic"].map(
    (mode) =>
      [
        `test_resize_downsample_scales_${mode}_align_corners`,
        "its values align corners by the scaled extent before it is rounded down; ONNX Runtime gives ours",
      ] as const,
  ),
]);

interface Result extends Omit<Verdict, "status"> {
  readonly name: string;
  readonly status: Verdict["status"] | "crashed";
  readonly ms: number;
}

async function run(folder: string, name: string): Promise<Result> {
  const start = performance.now();
  try {
    const verdict = await runOnnxTest(folder);
    return { name, ...verdict, ms: performance.now() - start };
  } catch (error) {
    const why =
      error instanceof Error
        ? `${error.message} ${error.stack?.split("\n").slice(1, 3).join(" ") ?? ""}`
        : String(error);
    return { name, status: "crashed", why, bound: [], ms: performance.now() - start };
  }
}

function report(results: readonly Result[], seconds: number): void {
  for (const status of ["crashed", "failed", "refused"] as const) {
    for (const { name, why } of results.filter((result) => result.status === status)) {
      const reason = disputed.get(name);
      const line = `${why.replaceAll("\n", " ").slice(0, 240)}${reason === undefined ? "" : ` (${reason})`}`;
      process.stdout.write(`${status}  ${name}: ${line}\n`);
    }
  }
  const passed = results.filter(({ status }) => status === "passed");
  const bound = passed.filter((result) => result.bound.length > 0).length;
  const slowest = results.reduce((a, b) => (b.ms > a.ms ? b : a));
  const times = `${seconds.toFixed(0)} s; slowest ${slowest.name}, ${(slowest.ms / 1000).toFixed(1)} s`;
  process.stdout.write(
    `${passed.length} of ${results.length} passed (${bound} with inputs given when importing) in ${times}\n`,
  );
}

/** First and last opset of `text`: "18-22" or "18". */
function opsetsOf(text: string): readonly [first: number, last: number] {
  const [first = "", last = first] = text.split("-");
  return [Number(first), Number(last)];
}

/** Whether a test's model imports one of `opsets` of ONNX's own, where asked: some import others' alone. */
function isOf(folder: string, opsets: readonly [number, number] | undefined): boolean {
  if (opsets === undefined) return true;
  const [first, last] = opsets;
  const { opset_import } = decodeModel(new Uint8Array(readFileSync(join(folder, "model.onnx"))));
  return opset_import.some(
    ({ domain, version }) => (domain === "" || domain === "ai.onnx") && version >= first && version <= last,
  );
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: { only: { type: "string", default: "" }, opsets: { type: "string" } },
    allowPositionals: true,
  });
  const opsets = values.opsets === undefined ? undefined : opsetsOf(values.opsets);
  const folder = positionals[0] ?? debian;
  if (!existsSync(join(folder, "node"))) {
    process.stderr.write(
      `${folder} has no tests. Install them with: sudo apt-get install -y libonnx-testdata   (or give their folder)\n`,
    );
    return 2;
  }
  const start = performance.now();
  const results: Result[] = [];
  for (const group of groups.filter((name) => existsSync(join(folder, name)))) {
    for (const name of readdirSync(join(folder, group)).sort((a, b) => (a < b ? -1 : 1))) {
      const test = join(folder, group, name);
      if (name.includes(values.only) && isOf(test, opsets)) results.push(await run(test, name));
    }
  }
  if (results.length === 0) {
    process.stderr.write(`no test has ${values.only} in its name and is of the opsets asked for\n`);
    return 2;
  }
  report(results, (performance.now() - start) / 1000);
  const passed = results.filter(({ status }) => status === "passed").length;
  const isWhole = folder === debian && values.only === "" && opsets === undefined;
  return results.some(({ status }) => status === "crashed") || (isWhole && passed < leastPassing) ? 1 : 0;
}

process.exitCode = await main();
