// The AOT executor's plan: storage on demand, the main function as TIR, StorageRewrite, and the calls in
// their final form.
// TVM: src/relay/backend/aot_executor_codegen.cc (AOTOnDemandAllocator, AOTExecutorCodegen)
// Known differences, where TVM's code is wrong or gives up: a value that is returned twice is copied to its
// second output; tuple arguments hand over inputs and parameters themselves; let is looked through; copies
// are memcpy calls instead of byte loops; an if (which TVM refuses) is a branch of the runner, whose results
// are written where the if's results lie.
import type { Options } from "../options.ts";
import { at, invariant } from "../../support/assert.ts";
import { fail } from "../ir/diagnostic.ts";
import { int8 } from "../ir/dtype.ts";
import type { TensorData } from "../ir/tensor-data.ts";
import type { TensorType } from "../ir/type.ts";
import type { TeCompiler } from "../lower/te-compiler.ts";
import { mangledName } from "../lower/prim-func-name.ts";
import type { Func } from "../relay/expr.ts";
import { typeOf } from "../relay/op.ts";
import { allocateAll, buffer, ifStmt, seq } from "../tir/build.ts";
import type { Buffer, Storage } from "../tir/expr.ts";
import { rewriteStorage, type RewrittenStorage } from "../tir/passes/storage-rewrite.ts";
import type { PrimFunc } from "../tir/prim-func.ts";
import type { Stmt } from "../tir/stmt.ts";
import { checkPrimFunc } from "../tir/verify.ts";
import {
  conditionOf,
  deviceCopy,
  mainRows,
  memoryCopy,
  primitiveCall,
  storageIn,
  storageSizes,
} from "./main-calls.ts";
import {
  loweredFlow,
  tensorTypeBytes,
  type FlowBranch,
  type LoweredCall,
  type LoweredFlow,
  type MainReading,
  type Producer,
  type Value,
} from "./main-flow.ts";
import type { AotPlan, Outcome } from "./plan.ts";
import { asOutcome } from "./refusals.ts";
import { checkAotMemory } from "./verify-plan.ts";

/** Statements that run one after the other, and the storage that nothing outside of them uses. */
interface Block {
  readonly stmts: readonly Stmt[];
  readonly storage: readonly Buffer[];
}

interface Builder {
  readonly flow: LoweredFlow;
  /** Kernels are called with packed arguments. */
  readonly packed: boolean;
  readonly inputs: readonly Buffer[];
  readonly outputs: readonly Buffer[];
  readonly params: Map<string, TensorData>;
  /** Numbers of the outputs that each tensor is, ascending. */
  readonly outputsOf: ReadonlyMap<Producer, ReadonlyMap<number, readonly number[]>>;
  /** Where the code finds each constant, and each result of each call. */
  readonly places: Map<Producer, readonly Buffer[]>;
  /** All storage, unordered. */
  readonly allocations: { readonly of: Buffer; readonly storage: Storage }[];
  readonly paramDevices: Map<string, number>;
}

/**
 * Plans main for the AOT executor. Refused: what loweredFlow refuses, and options that no usable code follows
 * from.
 */
export function planAot(reading: MainReading, te: TeCompiler, options: Options): Outcome<AotPlan> {
  return asOutcome(() => {
    checkOptions(options);
    const { func: main } = reading;
    const flow = loweredFlow(reading, te, "AOT executor");
    const builder = startBuilder(flow, !options.unpackedApi);
    assignStorage(builder);
    flow.params.forEach((param, i) => builder.places.set(param, [builder.inputs[i]!]));
    const block = emitRange(builder, 0, flow.left.length);
    const before = mainFunction(builder, block, main, options);
    if (te.cx.verify !== "never") checkPrimFunc(before, "AOTExecutorCodegen");
    const rewritten = rewriteStorage(before, te.cx.remarks);
    if (te.cx.verify !== "never") checkPrimFunc(rewritten.func, "StorageRewrite");
    const made = plan(builder, main, before, rewritten);
    if (te.cx.verify !== "never") {
      checkAotMemory(flow, made, made.onDemandCalls, made.onDemand, "AOTExecutorCodegen");
      checkAotMemory(flow, made, made.calls, made.allocs, "StorageRewrite");
    }
    return made;
  });
}

function checkOptions(options: Options): void {
  if (!options.linkParams) {
    fail("RS5007", "the AOT executor needs its parameters linked in", {
      expected: "link-params on",
      got: "link-params off",
      because: "the runner looks its parameters up by symbol; nothing else hands them over",
      hint: "turn link-params on, or use the graph executor",
    });
  }
  if (options.interfaceApi === "c" && !options.unpackedApi) {
    fail("RS5008", "the C interface needs the unpacked API", {
      expected: "unpacked-api on with interface-api c",
      got: "unpacked-api off",
      because: "the struct interface hands over plain pointers",
      hint: "turn unpacked-api on, or choose interface-api packed",
    });
  }
}

/** C names: `input`, `input1`, … */
function numbered(base: string, index: number): string {
  return index === 0 ? base : `${base}${index}`;
}

