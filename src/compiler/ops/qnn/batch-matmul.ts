// A product of quantised matrices a batch element.  TVM: src/relay/qnn/op/batch_matmul.cc
import { tensorTypeOf } from "../../relay/op.ts";
import { dtypeAttr, flag, type Attrs } from "../../ir/attrs.ts";
import { int32 } from "../../ir/dtype.ts";
import type { Expr } from "../../relay/expr.ts";
import { reshapeTo } from "../../relay/build.ts";
import { defineOp, type OpRewrite } from "../define.ts";
import { batchMatmulRelation } from "../_shared/matmul-types.ts";
import { asker, oneOf } from "../_shared/type-helpers.ts";
import { byteTypes, quantisedArg, scalarParams } from "./arguments.ts";
import { lowering } from "./lowering.ts";
import { combineTerms } from "./terms.ts";

const canonicalize: OpRewrite<"x" | "y" | "x_zero_point" | "y_zero_point", Attrs> = (
  { node, args, attrs },
  cx,
) => {
  const l = lowering(node, cx);
  const { x, y, x_zero_point: xZero, y_zero_point: yZero } = args;
  const [, , inner] = tensorTypeOf(x).shape;
  if (typeof inner !== "number")
    return l.refuse("the inner dimension is dynamic", { expected: "a static shape", got: "?" });
  const sums = (of: Expr): Expr => l.make("sum", [l.cast(of, int32)], { axis: [2], keepdims: true });
  return combineTerms(
    l,
    {
      product: l.make("nn.batch_matmul", [x, y], attrs),
      dataSums: () => l.make("multiply", [yZero, sums(x)]),
      // The sums of y's rows stand in a column a batch element; the result wants them in a row.
      weightSums: () => {
        const [batch, rows] = tensorTypeOf(y).shape;
        const column = l.make("multiply", [xZero, sums(y)]);
        if (typeof batch === "number" && typeof rows === "number")
          return reshapeTo(l.cx, column, [batch, 1, rows], l.node.origin);
        return l.make("reshape", [column], {
          newshape: [typeof batch === "number" ? batch : 0, 1, typeof rows === "number" ? rows : -1],
        });
      },
      count: inner,
      zeroPointProduct: () => l.make("multiply", [l.make("multiply", [xZero, yZero]), l.int(inner)]),
    },
    { data: xZero, weight: yZero },
  );
};

export const qnnBatchMatmul = defineOp({
  name: "qnn.batch_matmul",
  inputs: ["x", "y", "x_zero_point", "y_zero_point", "x_scale", "y_scale"],
  attrs: {
    out_dtype: dtypeAttr({ default: null, doc: "Dtype of the result: int32." }),
    transpose_a: flag({ default: false, doc: "Must be false." }),
    transpose_b: flag({ default: false, doc: "Must be true: y is stored (batch, J, K)." }),
  },
  attrsKey: "relay.attrs.BatchMatmulAttrs",
  pattern: "opaque",
  type: ({ x, y, ...params }, attrs, t) => {
    const cx = asker(t, "qnn.batch_matmul");
    const [xType, yType] = [quantisedArg(cx, "x", x, byteTypes), quantisedArg(cx, "y", y, byteTypes)];
    if (xType === null || yType === null || !oneOf(cx, "out_dtype", attrs.out_dtype ?? "", ["int32"]))
      return null;
    if (attrs.transpose_a || !attrs.transpose_b) {
      return t.error(
        "RS2108",
        "qnn.batch_matmul: attributes `transpose_a` and `transpose_b` are not usable",
        {
          expected: "transpose_a=False, transpose_b=True",
          got: `transpose_a=${attrs.transpose_a ? "True" : "False"}, transpose_b=${attrs.transpose_b ? "True" : "False"}`,
          hint: "transpose the tensors before",
        },
      );
    }
    const result = batchMatmulRelation(
      cx,
      [
        ["x", xType],
        ["y", yType],
      ],
      attrs,
    );
    return result !== null && scalarParams(cx, params) ? result : null;
  },
  qnnCanonicalize: canonicalize,
  flags: { nonComputational: true, noPattern: true },
  doc: "For every batch element x (I, K) minus its zero point times y (J, K) minus its own, transposed: int32 with scale x_scale * y_scale and zero point 0.",
  examples: [
    {
      name: "int8",
      args: ["Tensor[(2, 3, 8), int8]", "Tensor[(2, 5, 8), int8]", "int32", "int32", "float32", "float32"],
      attrs: { out_dtype: "int32", transpose_b: true },
    },
  ],
});
