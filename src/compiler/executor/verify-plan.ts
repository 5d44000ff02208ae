// Checks the executors' memory plans: every read, in every branch, sees the bytes of the tensor that was
// written for it. What is meant is read from main (main-flow.ts), not from the plan. Run where a plan is
// made: in tests, under --verify, and in the page while developing.
import { InvariantError, at, first, get, present, zip } from "../../support/assert.ts";
import {
  shadowJoin,
  shadowMemory,
  shadowRead,
  shadowStep,
  type Access,
  type Shadow,
} from "../memory/shadow.ts";
import type { GraphNode, GraphPlan } from "./graph-plan.ts";
import {
  tensorTypeBytes,
  type FlowBranch,
  type LoweredFlow,
  type Producer,
  type Value,
} from "./main-flow.ts";
import type { AotArg, AotCall, AotPlan } from "./plan.ts";

/** What the rows of an AOT main are held against. */
interface AotWalk {
  readonly flow: LoweredFlow;
  readonly shadow: Shadow<string>;
  /** Numbers of each producer's tensors. */
  readonly numbers: ReadonlyMap<Producer, number[]>;
  /** Bytes of each storage that the plan allocates. */
  readonly capacity: ReadonlyMap<string, number>;
  /** What the rows have still to do: calls in order, ifs in the order in which they end. */
  readonly calls: Iterator<Producer>;
  readonly ifs: Iterator<Producer>;
  readonly open: { before: Map<string, number>; then: Map<string, number>; condition: number | undefined }[];
}

/**
 * Throws InvariantError where a read of `rows` meets another tensor's bytes. `sizes`: [sid, bytes] of the
 * storage that they name; `by`: who planned it.
 */
export function checkAotMemory(
  flow: LoweredFlow,
  { inputs, params }: AotPlan,
  rows: readonly AotCall[],
  sizes: readonly (readonly [number, number])[],
  by: string,
): void {
  const walk = startWalk(flow, sizes);
  const { shadow } = walk;
  const hold = (arg: AotArg, producer: Producer): void =>
    void shadow.held.set(placeOf(arg), numberOf(walk, { producer, index: 0 }));
  zip(flow.params, inputs, "inputs").forEach(([producer], index) => hold({ kind: "input", index }, producer));
  const constants = flow.left.filter((producer) => producer.kind === "constant");
  for (const [producer, [name, data]] of zip(constants, [...params], "linked parameters")) {
    if (producer.data !== data) shadow.problems.push(`${name} is another constant`);
    hold({ kind: "param", name }, producer);
  }
  for (const row of rows) runRow(walk, row);
  if (walk.calls.next().done !== true) shadow.problems.push("a call has no row");
  flow.results.forEach((value, index) =>
    shadowRead(shadow, access(walk, { kind: "output", index }, value), "the caller"),
  );
  report(shadow.problems, by);
}

function startWalk(flow: LoweredFlow, sizes: readonly (readonly [number, number])[]): AotWalk {
  let count = 0;
  const producers = [...flow.params, ...flow.left];
  const of = (kind: Producer["kind"]): Iterator<Producer> =>
    flow.left.filter((producer) => producer.kind === kind)[Symbol.iterator]();
  return {
    flow,
    shadow: shadowMemory(),
    numbers: new Map(
      producers.map((producer) => [producer, get(flow.types, producer, "value").map(() => count++)]),
    ),
    capacity: new Map(sizes.map(([sid, bytes]) => [placeOf({ kind: "sid", sid }), bytes])),
    calls: of("call"),
    ifs: of("if"),
    open: [],
  };
}

function placeOf(arg: AotArg): string {
  switch (arg.kind) {
    case "input":
    case "output":
      return `${arg.kind} ${arg.index}`;
    case "sid":
      return `sid_${arg.sid}`;
    case "param":
      return arg.name;
  }
}

function numberOf({ numbers }: AotWalk, { producer, index }: Value): number {
  return at(get(numbers, producer, "value"), index, "result");
}

function access(walk: AotWalk, arg: AotArg, value: Value): Access<string> {
  const type = at(get(walk.flow.types, value.producer, "value"), value.index, "result");
  const [storage, bytes] = [placeOf(arg), tensorTypeBytes(type)];
  if (bytes > (walk.capacity.get(storage) ?? bytes))
    walk.shadow.problems.push(`${storage} is too small for ${bytes} bytes`);
  return { storage, tensor: numberOf(walk, value), bytes };
}

function runRow(walk: AotWalk, row: AotCall): void {
  const { shadow, open } = walk;
  switch (row.kind) {
    case "if": {
      const condition = shadow.held.get(placeOf(first(row.args, "condition")));
      open.push({ before: new Map(shadow.held), then: new Map(), condition });
      return;
    }
    case "else": {
      const side = at(open, open.length - 1, "branch");
      side.then = shadow.held;
      shadow.held = side.before;
      return;
    }
    case "end":
      return endBranch(walk);
    case "copy":
      if (row.primitive >= 0) return callRow(walk, row);
      return copyRow(shadow, row);
    case "call":
      return callRow(walk, row);
  }
}

function callRow(walk: AotWalk, row: AotCall): void {
  const { value: producer } = walk.calls.next() as IteratorResult<Producer, undefined>;
  if (producer?.kind !== "call") {
    walk.shadow.problems.push(`${row.symbol} is called once more than main calls it`);
    return;
  }
  const { args } = get(walk.flow.calls, producer, "call");
  const reads = args.map((value, i) => access(walk, at(row.args, i, "argument"), value));
  const results = row.args.slice(args.length);
  const writes = results.map((arg, index) => access(walk, arg, { producer, index }));
  shadowStep(walk.shadow, reads, writes, row.symbol);
}

