// Random ONNX files of one node, with inputs, for ONNX Runtime to say what is right.
import { fromNumbers } from "../../compiler/frontend/values.ts";
import { bool, float32, int32, int64, type DType } from "../../compiler/ir/dtype.ts";
import type { TensorData } from "../../compiler/ir/tensor-data.ts";
import type { FileAttr, FileTensor, OnnxFile } from "../harness/onnx-writer.ts";
import type { Random } from "./random.ts";
import { randomTensor } from "./values.ts";

export interface OnnxNode {
  readonly file: OnnxFile;
  readonly inputs: ReadonlyMap<string, TensorData>;
}

interface Input {
  readonly dtype?: DType;
  readonly shape: readonly number[];
  /** Least element. */
  readonly least?: number;
  /** Elements in place of random ones. */
  readonly values?: readonly number[];
}

interface NodeSpec {
  readonly op: string;
  readonly ins: readonly Input[];
  /** Initializers, after the inputs. */
  readonly consts?: readonly TensorData[];
  readonly attrs?: Readonly<Record<string, FileAttr>>;
  readonly outs?: number;
  readonly opset?: number;
}

type Maker = (rng: Random) => NodeSpec;

const extent = (rng: Random): number => (rng.chance(0.03) ? 0 : rng.pick([1, 1, 2, 3, 4, 5, 7, 8, 9]));
const shapeOf = (rng: Random, rank = rng.below(5)): number[] =>
  Array.from({ length: rank }, () => extent(rng));
/** Without extents of 0. */
const full = (rng: Random, rank = 1 + rng.below(4)): number[] =>
  shapeOf(rng, rank).map((n) => Math.max(1, n));
const indices = (...values: number[]): TensorData => fromNumbers(int64, [values.length], values);
const anyAxis = (rng: Random, rank: number): number => rng.below(2 * rank) - rank;
const numeric = (rng: Random): DType => rng.pick([float32, float32, int32, int64]);

/** A shape that broadcasts with `shape`. */
function broadcasting(rng: Random, shape: readonly number[]): number[] {
  const from = rng.chance(0.3) ? rng.below(shape.length + 1) : 0;
  return shape.slice(from).map((n) => (rng.chance(0.25) ? 1 : n));
}

function subset(rng: Random, rank: number): number[] {
  const all = Array.from({ length: rank }, (_, i) => i).filter(() => rng.chance(0.5));
  const axes = all.length > 0 ? all : [rng.below(rank)];
  return axes.map((axis) => (rng.chance(0.3) ? axis - rank : axis));
}

const unary =
  (op: string, least?: number, attrs: Readonly<Record<string, FileAttr>> = {}): Maker =>
  (rng) => ({ op, ins: [{ shape: shapeOf(rng), ...(least === undefined ? {} : { least }) }], attrs });

const binary =
  (op: string, dtypes: readonly DType[], least?: number): Maker =>
  (rng) => {
    const shape = shapeOf(rng);
    const dtype = rng.pick(dtypes);
    const second = { dtype, shape: broadcasting(rng, shape), ...(least === undefined ? {} : { least }) };
    return { op, ins: [{ dtype, shape }, second] };
  };

const reduction =
  (op: string, dtypes: readonly DType[], least?: number): Maker =>
  (rng) => {
    const shape = full(rng);
    const axes = subset(rng, shape.length);
    const keepdims = rng.below(2);
    const input = { dtype: rng.pick(dtypes), shape, ...(least === undefined ? {} : { least }) };
    if (op === "ReduceSum") return { op, ins: [input], consts: [indices(...axes)], attrs: { keepdims } };
    return { op, ins: [input], attrs: { keepdims, ...(rng.chance(0.2) ? {} : { axes }) } };
  };

