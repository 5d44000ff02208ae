// Parts, repeats, padding and order of elements.  TVM: python/tvm/relay/frontend/onnx.py (Slice, Pad, Expand,
// Tile, TopK, …)
import { at } from "../../../../support/assert.ts";
import { bool, int64, isInteger } from "../../../ir/dtype.ts";
import { elementCount, type TensorData } from "../../../ir/tensor-data.ts";
import type { Expr } from "../../../relay/expr.ts";
import {
  broadcastTogether,
  clip as clipTo,
  concatenate,
  maximum,
  minimum,
  number,
  slice,
  sliceAxis,
} from "../arithmetic.ts";
import { asInt64, dynBroadcastTo, firstOf, isStatic, shapeVector } from "../dynamic.ts";
import {
  constantOf,
  dimsOf,
  field,
  dynamicInputs,
  rankOf,
  refuse,
  scalarOf,
  shapeOf,
  extentOf,
  listed,
  single,
} from "../../import-node.ts";
import {
  axisIn,
  broadcastTo,
  call,
  cast,
  dtypeOf,
  float,
  has,
  input,
  int,
  int64sOf,
  ints,
  intsOf,
  known,
  optional,
  reshape,
  text,
  type Importer,
  type OnnxNode,
  numberOf,
} from "../graph.ts";
import { onnxOp, type OnnxOp } from "../ops/op-table.ts";
import { writable } from "../../within.ts";
import { fromNumbers, numbersOf, elementsOf } from "../../values.ts";

/** What is taken along one axis. */
interface Part {
  readonly axis: number;
  readonly start: number;
  readonly end: number;
  readonly step: number;
}

function partsOf(n: OnnxNode): readonly Part[] {
  const data = input(n, 0);
  const list = (index: number, name: string): readonly number[] | null => {
    if (n.opset < 10) return ints(n, name);
    const given = optional(n, index);
    return given === null ? null : intsOf(n, given, name);
  };
  const starts = list(1, "starts") ?? refuse(n, "starts are missing");
  const ends = list(2, "ends") ?? refuse(n, "ends are missing");
  const axes = list(3, "axes");
  const steps = list(4, "steps");
  return starts.map((start, i) => ({
    axis: axisIn(n, axes === null ? i : listed(n, axes, i, "axes"), rankOf(n, data)),
    start,
    end: listed(n, ends, i, "ends"),
    step: steps === null ? 1 : listed(n, steps, i, "steps"),
  }));
}

/** Bounds are clamped to the axis; a part that ends before it begins is empty. */
const sliceOp: Importer = (n) => {
  const data = input(n, 0);
  if (
    n.opset >= 10 &&
    [1, 2, 4].some((index) => optional(n, index) !== null && known(n, input(n, index)) === null)
  )
    return sliceDynamic(n, data);
  const dims = dimsOf(n, data);
  const parts = partsOf(n);
  const bounds = parts.map(({ axis, start, end, step }) => {
    const extent = dims[axis];
    if (step === 0) return refuse(n, "a step is 0", { expected: "a step forward or backward", got: "0" });
    if (typeof extent !== "number") return [start, end] as const;
    const clamp = (bound: number, most: number, least: number): number =>
      Math.min(Math.max(bound < 0 ? bound + extent : bound, least), most);
    const from = step > 0 ? clamp(start, extent, 0) : clamp(start, extent - 1, 0);
    const to = step > 0 ? Math.max(clamp(end, extent, 0), from) : Math.min(clamp(end, extent - 1, -1), from);
    // -1 would count from the end: one before the first element is written from the other side.
    return [from, to < 0 ? -extent - 1 : to] as const;
  });
  return slice(n, data, {
    begin: bounds.map(([from]) => from),
    end: bounds.map(([, to]) => to),
    strides: parts.map(({ step }) => step),
    axes: parts.map(({ axis }) => axis),
  });
};

