// Operators that move elements: each says where an element of the result comes from.
import type { Attrs, AttrValue } from "../../compiler/ir/attrs.ts";
import { isFloat, parseDType, type DType } from "../../compiler/ir/dtype.ts";
import { at, present } from "../../support/assert.ts";
import { castTo, type NdOracle } from "./elements.ts";
import {
  broadcastIndex,
  build,
  count,
  fromFront,
  get,
  indexOf,
  number,
  type Element,
  type Nd,
} from "./nd.ts";

const data = (args: readonly Nd[]): Nd => present(args[0], "data");
const ints = (value: AttrValue | undefined): readonly number[] => (value as readonly number[] | null) ?? [];
const zeroOf = (dtype: DType): Element => (isFloat(dtype) ? 0 : 0n);
const replaced = (index: readonly number[], axis: number, place: number): readonly number[] =>
  index.map((value, i) => (i === axis ? place : value));

function concatenate(parts: readonly Nd[], axis: number): Nd {
  const first = data(parts);
  const place = fromFront(axis, first.shape.length);
  const total = parts.reduce((sum, { shape }) => sum + at(shape, place, "extent"), 0);
  return build(first.dtype, replaced(first.shape, place, total), (index) => {
    let from = at(index, place, "index");
    for (const part of parts) {
      const extent = at(part.shape, place, "extent");
      if (from < extent) return get(part, replaced(index, place, from));
      from -= extent;
    }
    throw new Error("behind the last part");
  });
}

function split(x: Nd, { indices_or_sections: where, axis }: Attrs): readonly Nd[] {
  const place = fromFront(Number(axis), x.shape.length);
  const extent = at(x.shape, place, "extent");
  const cuts = Array.isArray(where)
    ? ints(where)
    : Array.from({ length: Number(where) - 1 }, (_, i) => ((i + 1) * extent) / Number(where));
  return [0, ...cuts].map((from, i) => {
    const to = i < cuts.length ? at(cuts, i, "cut") : extent;
    return build(x.dtype, replaced(x.shape, place, to - from), (index) =>
      get(x, replaced(index, place, at(index, place, "index") + from)),
    );
  });
}

/** As numpy's x[begin:end:stride]; with sizes, x[begin:begin+size]. */
function stridedSlice(x: Nd, attrs: Attrs): Nd {
  const rank = x.shape.length;
  const axes =
    attrs["axes"] === null || attrs["axes"] === undefined
      ? x.shape.map((_, i) => i)
      : ints(attrs["axes"]).map((a) => fromFront(a, rank));
  const bySize = attrs["slice_mode"] === "size";
  const places = x.shape.map((extent) => Array.from({ length: extent }, (_, i) => i));
  axes.forEach((axis, i) => {
    const extent = at(x.shape, axis, "extent");
    const stride = bySize ? 1 : (ints(attrs["strides"])[i] ?? 1);
    const clampTo = (value: number): number => {
      const counted = value < 0 ? value + extent : value;
      return stride > 0
        ? Math.min(Math.max(counted, 0), extent)
        : Math.min(Math.max(counted, -1), extent - 1);
    };
    const begin = ints(attrs["begin"])[i];
    const from = clampTo(begin ?? (stride > 0 ? 0 : extent - 1));
    const given = ints(attrs["end"])[i];
    const open = given === undefined || (bySize && given < 0);
    // A backward slice without an end stops before element 0, as topi's strided_slice does.
    const past = stride > 0 ? extent : 0;
    const to = open ? past : clampTo(bySize ? fromFront(begin ?? 0, extent) + given : given);
    const list: number[] = [];
    for (let k = from; stride > 0 ? k < to : k > to; k += stride) list.push(k);
    places[axis] = list;
  });
  return build(
    x.dtype,
    places.map(({ length }) => length),
    (index) =>
      get(
        x,
        index.map((value, i) => at(at(places, i, "axis"), value, "place")),
      ),
  );
}

function take(x: Nd, positions: Nd, { axis, mode }: Attrs): Nd {
  const inside = (value: Element, extent: number): number => {
    if (mode === "wrap" && typeof value === "bigint") {
      const left = Number(value % BigInt(extent));
      return left < 0 ? left + extent : left;
    }
    const place = number(value);
    if (mode === "fast" && (place < 0 || place >= extent)) throw new Error("outside");
    return Math.min(Math.max(place, 0), extent - 1);
  };
  if (axis === null || axis === undefined)
    return build(x.dtype, positions.shape, (index) =>
      present(x.elements[inside(get(positions, index), x.elements.length)], "element"),
    );
  const place = fromFront(Number(axis), x.shape.length);
  const shape = [...x.shape.slice(0, place), ...positions.shape, ...x.shape.slice(place + 1)];
  const behind = place + positions.shape.length;
  return build(x.dtype, shape, (index) => {
    const chosen = inside(get(positions, index.slice(place, behind)), at(x.shape, place, "extent"));
    return get(x, [...index.slice(0, place), chosen, ...index.slice(behind)]);
  });
}

