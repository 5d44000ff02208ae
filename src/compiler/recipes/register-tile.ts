// Register tiles: an output stage runs over tiles of a few rows by a few vectors, and the sums of one tile
// live in local buffers whose every index is a constant after unrolling, which the WebAssembly back end keeps
// in v128 locals.
// TVM: python/tvm/topi/x86/conv2d_avx_common.py (the same idea, with its own numbers)
import { at } from "../../support/assert.ts";
import { isInteger } from "../ir/dtype.ts";
import { constInt } from "../tir/build.ts";
import type { IterVar } from "../tir/expr.ts";
import type { Stage } from "../te/schedule.ts";
import { inputTensors } from "../te/stage.ts";
import type { Operation, Tensor } from "../te/tensor.ts";

/** Lanes of a v128 of 4-byte numbers. */
export const vectorLanes = 4;

/**
 * Whether the operation sums in 4-byte numbers of known extents; integers of fewer bytes are widened where
 * they are loaded.
 */
export function hasWordSums(op: Operation): boolean {
  const known = (tensor: Tensor): boolean => tensor.shape.every((dim) => constInt(dim) !== null);
  return (
    op.outputs.every((tensor) => tensor.dtype.bits === 32 && known(tensor)) &&
    inputTensors(op).every(
      (tensor) =>
        known(tensor) &&
        (tensor.dtype.bits === 32 ||
          (isInteger(tensor.dtype) && tensor.dtype.bits >= 8 && tensor.dtype.bits < 32)),
    )
  );
}

/**
 * Elements of one tile along each data axis; the last is in vector lanes. 1 leaves the axis out of the tile.
 */
type Tile = readonly number[];

export interface TilePlan {
  readonly tile: Tile;
  /** Order of the outer loops, as data axes; the tiles of later axes are neighbours in time. */
  readonly outerOrder: readonly number[];
  /** Reduction axes that are unrolled (small windows); the others stay loops, outside of them. */
  readonly unrolled: ReadonlySet<IterVar>;
  /** Rounds of the innermost loop that become one. */
  readonly repeat: number;
}

const extentOf = (iter: IterVar): number => constInt(iter.extent) ?? 0;

/** `stage` in tiles, and the stages that it reads element by element computed one tile at a time. */
export function scheduleTiles(stage: Stage, inner: readonly Stage[], plan: TilePlan): void {
  const { tile } = plan;
  const last = tile.length - 1;
  const outer: IterVar[] = [];
  const inside: IterVar[] = [];
  stage.axis.forEach((iter, i) => {
    if (tile[i] === 1) {
      outer.push(iter);
      return;
    }
    const [o, t] = stage.split(iter, { factor: at(tile, i, "tile extent") });
    outer.push(o);
    inside.push(t);
    if (i === last) stage.vectorize(t);
    else stage.unroll(t);
  });
  const order = plan.outerOrder.map((axis) => at(outer, axis, "outer loop of a tile"));
  stage.reorder(...order, ...inside);
  const place = order.at(-1)!;
  for (const producer of inner) {
    producer.setScope("local");
    producer.computeAt(stage, place);
    const loops = producer.reduceAxis.filter((iter) => !plan.unrolled.has(iter));
    const unrolled = producer.reduceAxis.filter((iter) => plan.unrolled.has(iter));
    if (loops.length > 0 && plan.repeat > 1) {
      const [rounds, repeat] = producer.split(loops.pop()!, { factor: plan.repeat });
      loops.push(rounds);
      unrolled.unshift(repeat);
    }
    producer.reorder(...loops, ...unrolled, ...producer.axis);
    for (const iter of unrolled) producer.unroll(iter);
    producer.axis.forEach((iter, i) => {
      if (tile[i] === 1) return;
      if (i === last) producer.vectorize(iter);
      else producer.unroll(iter);
    });
  }
}

/**
 * Statements in the innermost loop's body below which another round is unrolled into it: counting and
 * branching cost about four.
 */
const enoughStatements = 32;

/** A number of rounds of `extent` that makes a body of `statements` worth a loop; it divides the extent. */
export function repeatFor(statements: number, extent: number): number {
  return [8, 4, 2].find((repeat) => extent % repeat === 0 && statements * repeat <= enoughStatements) ?? 1;
}

/**
 * The largest of `choices` that `extent` holds without a rest; else the first that is no longer than it; else
 * the extent.
 */
export function tileOf(extent: number, choices: readonly number[]): number {
  return (
    choices.find((choice) => extent % choice === 0) ??
    choices.find((choice) => choice <= extent) ??
    Math.max(1, extent)
  );
}

export function extents(stage: Stage): readonly number[] {
  return stage.axis.map(extentOf);
}
