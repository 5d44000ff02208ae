// Shapes, slices, gathers and layouts.  TVM: python/tvm/relay/frontend/tflite.py (convert_reshape,
// convert_split, …)
import { float32, int32, int64 } from "../../../ir/dtype.ts";
import { tensorData } from "../../../ir/tensor-data.ts";
import { staticShape } from "../../../ir/type.ts";
import type { Expr } from "../../../relay/expr.ts";
import { byte, flag, int, ints } from "../flatbuffer.ts";
import {
  constantOf,
  field,
  fields,
  rankOf,
  refuse,
  scalarOf,
  shapeOf,
  typeOf,
  listed,
} from "../../import-node.ts";
import { numbersOf } from "../../values.ts";
import {
  call,
  dtypeOf,
  exprOf,
  input,
  intOf,
  intsOf,
  isConstant,
  option,
  output,
  valueOf,
  type TfNode,
} from "../graph.ts";
import {
  isWide,
  requantize,
  requireSameQuant,
  sameQuant,
  scaleOf,
  withActivation,
  zeroPointOf,
  zeroPointValue,
} from "../quant.ts";
import { tfOp, type TfOp } from "./op-table.ts";

const first = (n: TfNode): Expr => exprOf(n, input(n, 0));

/** Operators that move elements keep the scale. */
function keepsQuant(n: TfNode): void {
  if (input(n, 0).quant !== null) requireSameQuant(n, [input(n, 0), output(n)]);
}

const reshape = tfOp("RESHAPE", (n) => {
  const [from, to] = [input(n, 0), output(n)];
  const given = n.inputs[1] ?? null;
  const newshape =
    given === null
      ? n.op.options === null
        ? null
        : ints(n.op.options, 0)
      : numbersOf(valueOf(n, given, "the new shape"));
  const result = call(n, "reshape", [first(n)], { newshape: newshape ?? to.shape });
  if (from.quant === null || to.quant === null || sameQuant(n, from, to)) return result;
  if (dtypeOf(n, from).name === "int8") requireSameQuant(n, [from, to]);
  return requantize(n, result, from, to);
});

const squeeze = tfOp("SQUEEZE", (n) => {
  const axis = n.op.options === null ? null : ints(n.op.options, 0);
  return call(n, "squeeze", [first(n)], { axis: axis === null || axis.length === 0 ? null : axis });
});

const expandDims = tfOp("EXPAND_DIMS", (n) => {
  keepsQuant(n);
  return call(n, "expand_dims", [first(n)], { axis: intOf(n, 1, "the axis"), num_newaxis: 1 });
});

const transpose = tfOp("TRANSPOSE", (n) => {
  const axes = intsOf(n, 1, "the order of axes");
  return call(n, "transpose", [first(n)], { axes: axes.length === 0 ? null : axes });
});

const concatenation = tfOp("CONCATENATION", (n) => concatenate(n));

function concatenate(n: TfNode): Expr {
  const tensors = [input(n, 0), ...n.inputs.slice(1).map((_, i) => input(n, i + 1))] as const;
  const to = output(n);
  const apart = isWide(n, tensors[0]);
  const data = fields(
    n,
    tensors.map((tensor) => (apart ? requantize(n, exprOf(n, tensor), tensor, to) : exprOf(n, tensor))),
  );
  const axis = option(n, int, 0, 0);
  if (tensors[0].quant === null || apart)
    return withActivation(n, call(n, "concatenate", [data], { axis }), option(n, byte, 1, 0));
  const joined = call(
    n,
    "qnn.concatenate",
    [
      data,
      fields(
        n,
        tensors.map((tensor) => scaleOf(n, tensor)),
      ),
      fields(
        n,
        tensors.map((tensor) => zeroPointOf(n, tensor)),
      ),
      scaleOf(n, to),
      zeroPointOf(n, to),
    ],
    { axis },
  );
  return withActivation(n, joined, option(n, byte, 1, 0));
}

const pack = tfOp("PACK", (n) => {
  const tensors = [input(n, 0), ...n.inputs.slice(1).map((_, i) => input(n, i + 1))] as const;
  if (tensors[0].quant !== null) requireSameQuant(n, [...tensors, output(n)]);
  const axis = option(n, int, 1, 0);
  const parts = tensors.map((tensor) =>
    call(n, "expand_dims", [exprOf(n, tensor)], { axis, num_newaxis: 1 }),
  );
  return call(n, "concatenate", [fields(n, parts)], { axis });
});

