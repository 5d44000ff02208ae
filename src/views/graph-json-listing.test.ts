import { expect, test } from "vitest";
import type { GraphPlan } from "../compiler/executor/plan.ts";
import type { CallView } from "../protocol/compile.ts";
import { graphJsonListing } from "./graph-json-listing.ts";

test("the text is JSON.stringify's, and a node's lines belong to its call", () => {
  const json = {
    nodes: [
      { op: "null", name: "x", inputs: [] },
      { op: "tvm_op", name: "fused_nn_relu", attrs: { num_inputs: "1" }, inputs: [[0, 0, 0]] },
    ],
    arg_nodes: [0],
    heads: [[1, 0, 0]],
    node_row_ptr: [0, 1, 2],
    attrs: { storage_id: ["list_int", [0, 1]] },
  } as unknown as GraphPlan["json"];
  const plan = { json, nodePrimitive: [-1, 0], nodeOrigin: [] } as unknown as GraphPlan;
  const listing = graphJsonListing(plan, [{ index: 0, graphNode: 1 } as CallView]);
  expect(listing.text).toBe(`${JSON.stringify(json, null, 2)}\n`);
  const lines = listing.text.split("\n");
  expect(lines.filter((_, line) => listing.owners[line]?.call === 0).join("\n")).toContain("fused_nn_relu");
  expect(listing.owners[lines.indexOf('      "name": "x",')]?.call).toBe(-1);
});