function windowAttrs(
  rng: Random,
  image: readonly number[],
  kernel: readonly number[],
): Record<string, FileAttr> {
  const attrs: Record<string, FileAttr> = {};
  if (rng.chance(0.6)) attrs["strides"] = image.map(() => 1 + rng.below(3));
  if (rng.chance(0.2)) attrs["auto_pad"] = rng.pick(["SAME_UPPER", "SAME_LOWER", "VALID"]);
  else if (rng.chance(0.6)) {
    const pads = [...kernel, ...kernel].map((size) => rng.below(size));
    attrs["pads"] = pads;
  }
  return attrs;
}

const conv: Maker = (rng) => {
  const rank = rng.pick([1, 2, 2, 2, 3]);
  const kernel = Array.from({ length: rank }, () => 1 + rng.below(3));
  const image = kernel.map((size) => size + rng.below(6));
  const group = rng.pick([1, 1, 2, 3]);
  const [inPer, outPer] = [1 + rng.below(3), 1 + rng.below(3)];
  const ins = [
    { shape: [1 + rng.below(2), group * inPer, ...image] },
    { shape: [group * outPer, inPer, ...kernel] },
  ];
  const attrs = { ...windowAttrs(rng, image, kernel), group };
  return { op: "Conv", ins: rng.chance(0.5) ? [...ins, { shape: [group * outPer] }] : ins, attrs };
};

const convTranspose: Maker = (rng) => {
  const rank = rng.pick([1, 2, 2]);
  const kernel = Array.from({ length: rank }, () => 1 + rng.below(3));
  const image = kernel.map(() => 1 + rng.below(5));
  const group = rng.pick([1, 1, 2]);
  const [inPer, outPer] = [1 + rng.below(3), 1 + rng.below(3)];
  const strides = kernel.map(() => 1 + rng.below(3));
  const attrs = { group, strides, output_padding: strides.map((stride) => rng.below(stride)) };
  const ins = [{ shape: [1, group * inPer, ...image] }, { shape: [group * inPer, outPer, ...kernel] }];
  return { op: "ConvTranspose", ins, attrs };
};

const pool =
  (op: string): Maker =>
  (rng) => {
    const rank = rng.pick([1, 2, 2, 3]);
    const kernel = Array.from({ length: rank }, () => 1 + rng.below(3));
    const image = kernel.map((size) => size + rng.below(6));
    const attrs = { kernel_shape: kernel, ...windowAttrs(rng, image, kernel), ceil_mode: rng.below(2) };
    const included = op === "AveragePool" ? { count_include_pad: rng.below(2) } : {};
    return {
      op,
      ins: [{ shape: [1 + rng.below(2), extent(rng) || 1, ...image] }],
      attrs: { ...attrs, ...included },
    };
  };

const matMul: Maker = (rng) => {
  const [m, k, n] = [extent(rng), extent(rng), extent(rng)];
  const batch = shapeOf(rng, rng.below(3)).map((size) => Math.max(1, size));
  const [a, b] = [
    [...batch, m, k],
    [...broadcasting(rng, batch), k, n],
  ];
  return { op: "MatMul", ins: [{ shape: rng.chance(0.1) ? [k] : a }, { shape: rng.chance(0.1) ? [k] : b }] };
};

const gemm: Maker = (rng) => {
  const [m, k, n] = [extent(rng) || 1, extent(rng) || 1, extent(rng) || 1];
  const [transA, transB] = [rng.below(2), rng.below(2)];
  const ins = [{ shape: transA ? [k, m] : [m, k] }, { shape: transB ? [n, k] : [k, n] }];
  const attrs = { transA, transB, alpha: { float: 0.5 }, beta: { float: 2 } };
  return {
    op: "Gemm",
    ins: rng.chance(0.7) ? [...ins, { shape: rng.pick([[n], [m, n], [1, n], [m, 1], []]) }] : ins,
    attrs,
  };
};

