import { expect, test } from "vitest";
import type { FileTensorView } from "../../../protocol/compile.ts";
import { lenetSummary } from "../../../testing/harness/lenet-run.ts";
import { fieldText, guess, dynamicInputs, runsOf, typedShapes, valueInputs } from "./dynamic-inputs.ts";

type Dims = readonly (number | string)[];

/** An input of a file: numbers are known, words are names of dynamic dimensions. */
const input = (name: string, dtype: string, dims: Dims | null, relayName = name): FileTensorView => ({
  name,
  relayName,
  type: `${dtype}[…]`,
  dtype,
  isWhole: !dtype.startsWith("float"),
  dims:
    dims?.map((dim) =>
      typeof dim === "number" ? { extent: dim, symbol: "" } : { extent: null, symbol: dim },
    ) ?? null,
});

const model = (inputs: readonly FileTensorView[]) => ({
  ...lenetSummary(""),
  model: { format: "ONNX opset 13", producer: "", details: [], inputs, outputs: [], operators: [] },
});

test("a file's dynamic dimensions, its own names for them, and guesses", () => {
  const inputs = dynamicInputs(
    model([
      input("data:0", "float", ["N", 3, "H", "W"]),
      input("mask", "bool", ["N", 8]),
      input("fixed", "int64", [4]),
      input("image", "uint8", ["", "", "", 3], "image_1"),
      input("list", "", null),
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
  expect(Object.keys(typedShapes(inputs, {}, {}, "relayName") ?? {})).toEqual(["data:0", "mask", "image_1"]);
});

test("one name of a dimension has one value; a fixed shape stands in its fields", () => {
  const inputs = dynamicInputs(model([input("a", "float", ["N", 2]), input("b", "float", ["N"])]));
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

test("a few whole numbers may decide shapes and branches", () => {
  const inputs = [
    input("sizes", "int64", [4]),
    input("sign", "bool", []),
    input("some", "int32", ["N"]),
    input("many", "int64", [9]),
    input("matrix", "int64", [2, 2]),
    input("scales", "float", [4]),
    input("list", "", null),
  ];
  expect(valueInputs(model(inputs))).toEqual(["sizes", "sign", "some"]);
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
