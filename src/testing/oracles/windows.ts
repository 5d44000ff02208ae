// Products and windows: dense, matmul, convolutions, pools.
import type { Attrs } from "../../compiler/ir/attrs.ts";
import { isFloat, parseDType, type DType } from "../../compiler/ir/dtype.ts";
import { at, present } from "../../support/assert.ts";
import type { NdOracle } from "./elements.ts";
import { wrap } from "./integers.ts";
import { build, get, indices, number, type Element, type Index, type Nd } from "./nd.ts";

const list = (attrs: Attrs, name: string): readonly number[] =>
  (attrs[name] as readonly number[] | null) ?? [];

/** The result's dtype: what out_dtype says, else the data's. */
function outType(x: Nd, { out_dtype: name }: Attrs): DType {
  return name === null || name === undefined || name === ""
    ? x.dtype
    : present(parseDType(String(name)), "dtype");
}

/** Products summed up; integers wrap in the result's dtype. */
function dot(pairs: readonly (readonly [Element, Element])[], dtype: DType): Element {
  if (isFloat(dtype)) return pairs.reduce((total, [a, b]) => total + number(a) * number(b), 0);
  if (dtype.code === "bool") throw new Error("no oracle");
  return wrap(
    pairs.reduce((total, [a, b]) => total + BigInt(a) * BigInt(b), 0n),
    dtype,
  );
}

const range = (n: number): readonly number[] => Array.from({ length: n }, (_, i) => i);

const product =
  (transposeA: (attrs: Attrs) => boolean, transposeB: (attrs: Attrs) => boolean): NdOracle =>
  ([left, right], attrs) => {
    const [a, b] = [present(left, "lhs"), present(right, "rhs")];
    const flip = (index: Index, flipped: boolean): Index =>
      flipped ? [...index.slice(0, -2), index.at(-1)!, index.at(-2)!] : index;
    const [ta, tb] = [transposeA(attrs), transposeB(attrs)];
    const depth = at(flip(a.shape, ta), a.shape.length - 1, "depth");
    const [m, n] = [flip(a.shape, ta).at(-2)!, flip(b.shape, tb).at(-1)!];
    const batch = a.shape.slice(0, -2).map((extent, i) => Math.max(extent, at(b.shape, i, "batch")));
    const dtype = outType(a, attrs);
    return [
      build(dtype, [...batch, m, n], (index) => {
        const [i, j] = [index.at(-2)!, index.at(-1)!];
        const places = (x: Nd): Index => batch.map((_, d) => (x.shape[d] === 1 ? 0 : at(index, d, "index")));
        const pairs = range(depth).map(
          (k) => [get(a, flip([...places(a), i, k], ta)), get(b, flip([...places(b), k, j], tb))] as const,
        );
        return dot(pairs, dtype);
      }),
    ];
  };

const dense: NdOracle = ([x, w], attrs) => {
  const [a, b] = [present(x, "data"), present(w, "weight")];
  const dtype = outType(a, attrs);
  const depth = a.shape.at(-1)!;
  return [
    build(dtype, [...a.shape.slice(0, -1), at(b.shape, 0, "units")], (index) =>
      dot(
        range(depth).map((k) => [get(a, [...index.slice(0, -1), k]), get(b, [index.at(-1)!, k])] as const),
        dtype,
      ),
    ),
  ];
};

/** Padding in front of and behind each axis, from one number, one an axis, or all. */
function padding(given: readonly number[], rank: number): readonly (readonly [number, number])[] {
  return range(rank).map((i) =>
    given.length === 1
      ? [at(given, 0, "padding"), at(given, 0, "padding")]
      : given.length === rank
        ? [at(given, i, "padding"), at(given, i, "padding")]
        : [at(given, i, "padding"), at(given, i + rank, "padding")],
  );
}

const spread = (given: readonly number[], rank: number): readonly number[] =>
  given.length === rank ? given : new Array<number>(rank).fill(given[0] ?? 1);

