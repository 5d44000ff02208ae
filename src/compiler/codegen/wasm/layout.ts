// Where everything of a model lies in the one linear memory of its WebAssembly module. The runner and
// the runtime read this table; there is no other. The memory pane draws plans, not this.
import { maxRunBytes } from "../../limits.ts";
import { at } from "../../../support/assert.ts";
import { fail } from "../../ir/diagnostic.ts";
import { tensorBytes, type TensorData } from "../../ir/tensor-data.ts";
import type { GraphPlan } from "../../executor/graph-plan.ts";
import { tensorTypeBytes } from "../../executor/main-flow.ts";
import type { AotPlan } from "../../executor/plan.ts";

/** Bytes. */
interface Block {
  readonly offset: number;
  readonly bytes: number;
}

interface ConstantBlock extends Block {
  readonly data: TensorData;
}

export interface WasmLayout {
  /** Linked parameters, each value once. */
  readonly constants: readonly ConstantBlock[];
  /** By the AOT plan's parameter names. */
  readonly aotConstants: ReadonlyMap<string, Block>;
  /** By the graph plan's, which may number them otherwise. */
  readonly graphConstants: ReadonlyMap<string, Block>;
  /** Constants of external functions, by TVM's names. */
  readonly externalConstants: ReadonlyMap<string, Block>;
  /** The AOT arena: a block a storage id. */
  readonly arena: Block;
  readonly arenaBlocks: ReadonlyMap<number, Block>;
  /**
   * The graph executor's storages by number; they share the arena's place, since one executor runs at a time.
   */
  readonly graphBlocks: readonly Block[];
  readonly inputs: readonly Block[];
  readonly outputs: readonly Block[];
  /** Scratch memory inside a primitive: the most that any of them needs. */
  readonly workspace: Block;
  readonly totalBytes: number;
}

const alignment = 16;
/** The lowest addresses stay empty: a null pointer shows. */
const firstOffset = 16;
interface Cursor {
  at: number;
}

function place(cursor: Cursor, bytes: number): Block {
  const offset = cursor.at;
  cursor.at = align(offset + bytes);
  return { offset, bytes };
}

function align(offset: number): number {
  return Math.ceil(offset / alignment) * alignment;
}

/**
 * `arenaOffsets`: byte offset in the arena of each sid, from a planner; without it each sid has a block of
 * its own, in the order of plan.allocs.
 */
export function planLayout(
  aot: AotPlan | null,
  graph: GraphPlan | null,
  workspaceBytes: number,
  arenaOffsets: ReadonlyMap<number, number> | null,
  external: readonly { readonly name: string; readonly data: TensorData }[] = [],
): WasmLayout {
  const cursor: Cursor = { at: firstOffset };
  const constants = new Map<TensorData, ConstantBlock>();
  const placeConstant = (data: TensorData): Block => {
    const block = constants.get(data) ?? { ...place(cursor, tensorBytes(data).length), data };
    constants.set(data, block);
    return block;
  };
  const placeConstants = (params: ReadonlyMap<string, TensorData>): ReadonlyMap<string, Block> =>
    new Map([...params].map(([name, data]) => [name, placeConstant(data)]));
  const aotConstants = placeConstants(aot?.params ?? new Map());
  const graphConstants = placeConstants(graph?.params ?? new Map());
  const externalConstants = placeConstants(new Map(external.map(({ name, data }) => [name, data])));
  const base = cursor.at;
  const arenaBlocks = new Map<number, Block>();
  for (const [sid, bytes] of aot?.allocs ?? []) {
    const offset = arenaOffsets?.get(sid);
    if (offset === undefined) arenaBlocks.set(sid, place(cursor, bytes));
    else {
      arenaBlocks.set(sid, { offset: base + offset, bytes });
      cursor.at = Math.max(cursor.at, align(base + offset + bytes));
    }
  }
  const arena = { offset: base, bytes: cursor.at - base };
  const graphCursor: Cursor = { at: base };
  const isParam = paramStorages(graph);
  const graphBlocks = (graph?.storages ?? []).map(
    ({ bytes }, sid) => graphConstants.get(isParam.get(sid) ?? "") ?? place(graphCursor, bytes),
  );
  cursor.at = Math.max(cursor.at, graphCursor.at);
  const inputs = (aot?.inputs ?? []).map((input) => place(cursor, tensorTypeBytes(input.type)));
  const outputs = (aot?.outputs ?? []).map((output) => place(cursor, tensorTypeBytes(output.type)));
  const workspace = place(cursor, workspaceBytes);
  if (cursor.at > maxRunBytes) {
    fail("RS6104", `The model needs ${cursor.at} bytes of memory in one WebAssembly module.`, {
      expected: `at most ${maxRunBytes} bytes`,
      got: `constants ${base - firstOffset}, arena ${arena.bytes}, scratch ${workspaceBytes}`,
      because: "WebAssembly addresses are 32 bits wide here",
      hint: "make the batch or the tensors smaller, or compile the model in parts",
    });
  }
  return {
    constants: [...constants.values()],
    aotConstants,
    graphConstants,
    externalConstants,
    arena,
    arenaBlocks,
    graphBlocks,
    inputs,
    outputs,
    workspace,
    totalBytes: cursor.at,
  };
}

/** Storage id -> parameter name, for storages that hold one parameter. */
function paramStorages(graph: GraphPlan | null): ReadonlyMap<number, string> {
  const found = new Map<number, string>();
  if (graph === null) return found;
  for (const { node: made, storage } of graph.entries) {
    const node = at(graph.nodes, made, "graph node");
    if (node.kind === "constant") found.set(storage, node.name);
  }
  return found;
}
