// Shape functions of operators that move, join, cut or repeat axes.
// TVM: python/tvm/relay/op/_transform.py, _algorithm.py, dyn/_transform.py, dyn/_algorithm.py
import { present, at, first } from "../../../support/assert.ts";
import type { AttrValue } from "../../ir/attrs.ts";
import { pairsOf } from "../_shared/pad-attrs.ts";
import { add, eq, floorDiv, lt, min, mul, select, sub } from "../../tir/build.ts";
import type { PrimExpr } from "../../tir/expr.ts";
import type { ShapeFunc } from "../define.ts";
import { asExtent, broadcastExtents, extent, extents, fromFront, productExtent } from "./extents.ts";
import { elements } from "./init.ts";

export const transposeShape: ShapeFunc<{ readonly axes: readonly number[] | null }> = {
  needs: "shape",
  dims: ([data], { axes }) => [
    axes === null
      ? data.dims.toReversed()
      : axes.map((axis) => at(data.dims, fromFront(axis, data.rank), "dimension")),
  ],
};

export const expandDimsShape: ShapeFunc<{ readonly axis: number; readonly num_newaxis: number }> = {
  needs: "shape",
  dims: ([data], { axis, num_newaxis: count }) => {
    const position = axis < 0 ? data.rank + axis + 1 : axis;
    return [
      [
        ...data.dims.slice(0, position),
        ...Array.from({ length: count }, () => extent(1)),
        ...data.dims.slice(position),
      ],
    ];
  },
};

/** The axis is an argument. */
export const dynExpandDimsShape: ShapeFunc<{ readonly num_newaxis: number }, 2> = {
  needs: ["shape", "data"],
  dims: ([data, axis], { num_newaxis: count }) => {
    const rank = data.rank;
    const given = asExtent(axis.data.at());
    const position = select(lt(given, 0), add(given, rank + 1), given);
    // Extent k of the result for the axis at 0 … rank.
    const extentAt = (k: number, place: number): PrimExpr =>
      k < place
        ? at(data.dims, k, "dimension")
        : k < place + count
          ? extent(1)
          : at(data.dims, k - count, "dimension");
    return [
      Array.from({ length: rank + count }, (_, k) =>
        Array.from({ length: rank }, (__, place) => place).reduceRight<PrimExpr>(
          (rest, place) => select(eq(position, place), extentAt(k, place), rest),
          extentAt(k, rank),
        ),
      ),
    ];
  },
};

/** Negative axes count from the end, as in the type relation (TVM 0.8 squeezes nothing there). */
export const squeezeShape: ShapeFunc<{ readonly axis: readonly number[] | null }> = {
  needs: "shape",
  dims: ([data], { axis }, cx) => {
    if (axis !== null) {
      const removed = axis.map((one) => fromFront(one, data.rank));
      return [data.dims.filter((_, i) => !removed.includes(i))];
    }
    // Which extents are 1 was known to the type relation, so the result's type is its shape.
    return [extents(cx.outType.shape.map(Number))];
  },
};

/**
 * The k-th kept axis, where what is removed is known only now: the k-th position that no removed axis names.
 */
export const dynSqueezeShape: ShapeFunc<unknown, 2> = {
  needs: ["shape", "data"],
  dims: ([data, axes], _, cx) => {
    const removed = elements(axes).map((axis) => select(lt(axis, 0), add(axis, data.rank), axis));
    const kept = data.dims.map((__, i) =>
      removed.reduce<PrimExpr>((keep, axis) => select(eq(axis, i), extent(0), keep), extent(1)),
    );
    const rank = cx.outType.shape.length;
    return [
      Array.from({ length: rank }, (__, k) =>
        data.dims.reduceRight<PrimExpr>((rest, dim, i) => {
          const before = kept.slice(0, i).reduce<PrimExpr>((count, keep) => add(count, keep), extent(0));
          return select(eq(at(kept, i, "mark of a kept axis"), 1), select(eq(before, k), dim, rest), rest);
        }, extent(1)),
      ),
    ];
  },
};

