// The shapes of programs that are easy to forget, in every interface; line ranges; what a listing's lines
// belong to.
import { describe, expect, it } from "vitest";
import { defaultOptions, type Options } from "../../options.ts";
import { fusedMain } from "../../../testing/harness/fused.ts";
import { runCProgram } from "../../../node/run-c.ts";
import { planAot } from "../../executor/aot-main.ts";
import { float32, int8 } from "../../ir/dtype.ts";
import { tensorData, type TensorData } from "../../ir/tensor-data.ts";
import { emitC } from "./module.ts";

const interfaces: readonly Options[] = [
  defaultOptions,
  { ...defaultOptions, interfaceApi: "packed" },
  { ...defaultOptions, interfaceApi: "packed", unpackedApi: false },
];
const type = "Tensor[(2), float32]";
const pair = (...values: number[]): TensorData =>
  tensorData(float32, [values.length], Float32Array.from(values));

function program(text: string, options: Options) {
  const { reading, te } = fusedMain(text, options);
  const aot = planAot(reading, te, options);
  if (!aot.ok) throw new Error(aot.diagnostic.message);
  return { c: emitC({ primitives: te.items(), aot: aot.value, options }), plan: aot.value, options };
}

/** Outputs in each interface; all must be equal. */
function everywhere(text: string, inputs: readonly TensorData[]): readonly (readonly number[])[] {
  const all = interfaces.map((options) =>
    runCProgram(program(text, options), inputs, { flags: ["-O0"] }).outputs.map(({ data }) =>
      Array.from(data as ArrayLike<number>),
    ),
  );
  expect(all[1]).toEqual(all[0]);
  expect(all[2]).toEqual(all[0]);
  return all[0]!;
}

const exp = `  %0 = fn (%p0: ${type}, Primitive=1) -> ${type} { negative(%p0) };\n`;

describe("C modules run in every interface", () => {
  it("copies of inputs, constants and values returned twice", () => {
    expect(
      everywhere(
        `def @main(%x: ${type}, %unused: ${type}) {\n${exp}  %1 = %0(%x);\n  (%1, %x, 7, %1, %x)\n}`,
        [pair(1, 2), pair(9, 9)],
      ),
    ).toEqual([[-1, -2], [1, 2], [7], [-1, -2], [1, 2]]);
  });

  it("no inputs, no outputs, nothing at all", () => {
    expect(everywhere("def @main() { 16 }", [])).toEqual([[16]]);
    expect(everywhere(`def @main(%x: ${type}) -> () { () }`, [pair(1, 2)])).toEqual([]);
    expect(everywhere("def @main() -> () { () }", [])).toEqual([]);
  });

  it("empty tensors, rank 0, and names that C would not take", () => {
    const empty = "Tensor[(0, 3), float32]";
    expect(
      everywhere(
        `def @main(%int: ${empty}) {\n  %0 = fn (%p0: ${empty}, Primitive=1) -> ${empty} { negative(%p0) };\n  %0(%int)\n}`,
        [tensorData(float32, [0, 3], new Float32Array(0))],
      ),
    ).toEqual([[]]);
    expect(
      everywhere(
        `def @main(%while: float32) {\n  %0 = fn (%for: float32, Primitive=1) -> float32 { add(%for, 1f) };\n  %0(%while)\n}`,
        [tensorData(float32, [], Float32Array.of(2))],
      ),
    ).toEqual([[3]]);
  });

  it("storage between calls and constants as arguments", () => {
    const text = `def @main(%x: ${type}) {\n${exp}  %1 = fn (%p0: ${type}, %p1: ${type}, Primitive=1) -> ${type} { multiply(%p0, %p1) };\n  %2 = fn (%p0: ${type}, Primitive=1) -> ${type} { nn.relu(%p0) };\n  %2(%1(%0(%x), meta[relay.Constant][0] /* ty=${type} */))\n}`;
    const [out] = everywhere(text, [pair(-1, -1)]);
    const constant = [...program(text, defaultOptions).plan.params.values()][0]!;
    expect(out).toEqual(Array.from(constant.data as Float32Array, (value) => Math.max(value, 0)));
  });

  it("int8 wraps", () => {
    const bytes = "Tensor[(3), int8]";
    const text = `def @main(%x: ${bytes}) {\n  %0 = fn (%p0: ${bytes}, Primitive=1) -> ${bytes} { add(%p0, %p0) };\n  %0(%x)\n}`;
    expect(everywhere(text, [tensorData(int8, [3], Int8Array.of(100, -100, 3))])).toEqual([[-56, 56, 6]]);
  });
});

describe("listings", () => {
  const text = `def @main(%x: ${type}) {\n${exp}  %1 = fn (%p0: ${type}, Primitive=1) -> ${type} { nn.relu(%p0) };\n  %1(%0(%x))\n}`;
  for (const options of interfaces) {
    it(`say whose each line is (${options.unpackedApi ? "unpacked" : "packed"}, ${options.interfaceApi})`, () => {
      const { c } = program(text, options);
      const lib1 = c.files.get("default_lib1.c")!;
      const lines = lib1.text.split("\n");
      const [first, last] = c.primitiveLines.get("tvmgen_default_fused_nn_relu")!;
      expect(lines.slice(first - 1, last).join("\n")).toMatch(
        /^\/\* nn\.relu \*\/[\s\S]*tvmgen_default_fused_nn_relu[\s\S]*\}$/,
      );
      expect(lib1.owners.slice(first - 1, last).map((owner) => owner?.primitive)).toEqual(
        new Array(last - first + 1).fill(1),
      );
      const [callFirst, callLast] = c.callLines[1]!;
      expect(lines.slice(callFirst - 1, callLast).join("\n")).toContain("tvmgen_default_fused_nn_relu(");
      expect(lib1.owners.slice(callFirst - 1, callLast).every((owner) => owner?.call === 1)).toBe(true);
      expect(lib1.owners.length).toBe(lines.length - 1);
    });
  }

  it("name the files as the Model Library Format does", () => {
    expect([...program(text, defaultOptions).c.files.keys()]).toEqual([
      "default_lib0.c",
      "default_lib1.c",
      "tvmgen_default.h",
      "relayscope_runtime.h",
    ]);
    expect([...program(text, interfaces[2]!).c.files.keys()]).toEqual([
      "default_lib0.c",
      "default_lib1.c",
      "relayscope_runtime.h",
    ]);
  });

  it("are kernels only without a runner", () => {
    const { reading, te } = fusedMain(text);
    for (const { func, call } of reading.sites) te.lower(func, call);
    const alone = emitC({ primitives: te.items(), aot: null, options: defaultOptions });
    expect([alone.symbols, alone.callLines]).toEqual([
      ["tvmgen_default_fused_negative", "tvmgen_default_fused_nn_relu"],
      [],
    ]);
    expect([...alone.files.keys()]).toEqual(["default_lib1.c", "relayscope_runtime.h"]);
    expect(program(text, defaultOptions).c.symbols).toEqual([
      "tvmgen_default_fused_negative",
      "tvmgen_default_fused_nn_relu",
      "tvmgen_default_run_model",
    ]);
  });
});
