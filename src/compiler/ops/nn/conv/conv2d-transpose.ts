// Transposed convolution of an image.  TVM: src/relay/op/nn/convolution.cc (nn.conv2d_transpose),
// python/tvm/topi/nn/conv2d_transpose.py (conv2d_transpose_legalize)
import { call } from "../../../relay/build.ts";
import { defineConvTranspose, type ConvTransposeRewrite } from "./conv-transpose.ts";

const image = "Tensor[(1, 3, 5, 4), float32]";

/** Only NCHW with IOHW weights has a schedule: other layouts are transposed there and back. */
const legalize: ConvTransposeRewrite = ({ node: { origin }, args: { data, weight }, attrs }, cx) => {
  const dataLayout = attrs.data_layout;
  const kernelLayout = attrs.kernel_layout;
  const plain = dataLayout === "NCHW" && kernelLayout === "IOHW";
  if (
    plain ||
    (dataLayout !== "NCHW" && dataLayout !== "NHWC") ||
    kernelLayout.split("").some((letter) => !"IOHW".includes(letter)) ||
    kernelLayout.length !== 4
  )
    return null;
  const axes = "IOHW".split("").map((letter) => kernelLayout.indexOf(letter));
  const kernel = kernelLayout === "IOHW" ? weight : call(cx, "transpose", [weight], { axes }, origin);
  if (dataLayout === "NCHW")
    return call(cx, "nn.conv2d_transpose", [data, kernel], { ...attrs, kernel_layout: "IOHW" }, origin);
  const out = attrs.out_layout === "" ? dataLayout : attrs.out_layout;
  if (out !== "NHWC" && out !== "NCHW") return null;
  const turned = call(cx, "transpose", [data], { axes: [0, 3, 1, 2] }, origin);
  const result = call(
    cx,
    "nn.conv2d_transpose",
    [turned, kernel],
    { ...attrs, data_layout: "NCHW", kernel_layout: "IOHW", out_layout: "" },
    origin,
  );
  return out === "NCHW" ? result : call(cx, "transpose", [result], { axes: [0, 2, 3, 1] }, origin);
};

export const conv2dTranspose = defineConvTranspose({
  spatial: "HW",
  legalize,
  examples: [
    {
      name: "stride 2",
      args: [image, "Tensor[(3, 4, 3, 3), float32]"],
      attrs: {
        channels: 4,
        kernel_size: [3, 3],
        strides: [2, 2],
        output_padding: [1, 1],
        padding: [1, 1, 1, 1],
        kernel_layout: "IOHW",
      },
    },
    {
      name: "grouped",
      args: ["Tensor[(1, 4, 3, 3), float32]", "Tensor[(4, 3, 2, 2), float32]"],
      attrs: { channels: 6, kernel_size: [2, 2], groups: 2, kernel_layout: "IOHW" },
    },
    {
      name: "dilated, asymmetric padding",
      args: [image, "Tensor[(2, 3, 2, 2), float32]"],
      attrs: { kernel_size: [2, 2], strides: [1, 2], dilation: [2, 1], padding: [0, 1, 1, 0] },
    },
    {
      name: "NHWC",
      args: ["Tensor[(1, 5, 4, 3), float32]", "Tensor[(3, 3, 2, 3), float32]"],
      attrs: {
        channels: 2,
        kernel_size: [3, 3],
        strides: [2, 2],
        data_layout: "NHWC",
        kernel_layout: "HWOI",
      },
    },
  ],
});
