// Matrix product with either side transposed.  TVM: src/relay/op/nn/nn.cc (nn.matmul), nn.h (MatmulRel)
import { dtypeAttr, flag, optionalInt } from "../../ir/attrs.ts";
import { matmul as matmulCompute } from "../../topi/matmul.ts";
import { dense as denseRecipe } from "../../recipes/dense.ts";
import { defineOp } from "../define.ts";
import { matmulShape } from "../_shape-funcs/matmul.ts";
import { matmulRelation } from "../_shared/matmul-types.ts";
import { asker } from "../_shared/type-helpers.ts";

export const matmul = defineOp({
  name: "nn.matmul",
  inputs: ["tensor_a", "tensor_b"],
  attrs: {
    units: optionalInt({ doc: "Number of results a row; None reads it from tensor_b." }),
    out_dtype: dtypeAttr({
      default: null,
      doc: "Dtype of the sums and the result; empty means that of tensor_a.",
    }),
    transpose_a: flag({ default: false, doc: "tensor_a is stored (..., K, I)." }),
    transpose_b: flag({ default: false, doc: "tensor_b is stored (units, K)." }),
  },
  attrsKey: "relay.attrs.MatmulAttrs",
  pattern: "outEWiseFusable",
  type: ({ tensor_a: a, tensor_b: b }, attrs, t) =>
    matmulRelation(
      asker(t, "nn.matmul"),
      [
        ["tensor_a", a],
        ["tensor_b", b],
      ],
      attrs,
    ),
  compute: ({ tensor_a: a, tensor_b: b }, attrs, cx) =>
    matmulCompute(
      a,
      b,
      { transposeA: attrs.transpose_a, transposeB: attrs.transpose_b, outDType: cx.outType.dtype },
      cx.origin,
    ),
  shapeFunc: matmulShape,
  schedule: denseRecipe,
  doc: "tensor_a (..., K) times tensor_b (K, units), each perhaps stored transposed. Shape (..., units).",
  examples: [
    { name: "plain", args: ["Tensor[(3, 8), float32]", "Tensor[(8, 5), float32]"] },
    {
      name: "both transposed",
      args: ["Tensor[(8, 3), float32]", "Tensor[(5, 8), float32]"],
      attrs: { units: 5, transpose_a: true, transpose_b: true },
    },
  ],
});
