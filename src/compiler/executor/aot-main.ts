// The AOT executor's plan: storage on demand, the main function as TIR, StorageRewrite, and the calls in their final form.
// TVM: src/relay/backend/aot_executor_codegen.cc (AOTOnDemandAllocator, AOTExecutorCodegen)
// Known differences, where TVM's code is wrong or gives up: a value that is returned twice is copied to its second output; tuple
// arguments hand over inputs and parameters themselves; let is looked through; copies are memcpy calls instead of byte loops;
// an if (which TVM refuses) is a branch of the runner, whose results are written where the if's results lie.
import type { Options } from "../options.ts";
import { invariant } from "../../support/assert.ts";
import { fail } from "../ir/diagnostic.ts";
import { bool, int8, int32 } from "../ir/dtype.ts";
import type { Origin } from "../ir/origin.ts";
import type { TensorData } from "../ir/tensor-data.ts";
import type { TensorType } from "../ir/type.ts";
import type { TeCompiler } from "../lower/te-compiler.ts";
import { mangledName } from "../lower/prim-func-name.ts";
import type { Func } from "../relay/expr.ts";
import { typeOf } from "../relay/op.ts";
import {
  allocate,
  buffer,
  bufferRef,
  callExtern,
  evaluate,
  ifStmt,
  intImm,
  load,
  makeBinary,
  seq,
} from "../tir/build.ts";
import type { Buffer, PrimExpr } from "../tir/expr.ts";
import { storageRewrite } from "../tir/passes/storage-rewrite.ts";
import type { PrimFunc } from "../tir/prim-func.ts";
import type { Stmt } from "../tir/stmt.ts";
import { visitExpr } from "../tir/visit.ts";
import {
  asOutcome,
  readMain,
  tensorTypeBytes,
  type FlowBranch,
  type FlowCall,
  type MainFlow,
  type Producer,
  type Value,
} from "./main-flow.ts";
import type { AotArg, AotCall, AotPlan, Outcome } from "./plan.ts";

/** What main does, in order; statements follow from it, and rows of the plan from the statements after StorageRewrite. */
type Piece =
  | { readonly kind: "step"; readonly stmt: Stmt; readonly call: AotCall }
  | { readonly kind: "branch"; readonly branch: FlowBranch; readonly then: Block; readonly otherwise: Block };

/** Pieces that run one after the other, and the storage that nothing outside of them uses. */
interface Block {
  readonly pieces: readonly Piece[];
  readonly storage: readonly Buffer[];
}

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
}

