// The first elements of every batch turned around.  TVM: src/relay/op/tensor/transform.cc
// (ReverseSequenceRel)
import { at, first } from "../../../support/assert.ts";
import { printType } from "../../ir/type.ts";
import { cast, gt, ifThenElse, le, or, sub } from "../../tir/build.ts";
import { int32 } from "../../ir/dtype.ts";
import { compute } from "../../te/compute.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { withIndices } from "../../topi/indexing.ts";
import { integerObject } from "../_shared/attr-fields.ts";
import { defineOp } from "../define.ts";
import { sameShape } from "../_shape-funcs/same.ts";
import { acceptsDType } from "../math/unary.ts";
import { asker, axisArg, tensorArg } from "../_shared/type-helpers.ts";

export const reverseSequence = defineOp({
  name: "reverse_sequence",
  inputs: ["data", "seq_lengths"],
  attrs: {
    seq_axis: integerObject({ default: 1, doc: "Axis whose order is turned around." }),
    batch_axis: integerObject({ default: 0, doc: "Axis along which the lengths run." }),
  },
  attrsKey: "relay.attrs.ReverseSequenceAttrs",
  pattern: "injective",
  type: ({ data, seq_lengths: lengths }, attrs, t) => {
    const cx = asker(t, "reverse_sequence");
    const type = tensorArg(cx, "data", data);
    const counts = tensorArg(cx, "seq_lengths", lengths);
    if (type === null || counts === null || !acceptsDType(cx, "seq_lengths", counts, "integer")) return null;
    const batch = axisArg(cx, attrs.batch_axis, type.shape.length, "batch_axis");
    if (batch === null || axisArg(cx, attrs.seq_axis, type.shape.length, "seq_axis") === null) return null;
    if (
      counts.shape.length === 1 &&
      t.dimEqual(first(counts.shape, "lengths axis"), at(type.shape, batch, "input axis"))
    )
      return type;
    return t.error("RS2105", "reverse_sequence: argument `seq_lengths` does not fit `data`", {
      expected: `a vector with one length an element of axis ${batch} of ${printType(type)}`,
      got: printType(counts),
    });
  },
  compute: ({ data, seq_lengths: lengths }, attrs, cx) => {
    const rank = data.shape.length;
    const axis = attrs.seq_axis < 0 ? attrs.seq_axis + rank : attrs.seq_axis;
    const batch = attrs.batch_axis < 0 ? attrs.batch_axis + rank : attrs.batch_axis;
    return compute(
      data.shape,
      (i) => {
        const length = cast(lengths.at(at(i, batch, "index")), int32);
        const index = at(i, axis, "index");
        const extent = at(data.shape, axis, "data axis");
        const turned = ifThenElse(gt(length, extent), sub(sub(extent, 1), index), sub(sub(length, 1), index));
        return data.at(
          ...withIndices(
            i,
            new Map([[axis, ifThenElse(or(le(length, 1), le(length, index)), index, turned)]]),
          ),
        );
      },
      { name: "T_reverse_sequence", tag: "injective", origin: cx.origin },
    );
  },
  shapeFunc: sameShape,
  schedule: injectiveRecipe,
  doc: "For every element of the batch axis turns around the first seq_lengths[b] elements along the sequence axis; the rest stays.",
  examples: [
    {
      name: "columns",
      args: ["Tensor[(4, 3), float32]", "Tensor[(3), int32]"],
      attrs: { seq_axis: 0, batch_axis: 1 },
    },
  ],
});
