// What happens to the tensors between calls, in order: the one input of every memory planner. Steps are calls of the runner.
// Parameters of main, constants and outputs of the AOT runner are the caller's memory and not in it; the graph executor's
// outputs are its own, so its events have them.
import { isOperator, type GraphPlan } from "./graph-plan.ts";
import type { AotPlan } from "./plan.ts";

export type MemoryEvent =
  | {
      readonly kind: "allocate";
      readonly tensor: number;
      readonly bytes: number;
      readonly step: number;
      readonly device: number;
    }
  | { readonly kind: "touch"; readonly tensor: number; readonly step: number }
  /** `tensor` is the same bytes as `of` from here on. */
  | {
      readonly kind: "alias";
      readonly tensor: number;
      readonly of: number;
      readonly bytes: number;
      readonly step: number;
    }
  /** The last step at which the tensor is needed. */
  | { readonly kind: "free"; readonly tensor: number; readonly step: number };

/** A tensor's stay: steps are inclusive. */
export interface TensorLife {
  readonly tensor: number;
  /** The tensor whose bytes these are: itself, or the one that it is an alias of. */
  readonly root: number;
  readonly bytes: number;
  readonly device: number;
  readonly from: number;
  readonly to: number;
}

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
      const node = operators[step]!;
      const { bytes, device } = entries[tensor]!;
      const of = node.kind === "call" && node.reshapeOnly ? node.inputs[0]! : -1;
      if (owned.has(of)) return { kind: "alias", tensor, of, bytes, step };
      return { kind: "allocate", tensor, bytes, step, device };
    },
    new Set(results.filter((entry) => owned.has(entry))),
  );
}

/** One allocate (or alias) at the first use, touches, and a free at the last; `kept` are never freed before the last step. */
function lifeEvents(
  uses: readonly (readonly number[])[],
  start: (tensor: number, step: number) => MemoryEvent,
  kept: ReadonlySet<number>,
): MemoryEvent[] {
  const last = new Map<number, number>();
  uses.forEach((tensors, step) => {
    for (const tensor of tensors) last.set(tensor, kept.has(tensor) ? uses.length - 1 : step);
  });
  const frees: number[][] = uses.map(() => []);
  for (const [tensor, step] of last) frees[step]!.push(tensor);
  const born = new Set<number>();
  return uses.flatMap((tensors, step) => {
    const events = [...new Set(tensors)].map((tensor): MemoryEvent => {
      if (born.has(tensor)) return { kind: "touch", tensor, step };
      born.add(tensor);
      return start(tensor, step);
    });
    return [...events, ...frees[step]!.map((tensor): MemoryEvent => ({ kind: "free", tensor, step }))];
  });
}

/** The stay of each tensor, in order of birth. A tensor without a free lives to its last touch. */
export function tensorLives(events: readonly MemoryEvent[]): readonly TensorLife[] {
  const lives = new Map<
    number,
    { tensor: number; root: number; bytes: number; device: number; from: number; to: number }
  >();
  for (const event of events) {
    if (event.kind === "allocate") {
      lives.set(event.tensor, {
        tensor: event.tensor,
        root: event.tensor,
        bytes: event.bytes,
        device: event.device,
        from: event.step,
        to: event.step,
      });
    } else if (event.kind === "alias") {
      const of = lives.get(event.of)!;
      lives.set(event.tensor, {
        tensor: event.tensor,
        root: of.root,
        bytes: event.bytes,
        device: of.device,
        from: event.step,
        to: event.step,
      });
    } else {
      const life = lives.get(event.tensor)!;
      life.to = Math.max(life.to, event.step);
    }
  }
  return [...lives.values()];
}