const unpack = tfOp("UNPACK", (n) => {
  const [count, axis] = [option(n, int, 0, 1), option(n, int, 1, 0)];
  // TVM squeezes all axes of one element where axis is 0; the one that was split is meant.
  const shape = shapeOf(n, first(n));
  const others = shape.some((dim, i) => dim === 1 && i !== 0);
  const squeezed = { axis: axis === 0 && !others ? null : [axis] };
  if (count === 1) return call(n, "squeeze", [first(n)], squeezed);
  const split = call(n, "split", [first(n)], { indices_or_sections: count, axis });
  return Array.from({ length: count }, (_, i) => call(n, "squeeze", [field(n, split, i)], squeezed));
});

/** One piece is the tensor itself. */
function pieces(
  n: TfNode,
  data: Expr,
  sections: number | readonly number[],
  axis: number,
): Expr | readonly Expr[] {
  const count = typeof sections === "number" ? sections : sections.length + 1;
  const split = call(n, "split", [data], { indices_or_sections: sections, axis });
  return count === 1 ? field(n, split, 0) : Array.from({ length: count }, (_, i) => field(n, split, i));
}

const split = tfOp("SPLIT", (n) =>
  pieces(n, exprOf(n, input(n, 1)), option(n, int, 0, 1), intOf(n, 0, "the axis")),
);

const splitV = tfOp("SPLIT_V", (n) => {
  const axis = intOf(n, 2, "the axis");
  const shape = shapeOf(n, first(n));
  const extent =
    shape[axis < 0 ? axis + shape.length : axis] ??
    refuse(n, "the axis is out of range", { got: String(axis) });
  const sizes = intsOf(n, 1, "the sizes");
  const known = sizes.reduce((sum, size) => sum + Math.max(size, 0), 0);
  const all = sizes.map((size) => (size < 0 ? extent - known : size));
  const ends = all.map((_, i) => all.slice(0, i + 1).reduce((a, b) => a + b, 0));
  return pieces(n, first(n), ends.slice(0, -1), axis);
});

const slice = tfOp("SLICE", (n) => {
  const shape = shapeOf(n, first(n));
  const begin = intsOf(n, 1, "the begin");
  const end = intsOf(n, 2, "the size").map((size, i) =>
    size === -1 ? listed(n, shape, i, "axes") : listed(n, begin, i, "begins") + size,
  );
  return call(n, "strided_slice", [first(n)], { begin, end, strides: [1] });
});

interface Masks {
  readonly begin: number;
  readonly end: number;
  readonly ellipsis: number;
  readonly newAxis: number;
  readonly shrink: number;
}

interface Slices {
  readonly begin: number[];
  readonly end: number[];
  readonly strides: number[];
  /** What the result's dimensions are: the number of an axis, "new" for one of 1. */
  readonly dims: (number | "new")[];
}

/** Begin, end and strides of every axis of the data, once masks are taken into account. */
function unmasked(
  n: TfNode,
  shape: readonly number[],
  given: {
    readonly begin: readonly number[];
    readonly end: readonly number[];
    readonly strides: readonly number[];
  },
  masks: Masks,
): Slices {
  const out: Slices = { begin: [], end: [], strides: [], dims: [] };
  const whole = (): void => {
    out.dims.push(out.begin.length);
    out.end.push(listed(n, shape, out.begin.length, "axes"));
    out.begin.push(0);
    out.strides.push(1);
  };
  const entries = given.strides.length;
  const consuming = (from: number): number =>
    Array.from({ length: entries - from }, (_, i) => from + i).filter(
      (i) => ((masks.newAxis | masks.ellipsis) & (1 << i)) === 0,
    ).length;
  for (let i = 0; i < entries; i++) {
    const bit = 1 << i;
    const axis = out.begin.length;
    if ((masks.ellipsis & bit) !== 0) {
      const until = shape.length - consuming(i + 1);
      while (out.begin.length < until) whole();
    } else if ((masks.newAxis & bit) !== 0) out.dims.push("new");
    else {
      const dim =
        shape[axis] ??
        refuse(n, "it slices more axes than there are", {
          expected: `at most ${shape.length}`,
          got: String(entries),
        });
      sliceAxis(
        out,
        {
          dim,
          begin: listed(n, given.begin, i, "begins"),
          end: listed(n, given.end, i, "ends"),
          stride: listed(n, given.strides, i, "strides"),
        },
        {
          begin: (masks.begin & bit) !== 0,
          end: (masks.end & bit) !== 0,
          shrink: (masks.shrink & bit) !== 0,
        },
      );
    }
  }
  while (out.begin.length < shape.length) whole();
  return out;
}

