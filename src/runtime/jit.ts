// Runs one lowered primitive on tensors: the JIT behind FoldConstant, and the differential tests.
// TVM: TECompiler::JIT
import type { LoweredPrimitive } from "../compiler/executor/plan.ts";
import { emitWasm, type WasmOptions } from "../compiler/codegen/wasm/module.ts";
import { byteSize } from "../compiler/ir/dtype.ts";
import { elementCount, tensorBytes, type TensorData } from "../compiler/ir/tensor-data.ts";
import { staticShape, type TensorType } from "../compiler/ir/type.ts";
import { invariant } from "../support/assert.ts";
import { instantiate, readTensor, trapped, writeBytes, type Instance } from "./memory.ts";

/**
 * Instances that stand already: a condition of an unfolded recursion runs the same small kernel a thousand
 * times.
 */
const standing = new WeakMap<LoweredPrimitive, { readonly instance: Instance; readonly free: number }>();
/** An instance with more memory than this is not kept, bytes. */
const keptBytes = 2 ** 20;

/**
 * Outputs of `primitive` on `args` (one per input, tuples flattened). Compiles a module of this one
 * primitive.
 */
export function runPrimitive(
  primitive: LoweredPrimitive,
  args: readonly TensorData[],
  opts: WasmOptions = noOptions,
): readonly TensorData[] {
  invariant(
    args.length === primitive.inputTypes.length,
    `${primitive.symbol} takes ${primitive.inputTypes.length} tensors, got ${args.length}`,
  );
  // A copy between devices has no kernel: the value is the value.
  if (primitive.isCopy) return args;
  const known = standing.get(primitive);
  if (known !== undefined && opts === noOptions) return callOnce(known.instance, known.free, primitive, args);
  const module = emitWasm([primitive], null, null, opts);
  const instance = instantiate(module.bytes);
  const results = callOnce(instance, module.layout.totalBytes, primitive, args);
  if (opts === noOptions && instance.memory.buffer.byteLength <= keptBytes)
    standing.set(primitive, { instance, free: module.layout.totalBytes });
  return results;
}

const noOptions: WasmOptions = {};

function callOnce(
  instance: Instance,
  free: number,
  primitive: LoweredPrimitive,
  args: readonly TensorData[],
): readonly TensorData[] {
  const shapes = primitive.outputTypes.map((type) => fixedShape(primitive, type));
  const sizes = [
    ...args.map((arg) => tensorBytes(arg).length),
    ...primitive.outputTypes.map((type, i) => elementCount(shapes[i]!) * byteSize(type.dtype)),
  ];
  const offsets: number[] = [];
  let end = free;
  for (const size of sizes) {
    offsets.push(end);
    end += Math.ceil(size / 16) * 16;
  }
  const { memory } = instance;
  const missing = Math.ceil((end - memory.buffer.byteLength) / 65536);
  if (missing > 0) memory.grow(missing);
  args.forEach((arg, i) => writeBytes(memory, offsets[i]!, tensorBytes(arg)));
  trapped(() => instance.functions.get(primitive.symbol)!(...offsets), primitive.name);
  return primitive.outputTypes.map((type, i) =>
    readTensor(memory, offsets[args.length + i]!, type.dtype, shapes[i]!),
  );
}

function fixedShape(primitive: LoweredPrimitive, type: TensorType): readonly number[] {
  const shape = staticShape(type);
  invariant(shape !== null, `${primitive.symbol} has an output whose shape is not known`);
  return shape;
}
