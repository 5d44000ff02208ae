// Tensors one after the other along an axis.  TVM: src/relay/op/tensor/transform.h (ConcatenateRel)
import { at } from "../../../support/assert.ts";
import { int } from "../../ir/attrs.ts";
import { anyDim, printType, tensorType, type Dim, type TensorType, type Type } from "../../ir/type.ts";
import { concatenate as concatenateCompute } from "../../topi/transform.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { defineOp } from "../define.ts";
import { concatenateShape } from "../_shape-funcs/transform.ts";
import { asker, axisArg, sameDTypes, tensorTupleArg, type Asker } from "../_shared/type-helpers.ts";

export const concatenate = defineOp({
  name: "concatenate",
  inputs: ["data"],
  tupleInput: true,
  attrs: { axis: int({ default: 0, doc: "Axis along which the tensors follow each other." }) },
  attrsKey: "relay.attrs.ConcatenateAttrs",
  pattern: "injective",
  type: ({ data }, { axis }, t) => concatenateRelation(asker(t, "concatenate"), data, axis),
  compute: (_, { axis }, cx) => {
    const rank = at(cx.ins, 0, "tensor").shape.length;
    return concatenateCompute(cx.ins, axis < 0 ? axis + rank : axis, cx.origin);
  },
  shapeFunc: concatenateShape,
  schedule: injectiveRecipe,
  doc: "Joins a tuple of tensors along `axis`; all other dimensions and the dtypes are equal.",
  examples: [
    {
      name: "channels",
      args: ["(Tensor[(1, 2, 3), float32], Tensor[(1, 4, 3), float32])"],
      attrs: { axis: 1 },
    },
    {
      name: "three, last axis",
      args: ["(Tensor[(2, 3), float32], Tensor[(2, 1), float32], Tensor[(2, 2), float32])"],
      attrs: { axis: -1 },
    },
  ],
});

/** The type of the joined tensors; null while unknown or after reporting. */
export function concatenateRelation(cx: Asker, data: Type, axis: number): TensorType | null {
  const fields = tensorTupleArg(cx, "data", data);
  if (fields === null) return null;
  const first = fields[0];
  if (first === undefined)
    return cx.t.error("RS2101", `${cx.op}: the tuple is empty`, {
      expected: "at least one tensor",
      got: "()",
    });
  const place = axisArg(cx, axis, first.shape.length);
  if (place === null) return null;
  const shape: Dim[] = [...first.shape];
  for (const [i, field] of fields.entries()) {
    if (i === 0) continue;
    if (!sameDTypes(cx, ["data.0", first], [`data.${i}`, field])) return null;
    const fits =
      field.shape.length === shape.length &&
      field.shape.every(
        (dim, k) => k === place || cx.t.dimEqual(dim, at(shape, k, "axis of the first tensor")),
      );
    if (!fits) {
      return cx.t.error("RS2105", `${cx.op}: tensor ${i} of the tuple does not fit the first`, {
        expected: `${printType(first)} except along axis ${place}`,
        got: printType(field),
      });
    }
    field.shape.forEach((dim, k) => {
      const before = at(shape, k, "axis of the first tensor");
      if (k === place)
        shape[k] = typeof before === "number" && typeof dim === "number" ? before + dim : anyDim;
      else if (typeof before !== "number") shape[k] = dim;
    });
  }
  return tensorType(shape, first.dtype);
}