function pad(x: Nd, fill: Element, { pad_width: width, pad_mode: mode }: Attrs): Nd {
  const pairs = width as readonly (readonly [number, number])[];
  const shape = x.shape.map((extent, i) => extent + at(pairs, i, "pair")[0] + at(pairs, i, "pair")[1]);
  return build(x.dtype, shape, (index) => {
    const places = index.map((value, i) => value - at(pairs, i, "pair")[0]);
    const outside = places.some((place, i) => place < 0 || place >= at(x.shape, i, "extent"));
    if (!outside) return get(x, places);
    if (mode !== "edge" && mode !== "reflect") return fill;
    return get(
      x,
      places.map((place, i) => {
        const last = at(x.shape, i, "extent") - 1;
        if (mode === "edge") return Math.min(Math.max(place, 0), last);
        return place < 0 ? -place : place > last ? 2 * last - place : place;
      }),
    );
  });
}

function tile(x: Nd, reps: readonly number[]): Nd {
  const rank = Math.max(reps.length, x.shape.length);
  const shape = [...new Array<number>(rank - x.shape.length).fill(1), ...x.shape];
  const times = [...new Array<number>(rank - reps.length).fill(1), ...reps];
  return build(
    x.dtype,
    shape.map((extent, i) => extent * at(times, i, "times")),
    (index) => get(x, index.map((value, i) => value % at(shape, i, "extent")).slice(rank - x.shape.length)),
  );
}

function repeat(x: Nd, times: number, axis: number): Nd {
  const place = fromFront(axis, x.shape.length);
  return build(x.dtype, replaced(x.shape, place, at(x.shape, place, "extent") * times), (index) =>
    get(x, replaced(index, place, Math.floor(at(index, place, "index") / times))),
  );
}

function stack(parts: readonly Nd[], axis: number): Nd {
  const first = data(parts);
  const place = fromFront(axis, first.shape.length + 1);
  const shape = [...first.shape.slice(0, place), parts.length, ...first.shape.slice(place)];
  return build(first.dtype, shape, (index) =>
    get(at(parts, at(index, place, "index"), "part"), [...index.slice(0, place), ...index.slice(place + 1)]),
  );
}

const depths =
  (toSpace: boolean): NdOracle =>
  (args, { block_size: size, layout, mode }) => {
    const x = data(args);
    const block = Number(size);
    const last = layout === "NHWC";
    const [n, c, h, w] = last ? [0, 3, 1, 2].map((i) => at(x.shape, i, "extent")) : x.shape;
    const from = (index: readonly number[]): Element =>
      get(x, last ? [0, 2, 3, 1].map((i) => at(index, i, "index")) : index);
    const [depth, high, wide] = toSpace
      ? [c! / block ** 2, h! * block, w! * block]
      : [c! * block ** 2, h! / block, w! / block];
    const place = (index: readonly number[]): Element => {
      const [b, ch, y, z] = (last ? [0, 3, 1, 2].map((i) => at(index, i, "index")) : index) as [
        number,
        number,
        number,
        number,
      ];
      if (!toSpace) {
        const [part, of] = [Math.floor(ch / c!), ch % c!];
        return from([b, of, y * block + Math.floor(part / block), z * block + (part % block)]);
      }
      const part = (y % block) * block + (z % block);
      const chosen = mode === "CRD" ? ch * block ** 2 + part : part * depth + ch;
      return from([b, chosen, Math.floor(y / block), Math.floor(z / block)]);
    };
    const shape = last ? [n!, high, wide, depth] : [n!, depth, high, wide];
    return [build(x.dtype, shape, place)];
  };

/** Same elements in the same order; the relation says the shape. */
const renamed =
  (shape: (x: Nd, attrs: Attrs) => readonly number[]): NdOracle =>
  (args, attrs) => [{ ...data(args), shape: shape(data(args), attrs) }];

