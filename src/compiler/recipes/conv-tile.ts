// Convolutions. For WebAssembly: tiles of output channels by vectors along the row (NCHW) or of pixels by
// vectors of channels (NHWC), summed in locals; the input is first padded, or laid out so that whole vectors
// can be read where rows are no multiple of a vector or the window moves by more than one column.
// TVM: python/tvm/topi/x86/conv2d.py
import { at, first, last, tuple } from "../../support/assert.ts";
import type { Layout } from "../ir/layout.ts";
import { add, floorDiv, floorMod, ifThenElse, imm, intImm, lt, mul, knownInt } from "../tir/build.ts";
import type { RecipeContext } from "../te/schedule-recipe.ts";
import type { Schedule, Stage } from "../te/schedule.ts";
import { inputTensors } from "../te/stage.ts";
import type { Tensor } from "../te/tensor.ts";
import { scheduleGroup } from "./group.ts";
import {
  extents,
  hasWordSums,
  repeatFor,
  scheduleTiles,
  tileOf,
  vectorLanes,
  type TilePlan,
} from "./register-tile.ts";

/**
 * What tiles need to know of a convolution or a transposed one (which is a convolution of its spread and
 * padded input).
 */
interface WindowFacts {
  readonly spatial: string;
  readonly dataLayout: Layout;
  readonly outLayout: Layout;
  readonly strides: readonly number[];
  readonly dilation: readonly number[];
  readonly groups: number;
}

/** The schedule of a convolution group; plain loops where tiles do not serve. */
export function scheduleConvolution(schedule: Schedule, cx: RecipeContext, facts: WindowFacts | null): void {
  const prepared = preparedInputs(schedule, cx);
  const layout = facts === null || cx.target !== "wasm" ? null : tiledLayout(schedule, cx, facts);
  if (facts === null || layout === null) {
    scheduleGroup(schedule, cx, { keep: prepared });
    return;
  }
  const keep = layout === "NCHW" ? rowsForVectors(schedule, cx, facts, prepared) : prepared;
  scheduleGroup(schedule, cx, {
    keep,
    accumulate: (stage, inner) => tileConvolution(schedule, facts, layout, stage, inner),
  });
  for (const stage of keep) schedulePadding(stage);
}

/** Tags of what pads an input and what spreads it. */
const preparing: ReadonlySet<string> = new Set(["injective,pad", "injective,dilate"]);

/** The padded or spread input has memory of its own, as every element is read once a window. */
function preparedInputs(schedule: Schedule, cx: RecipeContext): ReadonlySet<Stage> {
  const found = new Set<Stage>();
  for (const tensor of cx.anchor) {
    for (const input of inputTensors(schedule.stage(tensor).op)) {
      if (preparing.has(input.op.tag)) found.add(schedule.stage(input));
    }
  }
  return found;
}

/**
 * The layout if the convolution is one that tiles serve: two spatial axes, sums of 4 bytes, known extents.
 */
function tiledLayout(schedule: Schedule, cx: RecipeContext, facts: WindowFacts): "NCHW" | "NHWC" | null {
  const { op } = schedule.stage(first(cx.anchor, "anchor"));
  if (!hasWordSums(op) || facts.spatial !== "HW" || facts.dataLayout.name !== facts.outLayout.name)
    return null;
  return facts.outLayout.name === "NCHW" || facts.outLayout.name === "NHWC" ? facts.outLayout.name : null;
}

const wholeVectors = (columns: number): number => Math.ceil(columns / vectorLanes) * vectorLanes;

/**
 * Stages that hold the input as the tiles read it: the padded input itself where vectors fit, else a copy
 * with the columns of one window position next to each other (stride s: s phases) and enough of them for the
 * last vector.
 */
function rowsForVectors(
  schedule: Schedule,
  cx: RecipeContext,
  facts: WindowFacts,
  prepared: ReadonlySet<Stage>,
): ReadonlySet<Stage> {
  const conv = schedule.stage(first(cx.anchor, "anchor"));
  const columns = at(extents(conv), 3, "extent");
  const stride = at(facts.strides, 1, "stride");
  if (columns < vectorLanes || (stride === 1 && columns % vectorLanes === 0)) return prepared;
  const source =
    prepared.size > 0 ? first(first([...prepared], "element").op.outputs, "output") : convolvedInput(conv);
  const [n, c, h, w] = tuple(source.shape, 4, "shape of source");
  const kernel = knownInt(last(conv.reduceAxis, "reduce axis").extent);
  const needed =
    wholeVectors(columns) + Math.floor(((kernel - 1) * at(facts.dilation, 1, "dilation")) / stride);
  const shape = stride === 1 ? [n, c, h, intImm(needed)] : [n, c, h, intImm(stride), intImm(needed)];
  const packed = schedule.repack(source, [conv], {
    name: "rows",
    shape,
    pack: (from, indices) => {
      const column =
        stride === 1
          ? at(indices, 3, "index")
          : add(mul(at(indices, 4, "index"), stride), at(indices, 3, "index"));
      return ifThenElse(
        lt(column, w),
        from.at(first(indices, "index"), at(indices, 1, "index"), at(indices, 2, "index"), column),
        imm(0, source.dtype),
      );
    },
    find: ([i, j, row, column]) =>
      stride === 1
        ? [i!, j!, row!, column!]
        : [i!, j!, row!, floorMod(column!, stride), floorDiv(column!, stride)],
  });
  return new Set([schedule.stage(packed)]);
}

