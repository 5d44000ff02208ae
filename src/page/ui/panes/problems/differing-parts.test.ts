import { expect, test } from "vitest";
import { differingParts } from "./differing-parts.ts";

test("only what differs is marked, on both sides", () => {
  const [expected, got] = differingParts("Tensor[(16, 6, 5, 5), float32]", "Tensor[(16, 8, 5, 5), float32]");
  expect(expected).toEqual(["Tensor[(16, ", "6", ", 5, 5), float32]"]);
  expect(got).toEqual(["Tensor[(16, ", "8", ", 5, 5), float32]"]);
});

test("texts with little in common are not marked at all", () => {
  expect(differingParts("a float", "nn.conv2d(%x)")).toEqual([null, null]);
});
