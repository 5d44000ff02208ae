import { expect, test } from "vitest";
import { lenetSummary } from "../../../testing/harness/lenet-run.ts";
import { fieldText, guess, dynamicInputs, relayNameOf, runsOf, typedShapes } from "./dynamic-inputs.ts";

const model = (inputs: readonly (readonly [string, string])[]) => ({
  ...lenetSummary(""),
  model: { format: "ONNX opset 13", producer: "", details: [], inputs, outputs: [], operators: [] },
});

test("a file's dynamic dimensions, its own names for them, and guesses", () => {
  const inputs = dynamicInputs(
    model([
      ["data:0", "float[N, 3, H, W]"],
      ["mask", "bool[N, 8]"],
      ["fixed", "int64[4]"],
      ["image", "uint8[?, ?, ?, 3] = 0.1 × (q − 0), 9 bytes"],
      ["list", "sequence of float[2]"],
    ]),
  );
  expect(inputs.map(({ name, dims }) => [name, dims.map(({ extent }) => extent)])).toEqual([
    ["data:0", [null, 3, null, null]],
    ["mask", [null, 8]],
    ["image", [null, null, null, 3]],
  ]);
  expect(typedShapes(inputs, {}, {}, "name")).toEqual({
    "data:0": [1, 3, 224, 224],
    mask: [1, 8],
    image: [1, 224, 224, 3],
  });
});

test("one name of a dimension has one value; a fixed shape stands in its fields", () => {
  const inputs = dynamicInputs(
    model([
      ["a", "float[N, 2]"],
      ["b", "float[N]"],
    ]),
  );
  expect(typedShapes(inputs, { N: "7" }, {}, "name")).toEqual({ a: [7, 2], b: [7] });
  expect(fieldText(inputs[0]!, 0, {}, { a: [5, 2] })).toBe("5");
  expect(typedShapes(inputs, { N: "x" }, {}, "name")).toBeNull();
});

test("a batch is guessed where no one stands before it", () => {
  const dims = (...extents: (number | null)[]) => extents.map((extent) => ({ extent, symbol: "" }));
  expect([
    guess(dims(2, null, 128), 1),
    guess(dims(1, null, 80), 1),
    guess(dims(null, null), 1),
    guess(dims(1, 3, null, null), 2),
    guess(dims(1, null, 32, 32), 1),
  ]).toEqual([1, 16, 16, 224, 3]);
});

test("names as the importers write them", () => {
  expect([relayNameOf("serving default:0"), relayNameOf("0")]).toEqual(["serving_default:0", "input_0"]);
});

test("Relay text: what is dynamic after compiling", () => {
  const summary = {
    ...lenetSummary(""),
    dynamic: true,
    dynamicInputs: [{ name: "x", dtype: "float32", dims: [null, 4] }],
  };
  expect(typedShapes(dynamicInputs(summary), { "x.0": "3" }, {}, "relayName")).toEqual({ x: [3, 4] });
});

test("equal neighbours are counted", () => {
  expect(runsOf(["a", "a", "b", "a"])).toEqual([
    ["a", 2],
    ["b", 1],
    ["a", 1],
  ]);
});
