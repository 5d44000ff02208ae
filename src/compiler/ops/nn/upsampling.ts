// Enlarging an image.  TVM: src/relay/op/nn/upsampling.cc (UpSamplingRel), python/tvm/topi/nn/upsampling.py
import { tuple, present } from "../../../support/assert.ts";
import { flag, float, text } from "../../ir/attrs.ts";
import { axisOf, fromPlainShape, toPlainShape, knownLayout } from "../../ir/layout.ts";
import { mapDim, asker, oneOf, requiredAttr, tensorArg } from "../_shared/type-helpers.ts";
import { tensorType } from "../../ir/type.ts";
import { resize, type ResizeSpec } from "../../topi/resize.ts";
import { fitsLayout, layoutAttr } from "./conv/conv-types.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import type { Tensor } from "../../te/tensor.ts";
import { defineOp, type ComputeContext } from "../define.ts";
import { upsamplingShape } from "../_shape-funcs/image.ts";

const methods: Readonly<Record<string, ResizeSpec["method"]>> = {
  nearest_neighbor: "nearest_neighbor",
  bilinear: "linear",
  bicubic: "cubic",
};

export const upsamplingMethods: readonly string[] = Object.keys(methods);

/** C's round: halves go away from zero. */
const round = (x: number): number => Math.floor(x + 0.5);

export const upsamplingAttrs = {
  scale_h: float({ doc: "Factor for the height." }),
  scale_w: float({ doc: "Factor for the width." }),
  layout: text({ default: "NCHW", doc: "Order of the axes." }),
  method: text({ default: "nearest_neighbor", doc: '"nearest_neighbor", "bilinear" or "bicubic".' }),
  align_corners: flag({ default: false, doc: "The corners of source and result lie on each other." }),
};

interface UpsamplingAttrs {
  readonly layout: string;
  readonly method: string;
  readonly align_corners: boolean;
}

/** `data` enlarged to the extents of the result's type. */
export function upsample(data: Tensor, attrs: UpsamplingAttrs, cx: ComputeContext): Tensor {
  const layout = knownLayout(attrs.layout, "NCHW");
  const axes = [axisOf(layout, "H"), axisOf(layout, "W")];
  return resize(
    data,
    {
      method: present(methods[attrs.method], "method"),
      axes,
      size: axes.map((axis) => Number(cx.outType.shape[axis])),
      mode: attrs.align_corners ? "align_corners" : "asymmetric",
      rounding: "",
      cubicAlpha: -0.5,
      cubicExclude: false,
      outDType: data.dtype,
    },
    cx.origin,
  );
}

export const upsampling = defineOp({
  name: "nn.upsampling",
  inputs: ["data"],
  attrs: upsamplingAttrs,
  attrsKey: "relay.attrs.UpSamplingAttrs",
  pattern: "injective",
  type: ({ data }, attrs, t) => {
    const cx = asker(t, "nn.upsampling");
    const type = tensorArg(cx, "data", data);
    const layout = layoutAttr(cx, "layout", attrs.layout, "NCHW");
    if (
      type === null ||
      layout === null ||
      !fitsLayout(cx, "data", type, layout) ||
      !oneOf(cx, "method", attrs.method, upsamplingMethods)
    )
      return null;
    if (
      requiredAttr(cx, "scale_h", attrs.scale_h) === null ||
      requiredAttr(cx, "scale_w", attrs.scale_w) === null
    )
      return null;
    const [n, c, h, w] = tuple(toPlainShape(type.shape, layout, "NCHW"), 4, "plain shape");
    const dims = [
      n,
      c,
      mapDim(h, (size) => round(size * attrs.scale_h)),
      mapDim(w, (size) => round(size * attrs.scale_w)),
    ];
    if (dims.every((dim) => typeof dim !== "number" || dim >= 1))
      return tensorType(fromPlainShape(dims, layout, "NCHW"), type.dtype);
    return t.error("RS2108", "nn.upsampling: the factors leave no element", {
      expected: "factors that give at least one row and column",
      got: `scale_h=${attrs.scale_h}, scale_w=${attrs.scale_w}`,
    });
  },
  compute: ({ data }, attrs, cx) => upsample(data, attrs, cx),
  shapeFunc: upsamplingShape("HW", ["scale_h", "scale_w"]),
  schedule: injectiveRecipe,
  doc: "Enlarges an image by the factors, by nearest neighbour, bilinear or bicubic interpolation: (N, C, H, W) becomes (N, C, round(H*scale_h), round(W*scale_w)).",
  examples: [
    { name: "nearest, twice", args: ["Tensor[(1, 2, 3, 4), float32]"], attrs: { scale_h: 2, scale_w: 2 } },
    {
      name: "bilinear",
      args: ["Tensor[(1, 2, 3, 4), float32]"],
      attrs: { scale_h: 2, scale_w: 1.5, method: "bilinear", align_corners: true },
    },
    {
      name: "nearest, NHWC, uneven",
      args: ["Tensor[(1, 3, 4, 2), float32]"],
      attrs: { scale_h: 1.7, scale_w: 2.5, layout: "NHWC" },
    },
  ],
});
