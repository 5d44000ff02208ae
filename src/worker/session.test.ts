import { expect, test } from "vitest";
import { defaultOptions } from "../compiler/options.ts";
import { createSession } from "./session.ts";

const text = `#[version = "0.0.5"]
def @main(%x: Tensor[(1, 3, 8, 8), float32], %w: Tensor[(4, 3, 3, 3), float32]) {
  %0 = nn.conv2d(%x, %w, padding=[1, 1, 1, 1]);
  %1 = nn.relu(%0);
  reshape(%1, newshape=[1, 256])
}
`;

test("the schedule of a primitive is a listing that its lines link to it; a cache entry names it", async () => {
  const session = createSession();
  const reply = await session.compile({
    runId: 1,
    source: { kind: "relay", text, name: "conv" },
    options: defaultOptions,
  });
  if (reply.status !== "ok") throw new Error(reply.status);
  const view = session.view(1, { kind: "listing", id: { kind: "schedule", primitive: 0 } });
  if (view.status !== "listing") throw new Error(view.status);
  const lines = view.listing.text.trimEnd().split("\n");
  expect(lines.length).toBeGreaterThan(1);
  for (const line of lines) expect(line).toMatch(/^(\S+ = )?s[.[]/);
  expect(
    [...view.listing.lineOwner.subarray(0, lines.length)].every(
      (row) => view.listing.owners.primitive[row - 1] === 0,
    ),
  ).toBe(true);
  expect(session.view(1, { kind: "listing", id: { kind: "schedule", primitive: 9 } }).status).toBe("gone");

  const { cache, currentKey, primitives, remarks, steps } = reply.summary;
  expect(cache.map(({ kind, useCount, primitive }) => [kind, useCount, primitive])).toEqual(
    primitives.map(({ index }) => ["function", 1, index]),
  );
  expect(currentKey).toBe(cache.at(-1)!.key);
  const fused = steps.find(({ pass }) => pass === "FuseOps")!.index;
  expect(remarks.filter(({ kind }) => kind.startsWith("fuse.")).every(({ step }) => step === fused)).toBe(
    true,
  );
  expect(remarks.filter(({ pass }) => pass === "StorageRewrite").every(({ step }) => step === -1)).toBe(true);
});
