// Packing constant parameters once instead of at each call: the stages that repack made of a parameter move
// out of the function into functions of their own, and the function takes the packed tensor as its parameter.
// The order of parameters stays. TVM has no counterpart in 0.8 (its AlterOpLayout packs weights in Relay).
// Only tests call it yet: it is what packed weights and layout inference will use, with the `layout` hook of
// operators.
import { invariant } from "../../support/assert.ts";
import type { PrimFunc } from "../tir/prim-func.ts";
import { placeholder } from "./compute.ts";
import { lowerSchedule, type LowerOptions } from "./lower.ts";
import { createSchedule, type Schedule } from "./schedule.ts";
import { inputTensors } from "./stage.ts";
import type { Tensor } from "./tensor.ts";

export interface Prepacked {
  /** Takes the packed tensor where it took the parameter. */
  readonly main: PrimFunc;
  /**
   * One per packed parameter: its position among the inputs, and the function from the parameter to the
   * packed tensor.
   */
  readonly packs: readonly { readonly input: number; readonly func: PrimFunc }[];
}

/**
 * What of the schedule's `repacked` tensors can be made ahead: those that only read one input, which nothing
 * else reads.
 */
export function prepackable(
  schedule: Schedule,
  inputs: readonly Tensor[],
): readonly { readonly packed: Tensor; readonly input: number }[] {
  return schedule.repacked.flatMap((packed) => {
    const source = inputTensors(schedule.stage(packed).op);
    const input = source.length === 1 ? inputs.indexOf(source[0]!) : -1;
    return input >= 0 && schedule.readers(source[0]!).length === 1 ? [{ packed, input }] : [];
  });
}

/**
 * Lowers with the parameters in `constants` (positions among the inputs) packed ahead where the schedule
 * packs them.
 */
export function lowerPrepacked(
  schedule: Schedule,
  options: LowerOptions,
  constants: ReadonlySet<number>,
): Prepacked {
  const inputs = [...options.inputs];
  const given = new Map<Tensor, Tensor>();
  const packs: { input: number; func: PrimFunc }[] = [];
  for (const { packed, input } of prepackable(schedule, options.inputs)) {
    if (!constants.has(input)) continue;
    const { op } = schedule.stage(packed);
    const tensor = op.outputs[0]!;
    invariant(
      op.kind === "compute" && tensor.shape.every((dim) => dim.kind === "int"),
      `${packed.name} is packed ahead, so its shape is constant`,
    );
    const outside = placeholder(tensor.shape, tensor.dtype, { name: tensor.name, origin: op.origin });
    inputs[input] = outside;
    given.set(packed, outside);
    const pack = {
      name: `${options.name}_pack${packs.length}`,
      inputs: [options.inputs[input]!],
      outputs: [tensor],
      origin: op.origin,
    };
    packs.push({ input, func: lowerSchedule(createSchedule([tensor]), pack) });
  }
  return { main: lowerSchedule(schedule, { ...options, inputs, given }), packs };
}