const slice: Maker = (rng) => {
  const shape = full(rng);
  const axes = subset(rng, shape.length);
  const place = (): number => rng.pick([0, 1, -1, 2, -2, 100, -100, 3]);
  const steps = axes.map(() => rng.pick([1, 1, 2, -1, -2, 3]));
  return {
    op: "Slice",
    ins: [{ dtype: numeric(rng), shape }],
    consts: [indices(...axes.map(place)), indices(...axes.map(place)), indices(...axes), indices(...steps)],
  };
};

const pad: Maker = (rng) => {
  const shape = full(rng).map((n) => n + 1);
  const mode = rng.pick(["constant", "reflect", "edge"]);
  const amount = (n: number): number =>
    mode === "constant" && rng.chance(0.2) ? -1 : rng.below(Math.min(n, 3));
  const pads = [...shape.map(amount), ...shape.map(amount)];
  return { op: "Pad", ins: [{ shape }], consts: [indices(...pads)], attrs: { mode } };
};

const gather: Maker = (rng) => {
  const shape = full(rng);
  const axis = anyAxis(rng, shape.length);
  const n = shape.at(axis)!;
  const at = shapeOf(rng, rng.below(3));
  const count = at.reduce((a, b) => a * b, 1);
  const values = Array.from({ length: count }, () => rng.below(2 * n) - n);
  return {
    op: "Gather",
    ins: [
      { dtype: numeric(rng), shape },
      { dtype: int64, shape: at, values },
    ],
    attrs: { axis },
  };
};

const gatherElements: Maker = (rng) => {
  const shape = full(rng);
  const axis = anyAxis(rng, shape.length);
  const place = axis < 0 ? axis + shape.length : axis;
  const at = shape.map((n, i) => (i === place ? extent(rng) || 1 : 1 + rng.below(n)));
  const count = at.reduce((a, b) => a * b, 1);
  const n = shape[place]!;
  const values = Array.from({ length: count }, () => rng.below(2 * n) - n);
  return { op: "GatherElements", ins: [{ shape }, { dtype: int64, shape: at, values }], attrs: { axis } };
};

const concat: Maker = (rng) => {
  const shape = full(rng);
  const axis = anyAxis(rng, shape.length);
  const place = axis < 0 ? axis + shape.length : axis;
  const dtype = numeric(rng);
  const ins = Array.from({ length: 1 + rng.below(3) }, () => ({
    dtype,
    shape: shape.map((n, i) => (i === place ? extent(rng) : n)),
  }));
  return { op: "Concat", ins, attrs: { axis } };
};

const split: Maker = (rng) => {
  const shape = full(rng);
  const axis = rng.below(shape.length);
  const sizes = Array.from({ length: 1 + rng.below(3) }, () => extent(rng));
  shape[axis] = sizes.reduce((a, b) => a + b, 0);
  return {
    op: "Split",
    ins: [{ shape }],
    consts: [indices(...sizes)],
    attrs: { axis: rng.chance(0.5) ? axis : axis - shape.length },
    outs: sizes.length,
  };
};

const transpose: Maker = (rng) => {
  const shape = shapeOf(rng);
  const left = shape.map((_, i) => i);
  const perm = shape.map(() => left.splice(rng.below(left.length), 1)[0]!);
  return { op: "Transpose", ins: [{ dtype: numeric(rng), shape }], attrs: perm.length > 0 ? { perm } : {} };
};

const reshape: Maker = (rng) => {
  const shape = full(rng);
  const total = shape.reduce((a, b) => a * b, 1);
  const target = rng.pick([[-1], [total], [1, -1], [-1, 1], [0, -1], [total, 1, 1], shape]);
  return { op: "Reshape", ins: [{ shape }], consts: [indices(...target)] };
};

const cumSum: Maker = (rng) => {
  const shape = full(rng);
  const axis = fromNumbers(int64, [], [anyAxis(rng, shape.length)]);
  const attrs = { exclusive: rng.below(2), reverse: rng.below(2) };
  return { op: "CumSum", ins: [{ dtype: numeric(rng), shape }], consts: [axis], attrs };
};