function sliceAxis(
  out: Slices,
  s: { readonly dim: number; readonly begin: number; readonly end: number; readonly stride: number },
  mask: { readonly begin: boolean; readonly end: boolean; readonly shrink: boolean },
): void {
  if (mask.shrink) {
    const at = s.begin < 0 ? s.begin + s.dim : s.begin;
    out.begin.push(at);
    out.end.push(at + 1);
    out.strides.push(1);
    return;
  }
  out.dims.push(out.begin.length);
  out.begin.push(mask.begin ? (s.stride < 0 ? s.dim : 0) : s.begin);
  // Backward to the first element: an end before it, which counting from the back cannot say otherwise.
  out.end.push(mask.end ? (s.stride < 0 ? -s.dim - 1 : s.dim) : s.end);
  out.strides.push(s.stride);
}

const stridedSlice = tfOp("STRIDED_SLICE", (n) => {
  const data = first(n);
  const shape = shapeOf(n, data);
  const [begin, strides] = [intsOf(n, 1, "the begin"), intsOf(n, 3, "the strides")];
  const given = intsOf(n, 2, "the end");
  const end = option(n, flag, 5, false)
    ? given.map((value, i) => value + listed(n, begin, i, "begins"))
    : given;
  const masks: Masks = {
    begin: option(n, int, 0, 0),
    end: option(n, int, 1, 0),
    ellipsis: option(n, int, 2, 0),
    newAxis: option(n, int, 3, 0),
    shrink: option(n, int, 4, 0),
  };
  const plain = Object.values(masks).every((mask) => mask === 0);
  const slices = plain
    ? { begin, end, strides, dims: shape.map((_, i) => i) }
    : unmasked(n, shape, { begin, end, strides }, masks);
  const cut = call(n, "strided_slice", [data], {
    begin: slices.begin,
    end: slices.end,
    strides: slices.strides,
  });
  const cutShape = shapeOf(n, cut);
  if (slices.dims.length === 0) return call(n, "squeeze", [cut], { axis: cutShape.map((_, i) => i) });
  return call(n, "reshape", [cut], {
    newshape: slices.dims.map((dim) => (dim === "new" ? 1 : listed(n, cutShape, dim, "axes"))),
  });
});

const gather = tfOp("GATHER", (n) => {
  const [data, indices] = [first(n), input(n, 1)];
  const shape = shapeOf(n, data);
  const given = option(n, int, 0, 0);
  const axis = given < 0 ? given + shape.length : given;
  const extent = shape[axis] ?? refuse(n, "the axis is out of range", { got: String(given) });
  if (isConstant(n, indices)) {
    const bad = intsOf(n, 1, "the indices").find((index) => index < 0 || index >= extent);
    if (bad !== undefined)
      return refuse(n, "an index is out of range", { expected: `0 to ${extent - 1}`, got: String(bad) });
  }
  return call(n, "take", [data, exprOf(n, indices)], {
    axis,
    batch_dims: option(n, int, 1, 0),
    mode: "fast",
  });
});

const gatherNd = tfOp("GATHER_ND", (n) => {
  const indices = exprOf(n, input(n, 1));
  const rank = rankOf(n, indices);
  return call(n, "gather_nd", [
    first(n),
    call(n, "transpose", [indices], { axes: [-1, ...Array.from({ length: rank - 1 }, (_, i) => i)] }),
  ]);
});

/** Pairs of numbers, row by row. */
function pairsOf(n: TfNode, index: number, what: string): number[][] {
  const flat = intsOf(n, index, what);
  return Array.from({ length: flat.length / 2 }, (_, i) => flat.slice(2 * i, 2 * i + 2));
}

/** Integers are padded with what stands for 0. */
function pad(op: string): TfOp {
  return tfOp(op, (n) => {
    const from = input(n, 0);
    keepsQuant(n);
    const value = n.inputs[2] ?? null;
    const given = value === null ? null : intOf(n, 2, "the pad value");
    const zero = from.quant === null ? 0 : zeroPointValue(n, from);
    const isFloat = value === null ? from.quant !== null : dtypeOf(n, value).code === "float";
    return call(n, "nn.pad", [first(n), scalarOf(n, isFloat ? float32 : int32, given ?? zero)], {
      pad_width: pairsOf(n, 1, "the paddings"),
      pad_mode: "constant",
    });
  });
}

const mirrorPad = tfOp("MIRROR_PAD", (n) => {
  keepsQuant(n);
  return call(n, "nn.mirror_pad", [first(n)], {
    pad_width: pairsOf(n, 1, "the paddings"),
    mode: option(n, byte, 0, 0) === 0 ? "REFLECT" : "SYMMETRIC",
  });
});

const blocks = (op: string, relay: string): TfOp =>
  tfOp(op, (n) =>
    call(n, relay, [first(n)], {
      block_size: option(n, int, 0, 1),
      layout: "NHWC",
      ...(relay === "nn.depth_to_space" ? { mode: "DCR" } : {}),
    }),
  );

