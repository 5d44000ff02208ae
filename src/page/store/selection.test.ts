import { expect, test } from "vitest";
import type { ListingId } from "../../protocol/listing-id.ts";
import { lenetListing, lenetSummary } from "../../testing/harness/lenet-run.ts";
import {
  carryEntity,
  entityOfRow,
  lineIsHit,
  lineIsLit,
  primitiveOfRow,
  resolveSelection,
  rowSources,
} from "./selection.ts";

const text = `def @main(%data: Tensor[(1, 1, 28, 28), float32]) {
  %0 = nn.conv2d(%data);
  %1 = nn.bias_add(%0);
}
`;
const summary = lenetSummary(text);
const lib0: ListingId = { kind: "c-library", library: 0 };
const lib1: ListingId = { kind: "c-library", library: 1 };

/** 1-based lines of a listing that `test` holds for. */
function lines(
  id: ListingId,
  holds: (row: number, listing: NonNullable<ReturnType<typeof lenetListing>>) => boolean,
): number[] {
  const listing = lenetListing(id, text)!;
  return [...listing.lineOwner.keys()]
    .filter((line) => holds(listing.lineOwner[line]! - 1, listing))
    .map((line) => line + 1);
}

test("a source line lights its primitive, call, storage and the other sources of the call", () => {
  const lit = resolveSelection(summary, { kind: "source", id: 14 });
  expect([...lit.calls]).toEqual([2]);
  expect([...lit.primitives]).toEqual([2]);
  expect([...lit.sids]).toEqual([16]);
  expect([...lit.sources].sort((a, b) => a - b)).toEqual([13, 14, 15]);
});

test("a storage lights every call that writes it, and no other storage", () => {
  const lit = resolveSelection(summary, { kind: "sid", id: 16 });
  expect([...lit.calls]).toEqual([0, 2, 4]);
  expect([...lit.sids]).toEqual([16]);
});

test("a primitive lights its lines in C and its call site in the runner", () => {
  const lit = resolveSelection(summary, { kind: "primitive", id: 3 });
  const [from, to] = summary.primitives[3]!.cLines;
  const lit1 = lines(lib1, (row, listing) => lineIsLit(lit, listing.owners, row));
  expect(lit1).toEqual(Array.from({ length: to - from + 1 }, (_, index) => from + index));
  const [site, siteEnd] = summary.calls[3]!.cLines;
  expect(lines(lib0, (row, listing) => lineIsLit(lit, listing.owners, row))).toEqual([site, siteEnd]);
});

test("only rows of the source itself are hit; the rest of the function is extent", () => {
  const lit = resolveSelection(summary, { kind: "source", id: 13 });
  const all = lines(lib1, (row, listing) => lineIsLit(lit, listing.owners, row));
  const hit = lines(lib1, (row, listing) => lineIsHit(lit, listing.owners, row));
  expect(hit.length).toBeGreaterThan(0);
  expect(hit.every((line) => all.includes(line))).toBe(true);
});

test("a parameter or a folded source lights itself alone", () => {
  const lit = resolveSelection(summary, { kind: "source", id: 0 });
  expect([[...lit.sources], [...lit.calls], [...lit.primitives]]).toEqual([[0], [], []]);
});

test("the same question gives the same object; ids out of range light nothing else", () => {
  expect(resolveSelection(summary, { kind: "call", id: 5 })).toBe(
    resolveSelection(summary, { kind: "call", id: 5 }),
  );
  expect(resolveSelection(summary, { kind: "primitive", id: 99 }).calls.size).toBe(0);
  expect(
    lineIsLit(resolveSelection(summary, { kind: "call", id: 1 }), lenetListing(lib1, text)!.owners, -1),
  ).toBe(false);
});

test("pointing at a line means its call before its primitive before its source", () => {
  const entry = lenetListing(lib0, text)!;
  const row = entry.lineOwner[summary.calls[4]!.cLines[0] - 1]! - 1;
  expect(entityOfRow(entry.owners, row)).toEqual({ kind: "call", id: 4 });
  expect(primitiveOfRow(summary, entry.owners, row)).toBe(4);
  const relay = lenetListing({ kind: "relay", step: 3 }, text)!;
  const sourced = [...relay.lineOwner].find((owner) => owner > 0)! - 1;
  expect(entityOfRow(relay.owners, sourced)).toEqual({
    kind: "source",
    id: rowSources(relay.owners, sourced)[0],
  });
  expect(entityOfRow(relay.owners, -1)).toBeNull();
});

test("a pin is carried to a newer run by name", () => {
  const dropped = {
    ...summary,
    primitives: summary.primitives.slice(1).map((primitive, index) => ({ ...primitive, index })),
  };
  expect(carryEntity(summary, dropped, { kind: "primitive", id: 2 })).toEqual({ kind: "primitive", id: 1 });
  expect(carryEntity(summary, dropped, { kind: "primitive", id: 0 })).toBeNull();
  expect(carryEntity(summary, { ...summary, calls: [] }, { kind: "sid", id: 16 })).toBeNull();
  expect(carryEntity(summary, summary, { kind: "call", id: 3 })).toEqual({ kind: "call", id: 3 });
});
