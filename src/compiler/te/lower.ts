// From a schedule to a PrimFunc over n-d buffers: normalize, InferBound, ScheduleOps.
// TVM: src/driver/driver_api.cc (ScheduleToModule)
import { invariant } from "../../support/assert.ts";
import { createAnalyzer } from "../arith/analyzer.ts";
import type { Origin } from "../ir/origin.ts";
import { buffer as makeBuffer, forLoop, imm, load, seq, store, tirVar } from "../tir/build.ts";
import type { Buffer } from "../tir/expr.ts";
import type { PrimFunc } from "../tir/prim-func.ts";
import type { Stmt } from "../tir/stmt.ts";
import { inferBound } from "./infer-bound.ts";
import { normalize } from "./normalize.ts";
import type { Schedule } from "./schedule.ts";
import { scheduleOps } from "./schedule-ops.ts";
import { inputTensors, type StageState } from "./stage.ts";
import type { Tensor } from "./tensor.ts";

export interface LowerOptions {
  readonly name: string;
  /** Placeholders, in the order of the parameters; ones that nothing reads are parameters too. */
  readonly inputs: readonly Tensor[];
  /** Outputs of the schedule, in the order of the parameters. One given twice, or an input, is copied. */
  readonly outputs: readonly Tensor[];
  /** How many parameters are inputs, if not all of `inputs`. */
  readonly inputCount?: number;
  readonly origin: Origin;
  readonly attrs?: PrimFunc["attrs"];
  /**
   * Tensors that are not computed by the function but handed in, each by the placeholder (one of `inputs`)
   * that stands for it.
   */
  readonly given?: ReadonlyMap<Tensor, Tensor>;
}

/**
 * Throws InvariantError where the schedule is not valid (a producer computed where its reader cannot see it).
 */
export function lowerSchedule(schedule: Schedule, options: LowerOptions): PrimFunc {
  const analyzer = createAnalyzer();
  const given = new Map(
    [...(options.given ?? [])].map(([tensor, placeholder]) => [schedule.stage(tensor).state, placeholder]),
  );
  const { stages: all, copyOf } = normalize(schedule, given);
  const stages = withoutUnread(all, new Set(options.inputs));
  const scheduled = new Set(schedule.stages.map(({ op }) => op));
  // An input that is an output and that nothing computed reads is in no schedule.
  const now = (tensor: Tensor): Tensor =>
    tensor.op.kind === "placeholder" && !scheduled.has(tensor.op)
      ? tensor
      : copyOf.get(schedule.stage(tensor).state)!.op.outputs[tensor.valueIndex]!;
  const params = new Map<Tensor, Buffer>();
  const buffers: Buffer[] = [];
  for (const tensor of options.inputs) {
    invariant(tensor.op.kind === "placeholder", `input ${tensor.name} of ${options.name} is no placeholder`);
    const param = makeBuffer(tensor.name, tensor.dtype, tensor.shape, "param");
    buffers.push(param);
    params.set(tensor, param);
  }
  const copies: Stmt[] = [];
  for (const tensor of options.outputs) {
    const param = makeBuffer(tensor.name, tensor.dtype, tensor.shape, "param");
    buffers.push(param);
    const current = now(tensor);
    const before = params.get(current);
    if (before === undefined) params.set(current, param);
    else copies.push(copyBuffer(before, param, options.origin));
  }
  for (const stage of stages) {
    for (const tensor of stage.op.outputs) {
      invariant(
        stage.op.kind !== "placeholder" || params.has(tensor),
        `placeholder ${tensor.name} is no input of ${options.name}`,
      );
    }
  }
  const computes = stages.some((stage) => stage.op.kind !== "placeholder");
  const body = computes ? [scheduleOps(stages, inferBound(stages, analyzer), params, analyzer)] : [];
  return {
    kind: "prim-func",
    name: options.name,
    params: buffers,
    inputCount: options.inputCount ?? options.inputs.length,
    allocations: [],
    body: seq([...body, ...copies], options.origin),
    attrs: options.attrs ?? {},
    origin: options.origin,
  };
}

/**
 * Stages that nothing reads any more are left out: placeholders that are no parameters, and what only
 * an expression read that inlining simplified (times 0).
 */
function withoutUnread(stages: readonly StageState[], inputs: ReadonlySet<Tensor>): readonly StageState[] {
  const read = new Set<Tensor>();
  const kept: StageState[] = [];
  for (const stage of stages.toReversed()) {
    if (!stage.isOutput && !stage.op.outputs.some((tensor) => inputs.has(tensor) || read.has(tensor)))
      continue;
    kept.push(stage);
    for (const tensor of inputTensors(stage.op)) read.add(tensor);
  }
  return kept.reverse();
}

function copyBuffer(from: Buffer, to: Buffer, origin: Origin): Stmt {
  const indices = to.shape.map((_, i) => tirVar(`i${i}`));
  const copy: Stmt = store(to, indices, load(from, indices), origin);
  return to.shape.reduceRight<Stmt>(
    (body, extent, i) => forLoop(indices[i]!, { min: imm(0, extent.dtype), extent }, body, origin),
    copy,
  );
}
