// TVM's records of programs with unknown dimensions: shape functions and kernels by name, every run by both engines.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { compareDynamic, type DynamicRecord } from "./compare-dynamic.ts";
import { departures } from "./departures.ts";

const folder = join(import.meta.dirname, "golden-dynamic");

describe("dynamic programs", () => {
  for (const file of readdirSync(folder).sort()) {
    const record = JSON.parse(readFileSync(join(folder, file), "utf8")) as DynamicRecord;
    it(record.name, async () => {
      const differing = (await compareDynamic(record)).filter(([aspect, difference]) => difference !== null && departures[`${record.name}:${aspect}`] === undefined);
      expect(differing).toEqual([]);
    });
  }
});