export const concatenateShape: ShapeFunc<{ readonly axis: number }> = {
  needs: "shape",
  dims: (args, { axis }) => {
    const position = fromFront(axis, args[0].rank);
    return [
      args[0].dims.map((dim, i) =>
        i === position
          ? args.slice(1).reduce((sum, arg) => add(sum, at(arg.dims, position, "dimension")), dim)
          : dim,
      ),
    ];
  },
};

export const stackShape: ShapeFunc<{ readonly axis: number }> = {
  needs: "shape",
  dims: (args, { axis }) => {
    const position = fromFront(axis, args[0].rank + 1);
    return [[...args[0].dims.slice(0, position), extent(args.length), ...args[0].dims.slice(position)]];
  },
};

/** `piecesOf` reads the attribute: a number of equal pieces, or where pieces begin after the first. */
export function splitShape<A extends { readonly axis: number }>(
  piecesOf: (attrs: A) => number | readonly number[],
): ShapeFunc<A> {
  return {
    needs: "shape",
    dims: ([data], attrs) => {
      const position = fromFront(attrs.axis, data.rank);
      const pieces = piecesOf(attrs);
      const whole = at(data.dims, position, "dimension");
      const sizes =
        typeof pieces === "number"
          ? Array.from({ length: pieces }, () => floorDiv(whole, pieces))
          : [...pieces.map((end, i) => extent(end - (pieces[i - 1] ?? 0))), sub(whole, pieces.at(-1) ?? 0)];
      return sizes.map((size) => data.dims.map((dim, i) => (i === position ? size : dim)));
    },
  };
}

function tiled(dims: readonly PrimExpr[], reps: readonly PrimExpr[]): readonly PrimExpr[] {
  const rank = Math.max(dims.length, reps.length);
  return Array.from({ length: rank }, (_, i) =>
    mul(dims[i - rank + dims.length] ?? extent(1), reps[i - rank + reps.length] ?? extent(1)),
  );
}

export const tileShape: ShapeFunc<{ readonly reps: readonly number[] }> = {
  needs: "shape",
  dims: ([data], { reps }) => [tiled(data.dims, extents(reps))],
};

export const dynTileShape: ShapeFunc<unknown, 2> = {
  needs: ["shape", "data"],
  dims: ([data, reps]) => [tiled(data.dims, elements(reps))],
};

export const repeatShape: ShapeFunc<{ readonly repeats: number; readonly axis: number | null }> = {
  needs: "shape",
  dims: ([data], { repeats, axis }) => {
    const position = fromFront(axis!, data.rank);
    return [data.dims.map((dim, i) => (i === position ? mul(dim, repeats) : dim))];
  },
};

export const takeShape: ShapeFunc<{ readonly axis: number | null; readonly batch_dims: number }, 2> = {
  needs: "shape",
  dims: ([data, indices], attrs) => {
    if (attrs.axis === null) return [indices.dims];
    const position = fromFront(attrs.axis, data.rank);
    const batch = fromFront(attrs.batch_dims, indices.rank);
    return [
      [...data.dims.slice(0, position), ...indices.dims.slice(batch), ...data.dims.slice(position + 1)],
    ];
  },
};

export const gatherNdShape: ShapeFunc<unknown, 2> = {
  needs: "shape",
  dims: ([data, indices], _, cx) => {
    // Of the indexed axes only the rest of data's remains; how many that are, the result's rank says.
    const places = indices.dims.slice(1);
    const rest = cx.outType.shape.length - places.length;
    return [[...places, ...data.dims.slice(data.rank - rest)]];
  },
};

export const advIndexShape: ShapeFunc<unknown> = {
  needs: "shape",
  dims: ([data, ...indices]) => [
    [
      ...indices.reduce<readonly PrimExpr[]>((shape, index) => broadcastExtents(shape, index.dims), []),
      ...data.dims.slice(indices.length),
    ],
  ],
};

function withNewAxis(dims: readonly PrimExpr[], axis: number, size: PrimExpr): readonly PrimExpr[] {
  const position = fromFront(axis, dims.length + 1);
  return [...dims.slice(0, position), size, ...dims.slice(position)];
}

export const oneHotShape: ShapeFunc<{ readonly depth: number; readonly axis: number }> = {
  needs: "shape",
  dims: ([indices], { depth, axis }) => [withNewAxis(indices.dims, axis, extent(depth))],
};

