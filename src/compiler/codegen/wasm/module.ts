// The WebAssembly module of a model: a function a primitive, the runner, the helpers they call, and one
// memory. No TVM counterpart (its WASM builds link a runtime); the runner mirrors what AOTExecutorCodegen
// makes for C.
import { maxWasmTensors } from "../../limits.ts";
import { invariant } from "../../../support/assert.ts";
import type { Listing } from "../../../support/text-writer.ts";
import { fail } from "../../ir/diagnostic.ts";
import type { LineOwner, Origin } from "../../ir/origin.ts";
import { tensorBytes } from "../../ir/tensor-data.ts";
import type { GraphPlan } from "../../executor/graph-plan.ts";
import { aotArgs, walkMain, type MainArg } from "../../executor/main-calls.ts";
import type { AotArg, AotPlan, LoweredPrimitive } from "../../executor/plan.ts";
import type { PrimFunc } from "../../tir/prim-func.ts";
import { encodeModule, type WasmData, type WasmImport, type WasmModuleParts } from "./encode.ts";
import { instr, type Instr, type WasmFunction } from "./function.ts";
import { makeHelper } from "./helpers.ts";
import { planLayout, type WasmLayout } from "./layout.ts";
import { lowerPrimFunc, type LoweredFunction } from "./lower.ts";
import type { HelperTable } from "./state.ts";
import { printWat } from "./wat.ts";

export interface WasmOptions {
  /**
   * f32x4.relaxed_madd for multiply-adds; only where the engine has relaxed SIMD. Results differ in the last
   * place by engine.
   */
  readonly relaxedMadd?: boolean;
  /** Byte offset in the arena by sid, from a planner. */
  readonly arenaOffsets?: ReadonlyMap<number, number>;
  /** Constants as data segments (default), or left for the driver to write. */
  readonly embedConstants?: boolean;
}

export interface WasmModule {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly layout: WasmLayout;
  /** Functions of the module in order, helpers included; `index` counts imports first, as the binary does. */
  readonly functions: readonly {
    readonly name: string;
    readonly index: number;
    readonly bodyBytes: number;
    readonly primitive: number;
  }[];
  /** Functions that the host must give, all of module "env": see runtime/host-maths.ts. */
  readonly imports: readonly string[];
  /** Scratch bytes of each primitive, by its place in the argument. */
  readonly workspaceBytes: readonly number[];
  readonly constantsEmbedded: boolean;
  /** The listing, printed when asked for; its lines know their primitive, call and origin. */
  readonly wat: () => Listing<LineOwner>;
}

/** Name under which the runner is exported. */
const runnerName = "run_model";

export function emitWasm(
  primitives: readonly LoweredPrimitive[],
  aot: AotPlan | null,
  graph: GraphPlan | null,
  opts: WasmOptions,
): WasmModule {
  const helpers: HelperTable = { list: [], numbers: new Map() };
  const kernels = primitives.filter((primitive) => !primitive.isCopy);
  const lowered = kernels.map((primitive) =>
    lowerPrimFunc(primitive.forWasm, helpers, { relaxedMadd: opts.relaxedMadd ?? false }, primitive.index),
  );
  lowered.forEach(({ fn }, i) => withinEngineLimit(fn, kernels[i]!));
  const loweredOf = new Map(kernels.map((primitive, i) => [primitive, lowered[i]!]));
  const workspaceBytes = primitives.map((primitive) => loweredOf.get(primitive)?.workspaceBytes ?? 0);
  const externalConstants = primitives.flatMap((primitive) => primitive.external?.constants ?? []);
  const layout = planLayout(
    aot,
    graph,
    Math.max(0, ...workspaceBytes),
    opts.arenaOffsets ?? null,
    externalConstants,
  );
  const constantsEmbedded = opts.embedConstants ?? true;
  const parts = assemble({ kernels, lowered, helpers, aot, layout, embed: constantsEmbedded });
  const encoded = encodeModule(parts);
  return {
    bytes: encoded.bytes,
    layout,
    workspaceBytes,
    constantsEmbedded,
    imports: parts.imports.map((one) => one.name),
    functions: parts.functions.map((fn, i) => ({
      name: fn.name,
      index: parts.imports.length + i,
      bodyBytes: encoded.bodyBytes[i]!,
      primitive: fn.primitive,
    })),
    wat: () => printWat(parts),
  };
}

function withinEngineLimit(fn: WasmFunction, primitive: LoweredPrimitive): void {
  if (fn.params.length <= maxWasmTensors) return;
  fail(
    "RS6106",
    `${primitive.symbol} takes ${fn.params.length} tensors, more than a WebAssembly function can`,
    {
      origin: primitive.origin,
      expected: `at most ${maxWasmTensors} inputs and outputs of one primitive`,
      got: String(fn.params.length),
      because: "each tensor is a parameter of the kernel's function, and engines refuse longer lists",
      hint: "join the tensors in several steps of fewer each",
    },
  );
}

interface Pieces {
  readonly kernels: readonly LoweredPrimitive[];
  /** Code of `kernels`, in their order. */
  readonly lowered: readonly LoweredFunction[];
  readonly helpers: HelperTable;
  readonly aot: AotPlan | null;
  readonly layout: WasmLayout;
  /** Constants stand in the module. */
  readonly embed: boolean;
}