export const moveOracles: Readonly<Record<string, NdOracle>> = {
  concatenate: (args, { axis }) => [concatenate(args, Number(axis))],
  stack: (args, { axis }) => [stack(args, Number(axis))],
  split: (args, attrs) => split(data(args), attrs),
  strided_slice: (args, attrs) => [stridedSlice(data(args), attrs)],
  take: ([x, positions], attrs) => {
    if (Number(attrs["batch_dims"]) !== 0) throw new Error("no oracle");
    return [take(present(x, "data"), present(positions, "indices"), attrs)];
  },
  "nn.pad": ([x, fill], attrs) => [pad(present(x, "data"), present(fill?.elements[0], "fill"), attrs)],
  tile: (args, { reps }) => [tile(data(args), ints(reps))],
  repeat: (args, { repeats, axis }) => [repeat(data(args), Number(repeats), Number(axis))],
  reverse: (args, { axis }) => {
    const x = data(args);
    const place = fromFront(Number(axis), x.shape.length);
    return [
      build(x.dtype, x.shape, (i) =>
        get(x, replaced(i, place, at(x.shape, place, "extent") - 1 - at(i, place, "index"))),
      ),
    ];
  },
  transpose: (args, { axes }) => {
    const x = data(args);
    const rank = x.shape.length;
    const order =
      ints(axes).length > 0 ? ints(axes).map((a) => fromFront(a, rank)) : x.shape.map((_, i) => rank - 1 - i);
    return [
      build(
        x.dtype,
        order.map((a) => at(x.shape, a, "extent")),
        (index) =>
          get(
            x,
            x.shape.map((_, a) => at(index, order.indexOf(a), "index")),
          ),
      ),
    ];
  },
  broadcast_to: (args, { shape }) => [
    build(data(args).dtype, ints(shape), (i) => get(data(args), broadcastIndex(data(args).shape, i))),
  ],
  "nn.batch_flatten": renamed(({ shape }) => [at(shape, 0, "batch"), count(shape.slice(1))]),
  expand_dims: renamed(({ shape }, { axis, num_newaxis: n }) => {
    const place = fromFront(Number(axis), shape.length + 1);
    return [...shape.slice(0, place), ...new Array<number>(Number(n)).fill(1), ...shape.slice(place)];
  }),
  squeeze: renamed(({ shape }, { axis }) => {
    const axes =
      axis === null
        ? shape.flatMap((n, i) => (n === 1 ? [i] : []))
        : ints(axis).map((a) => fromFront(a, shape.length));
    return shape.filter((_, i) => !axes.includes(i));
  }),
  gather: ([x, positions], { axis }) => {
    const [from, chosen] = [present(x, "data"), present(positions, "indices")];
    const place = fromFront(Number(axis), from.shape.length);
    return [
      build(from.dtype, chosen.shape, (index) =>
        get(from, replaced(index, place, number(get(chosen, index)))),
      ),
    ];
  },
  one_hot: ([positions, on, off], { depth, axis, dtype }) => {
    const chosen = present(positions, "indices");
    const place = fromFront(Number(axis), chosen.shape.length + 1);
    const shape = [...chosen.shape.slice(0, place), Number(depth), ...chosen.shape.slice(place)];
    const type = present(parseDType(String(dtype)), "dtype");
    const value = (nd: Nd | undefined): Element => present(nd?.elements[0], "value");
    return [
      build(type, shape, (index) => {
        const wanted = get(chosen, [...index.slice(0, place), ...index.slice(place + 1)]);
        return castTo(value(number(wanted) === at(index, place, "index") ? on : off), type);
      }),
    ];
  },
  "nn.depth_to_space": depths(true),
  "nn.space_to_depth": depths(false),
  zeros: (_, { shape, dtype }) => {
    const type = present(parseDType(String(dtype)), "dtype");
    return [build(type, ints(shape), () => zeroOf(type))];
  },
  slice_like: ([x, like], { axes }) => {
    const [from, other] = [present(x, "data"), present(like, "shape_like")];
    const cut =
      ints(axes).length > 0
        ? ints(axes).map((a) => fromFront(a, from.shape.length))
        : from.shape.map((_, i) => i);
    const shape = from.shape.map((extent, i) => (cut.includes(i) ? at(other.shape, i, "extent") : extent));
    return [build(from.dtype, shape, (index) => get(from, index))];
  },
  unravel_index: ([flat, extents]) => {
    const [places, dims] = [present(flat, "indices"), present(extents, "shape")];
    const shape = dims.elements.map(number);
    if (shape.some((extent) => extent < 1)) throw new Error("no oracle");
    return [
      build(places.dtype, [shape.length, ...places.shape], (index) => {
        const value = number(get(places, index.slice(1)));
        if (value < 0 || value >= count(shape)) throw new Error("outside");
        return BigInt(at(indexOf(shape, value), at(index, 0, "row"), "index"));
      }),
    ];
  },
};