const topK: Maker = (rng) => {
  const shape = full(rng);
  const axis = anyAxis(rng, shape.length);
  const k = 1 + rng.below(shape.at(axis)!);
  const attrs = { axis, largest: rng.below(2), sorted: 1 };
  return { op: "TopK", ins: [{ shape }], consts: [indices(k)], attrs, outs: 2 };
};

const argReduction =
  (op: string): Maker =>
  (rng) => {
    const shape = full(rng);
    const attrs = {
      axis: anyAxis(rng, shape.length),
      keepdims: rng.below(2),
      select_last_index: rng.below(2),
    };
    return { op, ins: [{ dtype: rng.pick([float32, int32]), shape }], attrs };
  };

const softmax =
  (op: string): Maker =>
  (rng) => {
    const shape = full(rng);
    return { op, ins: [{ shape }], attrs: { axis: anyAxis(rng, shape.length) } };
  };

const where: Maker = (rng) => {
  const shape = shapeOf(rng);
  const dtype = numeric(rng);
  const ins = [
    { dtype: bool, shape: broadcasting(rng, shape) },
    { dtype, shape },
    { dtype, shape: broadcasting(rng, shape) },
  ];
  return { op: "Where", ins };
};

const norm =
  (op: string): Maker =>
  (rng) => {
    const shape = full(rng, 3 + rng.below(2));
    const channels = { shape: [shape[1]!] };
    const positive = { shape: [shape[1]!], least: 0.125 };
    if (op === "InstanceNormalization") return { op, ins: [{ shape }, channels, channels] };
    return { op, ins: [{ shape }, channels, channels, channels, positive] };
  };

const resize: Maker = (rng) => {
  const image = [1 + rng.below(5), 1 + rng.below(5)];
  const scales = [1, 1, rng.pick([0.5, 1, 1.5, 2, 3]), rng.pick([1, 2, 2.5])];
  const mode = rng.pick(["nearest", "linear"]);
  const coordinates = ["half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"];
  const rounding =
    mode === "nearest"
      ? { nearest_mode: rng.pick(["floor", "ceil", "round_prefer_floor", "round_prefer_ceil"]) }
      : {};
  return {
    op: "Resize",
    ins: [{ shape: [1, 1 + rng.below(3), ...image] }],
    consts: [fromNumbers(float32, [0], []), fromNumbers(float32, [4], scales)],
    attrs: { mode, coordinate_transformation_mode: rng.pick(coordinates), ...rounding },
  };
};

const floats = [float32];
const numbers = [float32, float32, int32, int64];

