// The case files under cases/: programs from public reports, with what the right outcome is.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readCase } from "./harness/case-file.ts";
import { allLevels, runCase } from "./harness/case-run.ts";

const folder = join(import.meta.dirname, "cases");

describe("cases", () => {
  for (const file of readdirSync(folder).sort()) {
    const text = readFileSync(join(folder, file), "utf8");
    const found = readCase(text);
    it(`${found.number} ${found.slug}`, async () => {
      expect(await runCase(found, text, { ...allLevels, levels: [0, 3], c: [] })).toEqual([]);
    });
  }
});

describe("the header's lines", () => {
  it("fill an array by an expression in k", () => {
    const text =
      '// Case 99: x\n// @input {"name": "x", "dtype": "int32", "shape": [4], "fill": "(k * 3 - 1) % 5 // 2"}\n// @output {"dtype": "int64", "shape": [1], "data": ["9007199254740993"]}';
    const { runs } = readCase(text);
    expect([...runs[0]!.inputs.get("x")!.data]).toEqual([2, 1, 0, 1]);
    expect([...runs[0]!.outputs[0]!.data]).toEqual([9007199254740993n]);
  });
});
