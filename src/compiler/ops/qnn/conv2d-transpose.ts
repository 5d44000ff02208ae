// Transposed convolution of quantised images.  TVM: src/relay/qnn/op/convolution_transpose.cc,
// python/tvm/relay/qnn/op/_qnn.py and legalizations.py (qnn_conv2d_transpose_legalize, for every target)
import { defineOp } from "../define.ts";
import { convTransposeRelation, convTransposeSchema } from "../nn/conv/conv-transpose.ts";
import { asker } from "../_shared/type-helpers.ts";
import { convResult, productInputs, qnnProductRelation } from "./product-relation.ts";
import { fourPads, shiftedProduct } from "./legalize-int16.ts";
import { lowering } from "./lowering.ts";

export const qnnConv2dTranspose = defineOp({
  name: "qnn.conv2d_transpose",
  inputs: productInputs,
  attrs: convTransposeSchema("HW"),
  attrsKey: "relay.attrs.Conv2DTransposeAttrs",
  pattern: "opaque",
  type: (args, attrs, t) => {
    const cx = asker(t, "qnn.conv2d_transpose");
    return qnnProductRelation(cx, args, {
      ...convResult(attrs),
      relation: (types) => convTransposeRelation(cx, types, attrs, "HW"),
      scalars: ["input_zero_point", "weight_zero_point", "input_scale"],
      byChannel: ["weight_scale"],
    });
  },
  qnnLegalize: ({ node, args, attrs }, cx) =>
    shiftedProduct(lowering(node, cx), args, {
      op: "nn.conv2d_transpose",
      attrs: { ...attrs, padding: fourPads(attrs.padding) },
      weightAxis: attrs.kernel_layout.indexOf("O"),
    }),
  flags: { nonComputational: true, noPattern: true },
  doc: "nn.conv2d_transpose of the data minus its zero point and the weight minus its own: int32 with scale input_scale * weight_scale and zero point 0.",
  examples: [
    {
      name: "stride 2",
      attrs: { channels: 2, kernel_size: [3, 3], strides: [2, 2], kernel_layout: "IOHW", out_dtype: "int32" },
      args: [
        "Tensor[(1, 3, 4, 4), int8]",
        "Tensor[(3, 2, 3, 3), int8]",
        "int32",
        "int32",
        "float32",
        "float32",
      ],
    },
  ],
});
