// The AOT executor's plan: storage on demand, the main function as TIR, StorageRewrite, and the calls in their final form.
// TVM: src/relay/backend/aot_executor_codegen.cc (AOTOnDemandAllocator, AOTExecutorCodegen)
// Known differences, where TVM's code is wrong or gives up: a value that is returned twice is copied to its second output; tuple
// arguments hand over inputs and parameters themselves; let is looked through; copies are memcpy calls instead of byte loops.
import type { Options } from "../../protocol/compile.ts";
import { invariant } from "../../support/assert.ts";
import { fail } from "../ir/diagnostic.ts";
import { int8, int32 } from "../ir/dtype.ts";
import type { TensorData } from "../ir/tensor-data.ts";
import type { TensorType } from "../ir/type.ts";
import type { TeCompiler } from "../lower/te-compiler.ts";
import { mangledName } from "../lower/prim-func-name.ts";
import type { Func } from "../relay/expr.ts";
import { typeOf } from "../relay/op.ts";
import { buffer, bufferRef, callExtern, evaluate, intImm, seq } from "../tir/build.ts";
import type { Buffer, PrimExpr } from "../tir/expr.ts";
import { storageRewrite } from "../tir/passes/storage-rewrite.ts";
import type { PrimFunc } from "../tir/prim-func.ts";
import type { Stmt } from "../tir/stmt.ts";
import { asOutcome, readMain, tensorTypeBytes, type FlowCall, type MainFlow, type Producer, type Value } from "./main-flow.ts";
import type { AotArg, AotCall, AotPlan, Outcome } from "./plan.ts";

interface Builder {
  readonly flow: MainFlow;
  readonly inputs: readonly Buffer[];
  readonly outputs: readonly Buffer[];
  readonly params: Map<string, TensorData>;
  /** Numbers of the outputs that each tensor is, ascending. */
  readonly outputsOf: ReadonlyMap<Producer, ReadonlyMap<number, readonly number[]>>;
  /** Where the code finds each constant, and each result of each call. */
  readonly places: Map<Producer, readonly Buffer[]>;
  readonly argOf: Map<string, AotArg>;
  readonly allocations: { readonly sid: number; readonly of: Buffer }[];
  readonly storageDevices: Map<number, number>;
  readonly paramDevices: Map<string, number>;
  readonly statements: { readonly stmt: Stmt; readonly call: AotCall }[];
}

/** Plans `main` (after FuseOps) for the AOT executor. Refused: what main-flow.ts refuses, and options that no usable code follows from. */
export function planAot(main: Func, te: TeCompiler, options: Options): Outcome<AotPlan> {
  return asOutcome(() => {
    checkOptions(options);
    const flow = readMain(main, te, "AOT executor");
    const builder = startBuilder(flow);
    assignStorage(builder);
    emitStatements(builder);
    const before = mainFunction(builder, main, options);
    const after = storageRewrite.run(before, te.cx);
    return plan(builder, main, before, after);
  });
}

function checkOptions(options: Options): void {
  if (!options.linkParams) {
    fail("RS5007", "the AOT executor needs its parameters linked in", {
      expected: "link-params on", got: "link-params off", because: "the runner looks its parameters up by symbol; nothing else hands them over",
      hint: "turn link-params on, or use the graph executor",
    });
  }
  if (options.interfaceApi === "c" && !options.unpackedApi) {
    fail("RS5008", "the C interface needs the unpacked API", {
      expected: "unpacked-api on with interface-api c", got: "unpacked-api off", because: "the struct interface hands over plain pointers",
      hint: "turn unpacked-api on, or choose interface-api packed",
    });
  }
}

/** C names: `input`, `input1`, … */
function numbered(base: string, index: number): string {
  return index === 0 ? base : `${base}${index}`;
}

function startBuilder(flow: MainFlow): Builder {
  const argOf = new Map<string, AotArg>();
  const inputs = flow.params.map((param, index) => {
    const type = flow.types.get(param)![0]!;
    const of = typedBuffer(numbered("input", index), type);
    argOf.set(of.name, { kind: "input", index });
    return of;
  });
  const outputs = flow.resultTypes.map((type, index) => {
    const of = typedBuffer(numbered("output", index), type);
    argOf.set(of.name, { kind: "output", index });
    return of;
  });
  return { flow, inputs, outputs, params: new Map(), outputsOf: groupOutputs(flow), places: new Map(), argOf, allocations: [], storageDevices: new Map(), paramDevices: new Map(), statements: [] };
}

