import { mostLinkBytes } from "../../compiler/limits.ts";
import { deflateSync, strToU8 } from "fflate";
import fc from "fast-check";
import { expect, test } from "vitest";
import { defaultOptions, type Options } from "../../compiler/options.ts";
import {
  decodeLink,
  encodeLink,
  escapeText,
  fromBase64url,
  linkSize,
  plainView,
  toBase64url,
  unescapeText,
  type LinkState,
} from "./permalink.ts";

const name = fc.stringMatching(/^[A-Za-z_][\w.%: ~é]{0,12}$/);
const options: fc.Arbitrary<Options> = fc.record({
  executor: fc.constantFrom("aot", "graph"),
  targets: fc.array(
    fc.record({
      device: fc.integer({ min: 1, max: 20 }),
      kind: fc.constantFrom("c" as const, "wasm" as const, "opencl" as const),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  optLevel: fc.constantFrom(0, 1, 2, 3, 4),
  disabledPasses: fc.array(fc.constantFrom("FuseOps", "AlterOpLayout", "SimplifyExpr"), { maxLength: 3 }),
  requiredPasses: fc.array(fc.constantFrom("FastMath"), { maxLength: 1 }),
  config: fc.dictionary(name, fc.string({ maxLength: 8 })).map((record) => ({ ...record })),
  unpackedApi: fc.boolean(),
  interfaceApi: fc.constantFrom("packed", "c"),
  linkParams: fc.boolean(),
  modName: name,
  shapes: fc
    .dictionary(name, fc.array(fc.integer({ min: 1, max: 4096 }), { minLength: 1, maxLength: 4 }))
    .map((record) => ({ ...record })),
  bindFill: fc.array(fc.constantFrom("w0", "conv0_weight"), { maxLength: 2 }),
  bindValues: fc
    .dictionary(name, fc.array(fc.oneof(fc.integer(), fc.constantFrom(0.5, -1e-7, 3e20)), { maxLength: 3 }))
    .map((record) => ({ ...record })),
  partition: fc.array(fc.constantFrom("ccompiler", "dnnl=nn.relu,add"), { maxLength: 2 }),
  tfliteRounding: fc.boolean(),
});
const state: fc.Arbitrary<LinkState> = fc.record({
  source: fc.record({
    text: fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 300 }),
      fc.constant(
        '#[version = "0.0.5"]\ndef @main(%x: Tensor[(1, 8), float32]) {\n  nn.relu(%x)\n}\n'.repeat(9),
      ),
    ),
    name,
    exampleId: fc.constant(null),
  }),
  imported: fc.constant(null),
  options,
  view: fc.record({
    tabA: fc.constantFrom("graph", "diff", "primitives"),
    tabB: fc.constantFrom("tir", "c", "wasm", "json", "result"),
    planner: fc.constantFrom("on-demand", "storage-rewrite", "greedy", "lower-bound"),
    stage: fc.constantFrom("parse", "fuse", "wasm"),
    diffBefore: fc.option(fc.integer({ min: -1, max: 40 })),
    diffAfter: fc.option(fc.integer({ min: 0, max: 40 })),
  }),
  pinned: fc.option(
    fc.record({ kind: fc.constantFrom("source", "primitive", "call", "sid"), id: fc.nat(9999) }),
  ),
});
const noExample = (): undefined => undefined;

test("a link gives back the state it was made from, and the same state the same link", () => {
  fc.assert(
    fc.property(state, (before) => {
      const link = encodeLink(before, "0.1.0");
      expect(link).toMatch(/^#1;[A-Za-z0-9\-_.~=;:]*e$/);
      expect(encodeLink(structuredClone(before), "0.1.0")).toBe(link);
      expect(decodeLink(link, noExample)).toEqual({ status: "read", state: before, note: null });
    }),
    { numRuns: 300 },
  );
});

test("any cut or changed link is noticed, and none throws", () => {
  fc.assert(
    fc.property(state, fc.nat(), fc.constantFrom("", "A", ";", "~", "é"), (before, place, insert) => {
      const link = encodeLink(before, "0.1.0");
      const payloadAt = link.lastIndexOf("=", link.length - 3);
      const at = payloadAt + 1 + (place % Math.max(1, link.length - payloadAt - 2));
      fc.pre(before.source.text !== "" && at < link.length - 2 && link[at] !== insert);
      const changed = insert === "" ? link.slice(0, at) : link.slice(0, at) + insert + link.slice(at + 1);
      const read = decodeLink(changed, noExample);
      expect(read.status).not.toBe("none");
      expect(read.status === "none" ? null : read.note).not.toBeNull();
    }),
    { numRuns: 300 },
  );
});

test("arbitrary fragments never throw", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 80 }), (text) => {
      decodeLink(`#${text}`, noExample);
      decodeLink(`#1;${text}`, noExample);
      decodeLink(`#1;n=4;k=AAAA;z=${text}`, noExample);
      decodeLink(`#1;n=4;k=AAAA;d1=${text};e`, noExample);
    }),
  );
});

