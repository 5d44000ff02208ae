import { knownOptions } from "./known-options.ts";
import { strFromU8, strToU8, unzipSync, zipSync } from "fflate";
import fc from "fast-check";
import { expect, test } from "vitest";
import { defaultOptions } from "../../compiler/options.ts";
import { type DiagnosticView } from "../../protocol/compile.ts";
import { packRepro, unpackRepro, type ReproInput } from "./repro-zip.ts";

const problem: DiagnosticView = {
  subject: null,
  code: "RS2104",
  severity: "error",
  message: "channels differ",
  line: 3,
  column: 8,
  endLine: 3,
  endColumn: 9,
  expected: "6",
  got: "8",
  because: null,
  hint: "use 6",
  notes: ["in %0"],
  stage: "types",
};
const input: ReproInput = {
  source: {
    kind: "onnx",
    name: "net.onnx",
    bytes: Uint8Array.of(8, 7, 0, 255),
    extra: [{ name: "weights.bin", bytes: Uint8Array.of(1, 2, 3) }],
  },
  options: { ...defaultOptions, optLevel: 2, shapes: { x: [1, 3] } },
  version: "0.1.0",
  diagnostics: [problem],
  stoppedAt: "types",
  outputs: [
    ["default_lib1.c", "int x;\n"],
    ["module.wat", "(module)\n"],
  ],
};

test("a model file, its data, its options and its version come back", () => {
  expect(unpackRepro(packRepro(input))).toEqual({
    status: "read",
    version: "0.1.0",
    options: input.options,
    source: input.source,
  });
});

test("the zip tells a reader without the page what went wrong, and holds what was made", () => {
  const files = unzipSync(packRepro(input));
  expect(Object.keys(files).sort()).toEqual([
    "README.md",
    "diagnostics.txt",
    "model/net.onnx",
    "model/weights.bin",
    "out/default_lib1.c",
    "out/module.wat",
    "relayscope.json",
  ]);
  expect(strFromU8(files["diagnostics.txt"]!)).toBe(
    "3:8 error RS2104 (types): channels differ\n  expected: 6\n  got: 8\n  hint: use 6\n  note: in %0\n\nThe compilation stopped in types.\n",
  );
  expect(strFromU8(files["README.md"]!)).toContain('- optLevel: `2`\n- shapes: `{"x":[1,3]}`');
});

test("paths of names do not leave their folder", () => {
  const names = Object.keys(
    unzipSync(packRepro({ ...input, source: { ...input.source, name: "../../../etc/net.onnx" } })),
  );
  expect(names.every((name) => !name.includes(".."))).toBe(true);
});

test("other zips, later formats and cut ones say why they cannot be opened", () => {
  expect(unpackRepro(zipSync({ "a.txt": strToU8("hello") }))).toEqual({
    status: "unreadable",
    why: "it is no .repro.zip: relayscope.json is missing",
  });
  const later = {
    format: 2,
    version: "9",
    kind: "relay",
    name: "a",
    model: "model/a",
    extra: [],
    options: {},
  };
  expect(unpackRepro(zipSync({ "relayscope.json": strToU8(JSON.stringify(later)) }))).toMatchObject({
    why: "it has format 2; this page reads format 1",
  });
  const whole = packRepro(input);
  expect(unpackRepro(whole.subarray(0, whole.length >> 1)).status).toBe("unreadable");
});

test("no bytes at all make it throw", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(400), (noise, at) => {
      unpackRepro(noise);
      const zip = packRepro(input);
      zip.set(noise.subarray(0, Math.max(0, zip.length - at)), Math.min(at, zip.length));
      unpackRepro(zip);
    }),
  );
});

test("options that this page does not know, or of another kind, are left out", () => {
  const foreign = {
    optLevel: 7,
    executor: "vm",
    shapes: { x: "2x3" },
    targets: [],
    modName: "mine",
    turbo: true,
  };
  const kept = { linkParams: false, shapes: { constructor: [2] } };
  expect(knownOptions(foreign)).toEqual({ ...defaultOptions, modName: "mine" });
  expect(knownOptions(kept)).toEqual({ ...defaultOptions, ...kept });
});