const batchToSpace = tfOp("BATCH_TO_SPACE_ND", (n) =>
  call(n, "nn.batch_to_space_nd", [first(n)], {
    block_shape: intsOf(n, 1, "the block"),
    crops: pairsOf(n, 2, "the crops"),
  }),
);
const spaceToBatch = tfOp("SPACE_TO_BATCH_ND", (n) =>
  call(n, "nn.space_to_batch_nd", [first(n)], {
    block_shape: intsOf(n, 1, "the block"),
    paddings: pairsOf(n, 2, "the paddings"),
    pad_value: input(n, 0).quant === null ? 0 : zeroPointValue(n, input(n, 0)),
  }),
);

const tile = tfOp("TILE", (n) => call(n, "tile", [first(n)], { reps: intsOf(n, 1, "the repetitions") }));
const broadcastTo = tfOp("BROADCAST_TO", (n) =>
  call(n, "broadcast_to", [first(n)], { shape: intsOf(n, 1, "the shape") }),
);
const fill = tfOp("FILL", (n) =>
  call(n, "full", [exprOf(n, input(n, 1))], {
    shape: intsOf(n, 0, "the shape"),
    dtype: dtypeOf(n, output(n)).name,
  }),
);
const zerosLike = tfOp("ZEROS_LIKE", (n) => call(n, "zeros_like", [first(n)]));

const topk = tfOp("TOPK_V2", (n) => {
  const found = call(n, "topk", [first(n)], {
    k: intOf(n, 1, "k"),
    axis: -1,
    ret_type: "both",
    is_ascend: false,
    dtype: "int32",
  });
  return [field(n, found, 0), field(n, found, 1)];
});

const oneHot = tfOp("ONE_HOT", (n) =>
  call(n, "one_hot", [first(n), exprOf(n, input(n, 2)), exprOf(n, input(n, 3))], {
    depth: intOf(n, 1, "the depth"),
    axis: option(n, int, 0, 0),
    dtype: dtypeOf(n, input(n, 2)).name,
  }),
);

const reverse = tfOp("REVERSE_V2", (n) =>
  intsOf(n, 1, "the axes").reduce<Expr>((data, axis) => call(n, "reverse", [data], { axis }), first(n)),
);
const reverseSequence = tfOp("REVERSE_SEQUENCE", (n) =>
  call(n, "reverse_sequence", [first(n), exprOf(n, input(n, 1))], {
    seq_axis: option(n, int, 0, 0),
    batch_axis: option(n, int, 1, 0),
  }),
);

/** Static shapes are constants at once, so that what is computed from them is known. */
const shape = tfOp("SHAPE", (n) => {
  const data = first(n);
  const dtype = dtypeOf(n, output(n));
  const dims = staticShape(typeOf(n, data));
  if (dims === null) return call(n, "shape_of", [data], { dtype: dtype.name });
  return constantOf(
    n,
    tensorData(
      dtype,
      [dims.length],
      dtype === int64 ? BigInt64Array.from(dims, BigInt) : Int32Array.from(dims),
    ),
  );
});

const rank = tfOp("RANK", (n) => scalarOf(n, int32, rankOf(n, first(n))));

const range = tfOp("RANGE", (n) => {
  const bounds = ["the start", "the limit", "the delta"].map((what, i) => intOf(n, i, what));
  const dtype = dtypeOf(n, output(n));
  return call(
    n,
    "arange",
    bounds.map((value) => scalarOf(n, dtype, value)),
    { start: null, stop: null, step: null, dtype: dtype.name },
  );
});

const cumsum = tfOp("CUMSUM", (n) => {
  if (option(n, flag, 1, false)) return refuse(n, "it is supported forward only", { got: "reverse" });
  return call(n, "cumsum", [first(n)], {
    axis: intOf(n, 1, "the axis"),
    exclusive: option(n, flag, 0, false),
  });
});

const sparseToDense = tfOp("SPARSE_TO_DENSE", (n) =>
  call(n, "sparse_to_dense", [first(n), exprOf(n, input(n, 2)), exprOf(n, input(n, 3))], {
    output_shape: intsOf(n, 1, "the shape"),
  }),
);

export const shapeOps: readonly TfOp[] = [
  reshape,
  squeeze,
  expandDims,
  transpose,
  concatenation,
  pack,
  unpack,
  split,
  splitV,
  slice,
  stridedSlice,
  gather,
  gatherNd,
  pad("PAD"),
  pad("PADV2"),
  mirrorPad,
  blocks("DEPTH_TO_SPACE", "nn.depth_to_space"),
  blocks("SPACE_TO_DEPTH", "nn.space_to_depth"),
  batchToSpace,
  spaceToBatch,
  tile,
  broadcastTo,
  fill,
  zerosLike,
  topk,
  oneHot,
  reverse,
  reverseSequence,
  shape,
  rank,
  range,
  cumsum,
  sparseToDense,
];
