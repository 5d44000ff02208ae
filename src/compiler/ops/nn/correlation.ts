// Patches of one image compared with patches of another.  TVM: src/relay/op/nn/correlation.cc
// (CorrelationRel)
import { at, first } from "../../../support/assert.ts";
import { flag, int, ints, text } from "../../ir/attrs.ts";
import { printType, tensorType, type Dim } from "../../ir/type.ts";
import { reduce as reduceRecipe } from "../../recipes/reduce.ts";
import { correlation as correlationCompute } from "../../topi/correlation.ts";
import { paddingAttr, paddingPairs } from "./conv/conv-types.ts";
import { defineOp } from "../define.ts";
import { acceptsDType } from "../math/unary.ts";
import {
  asker,
  checkRank,
  oneOf,
  sameDTypes,
  shapesMatch,
  tensorArg,
  type Asker,
} from "../_shared/type-helpers.ts";

interface Numbers {
  readonly kernel_size: number;
  readonly max_displacement: number;
  readonly stride1: number;
  readonly stride2: number;
}

function numbersFit(cx: Asker, attrs: Numbers): boolean {
  if (
    attrs.kernel_size > 0 &&
    attrs.kernel_size % 2 === 1 &&
    attrs.max_displacement >= 0 &&
    attrs.stride1 > 0 &&
    attrs.stride2 > 0 &&
    attrs.kernel_size + 2 * attrs.max_displacement + attrs.stride1 + attrs.stride2 <= 2 ** 30
  )
    return true;
  cx.t.error("RS2108", `${cx.op}: the attributes are not usable`, {
    expected:
      "an odd kernel_size, max_displacement of at least 0, strides of at least 1, no more than 2^30 together",
    got: `${attrs.kernel_size}, ${attrs.max_displacement}, ${attrs.stride1}, ${attrs.stride2}`,
  });
  return false;
}

export const correlation = defineOp({
  name: "nn.correlation",
  inputs: ["data1", "data2"],
  attrs: {
    kernel_size: int({ default: 1, doc: "Height and width of a patch, odd." }),
    max_displacement: int({ default: 1, doc: "How far away patches of data2 are looked for." }),
    stride1: int({ default: 1, doc: "Step between patches of data1." }),
    stride2: int({ default: 1, doc: "Step between patches of data2 around one of data1." }),
    padding: ints({
      default: [0, 0],
      doc: "Zeros around both: one number, one an axis, or all begins and then all ends.",
    }),
    is_multiply: flag({ default: true, doc: "Products of elements; else absolute differences." }),
    layout: text({ default: "NCHW", doc: 'Order of the axes; only "NCHW".' }),
  },
  attrsKey: "relay.attrs.CorrelationAttrs",
  pattern: "outEWiseFusable",
  type: (args, attrs, t) => {
    const cx = asker(t, "nn.correlation");
    const [one, other] = [tensorArg(cx, "data1", args.data1), tensorArg(cx, "data2", args.data2)];
    if (
      one === null ||
      other === null ||
      !checkRank(cx, "data1", one, [4]) ||
      !acceptsDType(cx, "data1", one, "float") ||
      !sameDTypes(cx, ["data1", one], ["data2", other])
    )
      return null;
    const padding = paddingAttr(cx, attrs.padding, 2);
    if (padding === null || !numbersFit(cx, attrs) || !oneOf(cx, "layout", attrs.layout, ["NCHW"]))
      return null;
    if (!shapesMatch(cx, one.shape, other.shape))
      return t.error("RS2105", "nn.correlation: the arguments differ in shape", {
        expected: printType(one),
        got: printType(other),
      });
    const border = attrs.max_displacement + (attrs.kernel_size - 1) / 2;
    const positions = 2 * Math.floor(attrs.max_displacement / attrs.stride2) + 1;
    const count = (dim: Dim, [before, after]: readonly [number, number]): Dim =>
      typeof dim === "number"
        ? Math.floor((dim + before + after - 2 * border + attrs.stride1 - 1) / attrs.stride1)
        : dim;
    const size = [
      count(at(one.shape, 2, "first input axis"), first(padding, "padding")),
      count(at(one.shape, 3, "first input axis"), at(padding, 1, "padding")),
    ];
    if (size.every((dim) => typeof dim !== "number" || dim > 0))
      return tensorType([first(one.shape, "first input axis"), positions * positions, ...size], one.dtype);
    return t.error("RS2111", "nn.correlation: no patch fits into the data", {
      expected: `more than ${2 * border} rows and columns`,
      got: printType(one),
      hint: "use more padding or a smaller max_displacement",
    });
  },
  compute: (args, attrs, cx) =>
    correlationCompute(
      args.data1,
      args.data2,
      {
        kernel: attrs.kernel_size,
        reach: attrs.max_displacement,
        stride1: attrs.stride1,
        stride2: attrs.stride2,
        padding: paddingPairs(attrs.padding, 2),
        product: attrs.is_multiply,
      },
      cx.origin,
    ),
  schedule: reduceRecipe,
  doc: "For every patch of data1 and every displacement of up to max_displacement (row by row): the mean of the products, or absolute differences, with the patch of data2 there. (N, C, H, W) twice gives (N, displacements, H', W').",
  examples: [
    {
      name: "products",
      args: ["Tensor[(1, 3, 6, 6), float32]", "Tensor[(1, 3, 6, 6), float32]"],
      attrs: { max_displacement: 2, padding: [2, 2] },
    },
    {
      name: "differences of patches",
      args: ["Tensor[(2, 2, 7, 6), float32]", "Tensor[(2, 2, 7, 6), float32]"],
      attrs: {
        kernel_size: 3,
        max_displacement: 3,
        stride1: 2,
        stride2: 2,
        padding: [3, 4, 3, 4],
        is_multiply: false,
      },
    },
  ],
});