function assemble({ kernels, lowered, helpers, aot, layout, embed }: Pieces): WasmModuleParts {
  const imports: WasmImport[] = [];
  const helperFunctions: WasmFunction[] = [];
  const place: { readonly imported: boolean; readonly at: number }[] = [];
  // Making a helper may ask for more, so the list grows while it is walked.
  for (let i = 0; i < helpers.list.length; i++) {
    const made = makeHelper(helpers.list[i]!, helpers);
    if (made.kind === "import") {
      place.push({ imported: true, at: imports.length });
      imports.push(made.import);
    } else {
      place.push({ imported: false, at: helperFunctions.length });
      helperFunctions.push(made.fn);
    }
  }
  const { bodies, wrappers, numberOf } = exported(kernels, lowered, layout, imports.length);
  const runner = aot === null ? null : makeRunner(numberOf, aot.main, layout);
  const firstHelper = imports.length + lowered.length + wrappers.length + (runner === null ? 0 : 1);
  const resolve = (fn: WasmFunction): WasmFunction => ({
    ...fn,
    body: fn.body.map((one) => {
      if (one.op.name !== "call" || one.a >= 0) return one;
      const { imported, at } = place[-1 - one.a]!;
      return { ...one, a: imported ? at : firstHelper + at };
    }),
  });
  return {
    imports,
    functions: [
      ...bodies.map(resolve),
      ...wrappers,
      ...(runner === null ? [] : [runner]),
      ...helperFunctions.map(resolve),
    ],
    pages: Math.max(1, Math.ceil(layout.totalBytes / 65536)),
    data: embed
      ? layout.constants.map((block): WasmData => ({ offset: block.offset, bytes: tensorBytes(block.data) }))
      : [],
    globals: [{ name: "workspace", value: layout.workspace.offset }],
  };
}

interface Exported {
  readonly bodies: readonly WasmFunction[];
  readonly wrappers: readonly WasmFunction[];
  /** Number of the function that a primitive's symbol calls. */
  readonly numberOf: ReadonlyMap<string, number>;
}

/** An external function with constants takes their addresses too; a wrapper under its symbol gives them. */
function exported(
  primitives: readonly LoweredPrimitive[],
  lowered: readonly LoweredFunction[],
  layout: WasmLayout,
  imports: number,
): Exported {
  const bodies: WasmFunction[] = [];
  const wrappers: WasmFunction[] = [];
  const numberOf = new Map<string, number>();
  primitives.forEach((primitive, i) => {
    const { fn } = lowered[i]!;
    const constants = primitive.external?.constants ?? [];
    numberOf.set(primitive.symbol, imports + (constants.length === 0 ? i : lowered.length + wrappers.length));
    bodies.push(constants.length === 0 ? fn : { ...fn, name: `${fn.name}_body`, exportName: null });
    if (constants.length > 0)
      wrappers.push(
        wrapper(
          fn,
          primitive.inputTypes.length,
          constants.map(({ name }) => layout.externalConstants.get(name)!.offset),
          imports + i,
        ),
      );
  });
  return { bodies, wrappers, numberOf };
}

function wrapper(fn: WasmFunction, inputs: number, addresses: readonly number[], body: number): WasmFunction {
  const kept = [...fn.params.keys()].filter((i) => i < inputs || i >= inputs + addresses.length);
  const code = [...fn.params.keys()].map((i) =>
    kept.includes(i)
      ? instr("local.get", kept.indexOf(i), 0, null, fn.origin)
      : instr("i32.const", addresses[i - inputs]!, 0, null, fn.origin),
  );
  return {
    ...fn,
    primitive: -1,
    params: kept.map((i) => fn.params[i]!),
    paramNames: kept.map((i) => fn.paramNames[i]!),
    locals: [],
    body: [...code, instr("call", body, 0, null, fn.origin)],
  };
}

/** main's TIR as a function: it calls the primitives on fixed addresses. */
function makeRunner(functionOf: Exported["numberOf"], main: PrimFunc, layout: WasmLayout): WasmFunction {
  const body: Instr[] = [];
  const calls: number[] = [];
  const of = aotArgs(main);
  const address = (arg: MainArg): number => addressOf(layout, of(arg));
  /** The code of one row: names of instructions with their immediates. */
  const row = (
    origin: Origin,
    index: number,
    code: readonly (readonly [name: string, a?: number])[],
  ): void => {
    for (const [name, a = 0] of code) {
      body.push(instr(name, a, 0, null, origin));
      calls.push(index);
    }
  };
  const constants = (values: readonly number[]) => values.map((value) => ["i32.const", value] as const);
  walkMain(main, {
    call: (call, origin, index) => {
      if (call.kind === "copy") {
        const parts = constants([address(call.destination), address(call.source), call.bytes]);
        return row(origin, index, [...parts, ["memory.copy"]]);
      }
      const target = functionOf.get(call.symbol);
      invariant(target !== undefined, `the runner calls ${call.symbol}, which no primitive is named`);
      row(origin, index, [...constants(call.args.map(address)), ["call", target]]);
    },
    branch: (condition, origin, index) =>
      row(origin, index, [...constants([address(condition)]), ["i32.load8_u"], ["if", -1]]),
    otherwise: (origin, index) => row(origin, index, [["else"]]),
    end: (origin, index) => row(origin, index, [["end"]]),
  });
  return {
    name: main.name,
    params: [],
    results: [],
    paramNames: [],
    locals: [],
    body,
    exportName: runnerName,
    calls,
    primitive: -1,
    origin: null,
  };
}

/** Byte address of an argument of the runner's calls. */
export function addressOf(layout: WasmLayout, arg: AotArg): number {
  const block =
    arg.kind === "input"
      ? layout.inputs[arg.index]
      : arg.kind === "output"
        ? layout.outputs[arg.index]
        : arg.kind === "sid"
          ? layout.arenaBlocks.get(arg.sid)
          : layout.aotConstants.get(arg.name);
  invariant(block !== undefined, `no memory for argument ${JSON.stringify(arg)} of a call`);
  return block.offset;
}
