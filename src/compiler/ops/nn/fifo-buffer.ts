// A buffer that forgets its oldest elements.  TVM: src/relay/op/nn/nn.cc (FIFOBufferRel),
// python/tvm/topi/nn/fifo_buffer.py
import { at } from "../../../support/assert.ts";
import { int } from "../../ir/attrs.ts";
import { printType } from "../../ir/type.ts";
import { compute } from "../../te/compute.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { withIndices } from "../../topi/indexing.ts";
import { add, ifThenElse, lt, sub } from "../../tir/build.ts";
import { defineOp } from "../define.ts";
import { asker, axisArg, sameDTypes, tensorArg } from "../_shared/type-helpers.ts";

export const fifoBuffer = defineOp({
  name: "nn.fifo_buffer",
  inputs: ["data", "buffer"],
  attrs: { axis: int({ default: 0, doc: "Axis along which the buffer moves." }) },
  attrsKey: "relay.attrs.FIFOBufferAttrs",
  pattern: "opaque",
  type: (args, attrs, t) => {
    const cx = asker(t, "nn.fifo_buffer");
    const data = tensorArg(cx, "data", args.data);
    const held = tensorArg(cx, "buffer", args.buffer);
    if (data === null || held === null || !sameDTypes(cx, ["data", data], ["buffer", held])) return null;
    const axis = axisArg(cx, attrs.axis, held.shape.length);
    if (axis === null) return null;
    const fits =
      data.shape.length === held.shape.length &&
      data.shape.every((dim, i) => {
        const room = at(held.shape, i, "buffer axis");
        return i === axis
          ? typeof dim !== "number" || typeof room !== "number" || dim <= room
          : t.dimEqual(dim, room);
      });
    if (fits) return held;
    return t.error("RS2105", "nn.fifo_buffer: argument `data` does not fit into `buffer`", {
      expected: `the shape of ${printType(held)}, or less along axis ${axis}`,
      got: printType(data),
    });
  },
  compute: ({ data, buffer: held }, attrs, cx) => {
    const axis = attrs.axis < 0 ? attrs.axis + held.shape.length : attrs.axis;
    const kept = sub(at(held.shape, axis, "buffer axis"), at(data.shape, axis, "data axis"));
    return compute(
      held.shape,
      (i) => {
        const moved = held.at(
          ...withIndices(i, new Map([[axis, add(at(i, axis, "index"), at(data.shape, axis, "data axis"))]])),
        );
        return ifThenElse(
          lt(at(i, axis, "index"), kept),
          moved,
          data.at(...withIndices(i, new Map([[axis, sub(at(i, axis, "index"), kept)]]))),
        );
      },
      { name: "new_buffer", tag: "injective", origin: cx.origin },
    );
  },
  schedule: injectiveRecipe,
  doc: "The buffer with data put in at the end of `axis`, and as many elements dropped at its front.",
  examples: [
    { name: "rows", args: ["Tensor[(2, 3), float32]", "Tensor[(5, 3), float32]"] },
    {
      name: "last axis",
      args: ["Tensor[(1, 2, 1), int32]", "Tensor[(1, 2, 4), int32]"],
      attrs: { axis: -1 },
    },
  ],
});