const makers: readonly Maker[] = [
  ...[
    "Abs",
    "Neg",
    "Exp",
    "Floor",
    "Ceil",
    "Round",
    "Sin",
    "Cos",
    "Atan",
    "Sinh",
    "Cosh",
    "Asinh",
    "Tanh",
  ].map((op) => unary(op)),
  ...["Sigmoid", "Erf", "Softplus", "Softsign", "Relu", "Elu", "Selu", "HardSigmoid", "Sign", "Celu"].map(
    (op) => unary(op),
  ),
  ...["Log", "Sqrt", "Reciprocal"].map((op) => unary(op, 0.125)),
  unary("Acosh", 1),
  unary("LeakyRelu", undefined, { alpha: { float: 0.3 } }),
  unary("ThresholdedRelu", undefined, { alpha: { float: 0.5 } }),
  ...["Add", "Sub", "Mul", "Max", "Min"].map((op) => binary(op, numbers)),
  binary("Div", numbers, 1),
  binary("Mod", [int32, int64], 1),
  ...["Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual"].map((op) => binary(op, numbers)),
  ...["And", "Or", "Xor"].map((op) => binary(op, [bool])),
  binary("PRelu", floats),
  ...["ReduceSum", "ReduceMax", "ReduceMin"].map((op) => reduction(op, [float32, int32])),
  ...["ReduceMean", "ReduceProd", "ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceLogSumExp"].map((op) =>
    reduction(op, floats),
  ),
  reduction("ReduceLogSum", floats, 0.5),
  ...["ArgMax", "ArgMin"].map(argReduction),
  ...["Softmax", "LogSoftmax", "Hardmax"].map(softmax),
  ...["MaxPool", "AveragePool"].map(pool),
  ...["BatchNormalization", "InstanceNormalization"].map(norm),
  ...[
    conv,
    conv,
    convTranspose,
    matMul,
    gemm,
    slice,
    slice,
    pad,
    gather,
    gatherElements,
    concat,
    split,
    transpose,
  ],
  ...[reshape, cumSum, topK, where, resize],
  (rng) => ({ op: "Flatten", ins: [{ shape: full(rng, 3) }], attrs: { axis: rng.below(7) - 3 } }),
  (rng) => ({
    op: "Clip",
    ins: [{ shape: shapeOf(rng) }],
    consts: [fromNumbers(float32, [], [-1]), fromNumbers(float32, [], [rng.below(4) - 1.5])],
  }),
  (rng) => ({ op: "Expand", ins: [{ shape: [1, 3, 1] }], consts: [indices(extent(rng), 1, 3, extent(rng))] }),
  (rng) => ({
    op: "Tile",
    ins: [{ shape: full(rng, 2) }],
    consts: [indices(rng.below(4), 1 + rng.below(3))],
  }),
  (rng) => ({
    op: rng.pick(["DepthToSpace", "SpaceToDepth"]),
    ins: [{ shape: [1, 8, 2, 4] }],
    attrs: { blocksize: 2 },
  }),
  (rng) => ({ op: "LRN", ins: [{ shape: full(rng, 4) }], attrs: { size: rng.pick([1, 3, 5]) } }),
  (rng) => ({
    op: rng.pick(["GlobalAveragePool", "GlobalMaxPool"]),
    ins: [{ shape: full(rng, 3 + rng.below(2)) }],
  }),
];

export function randomOnnxNode(rng: Random): OnnxNode {
  const spec = rng.pick(makers)(rng);
  const inputs: Record<string, FileTensor> = {};
  const values = new Map<string, TensorData>();
  for (const [i, { dtype = float32, shape, least, values: given }] of spec.ins.entries()) {
    inputs[`x${i}`] = { dtype, shape };
    const style = { edges: 0, ...(least === undefined ? {} : { least }) };
    values.set(
      `x${i}`,
      given === undefined ? randomTensor(rng, dtype, shape, style) : fromNumbers(dtype, shape, given),
    );
  }
  const constants = Object.fromEntries((spec.consts ?? []).map((data, i) => [`c${i}`, data]));
  const outputs = Array.from({ length: spec.outs ?? 1 }, (_, i) => `y${i}`);
  const node = {
    op: spec.op,
    in: [...Object.keys(inputs), ...Object.keys(constants)],
    out: outputs,
    attrs: spec.attrs ?? {},
  };
  const file: OnnxFile = { opset: spec.opset ?? 13, inputs, outputs, nodes: [node], initializers: constants };
  return { file, inputs: values };
}

/** The node in a line. */
export function nodeText({ nodes, inputs, initializers }: OnnxFile): string {
  const tensors = Object.entries(inputs).map(
    ([name, { dtype, shape }]) => `${name}: ${dtype.name} (${shape.join(", ")})`,
  );
  const constants = Object.entries(initializers ?? {}).map(
    ([name, { data }]) => `${name} = [${[...data].join(", ")}]`,
  );
  const [node] = nodes;
  return `${node?.op ?? ""}(${[...tensors, ...constants].join("; ")}) ${JSON.stringify(node?.attrs ?? {})}`;
}
