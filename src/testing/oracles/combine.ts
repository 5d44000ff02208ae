// Operators that combine many elements: reductions, scans, sorts, softmax.
import type { Attrs } from "../../compiler/ir/attrs.ts";
import { int32, isFloat, parseDType, type DType } from "../../compiler/ir/dtype.ts";
import { at, present } from "../../support/assert.ts";
import { castTo, type NdOracle } from "./elements.ts";
import { wrap } from "./integers.ts";
import { build, fromFront, get, indices, number, type Element, type Index, type Nd } from "./nd.ts";

const data = (args: readonly Nd[]): Nd => present(args[0], "data");

function axesOf({ shape }: Nd, { axis, exclude }: Attrs): readonly number[] {
  const all = shape.map((_, i) => i);
  if (axis === null || axis === undefined || (Array.isArray(axis) && axis.length === 0)) return all;
  const named = (Array.isArray(axis) ? (axis as readonly number[]) : [Number(axis)]).map((a) =>
    fromFront(a, shape.length),
  );
  return all.filter((i) => named.includes(i) !== (exclude === true));
}

/** The result's shape, and the elements that each of its elements is made from, in order. */
function reduced(
  x: Nd,
  attrs: Attrs,
  f: (elements: readonly Element[], dtype: DType) => Element,
  dtype = x.dtype,
): Nd {
  const axes = axesOf(x, attrs);
  const keep = attrs["keepdims"] === true;
  const shape = x.shape.flatMap((extent, i) => (axes.includes(i) ? (keep ? [1] : []) : [extent]));
  const inner = indices(axes.map((axis) => at(x.shape, axis, "extent")));
  const outer = x.shape.flatMap((_, i) => (axes.includes(i) ? [] : [i]));
  return build(dtype, shape, (index) => {
    const left = keep ? outer.map((i) => at(index, i, "index")) : index;
    return f(
      inner.map((within) => {
        const full = x.shape.map((_, i) =>
          axes.includes(i) ? at(within, axes.indexOf(i), "index") : at(left, outer.indexOf(i), "index"),
        );
        return get(x, full);
      }),
      x.dtype,
    );
  });
}

const sum = (elements: readonly Element[], dtype: DType): Element =>
  isFloat(dtype)
    ? elements.reduce<number>((a, b) => a + number(b), 0)
    : wrap(
        elements.reduce<bigint>((a, b) => a + BigInt(b), 0n),
        dtype,
      );

const product = (elements: readonly Element[], dtype: DType): Element =>
  isFloat(dtype)
    ? elements.reduce<number>((a, b) => a * number(b), 1)
    : wrap(
        elements.reduce<bigint>((a, b) => a * BigInt(b), 1n),
        dtype,
      );

const mean = (elements: readonly Element[], dtype: DType): Element => {
  const total = sum(elements, dtype);
  return typeof total === "bigint" ? total / BigInt(elements.length) : total / elements.length;
};

/** There is no greatest of nothing. */
function chosen(elements: readonly Element[], better: (a: Element, b: Element) => boolean): Element {
  if (elements.length === 0) throw new Error("of nothing");
  return elements.reduce((best, value) => (better(value, best) ? value : best));
}

const extreme =
  (better: (a: Element, b: Element) => boolean): NdOracle =>
  (args, attrs) => [reduced(data(args), attrs, (elements) => chosen(elements, better))];

const position =
  (better: (a: Element, b: Element) => boolean): NdOracle =>
  (args, attrs) => [
    reduced(
      data(args),
      attrs,
      (elements) => {
        const best = chosen(elements, better);
        const place =
          attrs["select_last_index"] === true ? elements.lastIndexOf(best) : elements.indexOf(best);
        return BigInt(place);
      },
      int32,
    ),
  ];

/** Runs along one axis: f of all elements of it gives all of the result's. */
function along(x: Nd, axis: number, f: (row: readonly Element[]) => readonly Element[], dtype = x.dtype): Nd {
  const place = fromFront(axis, x.shape.length);
  const rows = new Map<string, readonly Element[]>();
  const extent = at(x.shape, place, "extent");
  const length =
    extent === 0 ? 0 : f(Array.from({ length: extent }, () => at(x.elements, 0, "element"))).length;
  const shape = x.shape.map((n, i) => (i === place ? length : n));
  return build(dtype, shape, (index) => {
    const put = (k: number): Index => index.map((value, i) => (i === place ? k : value));
    const key = put(-1).join();
    let row = rows.get(key);
    if (row === undefined) rows.set(key, (row = f(Array.from({ length: extent }, (_, k) => get(x, put(k))))));
    return present(row[at(index, place, "index")], "element");
  });
}