function groupOutputs(flow: MainFlow): ReadonlyMap<Producer, ReadonlyMap<number, readonly number[]>> {
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

/** Storage ids: parameters, then constants and results as the walk enters them, so a consumer comes before its producers. */
function assignStorage(builder: Builder): void {
  const { flow } = builder;
  let next = 0;
  for (const param of flow.params) next += flow.types.get(param)!.length;
  for (const producer of flow.entered) {
    if (producer.kind === "var") continue;
    const sids = flow.types.get(producer)!.map((type) => ({ sid: next++, type }));
    if (producer.kind === "constant") continue;
    builder.places.set(producer, sids.map(({ sid, type }, index) => {
      const output = outputsOf(builder, { producer, index })[0];
      return output === undefined ? allocateStorage(builder, sid, tensorTypeBytes(type), flow.deviceOf(producer)) : builder.outputs[output]!;
    }));
  }
}

function allocateStorage(builder: Builder, sid: number, bytes: number, device: number): Buffer {
  const of = buffer(`sid_${sid}`, int8, [bytes], "global", device);
  builder.storageDevices.set(sid, device);
  builder.argOf.set(of.name, { kind: "sid", sid });
  builder.allocations.push({ sid, of });
  return of;
}

function emitStatements(builder: Builder): void {
  const { flow } = builder;
  flow.params.forEach((param, i) => builder.places.set(param, [builder.inputs[i]!]));
  for (const producer of flow.left) {
    if (producer.kind === "call") emitCall(builder, flow.calls.get(producer)!);
    else {
      if (producer.kind === "constant") addParameter(builder, producer);
      for (const output of outputsOf(builder, { producer, index: 0 })) emitCopy(builder, { producer, index: 0 }, output);
    }
  }
}

/** Names the constant p0, p1, … in order of use. */
function addParameter(builder: Builder, constant: Producer & { readonly kind: "constant" }): void {
  const name = `p${builder.flow.externalParams.size + builder.params.size}`;
  builder.params.set(name, constant.data);
  builder.paramDevices.set(name, builder.flow.deviceOf(constant));
  const of = buffer(`__tvm_param__${name}`, constant.data.dtype, constant.data.shape, "constant");
  builder.argOf.set(of.name, { kind: "param", name });
  builder.places.set(constant, [of]);
}

function outputsOf(builder: Builder, value: Value): readonly number[] {
  return builder.outputsOf.get(value.producer)?.get(value.index) ?? [];
}

function placeOf(builder: Builder, { producer, index }: Value): Buffer {
  const place = builder.places.get(producer)?.[index];
  invariant(place !== undefined, `a ${producer.kind} is used before it has a place`);
  return place;
}

function emitCall(builder: Builder, { call, primitive, args }: FlowCall): void {
  const results = builder.places.get(call)!;
  const buffers = [...args.map((arg) => placeOf(builder, arg)), ...results];
  const stmt = evaluate(callExtern(int32, primitive.symbol, buffers.map(bufferRef)), call.origin);
  const bytes = primitive.isCopy ? tensorTypeBytes(primitive.outputTypes[0]!) : 0;
  builder.statements.push({ stmt, call: {
    kind: primitive.isCopy ? "copy" : "call", primitive: primitive.index, symbol: primitive.symbol, args: [], bytes, origin: call.origin,
  } });
  results.forEach((place, index) => {
    for (const output of outputsOf(builder, { producer: call, index })) {
      if (builder.outputs[output] !== place) emitCopy(builder, { producer: call, index }, output);
    }
  });
}

function emitCopy(builder: Builder, from: Value, output: number): void {
  const { producer } = from;
  const bytes = tensorTypeBytes(builder.flow.types.get(producer)![from.index]!);
  const args: readonly PrimExpr[] = [bufferRef(builder.outputs[output]!), bufferRef(placeOf(builder, from)), intImm(bytes)];
  builder.statements.push({
    stmt: evaluate(callExtern(int32, "memcpy", args), producer.origin),
    call: { kind: "copy", primitive: -1, symbol: "memcpy", args: [], bytes, origin: producer.origin },
  });
}

function mainFunction(builder: Builder, main: Func, options: Options): PrimFunc {
  return {
    kind: "prim-func", name: mangledName(options.modName, "run_model"), params: [...builder.inputs, ...builder.outputs], inputCount: builder.inputs.length,
    allocations: [...builder.allocations].sort((a, b) => a.sid - b.sid).map(({ of }) => of),
    body: seq(builder.statements.map(({ stmt }) => stmt), main.origin), attrs: { runner_function: 1 }, origin: main.origin,
  };
}

function plan(builder: Builder, main: Func, before: PrimFunc, after: PrimFunc): AotPlan {
  const { flow } = builder;
  const sized = (of: Buffer): readonly [number, number] => {
    const arg = builder.argOf.get(of.name);
    const bytes = of.shape[0];
    invariant(arg?.kind === "sid" && bytes?.kind === "int", `${of.name} is not a storage`);
    return [arg.sid, Number(bytes.value)];
  };
  const tuple = typeOf(main.body).kind === "tuple-type";
  return {
    entry: before.name,
    parameters: before.params.map((of) => of.name),
    inputs: flow.params.map((param) => ({ name: param.name, type: flow.types.get(param)![0]! })),
    outputs: flow.resultTypes.map((type, i) => ({ name: tuple ? `output${i}` : "output", type })),
    onDemand: before.allocations.map(sized),
    allocs: after.allocations.map(sized),
    calls: callsOf(builder, after.body),
    onDemandCalls: callsOf(builder, before.body),
    params: builder.params,
    externalParams: flow.externalParams,
    devices: {
      inputs: flow.params.map(flow.deviceOf), outputs: flow.results.map(({ producer }) => flow.deviceOf(producer)),
      storage: builder.storageDevices, params: builder.paramDevices,
    },
    main: after,
  };
}

/** The statements of main as calls; a copy is [source, destination]. */
function callsOf(builder: Builder, body: Stmt): readonly AotCall[] {
  const statements = body.kind === "seq" ? body.body : [body];
  invariant(statements.length === builder.statements.length, "StorageRewrite changed the number of calls");
  return statements.map((stmt, i) => {
    invariant(stmt.kind === "evaluate" && stmt.value.kind === "tir-call", "main holds calls only");
    const args = stmt.value.args.flatMap((arg) => (arg.kind === "buffer-ref" ? [builder.argOf.get(arg.buffer.name)!] : []));
    const { call } = builder.statements[i]!;
    return { ...call, args: call.symbol === "memcpy" ? [args[1]!, args[0]!] : args };
  });
}
