// Pixels at positions that a run computes: GridSample, AffineGrid and DeformConv.  TVM 0.8's importer reads
// none of them as ONNX means them; every position takes a few pixels with weights.
import { at } from "../../../../support/assert.ts";
import { int64 } from "../../../ir/dtype.ts";
import type { Expr } from "../../../relay/expr.ts";
import {
  add,
  clip,
  concatenate,
  expandDims,
  multiply,
  number,
  roundEven,
  scaled,
  sliceAxis,
  squeeze,
  subtract,
  zeros,
} from "../arithmetic.ts";
import { constantOf, extentOf, refuse, shapeOf, shapeOfRank } from "../../import-node.ts";
import { fromNumbers } from "../../values.ts";
import { writable } from "../../within.ts";
import {
  broadcastTo,
  call,
  cast,
  dtypeOf,
  input,
  int,
  ints,
  intsOf,
  int64sOf,
  optional,
  reshape,
  text,
  transpose,
  type Importer,
  type OnnxNode,
} from "../graph.ts";
import { onnxOp, type OnnxOp } from "../ops/op-table.ts";
import { matmul } from "./matmul.ts";
import { groupsOf, windowOf } from "./window.ts";

/** One axis of an image: positions along it in pixels, (batch, places), and its extent. */
interface Line {
  readonly at: Expr;
  readonly extent: number;
}

interface Sampling {
  readonly mode: string;
  readonly padding: string;
  readonly corners: boolean;
}

/** Pixels of `image` at positions along each of its spatial axes, (batch, channels, places). */
function sampled(n: OnnxNode, image: Expr, lines: readonly Line[], how: Sampling): Expr {
  const taps = lines.map((line) => tapsOf(n, line, how.mode).map((tap) => ({ ...tap, extent: line.extent })));
  const combinations = taps.reduce<readonly (readonly (Tap & Line)[])[]>(
    (all, axis) => all.flatMap((chosen) => axis.map((tap) => [...chosen, tap])),
    [[]],
  );
  const parts = combinations.map((chosen) => {
    const pixel = pixelAt(n, image, chosen, how);
    const weights = chosen.map(({ weight }) => weight).filter((weight) => weight !== null);
    return weights.length === 0
      ? pixel
      : multiply(
          n,
          pixel,
          expandDims(
            n,
            weights.reduce((a, b) => multiply(n, a, b)),
            1,
          ),
        );
  });
  return parts.reduce((a, b) => add(n, a, b));
}

/** The grid's last axis counts axes from the back: x first. */
const gridSample: Importer = (n) => {
  const [x, grid] = [input(n, 0), input(n, 1)];
  const [batch = 0, , ...spatial] = shapeOf(n, x);
  const [, ...places] = shapeOf(n, grid, "the grid");
  const width = places.pop();
  if (spatial.length === 0 || width !== spatial.length || places.length !== spatial.length)
    return refuse(n, "the grid does not fit the image", {
      expected: `a grid of ${spatial.length + 2} axes, the last of ${spatial.length} elements`,
      got: `(${shapeOf(n, grid).join(", ")})`,
    });
  const how: Sampling = {
    mode: text(n, "mode", "bilinear"),
    padding: text(n, "padding_mode", "zeros"),
    corners: int(n, "align_corners", 0) !== 0,
  };
  const count = places.reduce((a, b) => a * b, 1);
  const line = (axis: number): Line => {
    const index = spatial.length - 1 - axis;
    const last = spatial.length + 1;
    const g = reshape(n, squeeze(n, sliceAxis(n, grid, last, [index, index + 1]), [last]), [batch, count]);
    const one = add(n, g, number(n, 1, g));
    const extent = at(spatial, axis, "spatial axis");
    return {
      extent,
      at: how.corners
        ? scaled(n, one, (extent - 1) / 2)
        : scaled(n, subtract(n, scaled(n, one, extent), number(n, 1, g)), 0.5),
    };
  };
  const lines = spatial.map((_, axis) => line(axis));
  const sum = sampled(n, x, lines, how);
  return reshape(n, sum, [...shapeOf(n, sum).slice(0, 2), ...places]);
};

interface Tap {
  /** Whole positions, as floats. */
  readonly at: Expr;
  readonly weight: Expr | null;
}

function tapsOf(n: OnnxNode, { at: line }: Line, mode: string): readonly Tap[] {
  if (mode === "nearest") return [{ at: roundEven(n, line), weight: null }];
  const floor = call(n, "floor", [line]);
  const rest = subtract(n, line, floor);
  const one = number(n, 1, line);
  const shifted = (by: number): Expr => (by === 0 ? floor : add(n, floor, number(n, by, line)));
  if (mode === "bilinear" || mode === "linear")
    return [
      { at: floor, weight: subtract(n, one, rest) },
      { at: shifted(1), weight: rest },
    ];
  if (mode !== "bicubic" && mode !== "cubic")
    return refuse(n, "mode is not one of ONNX's words", { expected: "linear, nearest or cubic", got: mode });
  const a = -0.75;
  const polynomial = (d: Expr, [first, ...others]: readonly [number, ...number[]]): Expr =>
    others.reduce((value, c) => add(n, multiply(n, value, d), number(n, c, line)), number(n, first, line));
  const near = (d: Expr): Expr => polynomial(d, [a + 2, -(a + 3), 0, 1]);
  const far = (d: Expr): Expr => polynomial(d, [a, -5 * a, 8 * a, -4 * a]);
  const left = subtract(n, one, rest);
  return [
    { at: shifted(-1), weight: far(add(n, rest, one)) },
    { at: floor, weight: near(rest) },
    { at: shifted(1), weight: near(left) },
    { at: shifted(2), weight: far(add(n, left, one)) },
  ];
}

