// Average squared distance from a given mean.  TVM: src/relay/op/tensor/reduce.cc (VarianceRel,
// VarianceCompute)
import { tensorType } from "../../ir/type.ts";
import { cast, div, mul, sub } from "../../tir/build.ts";
import { sum } from "../../te/compute.ts";
import { broadcastPair, elementwise } from "../../topi/elementwise.ts";
import { reduce, reducedCount } from "../../topi/reduction.ts";
import { reduce as reduceRecipe } from "../../recipes/reduce.ts";
import { defineOp } from "../define.ts";
import { reducedShape } from "../_shape-funcs/reduce.ts";
import { acceptsDType } from "../math/unary.ts";
import { asker, broadcastDims, sameDTypes, shapesMatch, tensorArg } from "../_shared/type-helpers.ts";
import { reducedAxes, reducedDims, varianceSchema } from "./reduce-op.ts";
import { printType } from "../../ir/type.ts";

export const variance = defineOp({
  name: "variance",
  inputs: ["data", "mean"],
  attrs: varianceSchema,
  attrsKey: "relay.attrs.VarianceAttrs",
  pattern: "commReduce",
  type: ({ data, mean }, attrs, t) => {
    const cx = asker(t, "variance");
    const type = tensorArg(cx, "data", data);
    const average = tensorArg(cx, "mean", mean);
    if (type === null || average === null) return null;
    if (!acceptsDType(cx, "data", type, "number") || !sameDTypes(cx, ["data", type], ["mean", average]))
      return null;
    const together =
      type.shape.length === average.shape.length ? broadcastDims(type.shape, average.shape) : null;
    if (together === null || !shapesMatch(cx, together, type.shape)) {
      return t.error("RS2105", "variance: argument `mean` does not fit `data`", {
        expected: `a tensor that broadcasts to ${printType(type)}, of the same rank`,
        got: printType(average),
        hint: "compute it with mean(..., keepdims=True)",
      });
    }
    const shape = reducedDims(cx, type.shape, attrs);
    return shape === null ? null : tensorType(shape, type.dtype);
  },
  compute: ({ data, mean }, attrs, cx) => {
    const axes = reducedAxes(attrs, data.shape.length);
    const distance = broadcastPair(data, mean, { name: "T_subtract", origin: cx.origin }, sub);
    const square = broadcastPair(distance, distance, { name: "T_multiply", origin: cx.origin }, mul);
    const total =
      axes.length === 0 ? square : reduce(square, { axes, keepdims: attrs.keepdims, origin: cx.origin }, sum);
    const elements = reducedCount(data, axes);
    const count = cast(attrs.unbiased ? sub(elements, 1) : elements, data.dtype);
    return elementwise(total, "T_divide", cx.origin, (value) => div(value, count));
  },
  shapeFunc: reducedShape(reducedAxes),
  schedule: reduceRecipe,
  doc: "Average along the axes of the squared distance between data and a mean that was computed before (with keepdims); unbiased divides by one less.",
  examples: [
    {
      name: "one axis",
      args: ["Tensor[(2, 3, 4), float32]", "Tensor[(2, 1, 4), float32]"],
      attrs: { axis: [1] },
    },
    {
      name: "unbiased, kept",
      args: ["Tensor[(2, 3), float32]", "Tensor[(1, 1), float32]"],
      attrs: { keepdims: true, unbiased: true },
    },
  ],
});
