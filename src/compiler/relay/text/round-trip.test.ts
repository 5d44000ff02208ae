// Real prints of TVM 0.8 through parser, InferType and printer: the same text must come out, type comments
// included.
import fc from "fast-check";
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ops } from "../../ops/index.ts";
import {
  diagnosticLines,
  parseText,
  relayContext,
  typedModule,
} from "../../../testing/harness/relay-text.ts";
import { inferType } from "../passes/infer-type/infer-type.ts";
import { structuralEqual, structuralHash } from "../structural.ts";
import { printModule } from "./print.ts";
import { verifyModule } from "../verify.ts";

const folder = new URL("../../../testing/golden/programs/", import.meta.url);

interface Record_ {
  readonly name: string;
  readonly input: string;
  readonly [variant: string]: unknown;
}

const records = readdirSync(folder)
  .filter((name) => name.endsWith(".json"))
  .map((name) => JSON.parse(readFileSync(new URL(name, folder), "utf8")) as Record_);

/** The program's text and the fused ones that TVM printed for each opt level. */
function textsOf(record: Record_): readonly (readonly [string, string])[] {
  const fused = ["o3", "o2", "o0"].flatMap((level) => {
    const text = (record[level] as { readonly fused?: unknown } | undefined)?.fused;
    return typeof text === "string" ? [[`${record.name} fused ${level}`, text] as const] : [];
  });
  // Crafted programs were written by hand; of those only what TVM made of them is its own text.
  return record["group"] === "crafted" ? fused : [[`${record.name} input`, record.input], ...fused];
}

const texts = records.flatMap(textsOf);
/** The JSON of the metadata is ours to lay out: TVM shares nodes in ways that the text does not tell. */
const program = (text: string) => text.replace(/#\[metadata\][^]*$/, "");

describe("TVM's own texts", () => {
  it("are there", () => {
    expect(texts.length).toBeGreaterThan(100);
  });

  it.each(texts)("%s prints as it was read", (_, text) => {
    const { module, cx } = typedModule(text);
    const printed = printModule(module, { ops, showMeta: text.includes("#[metadata]") });
    expect(program(printed.text)).toBe(program(text));
    expect(printed.owners).toHaveLength(printed.text.replace(/\n$/, "").split("\n").length);
    expect(verifyModule(module, { ops, typed: true })).toEqual([]);
    expect(inferType.run(module, cx)).toBe(module);
  });

  it.each(records.map((record) => [record.name, record.input] as const))(
    "%s is equal to its print, and hashes alike",
    (_, text) => {
      const first = typedModule(text);
      const again = typedModule(printModule(first.module, { ops, showMeta: true }).text);
      for (const [name, func] of first.module.functions) {
        const other = again.module.functions.get(name)!;
        expect(structuralEqual(func, other)).toBe(true);
        expect(structuralHash(other)).toBe(structuralHash(func));
      }
    },
  );
});

describe("chance", () => {
  const words = [
    "def",
    "@main",
    "%x",
    "%0",
    "%1",
    "=",
    ";",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ",",
    ".",
    "let",
    "fn",
    "if",
    "else",
    "match",
    "type",
    "->",
    "=>",
    "Tensor",
    "float32",
    "add",
    "nn.softmax",
    "axis",
    "1",
    "1f",
    "-",
    "*",
    "/*",
    "*/",
    "//",
    "\n",
    '"',
    "meta[relay.Constant][0]",
    "/* ty=float32 */",
    "#[metadata]",
    '{"root": 1}',
    "?",
    "_",
    "True",
    "free_var",
    ":",
    "ref",
    "0.5",
    "#",
    "é",
  ];

  it("soups of tokens never throw and always end in diagnostics with places", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...words), { maxLength: 60 }), (soup) => {
        const text = soup.join(" ");
        const { hasErrors, module, diagnostics, cx } = parseText(text);
        expect(
          diagnostics.every(
            (d) =>
              d.span !== null && d.span.start >= 0 && d.span.end <= text.length && d.span.start <= d.span.end,
          ),
        ).toBe(true);
        if (!hasErrors) inferType.run(module, cx);
      }),
      { numRuns: 1500, seed: 1 },
    );
  });

  it("damaged programs never throw", () => {
    const whole = records.find((record) => record.name === "lstm_cell")!.input;
    fc.assert(
      fc.property(fc.nat(whole.length), fc.nat(30), fc.constantFrom(...words, ""), (at, cut, insert) => {
        const text = whole.slice(0, at) + insert + whole.slice(at + cut);
        const { hasErrors, module, cx } = parseText(text);
        if (!hasErrors) inferType.run(module, cx);
      }),
      { numRuns: 300, seed: 2 },
    );
  });

  /** Programs of elementwise operators over random earlier values; printed, read and printed again. */
  const programs = fc
    .array(
      fc.tuple(fc.constantFrom("add", "multiply", "nn.relu", "tuple", "let", "fn", "if"), fc.nat(), fc.nat()),
      { minLength: 1, maxLength: 25 },
    )
    .map((steps) => {
      const values = ["%a", "%b"];
      const lines = steps.map(([kind, i, j], n) => {
        const left = values[i % values.length]!;
        const right = values[j % values.length]!;
        const made = kind === "let" ? `%l${n}` : `%${n}`;
        values.push(made);
        switch (kind) {
          case "tuple":
            return `%${n} = (${left}, ${right}).${i % 2};`;
          case "let":
            return `let %l${n} = add(${left}, ${right});`;
          case "fn":
            return `%${n} = fn (%p: Tensor[(2, 3), float32]) { multiply(%p, 2f) }(${left});`;
          case "if":
            return `%${n} = if (%c) { ${left} } else { add(${right}, 0.5f) };`;
          case "nn.relu":
            return `%${n} = nn.relu(${left});`;
          case "add":
          case "multiply":
            return `%${n} = ${kind}(${left}, ${right});`;
        }
      });
      return `def @main(%c: bool, %a: Tensor[(2, 3), float32], %b: Tensor[(2, 3), float32]) {\n${lines.join("\n")}\n${values[values.length - 1]!}\n}`;
    });

  it("print and parse agree", () => {
    fc.assert(
      fc.property(programs, (text) => {
        const { module } = typedModule(text);
        const printed = printModule(module, { ops, showMeta: true }).text;
        const parsed = parseText(printed);
        expect(diagnosticLines(printed, parsed.diagnostics)).toEqual([]);
        const again = inferType.run(parsed.module, { ...relayContext(), ids: parsed.cx.ids });
        expect(structuralEqual(module.functions.get("main")!, again.functions.get("main")!)).toBe(true);
        expect(printModule(again, { ops, showMeta: true }).text).toBe(printed);
      }),
      { numRuns: 300, seed: 3 },
    );
  });
});
