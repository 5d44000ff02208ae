// Division by the Euclidean length along axes.  TVM: src/relay/op/nn/nn.cc (nn.l2_normalize),
// simplify_inference.cc (L2NormToInferUnpack)
import { float, optionalInts } from "../../ir/attrs.ts";
import { call, scalar } from "../../relay/build.ts";
import { tensorTypeOf } from "../../relay/op.ts";
import { defineOp } from "../define.ts";
import { acceptsDType } from "../math/unary.ts";
import { asker, axesArg, requiredAttr, tensorArg } from "../_shared/type-helpers.ts";

export const l2Normalize = defineOp({
  name: "nn.l2_normalize",
  inputs: ["data"],
  attrs: {
    eps: float({ doc: "Least value of the sum of squares." }),
    axis: optionalInts({ doc: "Axes over which squares are summed; None means all." }),
  },
  attrsKey: "relay.attrs.L2NormalizeAttrs",
  pattern: "opaque",
  type: ({ data }, { eps, axis }, t) => {
    const cx = asker(t, "nn.l2_normalize");
    const type = tensorArg(cx, "data", data);
    if (type === null || requiredAttr(cx, "eps", eps) === null || !acceptsDType(cx, "data", type, "float"))
      return null;
    return axis !== null && axesArg(cx, axis, type.shape.length) === null ? null : type;
  },
  simplify: ({ node: { origin }, args: { data }, attrs }, cx) => {
    const least = scalar(cx, tensorTypeOf(data).dtype, Math.fround(attrs.eps), origin);
    const squares = call(cx, "multiply", [data, data], {}, origin);
    const total = call(cx, "sum", [squares], { axis: attrs.axis, keepdims: true }, origin);
    const length = call(cx, "sqrt", [call(cx, "maximum", [total, least], {}, origin)], {}, origin);
    return call(cx, "divide", [data, length], {}, origin);
  },
  doc: "Divides by the square root of the sum of squares along the axes, which is held at `eps` or more.",
  examples: [{ name: "channels", args: ["Tensor[(2, 4, 6), float32]"], attrs: { eps: 0.0001, axis: [1] } }],
});
