// Matrix products for WebAssembly. Rows of both operands contiguous (dense): lanes run along the inner axis,
// each output keeps four partial sums, which are added up at the end; no packing. Columns of the second
// operand contiguous: lanes run along the output row.
// TVM: python/tvm/topi/x86/dense.py
import { knownInt } from "../tir/build.ts";
import { last, at, first } from "../../support/assert.ts";
import type { IterVar } from "../tir/expr.ts";
import type { RecipeContext, ScheduleRecipe } from "../te/schedule-recipe.ts";
import type { Schedule, Stage } from "../te/schedule.ts";
import type { MatmulSpec } from "../topi/matmul.ts";
import { scheduleGroup } from "./group.ts";
import { extents, hasWordSums, repeatFor, scheduleTiles, tileOf, vectorLanes } from "./register-tile.ts";

export const matmulRecipe: ScheduleRecipe = (schedule, _outs, cx) => {
  const spec = cx.target === "wasm" ? tileable(schedule, cx) : null;
  scheduleGroup(
    schedule,
    cx,
    spec === null ? {} : { accumulate: (stage, inner) => tileProduct(schedule, spec, stage, inner) },
  );
};

/** The product's facts if its sums have 4 bytes and its extents are known. */
function tileable(schedule: Schedule, cx: RecipeContext): MatmulSpec | null {
  const { op } = schedule.stage(first(cx.anchor, "anchor"));
  return hasWordSums(op) ? ((op.attrs["matmul"] as MatmulSpec | undefined) ?? null) : null;
}

function tileProduct(schedule: Schedule, spec: MatmulSpec, stage: Stage, inner: readonly Stage[]): boolean {
  const sums = inner.filter((one) => one.reduceAxis.length > 0);
  if (sums.length !== 1 || first(sums, "sum").reduceAxis.length !== 1 || stage.axis.length < 2) return false;
  const shape = extents(stage);
  const [rows, columns] = [shape.at(-2)!, last(shape, "loop extent")];
  const depth = knownInt(first(first(sums, "sum").reduceAxis, "reduce axis").extent);
  if (!spec.transposeA && spec.transposeB && depth >= 2 * vectorLanes) {
    tileByLanes(schedule, stage, inner, first(sums, "sum"));
    return true;
  }
  if (spec.transposeB || columns < vectorLanes) return false;
  const vectors = columns % (2 * vectorLanes) === 0 || columns > 4 * vectorLanes ? 2 : 1;
  const byRow = tileOf(rows, [8 / vectors]);
  scheduleTiles(stage, inner, {
    tile: [...shape.slice(0, -2).map(() => 1), byRow, vectors * vectorLanes],
    outerOrder: shape.map((_, i) => i),
    unrolled: new Set(),
    repeat: repeatFor(byRow * vectors, depth),
  });
  return true;
}

/**
 * Rows of the second operand that stay in the second-level cache while all tiles of rows of the first pass
 * over them, in bytes.
 */
const blockBytes = 256 * 1024;

/** Tiles of rows x columns, each element four lanes wide: about eight vectors of sums. */
function tileByLanes(schedule: Schedule, stage: Stage, inner: readonly Stage[], sum: Stage): void {
  const shape = extents(stage);
  const [rows, columns] = [at(shape, shape.length - 2, "loop extent"), last(shape, "loop extent")];
  const depth = knownInt(first(sum.reduceAxis, "reduce axis").extent);
  const byRow = Math.min(4, rows);
  const byColumn = Math.min(columns, Math.floor(8 / byRow));
  const lanes = schedule.stage(schedule.rfactor(first(sum.op.outputs, "output"), vectorLanes, "local"));
  const [outerColumns, tileColumns] = stage.split(last(stage.axis, "loop of the stage"), {
    factor: byColumn,
  });
  const block = Math.max(1, Math.floor(blockBytes / (depth * 4 * byColumn)));
  const [blocks, inBlock] = stage.split(outerColumns, { factor: block });
  const [outerRows, tileRows] = stage.split(stage.axis.at(-2)!, { factor: byRow });
  const batch = stage.axis.slice(0, -2);
  stage.reorder(...batch, blocks, outerRows, inBlock, tileRows, tileColumns);
  stage.unroll(tileRows);
  stage.unroll(tileColumns);
  for (const producer of [lanes, ...inner]) {
    producer.setScope("local");
    producer.computeAt(stage, inBlock);
    let reduction: readonly IterVar[] = producer.reduceAxis;
    if (producer === lanes) {
      const repeat = depth % vectorLanes === 0 ? repeatFor(byRow * byColumn, depth / vectorLanes) : 1;
      if (repeat > 1) {
        reduction = producer.split(first(reduction, "reduction"), { factor: repeat });
        producer.unroll(at(reduction, 1, "reduction"));
      }
    }
    producer.reorder(...reduction, ...producer.axis);
    for (const iter of producer.axis.slice(0, stage.axis.length)) producer.unroll(iter);
    if (producer === lanes) producer.vectorize(last(producer.axis, "loop of the producer"));
    else for (const iter of reduction) producer.unroll(iter);
  }
}
