// Convolution with a sparse weight.  TVM: src/relay/op/nn/sparse.cc (SparseConv2dRel),
// python/tvm/relay/op/strategy/x86.py (sparse_conv2d_strategy_cpu)
import { tuple, at, first } from "../../../../support/assert.ts";
import { ints, text } from "../../../ir/attrs.ts";
import { printDim, tensorType } from "../../../ir/type.ts";
import { extern as externRecipe } from "../../../recipes/extern.ts";
import { sparseConv2d as sparseConv2dCompute, type SparseConvSpec } from "../../../topi/sparse-matrix.ts";
import { defineOp } from "../../define.ts";
import {
  asker,
  checkRank,
  intsAttr,
  mapDim,
  oneOf,
  sameDTypes,
  tensorArg,
} from "../../_shared/type-helpers.ts";
import { sparseTypes } from "../sparse-types.ts";

export const sparseConv2d = defineOp({
  name: "nn.sparse_conv2d",
  inputs: ["dense_data", "sparse_data", "sparse_indices", "sparse_indptr"],
  attrs: {
    layout: text({ default: "NHWC", doc: '"NHWC" or "NCHW".' }),
    kernel_size: ints({ default: [1, 1], doc: "[1, 1], or [3, 3] with one pixel of padding." }),
  },
  attrsKey: "relay.attrs.SparseConv2DAttrs",
  pattern: "outEWiseFusable",
  type: (args, attrs, t) => {
    const cx = asker(t, "nn.sparse_conv2d");
    const data = tensorArg(cx, "dense_data", args.dense_data);
    const sparse = sparseTypes(cx, args, [2, 3]);
    const size = intsAttr(cx, "kernel_size", attrs.kernel_size, { lengths: [2], least: 1 });
    if (
      data === null ||
      sparse === null ||
      size === null ||
      !checkRank(cx, "dense_data", data, [4]) ||
      !oneOf(cx, "layout", attrs.layout, ["NHWC", "NCHW"])
    )
      return null;
    if (!sameDTypes(cx, ["dense_data", data], ["sparse_data", sparse.data])) return null;
    if (size[0] !== size[1] || (size[0] !== 1 && size[0] !== 3))
      return t.error("RS2108", "nn.sparse_conv2d: attribute `kernel_size` is not usable", {
        expected: "[1, 1] or [3, 3]",
        got: `[${size.join(", ")}]`,
      });
    const width = mapDim(
      at(data.shape, attrs.layout === "NHWC" ? 3 : 1, "data axis"),
      (channels) => channels * first(size, "size") * first(size, "size"),
    );
    if (typeof width === "number" && typeof sparse.wide === "number" && width % sparse.wide !== 0) {
      return t.error("RS2105", "nn.sparse_conv2d: the window cannot be divided into blocks", {
        expected: `blocks with a divisor of ${width} columns`,
        got: printDim(sparse.wide),
      });
    }
    const [n, a, b, c] = tuple(data.shape, 4, "shape of data");
    return tensorType(attrs.layout === "NHWC" ? [n, a, b, sparse.rows] : [n, sparse.rows, b, c], data.dtype);
  },
  compute: (args, attrs, cx) =>
    sparseConv2dCompute(
      args.dense_data,
      { data: args.sparse_data, columns: args.sparse_indices, starts: args.sparse_indptr },
      { layout: attrs.layout as SparseConvSpec["layout"], window: first(attrs.kernel_size, "kernel_size") },
      cx.origin,
    ),
  schedule: externRecipe,
  doc: "A convolution whose weight is a sparse matrix of blocks: a row an output channel, a column an element of the window (row, column, channel for NHWC; channel, row, column for NCHW).",
  examples: [
    {
      name: "1x1",
      args: [
        "Tensor[(1, 2, 3, 4), float32]",
        "Tensor[(3, 2, 2), float32]",
        "Tensor[(3), int32]",
        "Tensor[(3), int32]",
      ],
      values: { 2: [0, 1, 0], 3: [0, 2, 3] },
    },
    {
      name: "1x1, blocks of one column, NCHW",
      args: [
        "Tensor[(1, 4, 2, 3), float32]",
        "Tensor[(3, 2), float32]",
        "Tensor[(3), int32]",
        "Tensor[(3), int32]",
      ],
      attrs: { layout: "NCHW" },
      values: { 2: [3, 1, 0], 3: [0, 2, 3] },
    },
    {
      name: "3x3",
      args: [
        "Tensor[(1, 4, 3, 2), float32]",
        "Tensor[(4, 3, 2), float32]",
        "Tensor[(4), int32]",
        "Tensor[(3), int32]",
      ],
      attrs: { kernel_size: [3, 3] },
      values: { 2: [0, 8, 4, 5], 3: [0, 1, 4] },
    },
  ],
});
