// A matrix product a batch element.  TVM: src/relay/op/nn/nn.cc (nn.batch_matmul), nn.h (BatchMatmulRel)
import { dtypeAttr, flag } from "../../ir/attrs.ts";
import { batchMatmul as batchMatmulCompute } from "../../topi/matmul.ts";
import { batchMatmul as batchMatmulRecipe } from "../../recipes/batch-matmul.ts";
import { defineOp } from "../define.ts";
import { batchMatmulShape } from "../_shape-funcs/matmul.ts";
import { batchMatmulRelation } from "../_shared/matmul-types.ts";
import { asker } from "../_shared/type-helpers.ts";

export const batchMatmul = defineOp({
  name: "nn.batch_matmul",
  inputs: ["tensor_a", "tensor_b"],
  attrs: {
    out_dtype: dtypeAttr({
      default: null,
      doc: "Dtype of the sums and the result; empty means that of tensor_a.",
    }),
    transpose_a: flag({ default: false, doc: "tensor_a is stored (batch, K, I)." }),
    transpose_b: flag({ default: false, doc: "tensor_b is stored (batch, J, K)." }),
  },
  attrsKey: "relay.attrs.BatchMatmulAttrs",
  pattern: "outEWiseFusable",
  type: ({ tensor_a: a, tensor_b: b }, attrs, t) =>
    batchMatmulRelation(
      asker(t, "nn.batch_matmul"),
      [
        ["tensor_a", a],
        ["tensor_b", b],
      ],
      attrs,
    ),
  compute: ({ tensor_a: a, tensor_b: b }, attrs, cx) =>
    batchMatmulCompute(
      a,
      b,
      { transposeA: attrs.transpose_a, transposeB: attrs.transpose_b, outDType: cx.outType.dtype },
      cx.origin,
    ),
  flags: { attrsInMeta: true },
  shapeFunc: batchMatmulShape,
  schedule: batchMatmulRecipe,
  doc: "For every batch element the product of an (I, K) and a (K, J) matrix, each perhaps stored transposed; a batch of 1 serves all. Shape (batch, I, J).",
  examples: [
    {
      name: "second transposed",
      args: ["Tensor[(2, 3, 8), float32]", "Tensor[(2, 5, 8), float32]"],
      attrs: { transpose_b: true },
    },
    { name: "one batch for all", args: ["Tensor[(1, 3, 8), float32]", "Tensor[(4, 8, 5), float32]"] },
    {
      name: "first transposed, int8",
      args: ["Tensor[(2, 8, 3), int8]", "Tensor[(2, 8, 5), int8]"],
      attrs: { transpose_a: true, out_dtype: "int32" },
    },
  ],
});
