import fc from "fast-check";
import { expect, test } from "vitest";
import { commentLines, pieces, tokenise, tokeniseFrom, type ListingLanguage } from "./tokenise.ts";

const kinds = (language: ListingLanguage, line: string): string[] =>
  tokenise(language, line).map((token) => `${token.kind}:${line.slice(token.start, token.end)}`);

test("each language knows its words", () => {
  expect(kinds("relay", "  %0 = nn.conv2d(%x, padding=[2, 2]) /* ty=Tensor[(1), float32] */;")).toEqual([
    "va:%0",
    "op:nn.conv2d",
    "va:%x",
    "at:padding",
    "nu:2",
    "nu:2",
    "cm:/* ty=Tensor[(1), float32] */",
  ]);
  expect(kinds("c", "  for (int32_t i = 0; i < 16; ++i) y[i] = fmaxf(a, 0.0f);  // relu")).toEqual([
    "kw:for",
    "ty:int32_t",
    "nu:0",
    "nu:16",
    "op:fmaxf",
    "nu:0.0f",
    "cm:// relu",
  ]);
  expect(kinds("wat", "(func $p2 (param i32) (f32x4.add (local.get $x) (i32.const 4)))")).toEqual([
    "kw:func",
    "va:$p2",
    "kw:param",
    "ty:i32",
    "op:f32x4.add",
    "op:local.get",
    "va:$x",
    "op:i32.const",
    "nu:4",
  ]);
  expect(kinds("json", '"op": "tvm_op", "n": [1, null]')).toEqual([
    'op:"op"',
    'at:"tvm_op"',
    'op:"n"',
    "nu:1",
    "kw:null",
  ]);
});

test("tokens are in order, do not overlap, and pieces give the line back", () => {
  fc.assert(
    fc.property(
      fc.constantFrom<ListingLanguage>("relay", "c", "wat", "json", "tir"),
      fc.string({ unit: "binary-ascii" }),
      fc.nat(20),
      (language, line, at) => {
        const tokens = tokenise(language, line);
        tokens.forEach((token, index) =>
          expect(token.start).toBeGreaterThanOrEqual(index === 0 ? 0 : tokens[index - 1]!.end),
        );
        const start = Math.min(at, line.length);
        const found = start < line.length ? [{ start, end: start + 1, current: true }] : [];
        const parts = pieces(line, tokens, found);
        expect(parts.map((part) => part.text).join("")).toBe(line);
        expect(
          parts
            .filter((part) => part.found === "current")
            .map((part) => part.text)
            .join(""),
        ).toBe(found.length > 0 ? line[start] : "");
      },
    ),
  );
});

test("lines inside a block comment are known, the line that ends it is not lost", () => {
  expect([...commentLines("c", ["int a; /* one", "two", "three */ int b;", "int c; /* x */"])]).toEqual([
    1, 2,
  ]);
  expect([...commentLines("json", ["/*", "1"])]).toEqual([]);
});

test("very long lines stay plain", () => {
  expect(tokenise("c", "0,".repeat(5000))).toEqual([]);
});

test("a block comment goes on from line to line", () => {
  const lines = ["add(%x) /* one", "two", "three */ %y /* four */", '%s = "/*"; // /*'];
  let within = false;
  const seen = lines.map((line) => {
    const found = tokeniseFrom("relay", line, within);
    within = found.within;
    return found.tokens.map((token) => `${token.kind}:${line.slice(token.start, token.end)}`);
  });
  expect(seen).toEqual([
    ["op:add", "va:%x", "cm:/* one"],
    ["cm:two"],
    ["cm:three */", "va:%y", "cm:/* four */"],
    ["va:%s", 'at:"/*"', "cm:// /*"],
  ]);
  expect(within).toBe(false);
});