function startBuilder(flow: LoweredFlow, packed: boolean): Builder {
  const inputs = flow.params.map((param, index) => {
    const type = flow.types.get(param)![0]!;
    return typedBuffer(numbered("input", index), type);
  });
  const outputs = flow.resultTypes.map((type, index) => typedBuffer(numbered("output", index), type));
  return {
    flow,
    packed,
    inputs,
    outputs,
    params: new Map(),
    outputsOf: groupOutputs(flow),
    places: new Map(),
    allocations: [],
    paramDevices: new Map(),
  };
}

function groupOutputs(flow: LoweredFlow): ReadonlyMap<Producer, ReadonlyMap<number, readonly number[]>> {
  const grouped = new Map<Producer, Map<number, number[]>>();
  flow.results.forEach(({ producer, index }, output) => {
    const known = grouped.get(producer) ?? new Map<number, number[]>();
    known.set(index, [...(known.get(index) ?? []), output]);
    grouped.set(producer, known);
  });
  return grouped;
}

function typedBuffer(name: string, type: TensorType): Buffer {
  return buffer(name, type.dtype, type.shape as readonly number[], "param");
}

/**
 * Storage ids: parameters, then constants and results as the walk enters them, so a consumer comes before its
 * producers.
 */
function assignStorage(builder: Builder): void {
  const { flow } = builder;
  const positionOf = new Map(flow.left.map((producer, i) => [producer, i]));
  const wanted = new Map<Producer, (Buffer | undefined)[]>();
  let next = 0;
  for (const param of flow.params) next += flow.types.get(param)!.length;
  for (const producer of flow.entered) {
    if (producer.kind === "var") continue;
    const sids = flow.types.get(producer)!.map((type) => ({ sid: next++, type }));
    if (producer.kind === "constant") continue;
    builder.places.set(
      producer,
      sids.map(({ sid, type }, index) => {
        const output = outputsOf(builder, { producer, index })[0];
        if (output !== undefined) return builder.outputs[output]!;
        return (
          wanted.get(producer)?.[index] ?? allocateStorage(builder, producer, sid, tensorTypeBytes(type))
        );
      }),
    );
    if (producer.kind === "if") wantResults(builder, flow.branches.get(producer)!, positionOf, wanted);
  }
}

/**
 * What a branch computes as a result of the if is written where that result lies, if the branch is the only
 * place that uses it.
 */
function wantResults(
  builder: Builder,
  branch: FlowBranch,
  positionOf: ReadonlyMap<Producer, number>,
  wanted: Map<Producer, (Buffer | undefined)[]>,
): void {
  const places = builder.places.get(branch.expr)!;
  const sides = [
    [branch.thenResults, branch.then, branch.otherwise],
    [branch.otherwiseResults, branch.otherwise, branch.end],
  ] as const;
  for (const [results, from, to] of sides) {
    results.forEach(({ producer, index }, i) => {
      const position = positionOf.get(producer)!;
      if (producer.kind === "var" || producer.kind === "constant" || position < from || position >= to)
        return;
      const known = wanted.get(producer) ?? [];
      known[index] ??= places[i]!;
      wanted.set(producer, known);
    });
  }
}

function allocateStorage(builder: Builder, producer: Producer, sid: number, bytes: number): Buffer {
  const storage = { sid, device: builder.flow.deviceOf(producer) };
  const of = buffer(`sid_${sid}`, int8, [bytes], "global", storage);
  builder.allocations.push({ of, storage });
  return of;
}

/** Positions [from, to) of the flow. `outer`: an if whose branch this is, which starts at `from` too. */
function emitRange(builder: Builder, from: number, to: number, outer: FlowBranch | null = null): Block {
  const { flow } = builder;
  const stmts: Stmt[] = [];
  const own = new Set<Buffer>();
  for (let i = from; i < to; i++) {
    const branch = branchFrom(flow, i, outer === null ? to : Math.min(to, outer.end));
    const producer = branch?.expr ?? flow.left[i]!;
    if (branch !== undefined) {
      stmts.push(branchStmt(builder, branch));
      i = branch.end;
    } else if (producer.kind === "constant") addParameter(builder, producer);
    else if (producer.kind === "call") stmts.push(callStmt(builder, flow.calls.get(producer)!));
    stmts.push(...outputCopies(builder, producer));
    if (producer.kind === "call" || producer.kind === "if")
      for (const place of builder.places.get(producer)!) own.add(place);
  }
  const results = new Set(outer === null ? [] : builder.places.get(outer.expr));
  return { stmts, storage: [...own].filter((place) => place.storage !== null && !results.has(place)) };
}

/** The outermost if whose branches start at `position` and that ends before `to`. */
function branchFrom(flow: LoweredFlow, position: number, to: number): FlowBranch | undefined {
  return flow.branchesFrom.get(position)?.find((branch) => branch.end < to);
}

