// Fully connected layer on quantised tensors.  TVM: src/relay/qnn/op/dense.cc,
// python/tvm/relay/qnn/op/legalizations.py
import { first } from "../../../support/assert.ts";
import { tensorTypeOf } from "../../relay/op.ts";
import { dtypeAttr, optionalInt, type Attrs } from "../../ir/attrs.ts";
import { int32 } from "../../ir/dtype.ts";
import { defineOp, type OpRewrite } from "../define.ts";
import { matmulRelation } from "../_shared/matmul-types.ts";
import { asker } from "../_shared/type-helpers.ts";
import { productInputs, qnnProductRelation } from "./product-relation.ts";
import { legalizeToInt16 } from "./legalize-int16.ts";
import { lowering, scalarValue, type QuantisedProduct } from "./lowering.ts";
import { combineTerms } from "./terms.ts";

const canonicalize: OpRewrite<keyof QuantisedProduct, Attrs> = ({ node, args, attrs }, cx) => {
  const l = lowering(node, cx);
  const { data, weight, input_zero_point: dataZero, weight_zero_point: weightZero } = args;
  const [units, inner] = tensorTypeOf(weight).shape;
  const last = tensorTypeOf(data).shape.length - 1;
  if (typeof units !== "number" || typeof inner !== "number")
    return l.refuse("the size of `weight` is dynamic", { expected: "a static shape", got: "?" });
  return combineTerms(
    l,
    {
      product: l.make("nn.dense", [data, weight], attrs),
      dataSums: () => {
        const sums = l.make("sum", [l.cast(data, int32)], { axis: [last], keepdims: true });
        return l.make("multiply", [
          weightZero,
          scalarValue(weightZero) === null ? l.make("repeat", [sums], { repeats: units, axis: last }) : sums,
        ]);
      },
      weightSums: () => l.make("multiply", [dataZero, l.make("sum", [l.cast(weight, int32)], { axis: [1] })]),
      count: inner,
      zeroPointProduct: () => l.make("multiply", [l.make("multiply", [dataZero, weightZero]), l.int(inner)]),
    },
    { data: dataZero, weight: weightZero },
  );
};

export const qnnDense = defineOp({
  name: "qnn.dense",
  inputs: productInputs,
  attrs: {
    units: optionalInt({ doc: "Number of results a row." }),
    out_dtype: dtypeAttr({ default: null, doc: "Dtype of the result: int32." }),
  },
  attrsKey: "relay.attrs.DenseAttrs",
  pattern: "opaque",
  type: (args, attrs, t) => {
    const cx = asker(t, "qnn.dense");
    return qnnProductRelation(cx, args, {
      outDType: { given: attrs.out_dtype, allowed: ["int32"] },
      relation: ({ data, weight }) =>
        matmulRelation(
          cx,
          [
            ["data", data],
            ["weight", weight],
          ],
          { ...attrs, transpose_a: false, transpose_b: true },
        ),
      channels: (_, { weight }) => first(weight.shape, "weight axis"),
      scalars: ["input_zero_point", "input_scale"],
      byChannel: ["weight_zero_point", "weight_scale"],
    });
  },
  qnnLegalize: ({ node, args, attrs }, cx) =>
    legalizeToInt16(node, cx, args, { op: "nn.dense", attrs, weightAxis: 0 }),
  qnnCanonicalize: canonicalize,
  flags: { nonComputational: true, noPattern: true },
  doc: "Data (..., K) minus its zero point times the weight (units, K) minus its own, transposed: int32 with scale input_scale * weight_scale and zero point 0.",
  examples: [
    {
      name: "int8",
      args: ["Tensor[(2, 8), int8]", "Tensor[(4, 8), int8]", "int32", "int32", "float32", "float32"],
      attrs: { units: 4, out_dtype: "int32" },
    },
    {
      name: "one scale a row of the weight",
      args: [
        "Tensor[(1, 8), uint8]",
        "Tensor[(3, 8), int8]",
        "int32",
        "int32",
        "float32",
        "Tensor[(3), float32]",
      ],
      attrs: { units: 3, out_dtype: "int32" },
    },
  ],
});
