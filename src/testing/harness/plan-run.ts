// Runs the calls of an AOT plan on the TIR interpreter, on the PrimFuncs for C: the oracle for generated C.
import { argName } from "../../compiler/executor/arg-name.ts";
import { matchingRows, type AotPlan, type LoweredPrimitive } from "../../compiler/executor/plan.ts";
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

/** Outputs of the plan for `inputs` (one per parameter of main, in order). */
export function interpretPlan(
  plan: AotPlan,
  primitives: readonly LoweredPrimitive[],
  inputs: readonly TensorData[],
): readonly TensorData[] {
  const held = new Map<string, TensorArray>();
  plan.inputs.forEach((_, i) => held.set(plan.parameters[i]!, inputs[i]!.data));
  const outputs = plan.outputs.map(({ type }) => fresh(type));
  outputs.forEach((output, i) => held.set(plan.parameters[plan.inputs.length + i]!, output));
  for (const [name, data] of plan.params) held.set(`__tvm_param__${name}`, data.data);
  const matching = matchingRows(plan.calls);
  for (let i = 0; i < plan.calls.length; i++) {
    const call = plan.calls[i]!;
    const names = call.args.map((arg) => argName(arg, plan));
    if (call.kind === "end") continue;
    if (call.kind === "if" || call.kind === "else") {
      if (call.kind === "else" || held.get(names[0]!)![0] === 0) i = matching.get(i)!;
      continue;
    }
    if (call.kind === "copy") {
      const from = held.get(names[0]!)!;
      if (names[1]!.startsWith("sid_")) held.set(names[1]!, from.slice());
      else (held.get(names[1]!) as { set(from: unknown): void }).set(from);
      continue;
    }
    const { forC, inputTypes, outputTypes, external } = primitives[call.primitive]!;
    names.slice(inputTypes.length).forEach((name, i) => {
      if (name.startsWith("sid_")) held.set(name, fresh(outputTypes[i]!));
    });
    const args = names.map((name) => held.get(name)!);
    const constants = (external?.constants ?? []).map(({ data }) => data.data);
    interpret(forC, [...args.slice(0, inputTypes.length), ...constants, ...args.slice(inputTypes.length)]);
  }
  return plan.outputs.map(({ type }, i) =>
    tensorData(type.dtype, type.shape as readonly number[], outputs[i]!),
  );
}
