// Memory facts of a model as the Model Library Format has them (metadata.json, `memory`).
// TVM: python/tvm/micro/model_library_format.py, src/relay/backend/te_compiler.cc (UpdateMainWorkspaceSize, UpdateFunctionMetadata)
// Known differences: io_size_bytes counts every input and output once (TVM counts a tuple once per field); operator_functions
// are in call order (TVM's is a hash map's).
import type { Options } from "../../protocol/compile.ts";
import { tensorBytes } from "../ir/tensor-data.ts";
import { entryBytes } from "./memory-events.ts";
import { tensorTypeBytes } from "./main-flow.ts";
import type { AotPlan, GraphPlan, LoweredPrimitive } from "./plan.ts";
import { workspaceAlignment, workspaceBytes } from "./workspace.ts";

export interface WorkspaceEntry {
  readonly device: number;
  readonly workspace_size_bytes: number;
}

export interface SidEntry {
  readonly storage_id: number;
  readonly size_bytes: number;
  /** Name of the parameter or constant that lives there. */
  readonly input_binding?: string;
}

export interface MemoryMetadata {
  /** Graph executor only: one entry a storage id, in order of first use. */
  readonly sids?: readonly SidEntry[];
  readonly functions: {
    readonly main: readonly (WorkspaceEntry & { readonly constants_size_bytes: number; readonly io_size_bytes: number })[];
    readonly operator_functions: readonly { readonly function_name: string; readonly workspace: readonly WorkspaceEntry[] }[];
  };
}

/** Metadata of the AOT executor. main's workspace is its storage and the largest scratch of a primitive together. */
export function buildMetadata(plan: AotPlan, primitives: readonly LoweredPrimitive[], options: Options): MemoryMetadata {
  const storage = plan.allocs.reduce((sum, [, bytes]) => sum + Math.ceil(bytes / workspaceAlignment) * workspaceAlignment, 0);
  const io = [...plan.inputs, ...plan.outputs].reduce((sum, { type }) => sum + tensorTypeBytes(type), 0);
  return { functions: functions(primitives, options, storage, constantBytes(plan.params), io) };
}

/** Metadata of the graph executor: storage is every id that no parameter, constant or result is bound to. */
export function buildGraphMetadata(plan: GraphPlan, primitives: readonly LoweredPrimitive[], options: Options): MemoryMetadata {
  const { json } = plan;
  const sids = json.attrs["storage_id"]![1] as readonly number[];
  const bytes = entryBytes(plan);
  const entryOf = (node: number, index: number): number => json.node_row_ptr[node]! + index;
  const constants = new Set(plan.params.keys());
  const inputs = json.arg_nodes.filter((node) => !constants.has(json.nodes[node]!.name));
  const results = json.heads.map(([node, index]) => entryOf(node, index));
  const bound = new Set([...json.arg_nodes.map((node) => entryOf(node, 0)), ...results].map((entry) => sids[entry]!));
  const storage = plan.storageBytes.reduce((sum, size, sid) => (bound.has(sid) ? sum : sum + Math.ceil(size / workspaceAlignment) * workspaceAlignment), 0);
  const io = [...inputs.map((node) => entryOf(node, 0)), ...results].reduce((sum, entry) => sum + bytes[entry]!, 0);
  return { sids: sidEntries(plan), functions: functions(primitives, options, storage, constantBytes(plan.params), io) };
}

function sidEntries(plan: GraphPlan): readonly SidEntry[] {
  const sids = plan.json.attrs["storage_id"]![1] as readonly number[];
  const names = new Map(plan.json.arg_nodes.map((node) => [plan.json.node_row_ptr[node]!, plan.json.nodes[node]!.name]));
  const seen = new Set<number>();
  return sids.flatMap((sid, entry) => {
    if (seen.has(sid)) return [];
    seen.add(sid);
    const name = names.get(entry);
    return [{ storage_id: sid, size_bytes: plan.storageBytes[sid]!, ...(name === undefined ? {} : { input_binding: name }) }];
  });
}

function constantBytes(params: AotPlan["params"]): number {
  return [...params.values()].reduce((sum, tensor) => sum + tensorBytes(tensor).length, 0);
}

function functions(primitives: readonly LoweredPrimitive[], options: Options, storage: number, constants: number, io: number): MemoryMetadata["functions"] {
  const device = options.targets[0]?.device ?? 1;
  const scratch = primitives.map((primitive) => workspaceBytes(primitive.forC));
  const most = scratch.reduce((a, b) => Math.max(a, b), 0);
  return {
    main: [{ device, workspace_size_bytes: storage + most, constants_size_bytes: constants, io_size_bytes: io }],
    operator_functions: primitives.map((primitive, i) => ({ function_name: primitive.symbol, workspace: [{ device, workspace_size_bytes: scratch[i]! }] })),
  };
}
