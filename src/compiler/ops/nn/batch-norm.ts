// Batch normalisation; at inference a multiplication and an addition.
// TVM: src/relay/op/nn/nn.cc (BatchNormRel), src/relay/transforms/simplify_inference.cc
// (BatchNormToInferUnpack)
import { at } from "../../../support/assert.ts";
import { flag, float, int } from "../../ir/attrs.ts";
import { printType, tensorType, tupleType } from "../../ir/type.ts";
import { call, scalar, tuple } from "../../relay/build.ts";
import { tensorTypeOf } from "../../relay/op.ts";
import { defineOp } from "../define.ts";
import { acceptsDType } from "../math/unary.ts";
import { asker, axisArg, fillArgument, tensorArg } from "../_shared/type-helpers.ts";
import { alongAxis } from "./norm-rewrite.ts";

export const batchNorm = defineOp({
  name: "nn.batch_norm",
  inputs: ["data", "gamma", "beta", "moving_mean", "moving_var"],
  attrs: {
    axis: int({ default: 1, doc: "Axis of the channels." }),
    epsilon: float({ default: 1e-5, doc: "Added to the variance." }),
    center: flag({ default: true, doc: "Add beta." }),
    scale: flag({ default: true, doc: "Multiply by gamma." }),
  },
  attrsKey: "relay.attrs.BatchNormAttrs",
  pattern: "opaque",
  type: (args, { axis }, t) => {
    const cx = asker(t, "nn.batch_norm");
    const type = tensorArg(cx, "data", args.data);
    if (type === null || !acceptsDType(cx, "data", type, "float")) return null;
    const place = axisArg(cx, axis, type.shape.length);
    if (place === null) return null;
    const wanted = tensorType([at(type.shape, place, "input axis")], type.dtype);
    for (const name of ["gamma", "beta", "moving_mean", "moving_var"] as const) {
      if (
        !fillArgument(cx, name, args[name], {
          wanted,
          because: `there is one number a channel, along axis ${place} of ${printType(type)}`,
        })
      )
        return null;
    }
    return tupleType([type, wanted, wanted]);
  },
  // A tuple-valued operator becomes a tuple; SimplifyInference takes its field 0 where only that is used.
  simplify: ({ node: { origin }, args, attrs }, cx) => {
    const { data, gamma, beta, moving_mean: mean, moving_var: variance } = args;
    const type = tensorTypeOf(data);
    const rank = type.shape.length;
    const { axis } = attrs;
    const epsilon = scalar(cx, type.dtype, Math.fround(attrs.epsilon), origin);
    const deviation = call(cx, "sqrt", [call(cx, "add", [variance, epsilon], {}, origin)], {}, origin);
    let factor = call(cx, "divide", [scalar(cx, type.dtype, 1, origin), deviation], {}, origin);
    if (attrs.scale) factor = call(cx, "multiply", [factor, gamma], {}, origin);
    let shift = call(cx, "multiply", [call(cx, "negative", [mean], {}, origin), factor], {}, origin);
    if (attrs.center) shift = call(cx, "add", [shift, beta], {}, origin);
    const place = { axis: axis < 0 ? axis + rank : axis, rank };
    const scaled = call(cx, "multiply", [data, alongAxis(cx, factor, place, origin)], {}, origin);
    const out = call(cx, "add", [scaled, alongAxis(cx, shift, place, origin)], {}, origin);
    return tuple(cx, [out, mean, variance], origin);
  },
  doc: "Normalises every channel with the moving mean and variance, then multiplies by gamma and adds beta. Gives a tuple: the data, the mean and the variance.",
  examples: [
    {
      name: "NCHW",
      args: [
        "Tensor[(1, 3, 4, 4), float32]",
        "Tensor[(3), float32]",
        "Tensor[(3), float32]",
        "Tensor[(3), float32]",
        "Tensor[(3), float32]",
      ],
    },
    {
      name: "last axis",
      args: [
        "Tensor[(2, 5), float32]",
        "Tensor[(5), float32]",
        "Tensor[(5), float32]",
        "Tensor[(5), float32]",
        "Tensor[(5), float32]",
      ],
      attrs: { axis: -1, scale: false },
    },
  ],
});
