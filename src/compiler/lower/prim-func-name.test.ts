import { describe, expect, it } from "vitest";
import { candidateName, libstdcxxHash, mangledName, uniqueName, uniqueNames } from "./prim-func-name.ts";

const unaryChain = [
  "sqrt",
  "exp",
  "tanh",
  "sigmoid",
  "negative",
  "ceil",
  "floor",
  "round",
  "cos",
  "sin",
  "tan",
  "atan",
  "erf",
  "asinh",
  "sign",
];

describe("prim-func-name", () => {
  it("keeps dots until the name is made unique", () => {
    const names = uniqueNames();
    const name = candidateName(["nn.conv2d", "add", "nn.relu"]);
    expect(name).toBe("fused_nn.conv2d_add_nn.relu");
    expect(uniqueName(names, mangledName("default", name))).toBe(
      "tvmgen_default_fused_nn_conv2d_add_nn_relu",
    );
  });

  it("cuts at 80 and appends libstdc++'s hash of the whole name", () => {
    // The two hashes that TVM 0.8.0 was seen to print for these chains.
    expect(candidateName([...unaryChain, "cosh"])).toMatch(/^.{80}_15681367426870831573_$/);
    expect(candidateName([...unaryChain, "sinh"])).toMatch(/^.{80}_13463132115945325410_$/);
  });

  it("hashes every tail length", () => {
    const seen = new Set(
      ["", "a", "ab", "abc", "abcd", "abcde", "abcdef", "abcdefg", "abcdefgh", "abcdefghi"].map(
        libstdcxxHash,
      ),
    );
    expect(seen.size).toBe(10);
  });

  it("numbers clashes as TVM does, also where a numbered name is taken already", () => {
    const names = uniqueNames();
    expect(["f", "f", "f", "f_1", "g", "f.1"].map((name) => uniqueName(names, name))).toEqual([
      "f",
      "f_1",
      "f_2",
      "f_1_1",
      "g",
      "f_1_2",
    ]);
  });
});
