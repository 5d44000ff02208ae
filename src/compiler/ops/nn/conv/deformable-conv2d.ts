// Convolution whose window elements are moved.  TVM: src/relay/op/nn/convolution.h (DeformableConv2DRel)
import { at, tuple } from "../../../../support/assert.ts";
import { int } from "../../../ir/attrs.ts";
import { fromPlainShape, toPlainShape, knownLayout } from "../../../ir/layout.ts";
import { anyDim, tensorType, type Dim } from "../../../ir/type.ts";
import { reduce as reduceRecipe } from "../../../recipes/reduce.ts";
import { deformableConv2d as deformableConv2dCompute } from "../../../topi/deformable.ts";
import { convPlan, convRelation, paddingPairs } from "./conv-types.ts";
import { defineOp } from "../../define.ts";
import { acceptsDType } from "../../math/unary.ts";
import { outExtents } from "../../_shared/out-shape.ts";
import { asker, fillArgument, tensorArg } from "../../_shared/type-helpers.ts";
import { convAttrs } from "./conv-attrs.ts";

const { strides, padding, dilation, ...others } = convAttrs("HW");

export const deformableConv2d = defineOp({
  name: "nn.deformable_conv2d",
  inputs: ["data", "offset", "weight"],
  attrs: {
    strides,
    padding,
    dilation,
    deformable_groups: int({
      default: 1,
      doc: "Parts of the input channels that have offsets of their own.",
    }),
    ...others,
  },
  attrsKey: "relay.attrs.DeformableConv2DAttrs",
  pattern: "outEWiseFusable",
  type: (args, attrs, t) => {
    const cx = asker(t, "nn.deformable_conv2d");
    const data = tensorArg(cx, "data", args.data);
    if (data === null || !acceptsDType(cx, "data", data, "float")) return null;
    const out = convRelation(cx, { data: args.data, weight: args.weight }, attrs, "HW");
    const plan = convPlan(cx, attrs, "HW");
    if (out === null || plan === null) return null;
    const channels = at(toPlainShape(data.shape, plan.data, "NCHW"), 1, "plain data axis");
    if (
      attrs.deformable_groups < 1 ||
      (typeof channels === "number" && channels % attrs.deformable_groups !== 0)
    ) {
      return t.error("RS2108", "nn.deformable_conv2d: attribute `deformable_groups` is not usable", {
        expected: `a divisor of the ${String(channels)} input channels`,
        got: String(attrs.deformable_groups),
      });
    }
    const window =
      attrs.kernel_size ??
      (args.weight.kind === "tensor-type"
        ? toPlainShape(args.weight.shape, plan.kernel, "OIHW").slice(2)
        : []);
    const elements = window.reduce<number>(
      (product, dim) => product * (typeof dim === "number" ? dim : NaN),
      1,
    );
    const [n, , h, w] = tuple(toPlainShape(out.shape, plan.out, "NCHW"), 4, "plain shape");
    const offsets: Dim = Number.isNaN(elements) ? anyDim : 2 * elements * attrs.deformable_groups;
    const wanted = tensorType(fromPlainShape([n, offsets, h, w], plan.data, "NCHW"), data.dtype);
    return fillArgument(cx, "offset", args.offset, {
      wanted,
      because: "two offsets for each element of the window, for each position of the result",
    })
      ? out
      : null;
  },
  compute: (args, attrs, cx) =>
    deformableConv2dCompute(
      args.data,
      args.offset,
      args.weight,
      {
        dataLayout: knownLayout(attrs.data_layout, "NCHW"),
        kernelLayout: knownLayout(attrs.kernel_layout, "OIHW"),
        outLayout: knownLayout(attrs.out_layout === "" ? attrs.data_layout : attrs.out_layout, "NCHW"),
        outShape: outExtents(cx),
        strides: attrs.strides,
        padding: paddingPairs(attrs.padding, 2),
        dilation: attrs.dilation,
        groups: attrs.groups,
        deformableGroups: attrs.deformable_groups,
        outDType: cx.outType.dtype,
      },
      cx.origin,
    ),
  schedule: reduceRecipe,
  doc: "nn.conv2d with every element of the window moved, down and across, by the offsets at the result's position; positions between pixels are interpolated, those outside the image are 0. Offsets (N, 2 * KH * KW * deformable_groups, H', W').",
  examples: [
    {
      name: "3x3",
      args: [
        "Tensor[(1, 4, 5, 5), float32]",
        "Tensor[(1, 18, 5, 5), float32]",
        "Tensor[(2, 4, 3, 3), float32]",
      ],
      attrs: { padding: [1, 1], channels: 2, kernel_size: [3, 3] },
    },
    {
      name: "two groups of offsets, stride 2",
      args: [
        "Tensor[(2, 4, 6, 6), float32]",
        "Tensor[(2, 16, 3, 3), float32]",
        "Tensor[(3, 4, 2, 2), float32]",
      ],
      attrs: { strides: [2, 2], deformable_groups: 2, kernel_size: [2, 2] },
    },
    {
      name: "NHWC",
      args: [
        "Tensor[(1, 5, 5, 2), float32]",
        "Tensor[(1, 3, 3, 18), float32]",
        "Tensor[(3, 3, 2, 3), float32]",
      ],
      attrs: { data_layout: "NHWC", kernel_layout: "HWIO", kernel_size: [3, 3] },
    },
  ],
});