/** Bounds that only running tells: one number an axis, the axes between take everything. */
function sliceDynamic(n: OnnxNode, data: Expr): Expr {
  const starts = asInt64(n, input(n, 1));
  const count = extentOf(n, starts, 0, "the starts");
  const given = optional(n, 3);
  const axes = (
    given === null ? Array.from({ length: count }, (_, i) => i) : intsOf(n, given, "the axes")
  ).map((axis) => axisIn(n, axis, rankOf(n, data)));
  const vector = (values: Expr, otherwise: number): Expr => {
    const parts = dimsOf(n, data).map((_, axis) => {
      const place = axes.indexOf(axis);
      return place < 0 ? int64sOf(n, [otherwise]) : sliceAxis(n, values, 0, [place, place + 1]);
    });
    return concatenate(n, parts, 0);
  };
  const steps = optional(n, 4);
  const strides =
    steps === null
      ? int64sOf(
          n,
          dimsOf(n, data).map(() => 1),
        )
      : vector(asInt64(n, steps), 1);
  return call(
    n,
    "dyn.strided_slice",
    [data, vector(starts, 0), vector(asInt64(n, input(n, 2)), 2 ** 31 - 1), strides],
    { slice_mode: "end" },
  );
}

const expand: Importer = (n) => {
  const data = input(n, 0);
  if (known(n, input(n, 1)) === null || !isStatic(n, data)) return expandDynamic(n, data, input(n, 1));
  const wanted = intsOf(n, input(n, 1), "the shape");
  const own = shapeOf(n, data);
  const rank = Math.max(own.length, wanted.length);
  const shape = Array.from({ length: rank }, (_, i) => {
    const [a, b] = [own[i - rank + own.length] ?? 1, wanted[i - rank + wanted.length] ?? 1];
    if (b < 0 || (a !== 1 && b !== 1 && a !== b))
      return refuse(n, "the shape does not fit its input", {
        expected: `a shape that (${own.join(", ")}) broadcasts to`,
        got: `(${wanted.join(", ")})`,
      });
    return a === 1 ? b : a;
  });
  return broadcastTo(n, data, shape);
};

/**
 * The data's shape, where it is 1 the other one's (which may be 0); the shorter one is filled with ones in
 * front.
 */
function expandDynamic(n: OnnxNode, data: Expr, shape: Expr): Expr {
  const length = extentOf(n, shape, 0, "the shape");
  const rank = rankOf(n, data);
  const longer = (vector: Expr, own: number): Expr => {
    const missing = Math.max(length, rank) - own;
    return missing === 0
      ? vector
      : concatenate(
          n,
          [
            int64sOf(
              n,
              Array.from({ length: missing }, () => 1),
            ),
            vector,
          ],
          0,
        );
  };
  const own = longer(shapeVector(n, data), rank);
  const one = call(n, "equal", [own, number(n, 1, own)]);
  return dynBroadcastTo(n, data, call(n, "where", [one, longer(asInt64(n, shape), length), own]));
}

const tile: Importer = (n) => {
  const [data, repeats] = [input(n, 0), input(n, 1)];
  const value = known(n, repeats);
  return value === null
    ? call(n, "dyn.tile", [data, repeats])
    : call(n, "tile", [data], { reps: numbersOf(value) });
};

/** Before opset 6: how often, along one axis. */
const tileAlong: Importer = (n) => {
  const data = input(n, 0);
  const count = numberOf(n, input(n, 1), "the number of tiles");
  const axis = numberOf(n, input(n, 2), "the axis");
  return call(n, "tile", [data], { reps: dimsOf(n, data).map((_, i) => (i === axis ? count : 1)) });
};

const where: Importer = (n) =>
  call(n, "where", broadcastTogether(n, [cast(n, input(n, 0), bool), input(n, 1), input(n, 2)]));

/** Elements before and after along an axis. */
type Width = readonly [before: number, after: number];

