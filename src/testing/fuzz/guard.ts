// Runs a model's WebAssembly call by call with every tensor in memory of its own between guard bytes, so that
// a write outside shows; what a call is to write is filled with a pattern before, so that what it leaves out
// shows as a difference between two patterns, as does a read outside.
import {
  matchingRows,
  type AotArg,
  type AotPlan,
  type LoweredPrimitive,
} from "../../compiler/executor/plan.ts";
import { byteSize } from "../../compiler/ir/dtype.ts";
import { elementCount, tensorBytes, type TensorData } from "../../compiler/ir/tensor-data.ts";
import { staticShape, type TensorType } from "../../compiler/ir/type.ts";
import { emitWasm, type WasmModule } from "../../compiler/codegen/wasm/module.ts";
import { instantiate, readTensor, trapped, writeBytes, type Instance } from "../../runtime/memory.ts";
import { present } from "../../support/assert.ts";

/** Bytes on either side of a tensor. */
const guardBytes = 64;

interface Block {
  readonly what: string;
  readonly offset: number;
  readonly bytes: number;
}

interface Guarded {
  readonly instance: Instance;
  readonly pattern: number;
  readonly blocks: Block[];
  end: number;
}

function place(guarded: Guarded, what: string, bytes: number): Block {
  const { memory } = guarded.instance;
  const offset = Math.ceil((guarded.end + guardBytes) / 16) * 16;
  const end = offset + bytes + guardBytes;
  const missing = Math.ceil((end - memory.buffer.byteLength) / 65536);
  if (missing > 0) memory.grow(missing);
  new Uint8Array(memory.buffer).fill(guarded.pattern, guarded.end, end);
  guarded.end = end;
  const block = { what, offset, bytes };
  guarded.blocks.push(block);
  return block;
}

/** The first block whose guard bytes are not what they were, null for none. */
function broken({ instance, pattern, blocks }: Guarded): string | null {
  const bytes = new Uint8Array(instance.memory.buffer);
  for (const { what, offset, bytes: length } of blocks)
    for (let i = 1; i <= guardBytes; i++) {
      if (bytes[offset - i] !== pattern) return `${i} bytes before ${what}`;
      if (bytes[offset + length + i - 1] !== pattern) return `${i} bytes behind ${what}`;
    }
  return null;
}

/** Calls `symbol`; throws Error where it wrote outside. */
function callGuarded(guarded: Guarded, symbol: string, args: readonly Block[]): void {
  const run = present(guarded.instance.functions.get(symbol), symbol);
  trapped(() => run(...args.map(({ offset }) => offset)), symbol);
  const found = broken(guarded);
  if (found !== null) throw new Error(`guard: ${symbol} wrote ${found}`);
}

const typeBytes = (type: TensorType): number =>
  elementCount(present(staticShape(type), "known shape")) * byteSize(type.dtype);

/** Outputs of the AOT plan. Throws Error for a write outside a tensor. */
export function runGuarded(
  wasm: WasmModule,
  plan: AotPlan,
  primitives: readonly LoweredPrimitive[],
  { inputs, pattern }: { readonly inputs: ReadonlyMap<string, TensorData>; readonly pattern: number },
): readonly TensorData[] {
  const instance = instantiate(wasm.bytes);
  for (const { offset, data } of wasm.layout.constants)
    writeBytes(instance.memory, offset, tensorBytes(data));
  const guarded: Guarded = { instance, pattern, blocks: [], end: wasm.layout.totalBytes };
  const holding = (what: string, data: TensorData): Block => {
    const block = place(guarded, what, tensorBytes(data).length);
    writeBytes(instance.memory, block.offset, tensorBytes(data));
    return block;
  };
  const given = plan.inputs.map(({ name }) => holding(`input ${name}`, present(inputs.get(name), name)));
  const results = plan.outputs.map(({ name, type }) => place(guarded, `output ${name}`, typeBytes(type)));
  const storages = new Map(plan.allocs.map(([sid, bytes]) => [sid, place(guarded, `sid_${sid}`, bytes)]));
  const constants = new Map(
    [...plan.params].map(([name, data]) => [name, holding(`constant ${name}`, data)]),
  );
  const blockOf = (arg: AotArg): Block => {
    switch (arg.kind) {
      case "input":
        return present(given[arg.index], "input");
      case "output":
        return present(results[arg.index], "output");
      case "sid":
        return present(storages.get(arg.sid), `sid_${arg.sid}`);
      case "param":
        return present(constants.get(arg.name), arg.name);
    }
  };
  runRows(guarded, plan, primitives, blockOf);
  return plan.outputs.map(({ type }, i) =>
    readTensor(instance.memory, results[i]!.offset, type.dtype, present(staticShape(type), "known shape")),
  );
}

function runRows(
  guarded: Guarded,
  plan: AotPlan,
  primitives: readonly LoweredPrimitive[],
  blockOf: (arg: AotArg) => Block,
): void {
  const matching = matchingRows(plan.calls);
  const bytes = (): Uint8Array => new Uint8Array(guarded.instance.memory.buffer);
  for (let i = 0; i < plan.calls.length; i++) {
    const call = plan.calls[i]!;
    const args = call.args.map(blockOf);
    if (call.kind === "end") continue;
    if (call.kind === "if" || call.kind === "else") {
      if (call.kind === "else" || bytes()[args[0]!.offset] === 0) i = present(matching.get(i), "branch");
      continue;
    }
    if (call.kind === "copy") {
      bytes().copyWithin(args[1]!.offset, args[0]!.offset, args[0]!.offset + call.bytes);
      continue;
    }
    const primitive = present(primitives[call.primitive], call.symbol);
    const outputs = args.slice(primitive.inputTypes.length);
    outputs.forEach(({ offset }, k) =>
      bytes().fill(guarded.pattern, offset, offset + typeBytes(primitive.outputTypes[k]!)),
    );
    callGuarded(guarded, call.symbol, args);
  }
}

/** As runPrimitive of runtime/jit.ts. Throws Error for a write outside a tensor. */
export function guardedPrimitive(
  primitive: LoweredPrimitive,
  args: readonly TensorData[],
  pattern: number,
): readonly TensorData[] {
  if (primitive.isCopy) return args;
  const module = emitWasm([primitive], null, null, {});
  const instance = instantiate(module.bytes);
  const guarded: Guarded = { instance, pattern, blocks: [], end: module.layout.totalBytes };
  const inputs = args.map((arg, i) => place(guarded, `argument ${i}`, tensorBytes(arg).length));
  args.forEach((arg, i) => writeBytes(instance.memory, inputs[i]!.offset, tensorBytes(arg)));
  const outputs = primitive.outputTypes.map((type, i) => place(guarded, `result ${i}`, typeBytes(type)));
  callGuarded(guarded, primitive.symbol, [...inputs, ...outputs]);
  return primitive.outputTypes.map((type, i) =>
    readTensor(instance.memory, outputs[i]!.offset, type.dtype, present(staticShape(type), "known shape")),
  );
}
