// Why two operators share a kernel or do not, as remarks on the pair: an operator and its post-dominator (or,
// where it has none, the consumer that keeps it apart).
import { first } from "../../../../support/assert.ts";
import { calledOp, type Expr } from "../../expr.ts";
import { remark, type Remark } from "../../../ir/remark.ts";
import { OpPattern, type OpTable } from "../../../ir/op.ts";
import type { RelayOp } from "../../op.ts";
import type { ForwardGraph } from "./indexed-forward-graph.ts";
import type { Partition, Refusal } from "./graph-partitioner.ts";

/** One remark an operator call that something consumes, in post-DFS order. */
export function fusionRemarks(graph: ForwardGraph, partition: Partition, ops: OpTable<RelayOp>): Remark[] {
  const remarks: Remark[] = [];
  graph.nodes.forEach((expr, node) => {
    const name = calledOp(expr);
    if (name === null || graph.outputs[node]!.length === 0) return;
    const sink = partition.dominator[node]!;
    const other = graph.nodes[sink >= 0 ? sink : first(graph.outputs[node]!, "output").to]!;
    const refusal = partition.refusals[node] ?? null;
    const facts = { op: name, into: describe(other) };
    if (refusal === null || (sink >= 0 && partition.rootOf(node) === partition.rootOf(sink))) {
      const merged = `${name} runs in the same kernel as ${describe(other)}`;
      remarks.push(
        remark("FuseOps", "fuse.merged", merged, { origin: expr.origin, other: other.origin, facts }),
      );
      return;
    }
    const at = refusal.at >= 0 ? graph.nodes[refusal.at]! : null;
    remarks.push(
      remark("FuseOps", "fuse.refused", sentence(name, describe(other), refusal, at, ops), {
        origin: expr.origin,
        other: other.origin,
        facts: { ...facts, why: refusal.why, ...(at === null ? {} : { at: describe(at) }) },
      }),
    );
  });
  return remarks;
}

function describe(expr: Expr): string {
  return (
    calledOp(expr) ??
    (expr.kind === "tuple"
      ? "the tuple"
      : expr.kind === "tuple-get-item"
        ? "the projection"
        : `the ${expr.kind}`)
  );
}

function patternName(expr: Expr, ops: OpTable<RelayOp>): string {
  const name = calledOp(expr);
  const pattern = name === null ? undefined : ops.get(name)?.pattern;
  return Object.entries(OpPattern).find(([, value]) => value === pattern)?.[0] ?? "opaque";
}

function sentence(
  op: string,
  into: string,
  refusal: Refusal,
  at: Expr | null,
  ops: OpTable<RelayOp>,
): string {
  const obstacle = at === null ? into : describe(at);
  const kind = at === null ? "" : ` (${patternName(at, ops)})`;
  switch (refusal.why) {
    case "maxDepth":
      return `${op} stays apart from ${into}: the group would hold more nodes than relay.FuseOps.max_depth allows`;
    case "sinkOpaque":
      return `${op} stays apart: ${obstacle} is opaque, nothing fuses into it`;
    case "pathNotBroadcast":
      return `${op} stays apart from ${into}: ${obstacle}${kind} lies on the way and is too complex to inline`;
    case "twoAnchors":
      return `${op} stays apart: ${obstacle} already has an anchor operator, and a kernel has one`;
    case "edgeNotElementwise":
      return `${op} stays apart: ${into} does not read it element by element`;
    case "tuple":
      return `${op} stays apart: it feeds a tuple that leaves the kernels`;
    case "reduction":
      return `${op} ends its kernel: a reduction takes nothing after it`;
    case "opaque":
      return `${op} is opaque: it is a kernel of its own`;
    case "multipleConsumers":
      return `${op} stays apart: its consumers do not meet again in one operator`;
    case "result":
      return `${op} stays apart: its value also leaves the function`;
    case "fusionOff":
      return `${op} stays apart: opt level 0 does not fuse`;
  }
}