/** All begins, then all ends, as one pair an axis. */
function widthsOf(n: OnnxNode, pads: readonly number[], axes: number): readonly Width[] {
  if (pads.length !== 2 * axes)
    refuse(n, "pads need two numbers an axis", { expected: `${2 * axes} numbers`, got: String(pads.length) });
  return Array.from({ length: axes }, (_, i) => [at(pads, i, "pad"), at(pads, i + axes, "pad")]);
}

function padWidths(n: OnnxNode): readonly Width[] {
  const rank = rankOf(n, input(n, 0));
  if (n.opset < 11)
    return widthsOf(n, ints(n, "pads") ?? ints(n, "paddings") ?? refuse(n, "pads are missing"), rank);
  const given = intsOf(n, input(n, 1), "the pads");
  const chosen = optional(n, 3);
  if (chosen === null) return widthsOf(n, given, rank);
  const axes = intsOf(n, chosen, "the axes").map((axis) => axisIn(n, axis, rank));
  const widths = widthsOf(n, given, axes.length);
  return Array.from({ length: rank }, (_, axis) => widths[axes.lastIndexOf(axis)] ?? [0, 0]);
}

function padValue(n: OnnxNode, data: Expr): Expr {
  const second = n.opset < 11 ? null : optional(n, 2);
  if (second === null) return scalarOf(n, dtypeOf(n, data), float(n, "value", 0));
  return rankOf(n, second) === 0 ? second : call(n, "reshape", [second], { newshape: [] });
}

/** Widths that only running tells: all begins, then all ends, become one pair an axis. */
function padDynamic(n: OnnxNode, data: Expr): Expr {
  if (optional(n, 3) !== null)
    return refuse(n, "the pads must be known when importing where axes are given", {}, "RS1823");
  const pairs = call(n, "transpose", [reshape(n, asInt64(n, input(n, 1)), [2, rankOf(n, data)])], {
    axes: [1, 0],
  });
  return call(n, "dyn.nn.pad", [data, pairs, padValue(n, data)], { pad_mode: text(n, "mode", "constant") });
}

/** Negative pads cut. */
const pad: Importer = (n) => {
  const data = input(n, 0);
  if (n.opset >= 11 && known(n, input(n, 1)) === null) return padDynamic(n, data);
  const widths = padWidths(n);
  const mode = text(n, "mode", "constant");
  if (mode !== "constant" && mode !== "edge" && mode !== "reflect")
    refuse(n, "mode is not one of ONNX's words", { expected: "constant, edge or reflect", got: mode });
  const value = padValue(n, data);
  const pad_width = widths.map((width) => width.map((pad) => Math.max(pad, 0)));
  const padded = call(n, "nn.pad", [data, value], { pad_width, pad_mode: mode });
  const cut = widths
    .map(([before, after], axis) => ({ axis, before: Math.max(-before, 0), after: Math.max(-after, 0) }))
    .filter(({ before, after }) => before > 0 || after > 0);
  if (cut.length === 0) return padded;
  return slice(n, padded, {
    begin: cut.map(({ before }) => before),
    end: cut.map(({ axis, after }) => extentOf(n, padded, axis) - after),
    axes: cut.map(({ axis }) => axis),
  });
};

/** Bounds by attribute before opset 11, by input after; known ones on both sides become clip. */
const clip: Importer = (n) => {
  const x = input(n, 0);
  const bound = (index: number, name: string): Expr | null => {
    if (n.opset < 11) return has(n, name) ? number(n, float(n, name, 0), x) : null;
    return optional(n, index);
  };
  const [least, greatest] = [bound(1, "min"), bound(2, "max")];
  const valueIn = (side: Expr | null): TensorData | null => (side === null ? null : known(n, side));
  const boundOf = (value: TensorData | null, what: string): number | null =>
    value === null ? null : single(n, numbersOf(value), what);
  const low = boundOf(valueIn(least), "the least value");
  const high = boundOf(valueIn(greatest), "the greatest value");
  // Crossed bounds give the greatest; Relay's clip gives the least then. It holds its bounds as floats.
  const plain = (value: number | null): value is number =>
    value !== null && Math.abs(value) <= mostOfClip(n, x);
  if (plain(low) && plain(high) && low <= high) return clipTo(n, x, low, high);
  const above = least === null ? x : maximum(n, x, least);
  return greatest === null ? above : minimum(n, above, greatest);
};

