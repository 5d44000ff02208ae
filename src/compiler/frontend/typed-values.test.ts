import { expect, test } from "vitest";
import { defaultOptions } from "../options.ts";
import { compileText } from "../../node/engine.ts";

const text = (type: string): string => `#[version = "0.0.5"]
def @main(%x: Tensor[(4), float32], %k: Tensor[${type}]) {
  %0 = cast(%k, dtype="float32");
  add(%x, %0)
}
`;

test.each([
  ["(4), int64", [1, 2, 3, -4]],
  ["(4), uint8", [0, 255, 3, 4]],
  ["(), float16", [0.5]],
  ["(1), bool", [1]],
] as const)("numbers become a constant of type %s", async (type, values) => {
  const { compilation } = await compileText(
    text(type),
    { ...defaultOptions, bindValues: { k: values } },
    "t",
  );
  expect(compilation.diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  expect(compilation.module.functions.get("main")!.params.map(({ name }) => name)).toEqual(["x"]);
});

test.each([
  ["(4), int64", [1, 2], "RS1803"],
  ["(), int32", [0.5], "RS1803"],
] as const)("numbers that do not fit %s are told", async (type, values, code) => {
  const { compilation } = await compileText(
    text(type),
    { ...defaultOptions, bindValues: { k: values } },
    "t",
  );
  expect(compilation.diagnostics.map((found) => found.code)).toEqual([code]);
});

test("a name that is no parameter is told", async () => {
  const { compilation } = await compileText(
    text("(), int32"),
    { ...defaultOptions, bindValues: { q: [1] } },
    "t",
  );
  expect(compilation.diagnostics[0]).toMatchObject({ code: "RS1801", got: "%q" });
});
