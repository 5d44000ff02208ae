// The names that a model file gives its inputs and outputs work wherever a name is asked for, also those that
// Relay's text cannot hold and those that every JavaScript object has.
import { describe, expect, it } from "vitest";
import { byParameter, checkInputs, runBackend } from "../cli/run-model.ts";
import { float32 } from "../compiler/ir/dtype.ts";
import { tensorData, type TensorData } from "../compiler/ir/tensor-data.ts";
import { filledInputs } from "../node/engine.ts";
import { compileText } from "../node/engine.ts";
import { defaultOptions, type Options } from "../compiler/options.ts";
import { summarize } from "../views/summarize.ts";
import { compileOnnx } from "./harness/onnx-runtime.ts";
import type { FileDim } from "./harness/onnx-writer.ts";

const vector = (...values: number[]): TensorData =>
  tensorData(float32, [values.length], new Float32Array(values));

const odd = ["0", "constructor", "__proto__", "toString", "a b", "a_b", "input_0"];

/** x0 - x1 + x2 … of the inputs `names`. */
async function compileSum(names: readonly string[], dim: FileDim, options: Partial<Options> = {}) {
  const made = names.map((_, i) => `sum ${i}`);
  return compileOnnx(
    {
      inputs: Object.fromEntries(names.map((name) => [name, { dtype: float32, shape: [dim] }])),
      outputs: ["hasOwnProperty", "valueOf"],
      nodes: [
        ...names
          .slice(1)
          .map((name, i) => ({
            op: i % 2 === 0 ? "Sub" : "Add",
            in: [i === 0 ? names[0]! : made[i]!, name],
            out: [made[i + 1]!],
          })),
        { op: "Neg", in: [made[names.length - 1]!], out: ["hasOwnProperty"] },
        { op: "Abs", in: [made[names.length - 1]!], out: ["valueOf"] },
      ],
    },
    options,
  );
}

describe("names of a model file", () => {
  it("give inputs their values, and outputs their names", async () => {
    const done = await compileSum(odd, 2);
    expect(done.diagnostics).toEqual([]);
    const given = new Map(odd.map((name, i) => [name, vector(2 ** i, 1)]));
    checkInputs(done, given);
    const { outputs } = await runBackend(done, byParameter(done, given), "wasm");
    // 1 - 2 + 4 - 8 + 16 - 32 + 64
    expect(outputs).toEqual([
      { name: "hasOwnProperty", shape: [2], dtype: "float32", values: [-43, -1] },
      { name: "valueOf", shape: [2], dtype: "float32", values: [43, 1] },
    ]);
    expect(() => checkInputs(done, new Map([["b", vector(1, 2)]]))).toThrow(
      "there is no input b; inputs are 0, constructor, __proto__, toString, a b, a_b, input_0",
    );
  });

  it("stand in what the page shows", async () => {
    const { inputs, outputs } = summarize(await compileSum(odd, 2), new Map());
    expect(inputs.map(({ name }) => name)).toEqual(odd);
    expect(outputs.map(({ name }) => name)).toEqual(["hasOwnProperty", "valueOf"]);
  });

  it("fix shapes, and bind values", async () => {
    const shapes = Object.fromEntries(odd.map((name) => [name, [3]]));
    const done = await compileSum(odd, "N", {
      shapes,
      bindValues: Object.fromEntries([["__proto__", [1, 2, 3]]]),
      bindFill: ["0", "a b"],
    });
    expect(done.diagnostics).toEqual([]);
    expect(done.reached).toBe("wasm");
    expect([...filledInputs(done).keys()]).toEqual(["constructor", "toString", "a_b1", "input_01"]);
  });

  it("may be main's names too, where no input of the file is called so", async () => {
    const done = await compileSum(["0", "1"], "N", { shapes: { input_0: [2], "1": [2] } });
    const given = new Map([
      ["0", vector(1, 2)],
      ["input_1", vector(1, 1)],
    ]);
    checkInputs(done, given);
    const { outputs } = await runBackend(done, byParameter(done, given), "interp");
    expect(outputs[1]?.values).toEqual([0, 1]);
  });

  it("that the model lacks are told with those that it has", async () => {
    const { diagnostics } = await compileSum(["0", "toString"], "N", { shapes: { valueOf: [2] } });
    expect(diagnostics.map(({ code, expected, got }) => [code, expected, got])).toEqual([
      ["RS1801", "0, toString", "valueOf"],
    ]);
  });
});

it("names of Relay's text that every object has are names like others", async () => {
  const { compilation, diagnostics } = await compileText(
    `def @main(%constructor: Tensor[(?), float32], %__proto__: Tensor[(2), float32], __proto__="x", toString=1) {
       %toString = add(%constructor, %__proto__);
       %toString
     }`.replace("%toString = ", "let %toString = "),
    { ...defaultOptions, shapes: Object.fromEntries([["constructor", [2]]]) },
    "names",
  );
  expect(diagnostics).toEqual([]);
  const { outputs } = await runBackend(
    compilation,
    new Map([
      ["constructor", vector(1, 2)],
      ["__proto__", vector(10, 20)],
    ]),
    "c",
  );
  expect(outputs).toEqual([{ shape: [2], dtype: "float32", values: [11, 22] }]);
});