/** The greatest integer that clip's bounds hold, whatever comes behind them in the kernel. */
const mostOfClip = (n: OnnxNode, x: Expr): number =>
  isInteger(dtypeOf(n, x)) ? Number.MAX_SAFE_INTEGER : Infinity;

const topK: Importer = (n) => {
  const data = input(n, 0);
  const axis = axisIn(n, int(n, "axis", -1), rankOf(n, data));
  const dynamic = n.opset >= 10 && known(n, input(n, 1)) === null;
  const k = n.opset < 10 ? int(n, "k", 1) : dynamic ? null : numberOf(n, input(n, 1), "k");
  const args = dynamic ? [data, reshape(n, input(n, 1), [])] : [data];
  const made = call(n, dynamic ? "dyn.topk" : "topk", args, {
    k,
    axis,
    ret_type: "both",
    is_ascend: int(n, "largest", 1) === 0,
    dtype: "int64",
  });
  return [field(n, made, 0), field(n, made, 1)];
};

const cumSum: Importer = (n) => {
  const data = input(n, 0);
  const axis = axisIn(n, numberOf(n, input(n, 1), "the axis"), rankOf(n, data));
  const backward = int(n, "reverse", 0) !== 0;
  const from = backward ? call(n, "reverse", [data], { axis }) : data;
  const sum = call(n, "cumsum", [from], {
    axis,
    dtype: dtypeOf(n, data).name,
    exclusive: int(n, "exclusive", 0) !== 0,
  });
  return backward ? call(n, "reverse", [sum], { axis }) : sum;
};

/** The part of each matrix on one side of a diagonal, by a mask. */
const trilu: Importer = (n) => {
  const data = input(n, 0);
  const shape = shapeOf(n, data);
  const [rows, columns] = [extentOf(n, data, -2), extentOf(n, data, -1)];
  writable(n, rows * columns);
  const second = optional(n, 1);
  const k = second === null ? 0 : numberOf(n, second, "k");
  const upper = int(n, "upper", 1) !== 0;
  const kept = (row: number, column: number): boolean => (upper ? column - row >= k : column - row <= k);
  const mask = fromNumbers(
    bool,
    [rows, columns],
    Array.from({ length: rows * columns }, (_, i) => (kept(Math.floor(i / columns), i % columns) ? 1 : 0)),
  );
  return call(n, "where", [broadcastTo(n, constantOf(n, mask), shape), data, call(n, "zeros_like", [data])]);
};

const reverseSequence: Importer = (n) =>
  call(n, "reverse_sequence", [input(n, 0), input(n, 1)], {
    seq_axis: int(n, "time_axis", 0),
    batch_axis: int(n, "batch_axis", 1),
  });

const depthToSpace: Importer = (n) =>
  call(n, "nn.depth_to_space", [input(n, 0)], {
    block_size: int(n, "blocksize", 1),
    layout: "NCHW",
    mode: text(n, "mode", "DCR"),
  });
const spaceToDepth: Importer = (n) =>
  call(n, "nn.space_to_depth", [input(n, 0)], { block_size: int(n, "blocksize", 1), layout: "NCHW" });

/** How many distinct elements there are, running tells: Relay's unique gives all places and the count. */
function uniqueDynamic(n: OnnxNode): readonly Expr[] {
  if (has(n, "axis"))
    return refuse(
      n,
      "distinct slices along an axis need data that is known when importing",
      dynamicInputs(input(n, 0)),
      "RS1823",
    );
  const flat = call(n, "reshape", [input(n, 0)], { newshape: [-1] });
  const made = call(n, "unique", [flat], { sorted: int(n, "sorted", 1) !== 0, return_counts: true });
  const part = (index: number): Expr => firstOf(n, field(n, made, index), field(n, made, 3));
  return [part(0), cast(n, part(1), int64), cast(n, field(n, made, 2), int64), cast(n, part(4), int64)];
}

