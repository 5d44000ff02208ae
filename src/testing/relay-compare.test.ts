import { describe, expect, it } from "vitest";
import { comparePasses, compareRelay, normaliseRelay } from "./harness/relay-compare.ts";

const strict = { types: true };
const loose = { types: false };

const a = `#[version = "0.0.5"]
def @main(%x: Tensor[(2), float32], hash="12", param_device_types=[1], Primitive=1, Compiler="c") -> (Tensor[(2), float32],) {
  %0 = nn.conv2d(%x, meta[relay.Constant][4] /* ty=Tensor[(2), float32] */, padding=[1, 1], data_layout="NHWC") /* ty=Tensor[(2), float32] */;
  %1 = split(%0, indices_or_sections=2);
  (%1.0,)
}
`;

describe("compareRelay", () => {
  it("ignores names, header order, hashes and device attributes", () => {
    const b = a
      .replaceAll("%x", "%data")
      .replaceAll("%0", "%7")
      .replaceAll("%1", "%3")
      .replace("[4]", "[0]")
      .replace(
        'hash="12", param_device_types=[1], Primitive=1, Compiler="c"',
        'Compiler="c", Primitive=1, out_layout=""',
      );
    expect(compareRelay(a, b, strict)).toBeNull();
  });

  it("sees another attribute, another operand, another projection and another header value", () => {
    expect(compareRelay(a, a.replace('data_layout="NHWC"', 'data_layout="NCHW"'), loose)).not.toBeNull();
    expect(compareRelay(a, a.replace("%1.0", "%1.1"), loose)).not.toBeNull();
    expect(compareRelay(a, a.replace("split(%0", "split(%x"), loose)).not.toBeNull();
    expect(compareRelay(a, a.replace("Primitive=1", "Primitive=0"), loose)).not.toBeNull();
  });

  it("compares types in comments only where asked", () => {
    const b = a.replace("*/;", "X*/;").replace("float32] X*/", "float16] */");
    expect(compareRelay(a, b, loose)).toBeNull();
    expect(compareRelay(a, b, strict)?.line).toBe(2);
  });

  it("does not depend on the order of definitions or of numbering across them", () => {
    const f = "def @f(%a: int32) -> int32 {\n  %0 = add(%a, %a);\n  %0\n}\n";
    const main = "def @main(%a: int32) -> int32 {\n  %0 = @f(%a);\n  add(%0, %0)\n}\n";
    expect(compareRelay(f + main, main + f.replaceAll("%0", "%1"), loose)).toBeNull();
  });

  it("lays out one binding a line", () => {
    expect(normaliseRelay(a, loose).split("\n")).toHaveLength(4);
  });

  it("keeps floats and negative numbers apart", () => {
    expect(compareRelay("add(%x, 1e-05f)", "add(%x, 1e-06f)", loose)).not.toBeNull();
    expect(compareRelay("clip(%x, a_min=-1f)", "clip(%x, a_min=1f)", loose)).not.toBeNull();
  });
});

describe("comparePasses", () => {
  it("takes as many digits as a float needs for TVM's six", () => {
    const body = (value: string): string => `fn (%x: float32) { multiply(%x, ${value}) }`;
    expect(compareRelay(body("7.39052e-05f"), body("7.3905154e-05f"), { types: false })).toBeNull();
    expect(compareRelay(body("-1.23457f"), body("-1.2345678f"), { types: false })).toBeNull();
    // The float is a little more than its shortest text: six digits of the text would be one less.
    expect(compareRelay(body("0.0393936f"), body("0.03939355f"), { types: false })).toBeNull();
    expect(compareRelay(body("7.39052e-05f"), body("7.39062e-05f"), { types: false })).not.toBeNull();
  });

  it("pairs by name and occurrence, and carries the text over unchanged steps", () => {
    const b = a.replace("split", "other");
    const golden = [
      ["InferType", null],
      ["X", b],
      ["InferType", null],
    ] as const;
    expect(
      comparePasses(golden, {
        input: a,
        passes: [
          ["InferType", a],
          ["X", b],
          ["InferType", b],
        ],
      }),
    ).toEqual([]);
    const wrong = comparePasses(golden, {
      input: a,
      passes: [
        ["InferType", null],
        ["X", null],
        ["InferType", null],
        ["Y", null],
      ],
    });
    expect(wrong.map((d) => `${d.name}#${d.occurrence} ${d.kind}`)).toEqual([
      "X#0 text",
      "InferType#1 text",
      "Y#0 extra",
    ]);
    expect(comparePasses(golden, { input: a, passes: [] }).every((d) => d.kind === "missing")).toBe(true);
  });

  it("stops where TVM refused", () => {
    expect(
      comparePasses(
        [
          ["A", null],
          ["error", "no"],
        ],
        {
          input: a,
          passes: [
            ["A", null],
            ["B", null],
          ],
        },
      ),
    ).toEqual([]);
  });
});
