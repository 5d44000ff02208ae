import { expect, test } from "vitest";
import { graphJson } from "../compiler/executor/graph-json.ts";
import type { GraphPlan } from "../compiler/executor/graph-plan.ts";
import { float32 } from "../compiler/ir/dtype.ts";
import { synthetic } from "../compiler/ir/origin.ts";
import type { LoweredPrimitive } from "../compiler/lower/lowered.ts";
import type { CallView } from "../protocol/compile.ts";
import { graphJsonListing } from "./graph-json-listing.ts";

test("the text is JSON.stringify's, and a node's lines belong to its call", () => {
  const facts = { dtype: float32, shape: [2], bytes: 8, device: 1 };
  const plan: GraphPlan = {
    nodes: [
      { kind: "input", name: "x", inputs: [], outputs: [0], origin: synthetic("test") },
      {
        kind: "call",
        name: "fused_nn_relu",
        inputs: [0],
        outputs: [1],
        origin: synthetic("test"),
        primitive: { index: 0, symbol: "tvmgen_default_fused_nn_relu" } as LoweredPrimitive,
        reshapeOnly: false,
        labels: [["hash", "1"]],
      },
    ],
    entries: [
      { node: 0, output: 0, storage: 0, ...facts },
      { node: 1, output: 0, storage: 1, ...facts },
    ],
    results: [1],
    storages: [
      { bytes: 8, device: 1 },
      { bytes: 8, device: 1 },
    ],
    params: new Map(),
    externalParams: new Map(),
  };
  const listing = graphJsonListing(plan, [{ index: 0, graphNode: 1 } as CallView]);
  expect(listing.text).toBe(`${JSON.stringify(graphJson(plan), null, 2)}\n`);
  const lines = listing.text.split("\n");
  expect(lines.filter((_, line) => listing.owners[line]?.call === 0).join("\n")).toContain("fused_nn_relu");
  expect(listing.owners[lines.indexOf('      "name": "x",')]?.call).toBe(-1);
});