/** `shape` or index in the order of `to`, given in the order of `from`. */
const relaid = (values: readonly number[], from: string, to: string): readonly number[] =>
  Array.from(to, (letter) => at(values, from.indexOf(letter), letter));

const conv =
  (spatial: string): NdOracle =>
  ([x, w], attrs) => {
    const [a, b] = [present(x, "data"), present(w, "weight")];
    const rank = spatial.length;
    const [dataLayout, kernelLayout] = [String(attrs["data_layout"]), String(attrs["kernel_layout"])];
    const [plain, weights] = [`NC${spatial}`, `OI${spatial}`];
    if (
      dataLayout.length !== rank + 2 ||
      kernelLayout.length !== rank + 2 ||
      String(attrs["out_layout"] ?? "") !== ""
    )
      throw new Error("no oracle");
    const image = relaid(a.shape, dataLayout, plain);
    const kernel = relaid(b.shape, kernelLayout, weights);
    const groups = Number(attrs["groups"]);
    const [strides, dilation] = [spread(list(attrs, "strides"), rank), spread(list(attrs, "dilation"), rank)];
    const pads = padding(list(attrs, "padding"), rank);
    // Depthwise: O counts the input channels, I the results of each.
    const depthwise = groups > 1 && groups === image[1] && groups === kernel[0];
    const outs = depthwise ? kernel[0]! * kernel[1]! : kernel[0]!;
    const sizes = range(rank).map((i) => {
      const reach = (kernel[i + 2]! - 1) * dilation[i]! + 1;
      // A window that does not fit makes a result of nothing, or a mistake.
      if (image[i + 2]! + pads[i]![0] + pads[i]![1] < reach) throw new Error("no oracle");
      return Math.floor((image[i + 2]! + pads[i]![0] + pads[i]![1] - reach) / strides[i]!) + 1;
    });
    const inPer = depthwise ? 1 : image[1]! / groups;
    const dtype = outType(a, attrs);
    const taps = indices([inPer, ...kernel.slice(2)]);
    return [
      build(dtype, relaid([image[0]!, outs, ...sizes], plain, dataLayout), (place) => {
        const [n, c, ...out] = relaid(place, dataLayout, plain) as [number, number, ...number[]];
        const group = Math.floor(c / (outs / groups));
        const pairs = taps.flatMap(([within, ...tap]) => {
          const at2 = out.map((o, i) => o * strides[i]! - pads[i]![0] + tap[i]! * dilation[i]!);
          if (at2.some((p, i) => p < 0 || p >= image[i + 2]!)) return [];
          const from = get(a, relaid([n, group * inPer + within!, ...at2], plain, dataLayout));
          const weight = depthwise ? [Math.floor(c / kernel[1]!), c % kernel[1]!] : [c, within!];
          return [[from, get(b, relaid([...weight, ...tap], weights, kernelLayout))] as const];
        });
        return dot(pairs, dtype);
      }),
    ];
  };

