// Fully connected layer with weights stored in blocks of rows; TVM's AlterOpLayout makes it of nn.dense.
// TVM: src/relay/op/nn/nn.cc (DensePackRel), python/tvm/topi/x86/dense.py (dense_pack)
import { at, first } from "../../../support/assert.ts";
import { dtypeAttr, optionalInt, text } from "../../ir/attrs.ts";
import { mapDim, asker, checkRank, dtypeOf, tensorArg } from "../_shared/type-helpers.ts";
import { printType, tensorType } from "../../ir/type.ts";
import { cast, floorDiv, floorMod, mul } from "../../tir/build.ts";
import { compute, reduceAxis, sum } from "../../te/compute.ts";
import { dense as denseRecipe } from "../../recipes/dense.ts";
import { defineOp } from "../define.ts";
import { densePackShape } from "../_shape-funcs/matmul.ts";

export const contribDensePack = defineOp({
  name: "nn.contrib_dense_pack",
  inputs: ["data", "weight"],
  attrs: {
    units: optionalInt({ doc: "Number of results a row." }),
    out_dtype: dtypeAttr({
      default: null,
      doc: "Dtype of the sums and the result; empty means that of the data.",
    }),
    weight_layout: text({ default: "NC", doc: "Order of the weight's axes, as in NC8n." }),
  },
  attrsKey: "relay.attrs.DensePackAttrs",
  pattern: "outEWiseFusable",
  type: ({ data, weight }, attrs, t) => {
    const cx = asker(t, "nn.contrib_dense_pack");
    const type = tensorArg(cx, "data", data);
    const packed = tensorArg(cx, "weight", weight);
    const dtype = type === null ? null : dtypeOf(cx, "out_dtype", attrs.out_dtype, type.dtype);
    if (
      type === null ||
      packed === null ||
      dtype === null ||
      !checkRank(cx, "data", type, [2]) ||
      !checkRank(cx, "weight", packed, [3])
    )
      return null;
    if (!t.dimEqual(at(type.shape, 1, "input axis"), at(packed.shape, 1, "packed weight axis"))) {
      return t.error(
        "RS2105",
        "nn.contrib_dense_pack: the inner dimensions of `data` and `weight` do not match",
        { expected: "dimension 1 of both equal", got: `${printType(type)} and ${printType(packed)}` },
      );
    }
    const block = at(packed.shape, 2, "packed weight axis");
    return tensorType(
      [
        first(type.shape, "input axis"),
        mapDim(first(packed.shape, "packed weight axis"), (n) => n * Number(block)),
      ],
      dtype,
    );
  },
  compute: ({ data, weight }, _, cx) => {
    const { dtype } = cx.outType;
    const block = at(weight.shape, 2, "weight axis");
    const k = reduceAxis(at(data.shape, 1, "data axis"), "k");
    return compute(
      [first(data.shape, "data axis"), mul(first(weight.shape, "weight axis"), block)],
      ([i, j]) =>
        sum(
          mul(
            cast(data.at(i, k.variable), dtype),
            cast(weight.at(floorDiv(j, block), k.variable, floorMod(j, block)), dtype),
          ),
          [k],
        ),
      { name: "T_dense_pack", tag: "dense_pack", origin: cx.origin },
    );
  },
  shapeFunc: densePackShape,
  schedule: denseRecipe,
  flags: { attrsInMeta: true },
  doc: "nn.dense with the weight stored as (units/n, K, n): n neighbouring rows side by side.",
  examples: [
    {
      name: "blocks of 8",
      args: ["Tensor[(2, 5), float32]", "Tensor[(3, 5, 8), float32]"],
      attrs: { weight_layout: "NC8n" },
    },
  ],
});
