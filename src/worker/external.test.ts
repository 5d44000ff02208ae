// What the page gets of external functions and of several devices: primitives, listings with owners, graph
// nodes, memory.
import { listingText } from "../protocol/listing-id.ts";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { defaultOptions, type Options } from "../compiler/options.ts";
import { type CompileReply } from "../protocol/compile.ts";
import { createSession } from "./session.ts";

function example(name: string): string {
  return readFileSync(new URL(`../page/ui/examples/${name}.relay`, import.meta.url), "utf8");
}

async function compiled(text: string, options: Partial<Options>) {
  const session = createSession();
  const reply: CompileReply = await session.compile({
    runId: 1,
    source: { kind: "relay", text, name: "test" },
    options: { ...defaultOptions, ...options },
  });
  if (reply.status !== "ok")
    throw new Error(
      reply.status === "crashed"
        ? reply.message
        : reply.status === "failed"
          ? reply.diagnostics.map(({ message }) => message).join()
          : reply.status,
    );
  return { session, summary: reply.summary, diagnostics: reply.diagnostics };
}

it("external functions say their generator and have listings of their own, each line with its owner", async () => {
  const { session, summary } = await compiled(example("byoc"), { bindFill: ["mean", "scale", "w"] });
  expect(
    summary.primitives.map(({ symbol, external, cListing }) => [symbol, external, listingText(cListing)]),
  ).toEqual([
    ["normalise", "ccompiler", "c/lib2"],
    ["tvmgen_default_fused_nn_conv2d_nn_relu", null, "c/lib1"],
    ["blend", "ccompiler", "c/lib3"],
    ["tvmgen_default_fused_sigmoid", null, "c/lib1"],
  ]);
  expect(
    summary.listings
      .filter(({ id }) => id.kind === "c-library")
      .map(({ id, title }) => [listingText(id), title]),
  ).toEqual([
    ["c/lib0", "default_lib0.c"],
    ["c/lib1", "default_lib1.c"],
    ["c/lib2", "default_lib2.c"],
    ["c/lib3", "default_lib3.c"],
  ]);
  const reply = session.view(1, { kind: "listing", id: { kind: "c-library", library: 3 } });
  if (reply.status !== "listing") throw new Error(reply.status);
  const lines = reply.listing.text.split("\n");
  const [first, last] = summary.primitives[2]!.cLines;
  expect(lines.slice(first - 1, last).join("\n")).toContain("TVM_DLL int32_t blend(");
  const { owners, lineOwner } = reply.listing;
  const ownerOf = (part: string) => lineOwner[lines.findIndex((line) => line.includes(part))]! - 1;
  const sourcesOf = (row: number): string[] =>
    [...owners.sources.slice(owners.sourceStart[row]!, owners.sourceStart[row + 1]!)].map(
      (id) => summary.sources[id]!.op,
    );
  expect(owners.primitive[ownerOf("blend_0(")]).toBe(2);
  expect(sourcesOf(ownerOf("blend_2("))).toEqual(["add"]);
  const remarks = await compiled(
    "def @main(%x: Tensor[(2), float32]) { %0 = add(%x, %x); %1 = exp(%0); multiply(%1, %0) }",
    { partition: ["ccompiler"] },
  );
  expect(
    remarks.summary.remarks.filter(({ kind }) => kind.startsWith("partition.")).map(({ kind }) => kind),
  ).toEqual(["partition.apart", "partition.region", "partition.region"]);
});

it("two devices: copies are calls with graph nodes, every function has its device, memory is drawn", async () => {
  const { session, summary, diagnostics } = await compiled(example("two-devices"), {
    targets: [
      { device: 1, kind: "c" },
      { device: 4, kind: "opencl" },
    ],
  });
  expect(summary.primitives.map(({ name, device }) => [name, device])).toEqual([
    ["fused_tanh", 1],
    ["__copy", 4],
    ["fused_nn_conv2d_nn_relu", 4],
    ["__copy", 1],
    ["fused_add", 1],
  ]);
  const calls = summary.calls.map(({ symbol, graphNode, inputCount }) => [
    symbol,
    graphNode >= 0,
    inputCount,
  ]);
  expect(calls).toContainEqual(["__copy", true, 1]);
  expect(new Set(summary.calls.map(({ graphNode }) => graphNode)).size).toBe(summary.calls.length);
  expect(diagnostics.map(({ code, severity }) => [code, severity])).toEqual([["RS3009", "info"]]);
  for (const kind of ["graph", "memory"] as const) expect(session.view(1, { kind }).status).toBe(kind);
});
