// Greatest of image plus weight in each window: morphological dilation.
// TVM: src/relay/op/image/dilation2d.cc, python/tvm/topi/image/dilation2d.py
import { get, at, first } from "../../../support/assert.ts";
import { dtypeAttr, ints, text } from "../../ir/attrs.ts";
import { axisOf, fromPlainShape, toPlainShape, knownLayout } from "../../ir/layout.ts";
import { tensorType, type Dim } from "../../ir/type.ts";
import { add, cast, imm, mul } from "../../tir/build.ts";
import { compute, maxReduce, reduceAxis } from "../../te/compute.ts";
import { pool as poolRecipe } from "../../recipes/pool.ts";
import { logicalIndices, physicalIndices } from "../../topi/layout.ts";
import { pad } from "../../topi/pad.ts";
import { fitsLayout, layoutAttr, paddingAttr, paddingPairs, windowCount } from "../nn/conv/conv-types.ts";
import { defineOp } from "../define.ts";
import { outExtents } from "../_shared/out-shape.ts";
import { asker, dtypeOf, intsAttr, tensorArg } from "../_shared/type-helpers.ts";

export const dilation2d = defineOp({
  name: "image.dilation2d",
  inputs: ["data", "weight"],
  attrs: {
    strides: ints({ default: [1, 1], doc: "Step of the window." }),
    padding: ints({ default: [0, 0], doc: "Zeros around the data." }),
    dilations: ints({ default: [1, 1], doc: "Distance between the window's elements." }),
    data_layout: text({ default: "NCHW", doc: "Order of the data's axes." }),
    kernel_layout: text({ default: "IHW", doc: "Order of the weight's axes." }),
    out_dtype: dtypeAttr({ default: null, doc: "Dtype of the result; empty means that of the data." }),
  },
  attrsKey: "relay.attrs.Dilation2DAttrs",
  pattern: "outEWiseFusable",
  type: (args, attrs, t) => {
    const cx = asker(t, "image.dilation2d");
    const data = tensorArg(cx, "data", args.data);
    const weight = tensorArg(cx, "weight", args.weight);
    const layout = layoutAttr(cx, "data_layout", attrs.data_layout, "NCHW");
    const kernel = layoutAttr(cx, "kernel_layout", attrs.kernel_layout, "IHW");
    const padding = paddingAttr(cx, attrs.padding, 2);
    const strides = intsAttr(cx, "strides", attrs.strides, { lengths: [2], least: 1 });
    const dilation = intsAttr(cx, "dilations", attrs.dilations, { lengths: [2], least: 1 });
    if (
      data === null ||
      weight === null ||
      layout === null ||
      kernel === null ||
      padding === null ||
      strides === null ||
      dilation === null
    )
      return null;
    if (!fitsLayout(cx, "data", data, layout) || !fitsLayout(cx, "weight", weight, kernel)) return null;
    const [n, c, ...size] = toPlainShape(data.shape, layout, "NCHW");
    const [channels, ...window] = toPlainShape(weight.shape, kernel, "IHW");
    const dtype = dtypeOf(cx, "out_dtype", attrs.out_dtype, data.dtype);
    if (dtype === null) return null;
    if (!t.dimEqual(c!, channels!))
      return t.error("RS2105", "image.dilation2d: the channels of `data` and `weight` differ", {
        expected: String(c),
        got: String(channels),
      });
    const dims: Dim[] = [n!, c!];
    for (const [i, letter] of ["H", "W"].entries()) {
      const count = windowCount(
        cx,
        at(size, i, "size"),
        {
          kernel: at(window, i, "window axis"),
          stride: at(strides, i, "stride"),
          dilation: at(dilation, i, "dilation"),
          padding: at(padding, i, "padding"),
        },
        letter,
      );
      if (count === null) return null;
      dims.push(count);
    }
    return tensorType(fromPlainShape(dims, layout, "NCHW"), dtype);
  },
  compute: ({ data, weight }, attrs, cx) => {
    const layout = knownLayout(attrs.data_layout, "NCHW");
    const kernel = knownLayout(attrs.kernel_layout, "IHW");
    const pairs = paddingPairs(attrs.padding, 2);
    const axes = ["H", "W"].map((letter) => axisOf(layout, letter));
    const side = (k: 0 | 1): number[] =>
      data.shape.map((_, axis) => (axes.includes(axis) ? at(pairs, axes.indexOf(axis), "pair")[k] : 0));
    const padded = pad(data, { before: side(0), after: side(1) }, imm(0, data.dtype), {
      name: "pad_temp",
      origin: cx.origin,
    });
    const window = ["H", "W"].map((letter) =>
      reduceAxis(at(weight.shape, axisOf(kernel, letter), "weight axis"), letter === "H" ? "ry" : "rx"),
    );
    const { dtype } = cx.outType;
    return compute(
      outExtents(cx),
      (i) => {
        const out = logicalIndices(layout, i);
        const source = new Map(out);
        ["H", "W"].forEach((letter, d) =>
          source.set(
            letter,
            add(
              mul(get(out, letter, "result"), at(attrs.strides, d, "stride")),
              mul(at(window, d, "window axis").variable, at(attrs.dilations, d, "dilation")),
            ),
          ),
        );
        const place = new Map([
          ["I", get(out, "C", "result")],
          ["H", first(window, "window axis").variable],
          ["W", at(window, 1, "window axis").variable],
        ]);
        return maxReduce(
          add(
            cast(padded.at(...physicalIndices(layout, source)), dtype),
            cast(weight.at(...physicalIndices(kernel, place)), dtype),
          ),
          window,
        );
      },
      { name: "dilation2d", tag: `dilation2d_${attrs.data_layout.toLowerCase()}`, origin: cx.origin },
    );
  },
  schedule: poolRecipe,
  doc: "For every window and channel of an image the greatest sum of an element and the weight that lies on it.",
  examples: [
    {
      name: "NCHW",
      args: ["Tensor[(1, 3, 5, 5), float32]", "Tensor[(3, 2, 2), float32]"],
      attrs: { padding: [1, 0] },
    },
    {
      name: "NHWC",
      args: ["Tensor[(1, 6, 5, 2), float32]", "Tensor[(3, 2, 2), float32]"],
      attrs: { strides: [2, 1], dilations: [1, 2], data_layout: "NHWC", kernel_layout: "HWI" },
    },
  ],
});
