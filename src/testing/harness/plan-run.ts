// Runs the calls of an AOT plan on the TIR interpreter, on the PrimFuncs for C: the oracle for generated C.
import { at } from "../../support/assert.ts";
import {
  matchingRows,
  type AotArg,
  type AotPlan,
  type LoweredPrimitive,
} from "../../compiler/executor/plan.ts";
import {
  allocateArray,
  elementCount,
  tensorData,
  type TensorArray,
  type TensorData,
} from "../../compiler/ir/tensor-data.ts";
import type { TensorType } from "../../compiler/ir/type.ts";
import { interpret } from "../../compiler/tir/interp/interp.ts";

function fresh({ dtype, shape }: TensorType): TensorArray {
  return allocateArray(dtype, elementCount(shape as readonly number[]));
}

/** The tensors of a run, where the calls look for them. */
function createMemory(plan: AotPlan, inputs: readonly TensorData[]) {
  const given = inputs.map(({ data }) => data);
  const outputs = plan.outputs.map(({ type }) => fresh(type));
  const storages = new Map<number, TensorArray>();
  return {
    outputs,
    read(arg: AotArg): TensorArray {
      switch (arg.kind) {
        case "input":
          return at(given, arg.index, "input");
        case "output":
          return at(outputs, arg.index, "output");
        case "sid":
          return storages.get(arg.sid)!;
        case "param":
          return plan.params.get(arg.name)!.data;
      }
    },
    /** Where a result of `type` goes: a storage holds a tensor of its own after each write. */
    target(arg: AotArg, type: TensorType): TensorArray {
      if (arg.kind === "sid") storages.set(arg.sid, fresh(type));
      return this.read(arg);
    },
    copy(from: AotArg, to: AotArg): void {
      const data = this.read(from);
      if (to.kind === "sid") storages.set(to.sid, data.slice());
      else (this.read(to) as { set(from: unknown): void }).set(data);
    },
  };
}

/** Outputs of the plan for `inputs` (one per parameter of main, in order). */
export function interpretPlan(
  plan: AotPlan,
  primitives: readonly LoweredPrimitive[],
  inputs: readonly TensorData[],
): readonly TensorData[] {
  const memory = createMemory(plan, inputs);
  const matching = matchingRows(plan.calls);
  for (let i = 0; i < plan.calls.length; i++) {
    const call = plan.calls[i]!;
    if (call.kind === "end") continue;
    if (call.kind === "if" || call.kind === "else") {
      if (call.kind === "else" || memory.read(call.args[0]!)[0] === 0) i = matching.get(i)!;
      continue;
    }
    if (call.kind === "copy") {
      memory.copy(call.args[0]!, call.args[1]!);
      continue;
    }
    const { forC, inputTypes, outputTypes, external } = at(primitives, call.primitive, "primitive");
    const read = call.args.slice(0, inputTypes.length).map((arg) => memory.read(arg));
    const constants = (external?.constants ?? []).map(({ data }) => data.data);
    const written = call.args.slice(inputTypes.length).map((arg, k) => memory.target(arg, outputTypes[k]!));
    interpret(forC, [...read, ...constants, ...written]);
  }
  return plan.outputs.map(({ type }, i) =>
    tensorData(type.dtype, type.shape as readonly number[], memory.outputs[i]!),
  );
}
