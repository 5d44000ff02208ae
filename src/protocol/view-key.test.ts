import fc from "fast-check";
import { expect, test } from "vitest";
import { listingOf, listingText, type ListingId } from "./listing-id.ts";
import { viewKeyOf, viewKeyText } from "./view-key.ts";

const count = fc.nat({ max: 99_999 });
const shapes = fc.array(fc.array(fc.nat({ max: 9 }), { maxLength: 4 }), { maxLength: 3 });

const ids: fc.Arbitrary<ListingId> = fc.oneof(
  fc.record({ kind: fc.constant("relay" as const), step: fc.integer({ min: -1, max: 99_999 }) }),
  fc.record({ kind: fc.constantFrom("tir", "schedule", "shape"), primitive: count }),
  fc.record({ kind: fc.constant("kernel" as const), primitive: count, inputs: shapes, outputs: shapes }),
  fc.record({ kind: fc.constant("c-library" as const), library: count }),
  fc.record({ kind: fc.constantFrom("c-header", "c-runtime", "aot", "wat", "graph-json", "metadata") }),
);

test("a listing's text leads back to it, and the key's text to the key", () => {
  fc.assert(
    fc.property(ids, (id) => {
      expect(listingOf(listingText(id))).toEqual(id);
      expect(viewKeyOf(viewKeyText({ kind: "listing", id }))).toEqual({ kind: "listing", id });
    }),
  );
  for (const kind of ["graph", "memory", "wasm"] as const)
    expect(viewKeyOf(viewKeyText({ kind }))).toEqual({ kind });
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

test("other texts are none", () => {
  for (const text of ["", "relay/", "relay/x", "tir/-1", "kernel/3/2", "c/lib", "listing wat", "toString"])
    expect(listingOf(text)).toBeNull();
  for (const text of ["", "wat", "listing", "listing nothing"]) expect(viewKeyOf(text)).toBeNull();
});
