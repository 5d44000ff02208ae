// Graph JSON as JSON.stringify prints it, each node's lines owned by the call (else the primitive, else the
// source) that it is.
import { ownedBy, type LineOwner } from "../compiler/ir/origin.ts";
import { graphJson } from "../compiler/executor/graph-json.ts";
import { primitiveIndex, type GraphPlan } from "../compiler/executor/graph-plan.ts";
import type { CallView } from "../protocol/compile.ts";
import { TextWriter, type Listing } from "../support/text-writer.ts";

export function graphJsonListing(plan: GraphPlan, calls: readonly CallView[]): Listing<LineOwner> {
  const callOf = new Map<number, number>();
  for (const call of calls) if (call.graphNode >= 0) callOf.set(call.graphNode, call.index);
  const out = new TextWriter<LineOwner>();
  const json = graphJson(plan);
  const entries = Object.entries(json);
  const comma = (index: number, count: number): string => (index < count - 1 ? "," : "");
  out.line("{");
  out.indent(() => {
    entries.forEach(([key, value], at) => {
      const end = comma(at, entries.length);
      if (key !== "nodes" || json.nodes.length === 0)
        return out.line(`${JSON.stringify(key)}: ${JSON.stringify(value, null, 2)}${end}`);
      out.line('"nodes": [');
      out.indent(() => {
        json.nodes.forEach((node, index) => {
          const owner = ownedBy({
            call: callOf.get(index) ?? -1,
            primitive: primitiveIndex(plan.nodes[index]),
            origin: plan.nodes[index]?.origin ?? null,
          });
          out.line(`${JSON.stringify(node, null, 2)}${comma(index, json.nodes.length)}`, owner);
        });
      });
      out.line(`]${end}`);
    });
  });
  out.line("}");
  return out.finish();
}
