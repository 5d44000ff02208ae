// What happens to the tensors between calls, in order: the one input of every memory planner. Steps are calls of the runner.
// Parameters of main, constants and outputs of the AOT runner are the caller's memory and not in it; the graph executor's
// outputs are its own, so its events have them.
import type { AotPlan, GraphPlan } from "./plan.ts";

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

/** Tensors are entries of the graph JSON (node_row_ptr[node] + result); steps are its operator nodes. Results live to the end. */
export function graphEvents(plan: GraphPlan): readonly MemoryEvent[] {
  const { json } = plan;
  const entryOf = (node: number, index: number): number => json.node_row_ptr[node]! + index;
  const operators = json.nodes.flatMap((node, i) => (node.op === "tvm_op" ? [i] : []));
  const owned = new Set(
    operators.flatMap((node) => range(json.node_row_ptr[node]!, json.node_row_ptr[node + 1]!)),
  );
  const uses = operators.map((node) => {
    const reads = json.nodes[node]!.inputs.map(([from, index]) => entryOf(from, index)).filter((entry) =>
      owned.has(entry),
    );
    return [...reads, ...range(json.node_row_ptr[node]!, json.node_row_ptr[node + 1]!)];
  });
  const bytes = entryBytes(plan);
  const devices = json.attrs["device_index"]![1] as readonly number[];
  const heads = new Set(
    json.heads.map(([node, index]) => entryOf(node, index)).filter((entry) => owned.has(entry)),
  );
  return lifeEvents(
    uses,
    (tensor, step): MemoryEvent => {
      const node = json.nodes[operators[step]!]!;
      const [from, index] = node.attrs?.["func_name"] === "__nop" ? node.inputs[0]! : [-1, 0];
      const of = from < 0 ? -1 : entryOf(from, index);
      if (owned.has(of)) return { kind: "alias", tensor, of, bytes: bytes[tensor]!, step };
      return { kind: "allocate", tensor, bytes: bytes[tensor]!, step, device: devices[tensor]! };
    },
    heads,
  );
}

/** Bytes of each entry of the graph JSON. */
export function entryBytes(plan: GraphPlan): readonly number[] {
  const shapes = plan.json.attrs["shape"]![1] as readonly (readonly number[])[];
  const dtypes = plan.json.attrs["dltype"]![1] as readonly string[];
  return shapes.map((shape, i) =>
    shape.reduce((a, b) => a * b, Math.ceil(Number(/\d+$/.exec(dtypes[i]!)![0]) / 8)),
  );
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i);
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