test("a truncated link says how much arrived and keeps the start of the text", () => {
  const text = Array.from(
    { length: 200 },
    (_, line) => `  %${line} = nn.relu(%${(line * 7919) % 1000});`,
  ).join("\n");
  const link = encodeLink(
    {
      source: { text, name: "long", exampleId: null },
      imported: null,
      options: defaultOptions,
      view: plainView,
      pinned: null,
    },
    "0.1.0",
  );
  const read = decodeLink(link.slice(0, Math.floor(link.length * 0.6)), noExample);
  if (read.status !== "read") throw new Error("nothing read");
  expect(read.note).toMatch(/of [\d,]+ characters arrived/);
  expect(text.startsWith(read.state.source.text)).toBe(true);
  expect(read.state.source.text.length).toBeGreaterThan(text.length * 0.3);
});

test("a bomb is cut off at the limit", () => {
  const payload = toBase64url(deflateSync(new Uint8Array(40_000_000), { level: 9 }));
  const read = decodeLink(`#1;n=${payload.length};k=AAAA;z=${payload};e`, noExample);
  expect(read.status === "read" && read.state.source.text.length <= mostLinkBytes).toBe(true);
  expect(read.status === "read" && read.note).toMatch(/larger than 10 MB/);
});

test("an example goes by name and a newer format is told apart", () => {
  const link = encodeLink(
    {
      source: { text: "x", name: "lenet.relay", exampleId: "lenet" },
      imported: null,
      options: { ...defaultOptions, optLevel: 1 },
      view: plainView,
      pinned: { kind: "call", id: 2 },
    },
    "0.1.0",
  );
  expect(link).toBe("#1;c=0.1.0;ex=lenet;o=1;s=call2;e");
  const read = decodeLink(link, (id) =>
    id === "lenet" ? { text: "the text", name: "lenet.relay" } : undefined,
  );
  expect(read.status === "read" && read.state.source).toEqual({
    text: "the text",
    name: "lenet.relay",
    exampleId: "lenet",
  });
  expect(decodeLink("#2;z=abc", noExample).status).toBe("unreadable");
  expect(decodeLink("#anything", noExample).status).toBe("none");
  expect(decodeLink("", noExample).status).toBe("none");
});

test("escapes and base64url round-trip", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      expect(unescapeText(escapeText(text))).toBe(text);
    }),
  );
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      expect(fromBase64url(toBase64url(bytes))).toEqual(bytes);
    }),
  );
});

test("the dictionary pays on model text", () => {
  const text =
    '#[version = "0.0.5"]\ndef @main(%x: Tensor[(1, 3, 32, 32), float32], %w: Tensor[(8, 3, 3, 3), float32]) {\n  %0 = nn.conv2d(%x, %w, padding=[1, 1, 1, 1]);\n  nn.relu(%0)\n}\n';
  const link = encodeLink(
    {
      source: { text, name: "untitled", exampleId: null },
      imported: null,
      options: defaultOptions,
      view: plainView,
      pinned: null,
    },
    "0.1.0",
  );
  expect(link).toContain(";d1=");
  expect(link.length).toBeLessThan(toBase64url(deflateSync(strToU8(text), { level: 9 })).length);
  expect([linkSize(8000), linkSize(8001), linkSize(32_001)]).toEqual(["short", "long", "bundle"]);
});

/** Links that were handed out: each must open for ever. Add, never change. */
const released: readonly (readonly [string, string])[] = [
  ["#1;c=0.1.0;k=NKQ7;n=14;o=2;s=primitive0;v=graph.wasm;d1=Awdtmgawu1kLAA;e", "def @f() {}"],
  [
    "#1;c=0.1.0;k=uh4m;n=50;o=2;s=primitive0;v=graph.wasm;d1=IxTeSBUqJLDBYYkcVqhBDYxUzJAGdmZxBxnWCgvqVmhTEORQAA;e",
    '#[version = "0.0.5"]\ndef @main(%x: Tensor[(1, 3, 32, 32), float32], %w: Tensor[(8, 3, 3, 3), float32]) {\n  %0 = nn.conv2d(%x, %w, padding=[1, 1, 1, 1]);\n  nn.relu(%0)\n}\n',
  ],
];
test.each(released)("released link %s", (link, text) => {
  const read = decodeLink(link, noExample);
  expect(read).toMatchObject({ status: "read", note: null, state: { source: { text } } });
});

test("a link to an imported model says that its weights are seeded", () => {
  const before: LinkState = {
    source: { text: "def @main() {}", name: "net.relay", exampleId: null },
    imported: "my net.onnx",
    options: defaultOptions,
    view: plainView,
    pinned: null,
  };
  const read = decodeLink(encodeLink(before, "0.1.0"), noExample);
  expect(read).toMatchObject({ status: "read", state: { imported: "my net.onnx" } });
  expect(read.status === "read" && read.note).toContain(
    "imported from my net.onnx. A link cannot carry its weights",
  );
});
