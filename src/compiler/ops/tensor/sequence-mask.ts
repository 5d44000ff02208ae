// Elements beyond a sequence's length replaced.  TVM: src/relay/op/tensor/transform.cc (SequenceMaskRel)
import { at } from "../../../support/assert.ts";
import { float, int } from "../../ir/attrs.ts";
import { printType, tensorType } from "../../ir/type.ts";
import { cast, ge, ifThenElse, imm } from "../../tir/build.ts";
import { compute } from "../../te/compute.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { defineOp } from "../define.ts";
import { sameShape } from "../_shape-funcs/same.ts";
import { asker, fillArgument, tensorArg } from "../_shared/type-helpers.ts";

export const sequenceMask = defineOp({
  name: "sequence_mask",
  inputs: ["data", "valid_length"],
  attrs: {
    mask_value: float({ default: 0, doc: "What elements beyond the length become." }),
    axis: int({ default: 0, doc: "Axis of the sequence, 0 or 1; the other one is the batch." }),
  },
  attrsKey: "relay.attrs.SequenceMaskAttrs",
  pattern: "injective",
  type: ({ data, valid_length: lengths }, { axis }, t) => {
    const cx = asker(t, "sequence_mask");
    const type = tensorArg(cx, "data", data);
    const counts = tensorArg(cx, "valid_length", lengths);
    if (type === null || counts === null) return null;
    if ((axis !== 0 && axis !== 1) || type.shape.length < 2)
      return t.error("RS2104", "sequence_mask: attribute `axis` is out of range", {
        expected: "0 or 1, of data of rank 2 or more",
        got: `${axis} of ${printType(type)}`,
      });
    const wanted = tensorType([at(type.shape, 1 - axis, "input axis")], counts.dtype);
    return fillArgument(cx, "valid_length", lengths, {
      wanted,
      because: `there is one length an element of axis ${1 - axis} of ${printType(type)}`,
    })
      ? type
      : null;
  },
  compute: ({ data, valid_length: lengths }, { mask_value: mask, axis }, cx) =>
    compute(
      data.shape,
      (i) =>
        ifThenElse(
          ge(cast(at(i, axis, "index"), lengths.dtype), lengths.at(at(i, 1 - axis, "index"))),
          imm(mask, data.dtype),
          data.at(...i),
        ),
      { name: "T_sequence_mask", tag: "injective", origin: cx.origin },
    ),
  shapeFunc: sameShape,
  schedule: injectiveRecipe,
  doc: "Keeps the first valid_length[b] elements of every sequence and sets the others to `mask_value`.",
  examples: [
    {
      name: "length first",
      args: ["Tensor[(4, 2, 3), float32]", "Tensor[(2), int32]"],
      attrs: { mask_value: -1 },
    },
    { name: "batch first", args: ["Tensor[(2, 4), float32]", "Tensor[(2), int32]"], attrs: { axis: 1 } },
  ],
});
