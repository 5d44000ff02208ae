// Adds a vector along one axis.  TVM: src/relay/op/nn/nn.cc (BiasAddRel); CanonicalizeOps makes it
// expand_dims + add
import { at } from "../../../support/assert.ts";
import { int } from "../../ir/attrs.ts";
import { printType, tensorType } from "../../ir/type.ts";
import { call } from "../../relay/build.ts";
import { tensorTypeOf } from "../../relay/op.ts";
import { add } from "../../tir/build.ts";
import { compute } from "../../te/compute.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { defineOp } from "../define.ts";
import { sameShape } from "../_shape-funcs/same.ts";
import { asker, axisArg, fillArgument, tensorArg } from "../_shared/type-helpers.ts";

export const biasAdd = defineOp({
  name: "nn.bias_add",
  inputs: ["data", "bias"],
  attrs: { axis: int({ default: 1, doc: "Axis of data along which the bias runs." }) },
  attrsKey: "relay.attrs.BiasAddAttrs",
  pattern: "broadcast",
  type: ({ data, bias }, { axis }, t) => {
    const cx = asker(t, "nn.bias_add");
    const type = tensorArg(cx, "data", data);
    if (type === null) return null;
    const place = axisArg(cx, axis, type.shape.length);
    if (place === null) return null;
    const wanted = tensorType([at(type.shape, place, "input axis")], type.dtype);
    return fillArgument(cx, "bias", bias, {
      wanted,
      because: `the bias runs along axis ${place} of ${printType(type)}`,
    })
      ? type
      : null;
  },
  compute: ({ data, bias }, { axis }, cx) => {
    const place = axis < 0 ? axis + data.shape.length : axis;
    return compute(data.shape, (i) => add(data.at(...i), bias.at(at(i, place, "index"))), {
      name: "T_add",
      tag: "broadcast",
      origin: cx.origin,
    });
  },
  canonicalize: ({ node, args: { data, bias }, attrs: { axis } }, cx) => {
    const rank = tensorTypeOf(data).shape.length;
    const newAxes = rank - 1 - (axis < 0 ? axis + rank : axis);
    const expanded =
      newAxes === 0 ? bias : call(cx, "expand_dims", [bias], { axis: 1, num_newaxis: newAxes }, node.origin);
    return call(cx, "add", [data, expanded], {}, node.origin);
  },
  shapeFunc: sameShape,
  schedule: injectiveRecipe,
  doc: "Adds a vector to data along `axis`; the bias has as many elements as data has there. The result has data's shape.",
  examples: [
    { name: "NCHW", args: ["Tensor[(1, 3, 2, 2), float32]", "Tensor[(3), float32]"] },
    { name: "last axis", args: ["Tensor[(2, 4), float32]", "Tensor[(4), float32]"], attrs: { axis: -1 } },
  ],
});