/** Plans `main` (after FuseOps) for the AOT executor. Refused: what main-flow.ts refuses, and options that no usable code follows from. */
export function planAot(main: Func, te: TeCompiler, options: Options): Outcome<AotPlan> {
  return asOutcome(() => {
    checkOptions(options);
    const flow = readMain(main, te, "AOT executor");
    const builder = startBuilder(flow);
    assignStorage(builder);
    flow.params.forEach((param, i) => builder.places.set(param, [builder.inputs[i]!]));
    const block = emitRange(builder, 0, flow.left.length);
    const before = mainFunction(builder, block, main, options);
    const after = storageRewrite.run(before, te.cx);
    return plan(builder, block, main, before, after);
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
  return {
    flow,
    inputs,
    outputs,
    params: new Map(),
    outputsOf: groupOutputs(flow),
    places: new Map(),
    argOf,
    allocations: [],
    storageDevices: new Map(),
    paramDevices: new Map(),
  };
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
  const at = new Map(flow.left.map((producer, i) => [producer, i]));
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
    if (producer.kind === "if") wantResults(builder, flow.branches.get(producer)!, at, wanted);
  }
}

/** What a branch computes as a result of the if is written where that result lies, if the branch is the only place that uses it. */
function wantResults(
  builder: Builder,
  branch: FlowBranch,
  at: ReadonlyMap<Producer, number>,
  wanted: Map<Producer, (Buffer | undefined)[]>,
): void {
  const places = builder.places.get(branch.expr)!;
  const sides = [
    [branch.thenResults, branch.then, branch.otherwise],
    [branch.otherwiseResults, branch.otherwise, branch.end],
  ] as const;
  for (const [results, from, to] of sides) {
    results.forEach(({ producer, index }, i) => {
      const position = at.get(producer)!;
      if (producer.kind === "var" || producer.kind === "constant" || position < from || position >= to)
        return;
      const known = wanted.get(producer) ?? [];
      known[index] ??= places[i]!;
      wanted.set(producer, known);
    });
  }
}

function allocateStorage(builder: Builder, producer: Producer, sid: number, bytes: number): Buffer {
  const device = builder.flow.deviceOf(producer);
  const of = buffer(`sid_${sid}`, int8, [bytes], "global", device);
  builder.storageDevices.set(sid, device);
  builder.argOf.set(of.name, { kind: "sid", sid });
  builder.allocations.push({ sid, of });
  return of;
}

/** Positions [from, to) of the flow. `outer`: an if whose branch this is, which starts at `from` too. */
function emitRange(builder: Builder, from: number, to: number, outer: FlowBranch | null = null): Block {
  const { flow } = builder;
  const pieces: Piece[] = [];
  const own = new Set<Buffer>();
  for (let i = from; i < to; i++) {
    const branch = branchFrom(flow, i, outer === null ? to : Math.min(to, outer.end));
    const producer = branch?.expr ?? flow.left[i]!;
    if (branch !== undefined) {
      const then = withResults(
        builder,
        emitRange(builder, branch.then, branch.otherwise, branch),
        branch,
        branch.thenResults,
      );
      const otherwise = withResults(
        builder,
        emitRange(builder, branch.otherwise, branch.end, branch),
        branch,
        branch.otherwiseResults,
      );
      pieces.push({ kind: "branch", branch, then, otherwise });
      i = branch.end;
    } else if (producer.kind === "constant") addParameter(builder, producer);
    else if (producer.kind === "call") pieces.push(callPiece(builder, flow.calls.get(producer)!));
    pieces.push(...outputCopies(builder, producer));
    if (producer.kind === "call" || producer.kind === "if")
      for (const place of builder.places.get(producer)!) own.add(place);
  }
  const results = new Set(outer === null ? [] : builder.places.get(outer.expr));
  return {
    pieces,
    storage: [...own].filter((place) => builder.argOf.get(place.name)?.kind === "sid" && !results.has(place)),
  };
}

/** The outermost if whose branches start at `position` and that ends before `to`. */
function branchFrom(flow: MainFlow, position: number, to: number): FlowBranch | undefined {
  return flow.branchesFrom.get(position)?.find((branch) => branch.end < to);
}

/** The block with copies of results that were not computed in place. */
function withResults(builder: Builder, block: Block, branch: FlowBranch, results: readonly Value[]): Block {
  const copies = results.flatMap((value, i) => {
    const into = builder.places.get(branch.expr)![i]!;
    return placeOf(builder, value) === into ? [] : [copyPiece(builder, value, into)];
  });
  return { ...block, pieces: [...block.pieces, ...copies] };
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

function callPiece(builder: Builder, { call, primitive, args }: FlowCall): Piece {
  const buffers = [...args.map((arg) => placeOf(builder, arg)), ...builder.places.get(call)!];
  const stmt = evaluate(callExtern(int32, primitive.symbol, buffers.map(bufferRef)), call.origin);
  const moves = primitive.isCopy ? tensorTypeBytes(builder.flow.types.get(call)![0]!) : 0;
  return {
    kind: "step",
    stmt,
    call: {
      kind: primitive.isCopy ? "copy" : "call",
      primitive: primitive.index,
      symbol: primitive.symbol,
      args: [],
      bytes: moves,
      origin: call.origin,
    },
  };
}

/** Copies of results to outputs that they were not written to. */
function outputCopies(builder: Builder, producer: Producer): readonly Piece[] {
  return builder.flow.types.get(producer)!.flatMap((_, index) => {
    const value = { producer, index };
    return outputsOf(builder, value).flatMap((output) =>
      placeOf(builder, value) === builder.outputs[output]
        ? []
        : [copyPiece(builder, value, builder.outputs[output]!)],
    );
  });
}

function copyPiece(builder: Builder, from: Value, into: Buffer): Piece {
  const { producer } = from;
  const bytes = tensorTypeBytes(builder.flow.types.get(producer)![from.index]!);
  const args: readonly PrimExpr[] = [bufferRef(into), bufferRef(placeOf(builder, from)), intImm(bytes)];
  return {
    kind: "step",
    stmt: evaluate(callExtern(int32, "memcpy", args), producer.origin),
    call: { kind: "copy", primitive: -1, symbol: "memcpy", args: [], bytes, origin: producer.origin },
  };
}

function mainFunction(builder: Builder, block: Block, main: Func, options: Options): PrimFunc {
  const outside = new Set(block.storage);
  return {
    kind: "prim-func",
    name: mangledName(options.modName, "run_model"),
    params: [...builder.inputs, ...builder.outputs],
    inputCount: builder.inputs.length,
    allocations: bySid(builder).filter((of) => outside.has(of)),
    body: blockStmt(builder, block, main.origin),
    attrs: { runner_function: 1 },
    origin: main.origin,
  };
}

function bySid(builder: Builder): readonly Buffer[] {
  return [...builder.allocations].sort((a, b) => a.sid - b.sid).map(({ of }) => of);
}

function blockStmt(builder: Builder, block: Block, origin: Origin): Stmt {
  return seq(
    block.pieces.map((piece) => (piece.kind === "step" ? piece.stmt : branchStmt(builder, piece))),
    origin,
  );
}

function branchStmt(
  builder: Builder,
  { branch, then, otherwise }: Piece & { readonly kind: "branch" },
): Stmt {
  const { origin } = branch.expr;
  const place = placeOf(builder, branch.condition);
  const value = load(
    place,
    place.shape.map(() => intImm(0)),
  );
  const condition = value.dtype === bool ? value : makeBinary("ne", value, 0);
  const side = (block: Block): Stmt =>
    block.storage.reduceRight((body, of) => allocate(of, body, origin), blockStmt(builder, block, origin));
  return ifStmt(condition, side(then), side(otherwise), origin);
}

function plan(builder: Builder, block: Block, main: Func, before: PrimFunc, after: PrimFunc): AotPlan {
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
    onDemand: bySid(builder).map(sized),
    allocs: after.allocations.map(sized),
    calls: callsOf(builder, block, after.body),
    onDemandCalls: callsOf(builder, block, before.body),
    params: builder.params,
    externalParams: flow.externalParams,
    devices: {
      inputs: flow.params.map(flow.deviceOf),
      outputs: flow.results.map(({ producer }) => flow.deviceOf(producer)),
      storage: builder.storageDevices,
      params: builder.paramDevices,
    },
    main: after,
  };
}

/** The statements of main as rows; a copy is [source, destination]. */
function callsOf(builder: Builder, block: Block, body: Stmt): readonly AotCall[] {
  const statements = statementsOf(body);
  invariant(statements.length === block.pieces.length, "StorageRewrite changed the number of calls");
  return statements.flatMap((stmt, i): readonly AotCall[] => {
    const piece = block.pieces[i]!;
    if (piece.kind === "branch") return branchRows(builder, piece, stmt);
    invariant(
      stmt.kind === "evaluate" && stmt.value.kind === "tir-call",
      "main holds calls and branches only",
    );
    const args = stmt.value.args.flatMap((arg) =>
      arg.kind === "buffer-ref" ? [argOf(builder, arg.buffer)] : [],
    );
    return [{ ...piece.call, args: piece.call.symbol === "memcpy" ? [args[1]!, args[0]!] : args }];
  });
}

/** Without the allocations around them: they have gone to the function by now, or are still those on demand. */
function statementsOf(stmt: Stmt): readonly Stmt[] {
  let body = stmt;
  while (body.kind === "allocate") body = body.body;
  return body.kind === "seq" ? body.body : [body];
}

function branchRows(
  builder: Builder,
  { branch, then, otherwise }: Piece & { readonly kind: "branch" },
  stmt: Stmt,
): readonly AotCall[] {
  invariant(stmt.kind === "if-then-else" && stmt.otherwise !== null, "a branch of main has gone");
  const loads: Buffer[] = [];
  visitExpr(stmt.condition, (part) => {
    if (part.kind === "load") loads.push(part.buffer);
  });
  const row = (kind: "if" | "else" | "end", args: readonly AotArg[]): AotCall => ({
    kind,
    primitive: -1,
    symbol: kind,
    args,
    bytes: 0,
    origin: branch.expr.origin,
  });
  return [
    row(
      "if",
      loads.map((of) => argOf(builder, of)),
    ),
    ...callsOf(builder, then, stmt.then),
    row("else", []),
    ...callsOf(builder, otherwise, stmt.otherwise),
    row("end", []),
  ];
}

function argOf(builder: Builder, of: Buffer): AotArg {
  return builder.argOf.get(of.name)!;
}
