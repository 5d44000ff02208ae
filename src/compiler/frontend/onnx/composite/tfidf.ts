// Counts of n-grams of integers: each entry of the pool is compared with every place where it could stand.
import { float32, int64 } from "../../../ir/dtype.ts";
import type { Expr } from "../../../relay/expr.ts";
import {
  add,
  concatenate,
  expandDims,
  minimum,
  multiply,
  number,
  reduce,
  squeeze,
  zeros,
} from "../arithmetic.ts";
import { constantOf, rankOf, refuse, shapeOfRank } from "../../import-node.ts";
import {
  call,
  cast,
  dtypeOf,
  floats,
  has,
  input,
  int,
  ints,
  int64sOf,
  text,
  type Importer,
  type OnnxNode,
} from "../graph.ts";
import { onnxOp, type OnnxOp } from "../ops/op-table.ts";
import { mostElements } from "../../../limits.ts";
import { within } from "../../within.ts";
import { fromNumbers } from "../../values.ts";

/** Entries of `length` elements each, flat, in the pool's order. */
interface Grams {
  readonly length: number;
  readonly items: readonly number[];
}

function poolOf(n: OnnxNode): readonly Grams[] {
  if (has(n, "pool_strings"))
    refuse(n, "the pool holds strings", { expected: "pool_int64s", got: "pool_strings" });
  const pool = ints(n, "pool_int64s") ?? refuse(n, "pool_int64s is missing");
  const starts = ints(n, "ngram_counts") ?? refuse(n, "ngram_counts is missing");
  return starts.map((start, i) => ({
    length: i + 1,
    items: pool.slice(start, starts[i + 1] ?? pool.length),
  }));
}

/**
 * How often each gram stands in each row of `x` (rows, elements), with up to max_skip_count elements left out
 * between its own.
 */
function counts(n: OnnxNode, x: Expr, grams: Grams): Expr {
  const [rows, extent] = shapeOfRank(n, x, 2);
  const count = grams.items.length / grams.length;
  const wanted = cast(
    n,
    constantOf(n, fromNumbers(int64, [1, 1, count, grams.length], grams.items)),
    dtypeOf(n, x),
  );
  // More elements than stand between the ends of a row cannot be left out.
  const between = grams.length === 1 ? 0 : Math.max(Math.ceil(extent / (grams.length - 1)) - 1, 0);
  const skips = Math.min(int(n, "max_skip_count", 0), between);
  const parts = Array.from({ length: skips + 1 }, (_, skip) => {
    const places = extent - (grams.length - 1) * (skip + 1);
    if (places <= 0) return null;
    const at = Array.from(
      { length: places * grams.length },
      (_at, i) => Math.floor(i / grams.length) + (i % grams.length) * (skip + 1),
    );
    const windows = call(n, "take", [x, constantOf(n, fromNumbers(int64, [places, grams.length], at))], {
      axis: 1,
      mode: "clip",
    });
    const same = call(n, "all", [call(n, "equal", [expandDims(n, windows, 2), wanted])], { axis: [3] });
    return reduce(n, "sum", cast(n, same, float32), [1], false);
  }).filter((part) => part !== null);
  return parts.length === 0 ? zeros(n, [rows, count], float32) : parts.reduce((a, b) => add(n, a, b));
}

const tfIdf: Importer = (n) => {
  const vector = rankOf(n, input(n, 0)) === 1;
  const x = vector ? expandDims(n, input(n, 0), 0) : input(n, 0);
  const [shortest, longest] = [int(n, "min_gram_length", 1), int(n, "max_gram_length", 1)];
  const used = poolOf(n).map((grams) =>
    grams.length >= shortest && grams.length <= longest
      ? grams
      : { ...grams, items: grams.items, unused: true },
  );
  const [rows] = shapeOfRank(n, x, 2);
  const found = used
    .filter(({ items }) => items.length > 0)
    .map((grams) =>
      "unused" in grams ? zeros(n, [rows, grams.items.length / grams.length], float32) : counts(n, x, grams),
    );
  const all = concatenate(n, found, 1);
  const places = ints(n, "ngram_indexes") ?? refuse(n, "ngram_indexes is missing");
  const width = within(n, places.reduce((most, place) => Math.max(most, place), -1) + 1, {
    most: mostElements,
    what: "columns, as the greatest of ngram_indexes says,",
    hint: "number the columns without gaps",
  });
  // Column j of the result is the entry that ngram_indexes sends there; columns that no entry is sent to are
  // zero.
  const padded = concatenate(n, [all, zeros(n, [rows, 1], float32)], 1);
  const from = Array.from({ length: width }, () => places.length);
  places.forEach((place, entry) => (from[place] = Math.min(entry, from[place] ?? entry)));
  const ordered = call(n, "take", [padded, int64sOf(n, from)], { axis: 1, mode: "clip" });
  const out = weighted(n, ordered, from);
  return vector ? squeeze(n, out, [0]) : out;
};

function weighted(n: OnnxNode, frequencies: Expr, from: readonly number[]): Expr {
  const mode = text(n, "mode", "TF");
  if (mode === "TF") return frequencies;
  const weights = floats(n, "weights");
  const factor = constantOf(
    n,
    fromNumbers(
      float32,
      [from.length],
      from.map((entry) => weights?.[entry] ?? 1),
    ),
  );
  return multiply(
    n,
    mode === "IDF" ? minimum(n, frequencies, number(n, 1, frequencies)) : frequencies,
    factor,
  );
}

export const tfIdfOps: readonly OnnxOp[] = [onnxOp("TfIdfVectorizer", tfIdf)];