/** Names the constant p0, p1, … in order of use. */
function addParameter(builder: Builder, constant: Producer & { readonly kind: "constant" }): void {
  const name = `p${builder.flow.externalParams.size + builder.params.size}`;
  builder.params.set(name, constant.data);
  builder.paramDevices.set(name, builder.flow.deviceOf(constant));
  builder.places.set(constant, [buffer(name, constant.data.dtype, constant.data.shape, "constant")]);
}

function outputsOf(builder: Builder, value: Value): readonly number[] {
  return builder.outputsOf.get(value.producer)?.get(value.index) ?? [];
}

function placeOf(builder: Builder, { producer, index }: Value): Buffer {
  const place = builder.places.get(producer)?.[index];
  invariant(place !== undefined, `a ${producer.kind} is used before it has a place`);
  return place;
}

function callStmt(builder: Builder, { call, primitive, args }: LoweredCall): Stmt {
  const inputs = args.map((arg) => placeOf(builder, arg));
  const outputs = builder.places.get(call)!;
  if (!primitive.isCopy)
    return primitiveCall(primitive, [...inputs, ...outputs], builder.packed, call.origin);
  const bytes = tensorTypeBytes(at(builder.flow.types.get(call)!, 0, "type"));
  const ends = [at(inputs, 0, "source"), at(outputs, 0, "destination")] as const;
  return deviceCopy(primitive, ends, bytes, call.origin);
}

/** Copies of results to outputs that they were not written to. */
function outputCopies(builder: Builder, producer: Producer): readonly Stmt[] {
  return builder.flow.types.get(producer)!.flatMap((_, index) => {
    const value = { producer, index };
    return outputsOf(builder, value).flatMap((output) =>
      placeOf(builder, value) === builder.outputs[output]
        ? []
        : [copyStmt(builder, value, builder.outputs[output]!)],
    );
  });
}

function copyStmt(builder: Builder, from: Value, into: Buffer): Stmt {
  const { producer } = from;
  const bytes = tensorTypeBytes(at(builder.flow.types.get(producer)!, from.index, "type"));
  return memoryCopy([placeOf(builder, from), into], bytes, producer.origin);
}

function mainFunction(builder: Builder, block: Block, main: Func, options: Options): PrimFunc {
  const outside = new Set(block.storage);
  return {
    kind: "prim-func",
    name: mangledName(options.modName, "run_model"),
    params: [...builder.inputs, ...builder.outputs],
    inputCount: builder.inputs.length,
    allocations: bySid(builder).filter((of) => outside.has(of)),
    body: seq(block.stmts, main.origin),
    attrs: { runner_function: 1 },
    origin: main.origin,
  };
}

function bySid(builder: Builder): readonly Buffer[] {
  return [...builder.allocations].sort((a, b) => a.storage.sid - b.storage.sid).map(({ of }) => of);
}

function branchStmt(builder: Builder, branch: FlowBranch): Stmt {
  const { origin } = branch.expr;
  const side = (from: number, to: number, results: readonly Value[]): Stmt => {
    const { stmts, storage } = emitRange(builder, from, to, branch);
    const body = seq([...stmts, ...resultCopies(builder, branch, results)], origin);
    return allocateAll(
      storage.map((buffer) => ({ buffer, origin })),
      body,
      origin,
    );
  };
  const then = side(branch.then, branch.otherwise, branch.thenResults);
  const otherwise = side(branch.otherwise, branch.end, branch.otherwiseResults);
  return ifStmt(conditionOf(placeOf(builder, branch.condition)), then, otherwise, origin);
}

/** Copies of results of a branch that were not computed in place. */
function resultCopies(builder: Builder, branch: FlowBranch, results: readonly Value[]): readonly Stmt[] {
  const places = builder.places.get(branch.expr)!;
  return results.flatMap((value, i) => {
    const into = at(places, i, "result");
    return placeOf(builder, value) === into ? [] : [copyStmt(builder, value, into)];
  });
}

function plan(
  builder: Builder,
  main: Func,
  before: PrimFunc,
  { func: after, storageOf }: RewrittenStorage,
): AotPlan {
  const { flow } = builder;
  const tuple = typeOf(main.body).kind === "tuple-type";
  return {
    entry: before.name,
    parameters: before.params.map((of) => of.name),
    inputs: flow.params.map((param) => ({ name: param.name, type: flow.types.get(param)![0]! })),
    outputs: flow.resultTypes.map((type, i) => ({ name: tuple ? `output${i}` : "output", type })),
    onDemand: storageSizes(bySid(builder)),
    allocs: storageSizes(after.allocations),
    calls: mainRows(after),
    onDemandCalls: mainRows(before),
    storageOf: new Map(
      [...storageOf].map(([request, into]) => [storageIn(request).sid, storageIn(into).sid]),
    ),
    params: builder.params,
    externalParams: flow.externalParams,
    devices: {
      inputs: flow.params.map(flow.deviceOf),
      outputs: flow.results.map(({ producer }) => flow.deviceOf(producer)),
      storage: new Map(builder.allocations.map(({ storage }) => [storage.sid, storage.device])),
      params: builder.paramDevices,
    },
    main: after,
  };
}