const scan =
  (f: (a: Element, b: Element) => Element, start: 0 | 1): NdOracle =>
  (args, { axis, dtype: name, exclusive }) => {
    const given = data(args);
    const dtype =
      name === null || name === "" || name === undefined
        ? given.dtype
        : present(parseDType(String(name)), "dtype");
    const of = (value: Element): Element => castTo(value, dtype);
    const x = axis === null || axis === undefined ? { ...given, shape: [given.elements.length] } : given;
    return [
      along(
        x,
        axis === null || axis === undefined ? 0 : Number(axis),
        (row) => {
          let total: Element = isFloat(dtype) ? start : BigInt(start);
          return row.map((value) => {
            const before = total;
            total = of(f(total, of(value)));
            return exclusive === true ? before : total;
          });
        },
        dtype,
      ),
    ];
  };

/** Positions in order; equal elements keep theirs. */
function order(row: readonly Element[], ascending: boolean): readonly number[] {
  const places = row.map((_, i) => i);
  return places.sort((a, b) => {
    const [x, y] = [at(row, a, "element"), at(row, b, "element")];
    if (x === y) return a - b;
    return x < y === ascending ? -1 : 1;
  });
}

const asDType = (value: number, name: unknown): readonly [DType, Element] => {
  const dtype = present(parseDType(String(name)), "dtype");
  return [dtype, castTo(BigInt(value), dtype)];
};

function topk(x: Nd, { k, axis, ret_type: what, is_ascend: ascending, dtype: name }: Attrs): readonly Nd[] {
  const place = Number(axis);
  const most = Number(k) < 1 ? at(x.shape, fromFront(place, x.shape.length), "extent") : Number(k);
  const first = (row: readonly Element[]): readonly number[] => order(row, ascending === true).slice(0, most);
  const values = along(x, place, (row) => first(row).map((i) => at(row, i, "element")));
  const [dtype] = asDType(0, name);
  const places = along(x, place, (row) => first(row).map((i) => asDType(i, name)[1]), dtype);
  return what === "values" ? [values] : what === "indices" ? [places] : [values, places];
}

const softened =
  (log: boolean): NdOracle =>
  (args, { axis }) => [
    along(data(args), Number(axis), (row) => {
      const most = Math.max(...row.map(number));
      const total = row.reduce<number>((a, b) => a + Math.exp(number(b) - most), 0);
      return row.map((v) => (log ? number(v) - most - Math.log(total) : Math.exp(number(v) - most) / total));
    }),
  ];

export const combineOracles: Readonly<Record<string, NdOracle>> = {
  sum: (args, attrs) => [reduced(data(args), attrs, sum)],
  prod: (args, attrs) => [reduced(data(args), attrs, product)],
  mean: (args, attrs) => [reduced(data(args), attrs, mean)],
  max: extreme((a, b) => a > b),
  min: extreme((a, b) => a < b),
  all: (args, attrs) => [reduced(data(args), attrs, (list) => (list.every((v) => v !== 0n) ? 1n : 0n))],
  any: (args, attrs) => [reduced(data(args), attrs, (list) => (list.some((v) => v !== 0n) ? 1n : 0n))],
  argmax: position((a, b) => a > b),
  argmin: position((a, b) => a < b),
  cumsum: scan((a, b) => (typeof a === "bigint" ? a + BigInt(b) : a + number(b)), 0),
  cumprod: scan((a, b) => (typeof a === "bigint" ? a * BigInt(b) : a * number(b)), 1),
  sort: (args, { axis, is_ascend: up }) => [
    along(data(args), Number(axis), (row) => order(row, up !== false).map((i) => at(row, i, "element"))),
  ],
  argsort: (args, { axis, is_ascend: up, dtype: name }) => [
    along(
      data(args),
      Number(axis),
      (row) => order(row, up !== false).map((i) => asDType(i, name)[1]),
      asDType(0, name)[0],
    ),
  ],
  topk: (args, attrs) => topk(data(args), attrs),
  "nn.softmax": softened(false),
  "nn.log_softmax": softened(true),
};