/** The pixels at whole positions, (batch, channels, places); outside by the padding mode. */
function pixelAt(n: OnnxNode, image: Expr, place: readonly Line[], how: Sampling): Expr {
  const [batch = 0, channels = 0, ...spatial] = shapeOf(n, image);
  const places = extentOf(n, at(place, 0, "axis").at, 1);
  const inside = ({ at: p, extent }: Line): Expr =>
    clip(n, how.padding === "reflection" ? reflected(n, p, extent, how.corners) : p, 0, extent - 1);
  const index = place
    .map((line) => cast(n, inside(line), int64))
    .reduce((flat, along, axis) => add(n, scaled(n, flat, at(spatial, axis, "spatial axis")), along));
  const spread = broadcastTo(n, expandDims(n, index, 1), [batch, channels, places]);
  const flat = reshape(n, image, [batch, channels, spatial.reduce((a, b) => a * b, 1)]);
  const found = call(n, "gather", [flat, spread], { axis: 2 });
  if (how.padding !== "zeros") return found;
  const and = (a: Expr, b: Expr): Expr => call(n, "logical_and", [a, b]);
  const valid = ({ at: p, extent }: Line): Expr =>
    and(call(n, "greater_equal", [p, number(n, 0, p)]), call(n, "less_equal", [p, number(n, extent - 1, p)]));
  const mask = place.map(valid).reduce(and);
  return multiply(n, found, cast(n, expandDims(n, mask, 1), dtypeOf(n, found)));
}

/**
 * Back and forth between the edges: the middles of the edge pixels with align_corners, else their outer
 * sides.
 */
function reflected(n: OnnxNode, p: Expr, extent: number, corners: boolean): Expr {
  const [low, high] = corners ? [0, extent - 1] : [-0.5, extent - 0.5];
  const span = high - low;
  if (span === 0) return call(n, "zeros_like", [p]);
  const distance = call(n, "abs", [subtract(n, p, number(n, low, p))]);
  const within = call(n, "floor_mod", [distance, number(n, 2 * span, p)]);
  const folded = call(n, "where", [
    call(n, "greater", [within, number(n, span, p)]),
    subtract(n, number(n, 2 * span, p), within),
    within,
  ]);
  return add(n, folded, number(n, low, p));
}

/** Elements of the result in -1 to 1, one row (x, y, 1) a place, times the transformations. */
const affineGrid: Importer = (n) => {
  const theta = input(n, 0);
  const [batch = 0, , ...spatial] = intsOf(n, input(n, 1), "the size");
  const corners = int(n, "align_corners", 0) !== 0;
  const count = spatial.reduce((a, b) => a * b, 1);
  writable(n, count * (spatial.length + 1));
  if (spatial.length === 0 || shapeOf(n, theta)[1] !== spatial.length)
    return refuse(n, "the transformations do not fit the size", {
      expected: "matrices of two rows for (N, C, H, W), of three for (N, C, D, H, W)",
      got: `(${shapeOf(n, theta).join(", ")})`,
    });
  const place = (flat: number, axis: number): number => {
    const extent = at(spatial, axis, "extent");
    const index = Math.floor(flat / spatial.slice(axis + 1).reduce((a, b) => a * b, 1)) % extent;
    return corners ? (extent === 1 ? 0 : (2 * index) / (extent - 1) - 1) : (2 * index + 1) / extent - 1;
  };
  const rows = Array.from({ length: count }, (_, flat) => [
    ...spatial.map((_extent, i) => place(flat, spatial.length - 1 - i)),
    1,
  ]);
  const base = constantOf(n, fromNumbers(dtypeOf(n, theta), [count, spatial.length + 1], rows.flat()));
  const grid = matmul(n, base, transpose(n, theta, [0, 2, 1]));
  return reshape(n, grid, [batch, ...spatial, spatial.length]);
};

