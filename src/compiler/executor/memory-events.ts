// The executors' plans as the memory planners take them: events of the tensors between calls. Parameters of
// main, constants and outputs of the AOT runner are not in the events, since they have places of their own;
// the graph executor plans its outputs, so its events have them.
import { at, first } from "../../support/assert.ts";
import { lifeEvents, type MemoryEvent } from "../memory/events.ts";
import { isOperator, type GraphPlan } from "./graph-plan.ts";
import type { AotPlan } from "./plan.ts";

/** Tensors are the on-demand storage ids. */
export function aotEvents(plan: AotPlan): readonly MemoryEvent[] {
  const bytes = new Map(plan.onDemand);
  const uses = plan.onDemandCalls.map((call) =>
    call.args.flatMap((arg) => (arg.kind === "sid" ? [arg.sid] : [])),
  );
  return lifeEvents(
    uses,
    (tensor, step) => ({
      kind: "allocate",
      tensor,
      bytes: bytes.get(tensor)!,
      step,
      device: plan.devices.storage.get(tensor)!,
    }),
    new Set(),
  );
}

/** Tensors are entries of the graph; steps are its operator nodes. Results live to the end. */
export function graphEvents({ nodes, entries, results }: GraphPlan): readonly MemoryEvent[] {
  const operators = nodes.filter(isOperator);
  const owned = new Set(operators.flatMap((node) => node.outputs));
  return lifeEvents(
    operators.map((node) => [...node.inputs.filter((entry) => owned.has(entry)), ...node.outputs]),
    (tensor, step): MemoryEvent => {
      const node = at(operators, step, "operator");
      const { bytes, device } = at(entries, tensor, "graph entry");
      const of = node.kind === "call" && node.reshapeOnly ? first(node.inputs, "argument") : -1;
      if (owned.has(of)) return { kind: "alias", tensor, of, bytes, step };
      return { kind: "allocate", tensor, bytes, step, device };
    },
    new Set(results.filter((entry) => owned.has(entry))),
  );
}
