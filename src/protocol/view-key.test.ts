import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { listingText, type ListingId } from "./listing-id.ts";
import { viewKeyText } from "./view-key.ts";

const count = fc.nat({ max: 99_999 });
const shapes = fc.array(fc.array(fc.nat({ max: 9 }), { maxLength: 4 }), { maxLength: 3 });

const ids: fc.Arbitrary<ListingId> = fc.oneof(
  fc.record({ kind: fc.constant("relay" as const), step: fc.integer({ min: -1, max: 99_999 }) }),
  fc.record({ kind: fc.constantFrom("tir", "schedule", "shape"), primitive: count }),
  fc.record({ kind: fc.constant("kernel" as const), primitive: count, inputs: shapes, outputs: shapes }),
  fc.record({ kind: fc.constant("c-library" as const), library: count }),
  fc.record({ kind: fc.constantFrom("c-header", "c-runtime", "aot", "wat", "graph-json", "metadata") }),
);

test("equal listings have equal texts, others do not", () => {
  fc.assert(
    fc.property(ids, ids, (a, b) => {
      expect(listingText(a) === listingText(b)).toBe(isDeepStrictEqual({ ...a }, { ...b }));
      expect(listingText({ ...a })).toBe(listingText(a));
    }),
  );
});

test("a view's key has a text that no other has", () => {
  const views = (["graph", "memory", "wasm"] as const).map((kind) => viewKeyText({ kind }));
  fc.assert(
    fc.property(ids, (id) => {
      expect(new Set([...views, viewKeyText({ kind: "listing", id })]).size).toBe(4);
    }),
  );
});

test("texts are those that readers know", () => {
  const texts = [
    listingText({ kind: "relay", step: -1 }),
    listingText({ kind: "kernel", primitive: 3, inputs: [[2, 4], []], outputs: [[2, 4]] }),
    listingText({ kind: "c-library", library: 1 }),
    listingText({ kind: "c-header" }),
  ];
  expect(texts).toEqual(["relay/-1", "kernel/3/2x4,scalar/2x4", "c/lib1", "c/header"]);
});