/** A convolution whose elements are read where offsets say, each weighted by the mask. */
const deformConv: Importer = (n) => {
  const [x, weight, offsets] = [input(n, 0), input(n, 1), input(n, 2)];
  const [batch, channels, height, width] = shapeOfRank(n, x, 4);
  const [out, , ...kernel] = shapeOfRank(n, weight, 4, "its weights");
  const [, , rows, columns] = shapeOfRank(n, offsets, 4, "the offsets");
  const window = windowOf(n, ints(n, "kernel_shape") ?? kernel, () => [height, width]);
  const [down, across] = [at(window, 0, "axis of the window"), at(window, 1, "axis of the window")];
  const [taps, places] = [down.kernel * across.kernel, rows * columns];
  const offsetGroups = int(n, "offset_group", 1);
  const masks = optional(n, 4);
  /** Where the taps lie without offsets: (1, taps * places). */
  const bare = (f: (tap: number, place: number) => number): Expr =>
    constantOf(
      n,
      fromNumbers(
        dtypeOf(n, x),
        [1, taps * places],
        Array.from({ length: taps * places }, (_, i) => f(Math.floor(i / places), i % places)),
      ),
    );
  writable(n, 2 * taps * places);
  const ys = bare(
    (tap, place) =>
      Math.floor(place / columns) * down.stride -
      down.before +
      Math.floor(tap / across.kernel) * down.dilation,
  );
  const xs = bare(
    (tap, place) =>
      (place % columns) * across.stride - across.before + (tap % across.kernel) * across.dilation,
  );
  const moves = reshape(n, offsets, [batch, offsetGroups, taps, 2, places]);
  const groups = Array.from({ length: offsetGroups }, (_, group) => {
    const own = squeeze(n, sliceAxis(n, moves, 1, [group, group + 1]), [1]);
    const along = (index: number): Expr =>
      reshape(n, sliceAxis(n, own, 2, [index, index + 1]), [batch, taps * places]);
    const share = channels / offsetGroups;
    const image = sliceAxis(n, x, 1, [group * share, (group + 1) * share]);
    const lines = [
      { at: add(n, ys, along(0)), extent: height },
      { at: add(n, xs, along(1)), extent: width },
    ];
    const found = sampled(n, image, lines, { mode: "linear", padding: "zeros", corners: false });
    if (masks === null) return found;
    const mask = sliceAxis(n, masks, 1, [group * taps, (group + 1) * taps]);
    return multiply(n, found, reshape(n, mask, [batch, 1, taps * places]));
  });
  const read = concatenate(n, groups, 1);
  const split = groupsOf(n);
  const inner = (channels / split) * taps;
  const product = matmul(
    n,
    reshape(n, weight, [split, out / split, inner]),
    reshape(n, read, [batch, split, inner, places]),
  );
  const sums = reshape(n, product, [batch, out, rows, columns]);
  const bias = optional(n, 3);
  return bias === null ? sums : call(n, "nn.bias_add", [sums, bias], { axis: 1 });
};

/** Blocks of an image, one column each, added up where they lie over each other. */
const colToIm: Importer = (n) => {
  const columns = input(n, 0);
  const image = intsOf(n, input(n, 1), "the image's shape");
  const block = intsOf(n, input(n, 2), "the block's shape");
  const [batch, rows, count] = shapeOfRank(n, columns, 3);
  const size = (extents: readonly number[]): number => extents.reduce((a, b) => a * b, 1);
  const [taps, pixels] = [size(block), size(image)];
  const channels = rows / taps;
  const window = windowOf(n, block, () => image);
  const fits = window.map(
    ({ kernel, dilation, stride, before, after }, i) =>
      Math.floor((at(image, i, "extent") + before + after - (kernel - 1) * dilation - 1) / stride) + 1,
  );
  if (!Number.isInteger(channels) || size(fits) !== count)
    return refuse(n, "the columns are not the blocks of such an image", {
      expected: `(N, C * ${taps}, ${size(fits)})`,
      got: `(${shapeOf(n, columns).join(", ")})`,
    });
  writable(n, taps * count);
  const digits = (flat: number, extents: readonly number[]): readonly number[] =>
    extents.map((extent, i) => Math.floor(flat / size(extents.slice(i + 1))) % extent);
  const kept: number[] = [];
  const targets: number[] = [];
  for (let i = 0; i < taps * count; i++) {
    const [tap, place] = [digits(Math.floor(i / count), block), digits(i % count, fits)];
    const pixel = window.map(
      ({ stride, dilation, before }, axis) =>
        at(place, axis, "place") * stride + at(tap, axis, "tap") * dilation - before,
    );
    if (pixel.some((p, axis) => p < 0 || p >= at(image, axis, "extent"))) continue;
    kept.push(i);
    targets.push(pixel.reduce((flat, p, axis) => flat * at(image, axis, "extent") + p, 0));
  }
  const flat = reshape(n, columns, [batch * channels, taps * count]);
  const inside =
    kept.length === taps * count
      ? flat
      : call(n, "take", [flat, int64sOf(n, kept)], { axis: 1, mode: "clip" });
  const places = broadcastTo(n, expandDims(n, int64sOf(n, targets), 0), [batch * channels, kept.length]);
  const empty = zeros(n, [batch * channels, pixels], dtypeOf(n, columns));
  const sums = call(n, "scatter_add", [empty, places, inside], { axis: 1 });
  return reshape(n, sums, [batch, channels, ...image]);
};

export const samplingOps: readonly OnnxOp[] = [
  onnxOp("GridSample", gridSample),
  onnxOp("AffineGrid", affineGrid, { values: [1] }),
  onnxOp("DeformConv", deformConv),
  onnxOp("Col2Im", colToIm, { values: [1, 2] }),
];
