// Random groups of te computes, and running a schedule of one.
import { float32 } from "../../compiler/ir/dtype.ts";
import { synthetic } from "../../compiler/ir/origin.ts";
import { allocateArray, type TensorArray } from "../../compiler/ir/tensor-data.ts";
import {
  add,
  all,
  constInt,
  floatImm,
  ge,
  ifThenElse,
  lt,
  max,
  mul,
  sub,
  unary,
} from "../../compiler/tir/build.ts";
import type { PrimExpr } from "../../compiler/tir/expr.ts";
import { interpret } from "../../compiler/tir/interp/interp.ts";
import type { PrimFunc } from "../../compiler/tir/prim-func.ts";
import { compute, maxReduce, placeholder, reduceAxis, sum } from "../../compiler/te/compute.ts";
import { lowerSchedule } from "../../compiler/te/lower.ts";
import type { Schedule } from "../../compiler/te/schedule.ts";
import type { Tensor } from "../../compiler/te/tensor.ts";

/** Integers 0 … below-1 from a seed, the same every time. */
export function generator(seed: number): (below: number) => number {
  let state = (seed * 2654435761) >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

export interface Group {
  readonly inputs: readonly Tensor[];
  readonly outputs: readonly Tensor[];
}

type Next = (below: number) => number;

const origin = synthetic("test");

function dims(tensor: Tensor): number[] {
  return tensor.shape.map((dim) => constInt(dim)!);
}

/** One more compute over `from`, kind by chance. */
function grow(next: Next, from: readonly Tensor[], name: string): Tensor {
  const x = from[next(from.length)]!;
  const shape = dims(x);
  const parts = { name, origin };
  switch (next(9)) {
    case 0:
      return compute(shape, (i) => add(mul(x.at(...i), x.at(...i)), floatImm(1, float32)), parts);
    case 1:
      return compute(shape, (i) => unary("tir.exp", mul(x.at(...i), floatImm(0.01, float32))), parts);
    case 2: {
      const same = from.filter((y) => dims(y).join() === shape.join());
      const y = same[next(same.length)]!;
      return compute(shape, (i) => max(x.at(...i), sub(y.at(...i), x.at(...i))), parts);
    }
    case 3:
      return compute(
        [...shape].reverse(),
        (i) => add(x.at(...[...i].reverse()), floatImm(2, float32)),
        parts,
      );
    case 4: {
      if (shape.length === 0) return compute([next(7) + 1], () => x.at(), parts);
      const axis = next(shape.length);
      const k = reduceAxis(shape[axis]!, "k");
      const rest = shape.filter((_, d) => d !== axis);
      const reducer = next(2) === 0 ? sum : maxReduce;
      return compute(
        rest,
        (i) => reducer(x.at(...i.slice(0, axis), k.variable, ...i.slice(axis)), [k]),
        parts,
      );
    }
    case 5: {
      const extra = next(6) + 1;
      return compute([...shape, extra], (i) => x.at(...i.slice(0, -1)), parts);
    }
    case 6: {
      if (shape.length === 0) return compute(shape, () => x.at(), parts);
      const [before, after] = [next(3), next(3)];
      const axis = next(shape.length);
      const padded = shape.map((d, at) => (at === axis ? d + before + after : d));
      return compute(
        padded,
        (i) =>
          ifThenElse(
            all([ge(i[axis]!, before), lt(i[axis]!, before + shape[axis]!)]),
            x.at(...i.map((index, at) => (at === axis ? sub(index, before) : index))),
            floatImm(-1, float32),
          ),
        parts,
      );
    }
    case 7: {
      if (shape.length === 0 || shape.at(-1)! < 2)
        return compute(shape, (i) => add(x.at(...i), floatImm(3, float32)), parts);
      const stride = 1 + next(2);
      const window = Math.min(1 + next(3), shape.at(-1)!);
      const k = reduceAxis(window, "w");
      const out = Math.floor((shape.at(-1)! - window) / stride) + 1;
      return compute(
        [...shape.slice(0, -1), out],
        (i) => sum(x.at(...i.slice(0, -1), add(mul(i.at(-1)!, stride), k.variable)), [k]),
        parts,
      );
    }
    default: {
      // A vector along the first axis, broadcast over the others.
      if (shape.length === 0) return compute(shape, () => mul(x.at(), floatImm(2, float32)), parts);
      const vectors = from.filter((y) => dims(y).length === 1 && dims(y)[0] === shape[0]);
      if (vectors.length === 0) return compute(shape, (i) => add(x.at(...i), floatImm(5, float32)), parts);
      const y = vectors[next(vectors.length)]!;
      return compute(shape, (i) => add(x.at(...i), y.at(i[0]!)), parts);
    }
  }
}

export function randomGroup(seed: number): Group {
  const next = generator(seed);
  const rank = 1 + next(3);
  const a = placeholder(
    Array.from({ length: rank }, () => 1 + next(9)),
    float32,
    { name: "a", origin },
  );
  const b = placeholder([dims(a)[0]!], float32, { name: "b", origin });
  const tensors: Tensor[] = [a, b];
  const count = 1 + next(6);
  for (let i = 0; i < count; i++) {
    const made = grow(next, tensors, `t${i}`);
    if (dims(made).reduce((x, y) => x * y, 1) <= 4000) tensors.push(made);
  }
  if (tensors.length === 2)
    tensors.push(compute(a.shape, (i) => add(a.at(...i), floatImm(1, float32)), { name: "t", origin }));
  const outputs = [tensors.at(-1)!];
  const other = tensors[2 + next(tensors.length - 2)]!;
  if (next(4) === 0 && other !== outputs[0]) outputs.push(other);
  return { inputs: [a, b], outputs };
}

export function sizeOf(shape: readonly PrimExpr[]): number {
  return shape.reduce((n, dim) => n * constInt(dim)!, 1);
}

export function lowered(schedule: Schedule, group: Group): PrimFunc {
  return lowerSchedule(schedule, { name: "f", inputs: group.inputs, outputs: group.outputs, origin });
}

/** Outputs of `f` on inputs filled with small numbers. */
export function runFilled(f: PrimFunc): number[][] {
  const inputs: TensorArray[] = f.params
    .slice(0, f.inputCount)
    .map((param, p) =>
      Float32Array.from({ length: sizeOf(param.shape) }, (_, i) => (((i + p) * 7919) % 23) - 11),
    );
  const outs = f.params.slice(f.inputCount).map((param) => allocateArray(param.dtype, sizeOf(param.shape)));
  interpret(f, [...inputs, ...outs]);
  return outs.map((out) => Array.from(out as Float32Array));
}
