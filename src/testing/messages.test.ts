// What the user is told, exactly: input text -> code, place, the text that is underlined, and the five parts
// of every message (what happened, expected, got, why it matters, what to try). The first error counts, else
// the first warning.
import { describe, expect, it } from "vitest";
import { compileText } from "../node/engine.ts";
import { diagnosticAdvice } from "../compiler/ir/diagnostic-advice.ts";
import { diagnosticCodes } from "../compiler/ir/diagnostic-codes.ts";
import type { Diagnostic } from "../compiler/ir/diagnostic.ts";
import { lineStarts, positionAt } from "../compiler/ir/span.ts";
import { defaultOptions, type Options } from "../compiler/options.ts";
import { loweringMessages } from "./messages/lowering.ts";
import { readingMessages } from "./messages/reading.ts";
import { typesMessages } from "./messages/types.ts";

const messageRows = [...readingMessages, ...typesMessages, ...loweringMessages];

async function told(text: string, options: Partial<Options>): Promise<Diagnostic | undefined> {
  const { diagnostics } = await compileText(text, { ...defaultOptions, ...options }, "message");
  return diagnostics.find((found) => found.severity === "error") ?? diagnostics[0];
}

function placeIn(text: string, { span }: Diagnostic): string {
  if (span === null) return "-";
  const { line, column } = positionAt(lineStarts(text), span.start);
  return `${line}:${column}`;
}

describe("messages", () => {
  for (const row of messageRows) {
    it(row.name, async () => {
      const found = await told(row.text, row.options ?? {});
      expect(found).toBeDefined();
      const { severity, code, span, message, expected, got, because, hint, notes } = found!;
      expect({
        at: `${severity === "error" ? "" : `${severity} `}${code} ${placeIn(row.text, found!)}`,
        on: span === null ? "" : row.text.slice(span.start, span.end),
        says: message,
        expected,
        got,
        because,
        hint,
        ...(notes.length > 0 ? { notes: notes.join("; ") } : {}),
      }).toEqual({ ...row, name: undefined, text: undefined, options: undefined });
    });
  }

  it("have all five parts", () => {
    const lacking = messageRows.filter((row) =>
      [row.says, row.expected, row.got, row.because, row.hint].some((part) => part === ""),
    );
    expect(lacking.map((row) => row.name)).toEqual([]);
  });

  it("are of codes that are listed", () => {
    const codes = messageRows.map((row) => /RS\d{4}/.exec(row.at)![0]);
    expect([...codes, ...Object.keys(diagnosticAdvice)].filter((code) => !(code in diagnosticCodes))).toEqual(
      [],
    );
  });
});

describe("bad input", () => {
  const first = async (text: string): Promise<string | undefined> => (await told(text, {}))?.code;

  it("of any kind ends in a diagnostic", async () => {
    expect(await first("")).toBe("RS1003");
    expect(await first("\u0000\u0001\uD800 %%% ((((")).toMatch(/^RS10/);
    expect(await first("<script>alert(1)</script>")).toMatch(/^RS10/);
    expect(await first(`def @main(%x: Tensor[(${"9".repeat(400)}), float32]) { %x }`)).toBe("RS1032");
    expect(await first(`def @main() { ${"(".repeat(100_000)}`)).toBe("RS1003");
  });

  it("of 50 MB is refused by its size", async () => {
    expect(await first("nonsense ".repeat(6_000_000))).toBe("RS1004");
  });

  it("cut off anywhere never crashes", async () => {
    const text = messageRows.find((row) => row.name === "two anchors")!.text;
    for (let end = 0; end < text.length; end += 7) expect(await first(text.slice(0, end))).toBeDefined();
  });
});