export const dynOneHotShape: ShapeFunc<{ readonly axis: number }, 4> = {
  needs: ["shape", "none", "none", "data"],
  dims: ([indices, , , depth], { axis }) => [
    withNewAxis(indices.dims, axis, first(elements(depth), "element of depth")),
  ],
};

function firstOf(dims: readonly PrimExpr[], axis: number, count: PrimExpr | null): readonly PrimExpr[] {
  const position = fromFront(axis, dims.length);
  return count === null ? dims : dims.map((dim, i) => (i === position ? count : dim));
}

/** k below 1 keeps everything. */
export const topkShape: ShapeFunc<{ readonly k: number | null; readonly axis: number }> = {
  needs: "shape",
  dims: ([data], { k, axis }, cx) =>
    cx.outTypes.map(() => firstOf(data.dims, axis, k !== null && k >= 1 ? extent(k) : null)),
};

export const dynTopkShape: ShapeFunc<{ readonly axis: number }, 2> = {
  needs: ["shape", "data"],
  dims: ([data, k], { axis }, cx) => {
    const count = first(elements(k), "element of k");
    const whole = at(data.dims, fromFront(axis, data.rank), "dimension");
    return cx.outTypes.map(() => firstOf(data.dims, axis, select(lt(count, 1), whole, min(count, whole))));
  },
};

/** As many rows as the shape has axes. */
export const unravelIndexShape: ShapeFunc<unknown, 2> = {
  needs: "shape",
  dims: ([data, shape]) => [[first(shape.dims, "dimension"), ...data.dims]],
};

/** `axisFor` says along which axis of the grid vector i runs. */
export function meshgridShape<A extends { readonly indexing: string }>(
  axisFor: (i: number, count: number, indexing: string) => number,
): ShapeFunc<A> {
  return {
    needs: "shape",
    dims: (args, { indexing }) => {
      const shape = args.map(() => extent(1));
      args.forEach((arg, i) => {
        shape[axisFor(i, args.length, indexing)] = arg.dims[0] ?? extent(1);
      });
      return args.map(() => shape);
    },
  };
}

/** cumsum and cumprod; without an axis the data is flattened. */
export const scanShape: ShapeFunc<{ readonly axis: number | null }> = {
  needs: "shape",
  dims: ([data], { axis }) => [axis === null ? [productExtent(data.dims)] : data.dims],
};

/** Extents of the argument's dimensions plus what the attribute says stands around each. */
export const padShape: ShapeFunc<{ readonly pad_width: AttrValue }> = {
  needs: "shape",
  dims: ([data], attrs) => {
    const pairs = present(pairsOf(attrs.pad_width), "pair");
    return [data.dims.map((dim, i) => add(dim, at(pairs, i, "pair")[0] + at(pairs, i, "pair")[1]))];
  },
};

/**
 * The axes of data that are cut, all that both have where none are given, have the other argument's extents.
 */
export const sliceLikeShape: ShapeFunc<{ readonly axes: readonly number[] | null }, 2> = {
  needs: "shape",
  dims: ([data, like], attrs) => {
    const axes = attrs.axes?.map((axis) => fromFront(axis, data.rank)) ?? data.dims.map((_, i) => i);
    return [data.dims.map((dim, i) => (axes.includes(i) ? (like.dims[i] ?? dim) : dim))];
  },
};

export const dynPadShape: ShapeFunc<unknown, 2> = {
  needs: ["shape", "data", "none"],
  dims: ([data, width]) => {
    const amount = (axis: number, side: number): PrimExpr =>
      asExtent(width.data.shape.length === 1 ? width.data.at(2 * axis + side) : width.data.at(axis, side));
    return [data.dims.map((dim, i) => add(add(amount(i, 0), amount(i, 1)), dim))];
  },
};

export const dilateShape: ShapeFunc<{ readonly strides: readonly number[] }> = {
  needs: "shape",
  dims: ([data], { strides }) => [
    data.dims.map((dim, i) =>
      at(strides, i, "stride") === 1 ? dim : add(mul(sub(dim, 1), at(strides, i, "stride")), 1),
    ),
  ],
};
