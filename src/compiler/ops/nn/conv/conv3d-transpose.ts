// Transposed convolution of a volume.  TVM: src/relay/op/nn/convolution.cc (nn.conv3d_transpose),
// python/tvm/topi/nn/conv3d_transpose.py (conv3d_transpose_legalize)
import { call } from "../../../relay/build.ts";
import { defineConvTranspose, type ConvTransposeRewrite } from "./conv-transpose.ts";

/** Only NCDHW with OIDHW weights has a schedule: NDHWC is transposed there and back. */
const legalize: ConvTransposeRewrite = ({ node: { origin }, args: { data, weight }, attrs }, cx) => {
  const kernelLayout = attrs.kernel_layout;
  if (attrs.data_layout !== "NDHWC" || !["DHWIO", "DHWOI", "IODHW", "OIDHW"].includes(kernelLayout))
    return null;
  const out = attrs.out_layout === "" ? attrs.data_layout : attrs.out_layout;
  if (out !== "NDHWC" && out !== "NCDHW") return null;
  const axes = "OIDHW".split("").map((letter) => kernelLayout.indexOf(letter));
  const kernel = kernelLayout === "OIDHW" ? weight : call(cx, "transpose", [weight], { axes }, origin);
  const turned = call(cx, "transpose", [data], { axes: [0, 4, 1, 2, 3] }, origin);
  const result = call(
    cx,
    "nn.conv3d_transpose",
    [turned, kernel],
    { ...attrs, data_layout: "NCDHW", kernel_layout: "OIDHW", out_layout: "" },
    origin,
  );
  if (out === "NCDHW") return result;
  return call(cx, "transpose", [result], { axes: [0, 2, 3, 4, 1] }, origin);
};

export const conv3dTranspose = defineConvTranspose({
  spatial: "DHW",
  legalize,
  examples: [
    {
      name: "stride 2",
      args: ["Tensor[(1, 2, 2, 3, 2), float32]", "Tensor[(2, 3, 2, 2, 2), float32]"],
      attrs: { channels: 3, kernel_size: [2, 2, 2], strides: [2, 2, 2] },
    },
    {
      name: "NDHWC",
      args: ["Tensor[(1, 2, 3, 2, 2), float32]", "Tensor[(2, 2, 2, 3, 2), float32]"],
      attrs: { channels: 3, kernel_size: [2, 2, 2], data_layout: "NDHWC", kernel_layout: "DHWIO" },
    },
  ],
});
