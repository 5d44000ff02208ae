// Fully connected layer: data times the transposed weight.  TVM: src/relay/op/nn/nn.cc (nn.dense), nn.h
// (MatmulRel)
import { dtypeAttr, optionalInt } from "../../ir/attrs.ts";
import { matmul } from "../../topi/matmul.ts";
import { dense as denseRecipe } from "../../recipes/dense.ts";
import { defineOp } from "../define.ts";
import { denseShape } from "../_shape-funcs/matmul.ts";
import { matmulRelation } from "../_shared/matmul-types.ts";
import { asker } from "../_shared/type-helpers.ts";

export const dense = defineOp({
  name: "nn.dense",
  inputs: ["data", "weight"],
  attrs: {
    units: optionalInt({ doc: "Number of results a row; None reads it from the weight." }),
    out_dtype: dtypeAttr({
      default: null,
      doc: "Dtype of the sums and the result; empty means that of the data.",
    }),
  },
  attrsKey: "relay.attrs.DenseAttrs",
  pattern: "outEWiseFusable",
  type: ({ data, weight }, attrs, t) =>
    matmulRelation(
      asker(t, "nn.dense"),
      [
        ["data", data],
        ["weight", weight],
      ],
      { ...attrs, transpose_a: false, transpose_b: true },
    ),
  compute: ({ data, weight }, _, cx) =>
    matmul(data, weight, { transposeA: false, transposeB: true, outDType: cx.outType.dtype }, cx.origin),
  shapeFunc: denseShape,
  schedule: denseRecipe,
  doc: "Data (..., K) times the weight (units, K) transposed: each result is the dot product of a row of data with a row of the weight. Shape (..., units).",
  examples: [
    {
      name: "units given",
      args: ["Tensor[(2, 5), float32]", "Tensor[(3, 5), float32]"],
      attrs: { units: 3 },
    },
    { name: "units from the weight", args: ["Tensor[(1, 4), float32]", "Tensor[(6, 4), float32]"] },
    {
      name: "int8 to int32",
      args: ["Tensor[(2, 4), int8]", "Tensor[(3, 4), int8]"],
      attrs: { units: 3, out_dtype: "int32" },
    },
  ],
});
