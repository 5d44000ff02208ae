// Elements or slices at given positions.  TVM: src/relay/op/tensor/transform.cc (TakeRel)
import { at } from "../../../support/assert.ts";
import { optionalInt, text } from "../../ir/attrs.ts";
import { isInteger } from "../../ir/dtype.ts";
import { printType, tensorType } from "../../ir/type.ts";
import { take as takeCompute, type TakeMode } from "../../topi/transform.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { integerObject } from "../_shared/attr-fields.ts";
import { defineOp } from "../define.ts";
import { takeShape } from "../_shape-funcs/transform.ts";
import { asker, axisArg, hasElements, oneOf, tensorArg } from "../_shared/type-helpers.ts";

const modes: readonly TakeMode[] = ["clip", "wrap", "fast"];

function fromFront(position: number, rank: number): number {
  return position < 0 ? position + rank : position;
}

export const take = defineOp({
  name: "take",
  inputs: ["data", "indices"],
  attrs: {
    batch_dims: integerObject({ default: 0, doc: "How many first axes of data and indices go together." }),
    axis: optionalInt({
      default: null,
      doc: "Axis that the indices count; None counts the elements of flattened data.",
    }),
    mode: text({
      default: "clip",
      doc: 'Indices out of range: "clip" takes the nearest, "wrap" goes around, "fast" is like "clip".',
    }),
  },
  attrsKey: "relay.attrs.TakeAttrs",
  pattern: "injective",
  type: ({ data, indices }, attrs, t) => {
    const cx = asker(t, "take");
    const type = tensorArg(cx, "data", data);
    const positions = tensorArg(cx, "indices", indices);
    if (type === null || positions === null || !oneOf(cx, "mode", attrs.mode, modes)) return null;
    if (!isInteger(positions.dtype)) {
      return t.error("RS2110", "take: argument `indices` has a dtype that this operator does not take", {
        expected: "an int or uint dtype",
        got: positions.dtype.name,
        hint: 'convert it, as in cast(%i, dtype="int32")',
      });
    }
    if (attrs.axis === null)
      return hasElements(cx, "data", type.shape, positions.shape)
        ? tensorType(positions.shape, type.dtype)
        : null;
    const axis = axisArg(cx, attrs.axis, type.shape.length);
    if (axis === null) return null;
    const batch = fromFront(attrs.batch_dims, positions.shape.length);
    if (batch < 0 || batch > axis || batch > positions.shape.length) {
      return t.error("RS2104", "take: attribute `batch_dims` is out of range", {
        expected: `0 to ${Math.min(axis, positions.shape.length)}`,
        got: String(attrs.batch_dims),
      });
    }
    if (
      !type.shape.slice(0, batch).every((dim, i) => t.dimEqual(dim, at(positions.shape, i, "indices axis")))
    ) {
      return t.error("RS2105", "take: the batch dimensions of `data` and `indices` do not match", {
        expected: `the first ${batch} dimensions equal`,
        got: `${printType(type)} and ${printType(positions)}`,
      });
    }
    const shape = [
      ...type.shape.slice(0, axis),
      ...positions.shape.slice(batch),
      ...type.shape.slice(axis + 1),
    ];
    return hasElements(cx, "data", [at(type.shape, axis, "input axis")], shape)
      ? tensorType(shape, type.dtype)
      : null;
  },
  compute: ({ data, indices }, attrs, cx) =>
    takeCompute(
      data,
      indices,
      {
        axis: attrs.axis === null ? null : fromFront(attrs.axis, data.shape.length),
        batchDims: fromFront(attrs.batch_dims, indices.shape.length),
        mode: attrs.mode as TakeMode,
      },
      cx.origin,
    ),
  shapeFunc: takeShape,
  schedule: injectiveRecipe,
  doc: "Takes the slices of data along `axis` whose positions `indices` holds, or elements of flattened data where axis is None.",
  examples: [
    { name: "embedding", args: ["Tensor[(9, 4), float32]", "Tensor[(2, 3), int32]"], attrs: { axis: 0 } },
    { name: "flattened", args: ["Tensor[(3, 4), float32]", "Tensor[(5), int32]"] },
    {
      name: "wrapped",
      args: ["Tensor[(2, 5), float32]", "Tensor[(4), int64]"],
      attrs: { axis: 1, mode: "wrap" },
    },
    {
      name: "batched",
      args: ["Tensor[(2, 5, 3), float32]", "Tensor[(2, 4), int32]"],
      attrs: { batch_dims: 1, axis: 1 },
    },
  ],
});
