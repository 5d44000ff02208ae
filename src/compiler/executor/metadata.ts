// Memory facts of a model as the Model Library Format has them (metadata.json, `memory`).
// TVM: python/tvm/micro/model_library_format.py, src/relay/backend/te_compiler.cc (UpdateMainWorkspaceSize,
// UpdateFunctionMetadata)
// Known differences: io_size_bytes counts every input and output once (TVM counts a tuple once per field);
// operator_functions are in call order (TVM's is a hash map's).
import { at, first } from "../../support/assert.ts";
import type { Options } from "../options.ts";
import { tensorBytes } from "../ir/tensor-data.ts";
import { isOperator, type GraphPlan } from "./graph-plan.ts";
import { tensorTypeBytes } from "./main-flow.ts";
import type { AotPlan, LoweredPrimitive } from "./plan.ts";
import { aligned, workspaceBytes } from "../tir/workspace.ts";

interface WorkspaceEntry {
  readonly device: number;
  readonly workspace_size_bytes: number;
}

interface SidEntry {
  readonly storage_id: number;
  readonly size_bytes: number;
  /** Name of the parameter or constant that lives there. */
  readonly input_binding?: string;
}

export interface MemoryMetadata {
  /** Graph executor only: one entry a storage id, in order of first use. */
  readonly sids?: readonly SidEntry[];
  readonly functions: {
    readonly main: readonly (WorkspaceEntry & {
      /**
       * The values alone, as in TVM. The `.rodata` of the C is larger: each array begins at a multiple of 16
       * bytes, and the C compiler adds the literals of the kernels.
       */
      readonly constants_size_bytes: number;
      readonly io_size_bytes: number;
    })[];
    readonly operator_functions: readonly {
      readonly function_name: string;
      readonly workspace: readonly WorkspaceEntry[];
    }[];
  };
}

/**
 * Metadata of the AOT executor. main's workspace is its storage and the largest scratch of a primitive
 * together.
 */
export function buildMetadata(
  plan: AotPlan,
  primitives: readonly LoweredPrimitive[],
  options: Options,
): MemoryMetadata {
  const { devices } = plan;
  const sizes = deviceSizes(options);
  for (const [sid, bytes] of plan.allocs) sizes.of(devices.storage.get(sid)!).storage += aligned(bytes);
  for (const [name, data] of plan.params)
    sizes.of(devices.params.get(name)!).constants += tensorBytes(data).length;
  plan.inputs.forEach(({ type }, i) => (sizes.of(devices.inputs[i]!).io += tensorTypeBytes(type)));
  plan.outputs.forEach(({ type }, i) => (sizes.of(devices.outputs[i]!).io += tensorTypeBytes(type)));
  return { functions: functions(primitives, sizes) };
}

/** Metadata of the graph executor: storage is every id that no parameter, constant or result is bound to. */
export function buildGraphMetadata(
  plan: GraphPlan,
  primitives: readonly LoweredPrimitive[],
  options: Options,
): MemoryMetadata {
  const { nodes, entries } = plan;
  const given = nodes.filter((node) => !isOperator(node));
  const bound = new Set(
    [...given.flatMap((node) => node.outputs), ...plan.results].map(
      (entry) => at(entries, entry, "graph entry").storage,
    ),
  );
  const sizes = deviceSizes(options);
  plan.storages.forEach(({ bytes, device }, sid) => {
    if (!bound.has(sid)) sizes.of(device).storage += aligned(bytes);
  });
  for (const node of given) {
    const { device, bytes } = at(entries, first(node.outputs, "result"), "graph entry");
    if (node.kind === "constant") sizes.of(device).constants += tensorBytes(node.data).length;
    else sizes.of(device).io += bytes;
  }
  for (const { device, bytes } of plan.results.map((entry) => at(entries, entry, "graph entry")))
    sizes.of(device).io += bytes;
  return { sids: sidEntries(plan), functions: functions(primitives, sizes) };
}

function sidEntries({ nodes, entries, storages }: GraphPlan): readonly SidEntry[] {
  const seen = new Set<number>();
  return entries.flatMap(({ node: made, storage }) => {
    if (seen.has(storage)) return [];
    seen.add(storage);
    const node = at(nodes, made, "graph node");
    return [
      {
        storage_id: storage,
        size_bytes: storages[storage]!.bytes,
        ...(isOperator(node) ? {} : { input_binding: node.name }),
      },
    ];
  });
}

interface Sizes {
  storage: number;
  constants: number;
  io: number;
}

interface DeviceSizes {
  readonly of: (device: number) => Sizes;
  /** DLDeviceType that memory on `device` is counted under: with one target, that target's. */
  readonly counted: (device: number) => number;
  readonly all: () => readonly (readonly [number, Sizes])[];
}

function deviceSizes(options: Options): DeviceSizes {
  const only = options.targets.length === 1 ? options.targets[0]!.device : null;
  const sizes = new Map<number, Sizes>();
  const counted = (device: number): number => only ?? device;
  const of = (device: number): Sizes => {
    const known = sizes.get(counted(device)) ?? { storage: 0, constants: 0, io: 0 };
    sizes.set(counted(device), known);
    return known;
  };
  for (const { device } of options.targets) of(device);
  return { of, counted, all: () => [...sizes].sort(([a], [b]) => a - b) };
}

function functions(primitives: readonly LoweredPrimitive[], sizes: DeviceSizes): MemoryMetadata["functions"] {
  // External functions and copies between devices have no PrimFunc in TVM, and so no workspace.
  const scratch = new Map(
    primitives.map((primitive) => [
      primitive,
      primitive.external !== null || primitive.isCopy ? null : workspaceBytes(primitive.forC),
    ]),
  );
  const most = (device: number): number =>
    primitives.reduce(
      (bytes, primitive) =>
        sizes.counted(primitive.device) === device ? Math.max(bytes, scratch.get(primitive) ?? 0) : bytes,
      0,
    );
  const bySymbol = new Map(primitives.map((primitive) => [primitive.symbol, primitive] as const).reverse());
  return {
    main: sizes
      .all()
      .map(([device, { storage, constants, io }]) => ({
        device,
        workspace_size_bytes: storage + most(device),
        constants_size_bytes: constants,
        io_size_bytes: io,
      })),
    operator_functions: primitives
      .filter((primitive) => bySymbol.get(primitive.symbol) === primitive)
      .map((primitive) => {
        const bytes = scratch.get(primitive) ?? null;
        return {
          function_name: primitive.symbol,
          workspace:
            bytes === null ? [] : [{ device: sizes.counted(primitive.device), workspace_size_bytes: bytes }],
        };
      }),
  };
}
