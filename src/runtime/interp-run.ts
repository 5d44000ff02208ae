// Runs a whole AOT plan on the TIR interpreter: the oracle for the code generators, slow.
import { matchingRows, type AotArg, type AotPlan, type LoweredPrimitive } from "../compiler/executor/plan.ts";
import {
  allocateArray,
  elementCount,
  tensorBytes,
  tensorData,
  viewArray,
  type TensorArray,
  type TensorData,
} from "../compiler/ir/tensor-data.ts";
import { staticShape, type TensorType } from "../compiler/ir/type.ts";
import { interpret } from "../compiler/tir/interp/interp.ts";
import { invariant, tuple } from "../support/assert.ts";

/**
 * Outputs of the model on `inputs` (by parameter name of main). Kernels are interpreted as they are for C
 * (fewer passes apart from TVM's).
 */
export function interpretModel(
  aot: AotPlan,
  primitives: readonly LoweredPrimitive[],
  inputs: ReadonlyMap<string, TensorData>,
): readonly TensorData[] {
  const bySymbol = new Map(primitives.map((primitive) => [primitive.symbol, primitive]));
  const storages = new Map(
    aot.allocs.map(([sid, bytes]) => [sid, new Uint8Array(Math.ceil(bytes / 8) * 8).fill(0xff)]),
  );
  const given = aot.inputs.map((input) => {
    const tensor = inputs.get(input.name);
    if (tensor === undefined) throw new Error(`no value was given for input ${input.name}`);
    return aligned(tensorBytes(tensor));
  });
  const results = aot.outputs.map((output) =>
    allocateArray(output.type.dtype, elementCount(fixedShape(output.type))),
  );
  const constants = new Map<string, Uint8Array>();
  const bytesOf = (arg: AotArg): Uint8Array => {
    switch (arg.kind) {
      case "input":
        return given[arg.index]!;
      case "output":
        return bytesOfArray(results[arg.index]!);
      case "sid":
        return storages.get(arg.sid)!;
      case "param": {
        let bytes = constants.get(arg.name);
        if (bytes === undefined) {
          bytes = aligned(tensorBytes(aot.params.get(arg.name)!));
          constants.set(arg.name, bytes);
        }
        return bytes;
      }
    }
  };
  const matching = matchingRows(aot.calls);
  for (let i = 0; i < aot.calls.length; i++) {
    const call = aot.calls[i]!;
    if (call.kind === "end") continue;
    if (call.kind === "if" || call.kind === "else") {
      if (call.kind === "else" || bytesOf(call.args[0]!)[0] === 0) i = matching.get(i)!;
      continue;
    }
    if (call.kind === "copy") {
      const [source, destination] = tuple(call.args, 2, "arguments of a copy");
      bytesOf(destination).set(bytesOf(source).subarray(0, call.bytes));
      continue;
    }
    const primitive = bySymbol.get(call.symbol);
    invariant(primitive !== undefined, `the plan calls ${call.symbol}, which no primitive is named`);
    const types = [...primitive.inputTypes, ...primitive.outputTypes];
    const args = call.args.map((arg, i) => viewAs(types[i]!, bytesOf(arg)));
    const constants = (primitive.external?.constants ?? []).map(({ data }) => data.data);
    const inputs = primitive.inputTypes.length;
    interpret(primitive.forC, [...args.slice(0, inputs), ...constants, ...args.slice(inputs)]);
  }
  return aot.outputs.map((output, i) =>
    tensorData(output.type.dtype, fixedShape(output.type), results[i]!, "folded"),
  );
}

/** Outputs of one primitive (or shape function) on `args`, as runPrimitive of jit.ts. */
export function interpretPrimitive(
  primitive: LoweredPrimitive,
  args: readonly TensorData[],
): readonly TensorData[] {
  const outputs = primitive.outputTypes.map((type) =>
    tensorData(
      type.dtype,
      fixedShape(type),
      allocateArray(type.dtype, elementCount(fixedShape(type))),
      "folded",
    ),
  );
  interpret(
    primitive.forC,
    [...args, ...outputs].map((tensor) => tensor.data),
  );
  return outputs;
}

/** A copy that starts at a multiple of 8. */
function aligned(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes);
}

function bytesOfArray(array: TensorArray): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

function fixedShape(type: TensorType): readonly number[] {
  const shape = staticShape(type);
  invariant(shape !== null, "a plan has only static shapes");
  return shape;
}

function viewAs(type: TensorType, bytes: Uint8Array): TensorArray {
  return viewArray(type.dtype, bytes.buffer, bytes.byteOffset, elementCount(fixedShape(type)));
}
