// The comparison itself can fail: what it lets pass and what not.
import { describe, expect, it } from "vitest";
import { compareOutputs, type GoldenOutput, type OurOutput } from "./harness/compare-outputs.ts";

const exact = { network: false, quantised: false };
const output = (dtype: string, values: OurOutput["values"]): OurOutput => ({
  dtype,
  shape: [values.length],
  values,
});
const compare = (ours: OurOutput, theirs: GoldenOutput, how = exact): string | null =>
  compareOutputs([ours], [theirs], how);

describe("floats", () => {
  it("are near", () => {
    expect(compare(output("float32", [1, 100.005]), output("float32", [1, 100]))).toBeNull();
    expect(compare(output("float32", [1, 100.05]), output("float32", [1, 100]))).toBe(
      "output 0: element 1 is 100.05, expected 100",
    );
    expect(compare(output("float32", [null, "Infinity"]), output("float32", [null, "Infinity"]))).toBeNull();
    expect(compare(output("float32", [null]), output("float32", [1]))).toContain("element 0 is NaN");
    expect(compare(output("float32", [5]), output("float32", ["Infinity"]))).toContain("element 0 is 5");
    expect(compare(output("float32", ["-Infinity"]), output("float32", ["Infinity"]))).toContain("element 0");
  });

  it("agree in sum where only some are listed", () => {
    const theirs = { dtype: "float32", shape: [4], values: [1, 3], stride: 2, sum: 10, abssum: 10 };
    expect(compare(output("float32", [1, 2, 3, 4]), theirs)).toBeNull();
    expect(compare(output("float32", [1, 2.5, 3, 4]), theirs)).toContain("sum is 10.5");
    expect(compare(output("float32", [1, null, 3, 4]), theirs)).toContain("sum is NaN");
    expect(compare(output("float32", [1, 1e9, 3, 4]), theirs)).toContain("sum is");
  });
});

describe("integers", () => {
  it("are equal to the last bit", () => {
    expect(
      compare(output("int64", ["9007199254740993", 5]), output("int64", ["9007199254740993", 5])),
    ).toBeNull();
    expect(compare(output("int64", ["9007199254740993"]), output("int64", ["9007199254740992"]))).toContain(
      "element 0",
    );
    expect(compare(output("int8", [3]), output("int8", [4]))).toContain("element 0");
    expect(compare(output("bool", [true]), output("bool", [false]))).toContain("element 0");
  });

  it("of quantised programs may be off by one", () => {
    expect(compare(output("int8", [3]), output("int8", [4]), { network: false, quantised: true })).toBeNull();
    expect(compare(output("int8", [3]), output("int8", [5]), { network: false, quantised: true })).toContain(
      "element 0",
    );
  });

  it("agree in sum where only some are listed", () => {
    const theirs = { dtype: "int32", shape: [4], values: [1, 3], stride: 2, sum: 10 };
    expect(compare(output("int32", [1, 2, 3, 4]), theirs)).toBeNull();
    expect(compare(output("int32", [1, 3, 3, 4]), theirs)).toBe("output 0: sum is 11, expected 10");
  });
});

it("shapes, dtypes and the number of outputs count", () => {
  expect(compareOutputs([], [output("int8", [1])], exact)).toBe("0 outputs, expected 1");
  expect(compare(output("int8", [1]), output("int16", [1]))).toContain("dtype");
  expect(compare(output("int8", [1, 2]), output("int8", [1]))).toContain("shape");
});
