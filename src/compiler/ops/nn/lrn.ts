// Local response normalisation across channels.  TVM: src/relay/op/nn/nn.cc (nn.lrn),
// include/tvm/topi/nn/local_response_norm.h
import { at } from "../../../support/assert.ts";
import { float, int } from "../../ir/attrs.ts";
import { add, div, imm, knownInt, mul, tirCall } from "../../tir/build.ts";
import { compute, reduceAxis, sum } from "../../te/compute.ts";
import { pool as poolRecipe } from "../../recipes/pool.ts";
import { withIndices } from "../../topi/indexing.ts";
import { pad } from "../../topi/pad.ts";
import { broadcastPair } from "../../topi/elementwise.ts";
import { defineOp } from "../define.ts";
import { sameShape } from "../_shape-funcs/same.ts";
import { acceptsDType } from "../math/unary.ts";
import { asker, axisArg, tensorArg } from "../_shared/type-helpers.ts";

export const lrn = defineOp({
  name: "nn.lrn",
  inputs: ["data"],
  attrs: {
    size: int({ default: 5, doc: "How many neighbouring channels count; odd." }),
    axis: int({ default: 1, doc: "Axis of the channels." }),
    bias: float({ default: 2, doc: "Added to the mean square." }),
    alpha: float({ default: 0.0001, doc: "Factor of the mean square." }),
    beta: float({ default: 0.75, doc: "Power that the divisor is raised to." }),
  },
  attrsKey: "relay.attrs.LRNAttrs",
  pattern: "opaque",
  type: ({ data }, { axis, size }, t) => {
    const cx = asker(t, "nn.lrn");
    const type = tensorArg(cx, "data", data);
    if (
      type === null ||
      axisArg(cx, axis, type.shape.length) === null ||
      !acceptsDType(cx, "data", type, "float")
    )
      return null;
    return size >= 1 && size % 2 === 1
      ? type
      : t.error("RS2108", "nn.lrn: attribute `size` is not usable", {
          expected: "an odd number",
          got: String(size),
        });
  },
  compute: ({ data }, attrs, cx) => {
    const { dtype } = data;
    const axis = attrs.axis < 0 ? attrs.axis + data.shape.length : attrs.axis;
    // Channels further away than the last one are padding: squares of 0.
    const neighbours = Math.min((attrs.size - 1) / 2, knownInt(at(data.shape, axis, "data axis")));
    const reach = data.shape.map((_, i) => (i === axis ? neighbours : 0));
    const padded = pad(data, { before: reach, after: reach }, imm(0, dtype), {
      name: "pad_data",
      origin: cx.origin,
    });
    const rxs = reduceAxis(2 * neighbours + 1, "rxs");
    const squares = compute(
      data.shape,
      (i) => {
        const value = padded.at(
          ...withIndices(i, new Map([[axis, add(at(i, axis, "index"), rxs.variable)]])),
        );
        return sum(mul(value, value), [rxs]);
      },
      { name: "tensor", tag: "sqr_sum", origin: cx.origin },
    );
    return broadcastPair(data, squares, { name: "T_divide", origin: cx.origin }, (x, total) =>
      div(
        x,
        tirCall("tir.pow", dtype, [
          add(div(mul(total, imm(attrs.alpha, dtype)), imm(attrs.size, dtype)), imm(attrs.bias, dtype)),
          imm(attrs.beta, dtype),
        ]),
      ),
    );
  },
  shapeFunc: sameShape,
  schedule: poolRecipe,
  doc: "Divides every element by (bias + alpha * mean of squares over `size` neighbouring channels) to the power beta.",
  examples: [
    { name: "channels", args: ["Tensor[(1, 7, 3, 2), float32]"] },
    {
      name: "last axis",
      args: ["Tensor[(1, 2, 3, 4), float32]"],
      attrs: { size: 3, axis: 3, alpha: 0.5, bias: 1 },
    },
  ],
});