const pool =
  (spatial: string, kind: "max" | "avg"): NdOracle =>
  ([x], attrs) => {
    const a = present(x, "data");
    const rank = spatial.length;
    const plain = `NC${spatial}`;
    const layout = String(attrs["layout"]);
    if (layout.length !== rank + 2 || (attrs["out_layout"] ?? "") !== "") throw new Error("no oracle");
    const image = relaid(a.shape, layout, plain);
    const kernel = spread(list(attrs, "pool_size"), rank);
    const [strides, dilation] = [spread(list(attrs, "strides"), rank), spread(list(attrs, "dilation"), rank)];
    const pads = padding(list(attrs, "padding"), rank);
    const rounded = attrs["ceil_mode"] === true ? Math.ceil : Math.floor;
    const sizes = range(rank).map((i) => {
      const reach = (kernel[i]! - 1) * dilation[i]! + 1;
      if (image[i + 2]! + pads[i]![0] + pads[i]![1] < reach) throw new Error("no oracle");
      return rounded((image[i + 2]! + pads[i]![0] + pads[i]![1] - reach) / strides[i]!) + 1;
    });
    const taps = indices(kernel);
    return [
      build(a.dtype, relaid([image[0]!, image[1]!, ...sizes], plain, layout), (place) => {
        const [n, c, ...out] = relaid(place, layout, plain) as [number, number, ...number[]];
        const inside: Element[] = [];
        for (const tap of taps) {
          const from = out.map((o, i) => o * strides[i]! - pads[i]![0] + tap[i]! * dilation[i]!);
          if (from.every((p, i) => p >= 0 && p < image[i + 2]!))
            inside.push(get(a, relaid([n, c, ...from], plain, layout)));
        }
        // What a window is that lies outside altogether, TVM and others see otherwise.
        if (inside.length === 0) throw new Error("no oracle");
        if (kind === "max") return inside.reduce((most, v) => (v > most ? v : most));
        if (
          attrs["count_include_pad"] === true &&
          (attrs["ceil_mode"] === true || dilation.some((d) => d > 1))
        )
          throw new Error("no oracle");
        const n2 = attrs["count_include_pad"] === true ? taps.length : inside.length;
        if (!isFloat(a.dtype)) throw new Error("no oracle");
        return inside.reduce<number>((total, v) => total + number(v), 0) / n2;
      }),
    ];
  };

const globalPool =
  (kind: "max" | "avg"): NdOracle =>
  ([x], { layout }) => {
    const a = present(x, "data");
    if (layout !== "NCHW" && layout !== "NHWC") throw new Error("no oracle");
    const [h, w] = Array.from(layout).flatMap((letter, i) => (letter === "H" || letter === "W" ? [i] : []));
    const shape = a.shape.map((extent, i) => (i === h || i === w ? 1 : extent));
    const within = indices([a.shape[h!]!, a.shape[w!]!]);
    return [
      build(a.dtype, shape, (index) => {
        const list2 = within.map(([y, z]) =>
          get(
            a,
            index.map((v, i) => (i === h ? y! : i === w ? z! : v)),
          ),
        );
        if (list2.length === 0 || !isFloat(a.dtype)) throw new Error("no oracle");
        if (kind === "max") return Math.max(...list2.map(number));
        return list2.reduce<number>((total, v) => total + number(v), 0) / list2.length;
      }),
    ];
  };

const flag =
  (name: string) =>
  (attrs: Attrs): boolean =>
    attrs[name] === true;

export const windowOracles: Readonly<Record<string, NdOracle>> = {
  "nn.dense": dense,
  "nn.matmul": product(flag("transpose_a"), flag("transpose_b")),
  "nn.batch_matmul": product(flag("transpose_a"), flag("transpose_b")),
  "nn.conv1d": conv("W"),
  "nn.conv2d": conv("HW"),
  "nn.conv3d": conv("DHW"),
  "nn.max_pool1d": pool("W", "max"),
  "nn.max_pool2d": pool("HW", "max"),
  "nn.max_pool3d": pool("DHW", "max"),
  "nn.avg_pool1d": pool("W", "avg"),
  "nn.avg_pool2d": pool("HW", "avg"),
  "nn.avg_pool3d": pool("DHW", "avg"),
  "nn.global_max_pool2d": globalPool("max"),
  "nn.global_avg_pool2d": globalPool("avg"),
  "nn.bias_add": ([x, bias], { axis }) => {
    const [a, b] = [present(x, "data"), present(bias, "bias")];
    const place = Number(axis) < 0 ? Number(axis) + a.shape.length : Number(axis);
    return [
      build(a.dtype, a.shape, (index) => {
        const [v, add] = [get(a, index), get(b, [at(index, place, "index")])];
        return typeof v === "bigint" ? wrap(v + BigInt(add), a.dtype) : v + number(add);
      }),
    ];
  },
};
