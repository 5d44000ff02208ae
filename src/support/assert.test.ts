import { describe, expect, test } from "vitest";
import { at, first, get, last, only, present, tuple, zip } from "./assert.ts";

describe("helpers that name what is missing", () => {
  test("at, first, last and only", () => {
    expect([at([4, 5], 1, "axis"), first([4, 5], "axis"), last([4, 5], "axis")]).toEqual([5, 4, 5]);
    expect(only([6], "axis")).toBe(6);
    expect(() => at([1], 1, "axis")).toThrow("no axis 1 among 1");
    expect(() => first([], "axis")).toThrow("no axis 0 among 0");
    expect(() => only([1, 2], "axis")).toThrow("expected one axis, got 2");
  });

  test("get and present", () => {
    expect([get(new Map([["x", 1]]), "x", "bound"), present(0, "bound")]).toEqual([1, 0]);
    expect(() => get(new Map(), "x", "bound")).toThrow("no bound");
    expect(() => present(null, "bound")).toThrow("no bound");
  });

  test("tuple wants as many as it says", () => {
    const [height, width] = tuple([2, 3], 2, "window");
    expect(height * width).toBe(6);
    expect(() => tuple([2], 2, "window")).toThrow("window: 1 elements where there must be 2");
  });

  test("zip wants lists of one length", () => {
    expect(zip([1, 2], ["a", "b"], "axes")).toEqual([
      [1, "a"],
      [2, "b"],
    ]);
    expect(() => zip([1], [], "axes")).toThrow("axes: 1 against 0");
  });
});