/** The first tensor that the convolution reads: its data. */
function convolvedInput(conv: Stage): Tensor {
  return first(inputTensors(conv.op), "input tensor");
}

/**
 * Cut where padding begins and ends, so that the inside is copied by vectors. The plain schedule may have
 * fused its loops before.
 */
function schedulePadding(stage: Stage): void {
  const loops = stage.leafIters;
  // On every loop: one that runs once is left out with its marks.
  for (const iter of loops) stage.pragma(iter, "loop_partition_hint");
  stage.vectorize(last(loops, "loop"));
}

function tileConvolution(
  schedule: Schedule,
  facts: WindowFacts,
  layout: "NCHW" | "NHWC",
  stage: Stage,
  inner: readonly Stage[],
): boolean {
  const sums = inner.filter((one) => one.reduceAxis.length > 0);
  if (sums.length !== 1 || stage.axis.length !== 4) return false;
  const plan =
    layout === "NCHW" ? planRows(facts, stage, first(sums, "sum")) : planChannels(stage, first(sums, "sum"));
  if (plan === null) return false;
  if (layout === "NCHW") widenRows(schedule, stage, inner);
  scheduleTiles(stage, inner, plan);
  return true;
}

/** Sums are computed for whole vectors; what sticks out of the row is not stored. */
function widenRows(schedule: Schedule, stage: Stage, inner: readonly Stage[]): void {
  const columns = at(extents(stage), 3, "extent");
  if (columns % vectorLanes === 0) return;
  for (const one of inner) {
    const tensor = first(one.op.outputs, "output");
    schedule.transformLayout(tensor, {
      shape: [...tensor.shape.slice(0, 3), intImm(wholeVectors(columns))],
      toNew: (indices) => indices,
      toOld: (indices) => indices,
    });
  }
}

/** Most multiply-adds in the body of the innermost loop: more would not stay in the instruction cache. */
const maxBody = 220;

/**
 * The window is unrolled where it is small, and so are a few rounds of the loop around it where that is still
 * little.
 */
function unrolling(sum: Stage, statements: number): Pick<TilePlan, "unrolled" | "repeat"> {
  const [ry, rx] = tuple(sum.reduceAxis.slice(-2), 2, "axes of the window");
  const columns = knownInt(rx.extent);
  const window = columns * knownInt(ry.extent);
  if (window * statements > maxBody)
    return { unrolled: columns * statements <= maxBody ? new Set([rx]) : new Set(), repeat: 1 };
  const outer = sum.reduceAxis.at(-3);
  return {
    unrolled: new Set([ry, rx]),
    repeat: outer === undefined ? 1 : repeatFor(window * statements, knownInt(outer.extent)),
  };
}

/** NCHW: output channels x rows x vectors along the row, about eight vectors of sums. */
function planRows(facts: WindowFacts, stage: Stage, sum: Stage): TilePlan | null {
  const [, channels, rows, columns] = tuple(extents(stage), 4, "extents of an image");
  if (columns < vectorLanes) return null;
  const vectors = wholeVectors(columns) / vectorLanes;
  const perGroup = channels / facts.groups;
  const depthwise = sum.reduceAxis.length === 2;
  const byChannel = depthwise ? 1 : tileOf(perGroup, facts.groups === 1 ? [4] : [4, 2, 1]);
  const budget = Math.floor(8 / byChannel);
  // A split never makes a tile longer than the row, so a row that ends inside of its last vector takes at
  // least two tiles.
  const widest = columns % vectorLanes === 0 ? vectors : vectors - 1;
  const byVector =
    widest >= 2 && vectors % 2 === 0
      ? 2
      : widest < 2 || rows % 2 === 0
        ? 1
        : widest >= 3 && vectors % 3 === 0 && byChannel >= 4
          ? 3
          : 2;
  const byRow = Math.max(1, Math.min(depthwise ? 4 : 2, rows, Math.floor(budget / byVector)));
  const statements = byChannel * byRow * byVector;
  return {
    tile: [1, byChannel, byRow, byVector * vectorLanes],
    outerOrder: [0, 1, 2, 3],
    ...unrolling(sum, statements),
  };
}

/** NHWC: pixels of a row x vectors of output channels. Depthwise reads its data in vectors too. */
function planChannels(stage: Stage, sum: Stage): TilePlan | null {
  const [, , columns, channels] = tuple(extents(stage), 4, "extents of an image");
  if (channels < vectorLanes) return null;
  const byVector = channels % (2 * vectorLanes) === 0 ? 2 : 1;
  const byPixel = tileOf(columns, byVector === 2 ? [4, 3] : [8, 7, 6, 5, 4]);
  return {
    tile: [1, 1, byPixel, byVector * vectorLanes],
    outerOrder: [0, 1, 2, 3],
    ...unrolling(sum, byPixel * byVector),
  };
}