/** Bytes are moved, and with them goes whose they are. */
function copyRow({ held, problems }: Shadow<string>, { args, bytes }: AotCall): void {
  const [source, destination] = [placeOf(at(args, 0, "source")), placeOf(at(args, 1, "destination"))];
  const tensor = held.get(source);
  if (tensor !== undefined) held.set(destination, tensor);
  else if (bytes > 0) problems.push(`${source} is copied, where nothing is`);
}

function endBranch(walk: AotWalk): void {
  const side = walk.open.pop();
  const { value: producer } = walk.ifs.next() as IteratorResult<Producer, undefined>;
  if (side === undefined || producer?.kind !== "if") {
    walk.shadow.problems.push("a branch ends that main has not");
    return;
  }
  const branch = get(walk.flow.branches, producer, "branch");
  if (side.condition !== numberOf(walk, branch.condition))
    walk.shadow.problems.push("an if asks for another tensor than its condition");
  const pairs = resultPairs(walk, branch);
  const own = get(walk.numbers, producer, "number of an if");
  shadowJoin(walk.shadow, side.then, (then, otherwise) => own[indexOfPair(pairs, [then, otherwise])]);
}

type Pair = readonly [then: number, otherwise: number];

const indexOfPair = (pairs: readonly Pair[], [then, otherwise]: Pair): number =>
  pairs.findIndex((pair) => pair[0] === then && pair[1] === otherwise);

/** What each result of the if is on either side; those that are one tensor get one number. */
function resultPairs(walk: AotWalk, { expr, thenResults, otherwiseResults }: FlowBranch): readonly Pair[] {
  const pairs = zip(thenResults, otherwiseResults, "results").map(([then, otherwise]): Pair => [
    numberOf(walk, then),
    numberOf(walk, otherwise),
  ]);
  const own = get(walk.numbers, expr, "number of an if");
  pairs.forEach((pair, i) => {
    own[i] = pair[0] === pair[1] ? pair[0] : at(own, indexOfPair(pairs, pair), "result");
  });
  return pairs;
}

/** As checkAotMemory, for the graph executor: tensors are its entries, storages its storage ids. */
export function checkGraphMemory(plan: GraphPlan): void {
  const { nodes, entries, results, storages } = plan;
  const shadow = shadowMemory<number>();
  const shared = new Map<number, number>();
  nodes.forEach((node) => {
    if (node.kind === "call" && node.reshapeOnly) {
      const of = first(node.inputs, "argument");
      shared.set(first(node.outputs, "result"), shared.get(of) ?? of);
    }
  });
  const entryAccess = (entry: number): Access<number> => {
    const { storage, bytes } = at(entries, entry, "graph entry");
    if (bytes > at(storages, storage, "storage").bytes)
      shadow.problems.push(`storage ${storage} is too small for ${bytes} bytes`);
    return { storage, tensor: shared.get(entry) ?? entry, bytes };
  };
  for (const node of nodes)
    if (node.kind === "input" || node.kind === "constant")
      shadowStep(shadow, [], node.outputs.map(entryAccess), node.name);
  const ifsFrom = new Map<number, number[]>();
  nodes.forEach((node, i) => {
    if (node.kind === "branch") ifsFrom.set(node.thenBegin, [...(ifsFrom.get(node.thenBegin) ?? []), i]);
  });
  runNodes({ plan, ifsFrom, shadow, access: entryAccess }, 0, nodes.length);
  for (const entry of results) shadowRead(shadow, entryAccess(entry), "the caller");
  report(shadow.problems, "GraphPlanMemory");
}

interface GraphWalk {
  readonly plan: GraphPlan;
  /** Ifs by the node that their first branch starts with, innermost first. */
  readonly ifsFrom: ReadonlyMap<number, readonly number[]>;
  readonly shadow: Shadow<number>;
  readonly access: (entry: number) => Access<number>;
}

function runNodes(walk: GraphWalk, from: number, to: number): void {
  const { nodes } = walk.plan;
  for (let i = from; i < to; i++) {
    const end = walk.ifsFrom.get(i)?.findLast((position) => position < to) ?? -1;
    const branch = nodes[end];
    if (branch?.kind === "branch") {
      runBranch(walk, branch, end);
      i = end;
      continue;
    }
    const node = present(nodes[i], "graph node");
    if (node.kind !== "call") continue;
    const [reads, writes] = [node.inputs.map(walk.access), node.outputs.map(walk.access)];
    if (node.reshapeOnly) reads.forEach((read) => shadowRead(walk.shadow, read, node.name));
    else shadowStep(walk.shadow, reads, writes, node.name);
  }
}

function runBranch(walk: GraphWalk, node: GraphNode & { readonly kind: "branch" }, end: number): void {
  const { shadow, access: of } = walk;
  const [condition, ...sources] = node.inputs.map(of);
  if (condition !== undefined) shadowRead(shadow, condition, node.name);
  const before = new Map(shadow.held);
  const copies = (from: number): void =>
    node.outputs.forEach((entry, k) =>
      shadowStep(shadow, [present(sources[from + k], "result of a branch")], [of(entry)], node.name),
    );
  runNodes(walk, node.thenBegin, node.elseBegin);
  copies(0);
  const then = shadow.held;
  shadow.held = before;
  runNodes(walk, node.elseBegin, end);
  copies(node.outputs.length);
  shadowJoin(shadow, then, () => undefined);
}

function report(problems: readonly string[], by: string): void {
  if (problems.length > 0)
    throw new InvariantError(`${by} planned memory that is read wrongly: ${problems.slice(0, 5).join("; ")}`);
}