/** Distinct elements (or slices along an axis), where they first stood, where each came to, and how often. */
const unique: Importer = (n) => {
  const data = known(n, input(n, 0));
  if (data === null) return uniqueDynamic(n);
  const axis = has(n, "axis") ? axisIn(n, int(n, "axis", 0), data.shape.length) : null;
  const shape = axis === null ? [data.data.length] : data.shape;
  const along = axis ?? 0;
  const extent = at(shape, along, "extent");
  const inner = elementCount(shape.slice(along + 1));
  const outer = elementCount(shape.slice(0, along));
  const values = elementsOf(data);
  const rows = Array.from({ length: extent }, (_, i) =>
    Array.from({ length: outer * inner }, (_element, j) =>
      at(values, (Math.floor(j / inner) * extent + i) * inner + (j % inner), "element"),
    ),
  );
  const found = distinct(rows, int(n, "sorted", 1) !== 0);
  const kept = found.map(({ row }) => row);
  const picked = Array.from({ length: outer * kept.length * inner }, (_, i) => {
    const [o, rest] = [Math.floor(i / (kept.length * inner)), i % (kept.length * inner)];
    return at(at(kept, Math.floor(rest / inner), "row"), o * inner + (rest % inner), "element");
  });
  const place = new Map(found.map(({ key }, i) => [key, i]));
  return [
    constantOf(
      n,
      fromNumbers(
        data.dtype,
        shape.map((dim, i) => (i === along ? kept.length : dim)),
        picked,
      ),
    ),
    int64sOf(
      n,
      found.map(({ first }) => first),
    ),
    int64sOf(
      n,
      rows.map((row) => place.get(keyOf(row)) ?? 0),
    ),
    int64sOf(
      n,
      found.map(({ count }) => count),
    ),
  ];
};

type Row = readonly (number | bigint)[];

const keyOf = (row: Row): string => row.join(",");

/** A row that differs from all others, where it first stood, and how often it stands. */
interface Distinct {
  readonly key: string;
  readonly row: Row;
  readonly first: number;
  readonly count: number;
}

function distinct(rows: readonly Row[], sorted: boolean): readonly Distinct[] {
  const found = new Map<string, Distinct>();
  rows.forEach((row, i) => {
    const key = keyOf(row);
    const { first = i, count = 0 } = found.get(key) ?? {};
    found.set(key, { key, row, first, count: count + 1 });
  });
  const all = [...found.values()];
  return sorted ? all.sort((a, b) => compareRows(a.row, b.row)) : all;
}

function compareRows(a: Row, b: Row): number {
  const i = a.findIndex((value, place) => value !== b[place]);
  return i < 0 ? 0 : at(a, i, "element") < at(b, i, "element") ? -1 : 1;
}

export const sliceOps: readonly OnnxOp[] = [
  onnxOp("Slice", sliceOp, { values: [3] }),
  onnxOp("Expand", expand),
  onnxOp("Tile", tile, { since: 6 }),
  onnxOp("Tile", tileAlong, { values: [1, 2] }),
  onnxOp("Where", where),
  onnxOp("Pad", pad, { values: [3] }),
  onnxOp("Clip", clip),
  onnxOp("TopK", topK),
  onnxOp("CumSum", cumSum, { values: [1] }),
  onnxOp("Trilu", trilu, { values: [1] }),
  onnxOp("ReverseSequence", reverseSequence),
  onnxOp("DepthToSpace", depthToSpace),
  onnxOp("SpaceToDepth", spaceToDepth),
  onnxOp("Unique", unique, {
    values: ({ attribute }) => (attribute.some(({ name }) => name === "axis") ? [0] : []),
  }),
];
