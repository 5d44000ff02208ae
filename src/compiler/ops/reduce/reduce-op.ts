// Attributes, type relation and factories of the reductions.  TVM: src/relay/op/tensor/reduce.cc
import { flag, optionalInts, type AttrField } from "../../ir/attrs.ts";
import { int32 } from "../../ir/dtype.ts";
import { tensorType, type Dim } from "../../ir/type.ts";
import type { IterVar, PrimExpr } from "../../tir/expr.ts";
import { compute } from "../../te/compute.ts";
import type { Tensor } from "../../te/tensor.ts";
import { argReduce, reduce } from "../../topi/reduction.ts";
import { reduce as reduceRecipe } from "../../recipes/reduce.ts";
import { defineOp, type ComputeContext, type Example, type Op } from "../define.ts";
import { reducedShape } from "../_shape-funcs/reduce.ts";
import { acceptsDType, type Accepts } from "../math/unary.ts";
import { asker, axesArg, checkRank, tensorArg, type Asker } from "../_shared/type-helpers.ts";

interface ReduceAttrs {
  readonly axis: readonly number[] | null;
  readonly keepdims: boolean;
  readonly exclude: boolean;
}

const axis: AttrField<readonly number[] | null> = optionalInts({
  default: null,
  doc: "Axes to combine; None means all.",
});
const keepdims: AttrField<boolean> = flag({ default: false, doc: "Keep combined axes with extent 1." });
const exclude: AttrField<boolean> = flag({ default: false, doc: "Combine all axes but the given ones." });

const reduceSchema = { axis, keepdims, exclude };
const argReduceSchema = {
  axis,
  keepdims,
  select_last_index: flag({ default: false, doc: "Of equal elements take the last instead of the first." }),
  exclude,
};
export const varianceSchema = {
  axis,
  keepdims,
  exclude,
  unbiased: flag({ default: false, doc: "Divide by the count minus one." }),
};

/** The combined axes, ascending; attributes were checked. */
export function reducedAxes(attrs: ReduceAttrs, rank: number): readonly number[] {
  const every = Array.from({ length: rank }, (_, i) => i);
  if (attrs.axis === null || attrs.axis.length === 0) return every;
  const named = attrs.axis.map((axis) => (axis < 0 ? axis + rank : axis));
  return every.filter((i) => named.includes(i) !== attrs.exclude);
}

/** The shape after combining; null after reporting bad axes. */
export function reducedDims(cx: Asker, shape: readonly Dim[], attrs: ReduceAttrs): readonly Dim[] | null {
  if (attrs.axis === null && attrs.exclude) {
    return cx.t.error("RS2112", `${cx.op}: attribute \`axis\` is missing`, {
      expected: "axis=[...] beside exclude=True",
      got: "axis=None",
      because: "exclude says which axes are kept",
    });
  }
  if (attrs.axis !== null && axesArg(cx, attrs.axis, shape.length) === null) return null;
  const axes = reducedAxes(attrs, shape.length);
  return shape.flatMap((dim, i) => (axes.includes(i) ? (attrs.keepdims ? [1] : []) : [dim]));
}

interface ReduceOpSpec {
  readonly name: string;
  readonly doc: string;
  readonly accepts?: Accepts;
  readonly examples?: readonly Example[];
  readonly compute: (data: Tensor, axes: readonly number[], attrs: ReduceAttrs, cx: ComputeContext) => Tensor;
}

const examples: readonly Example[] = [
  { name: "all axes", args: ["Tensor[(2, 3, 4), float32]"] },
  { name: "one axis", args: ["Tensor[(2, 3, 4), float32]"], attrs: { axis: [1] } },
  { name: "kept axes", args: ["Tensor[(2, 3, 4), float32]"], attrs: { axis: [0, -1], keepdims: true } },
  { name: "all but one", args: ["Tensor[(2, 3, 4), float32]"], attrs: { axis: [1], exclude: true } },
];

/** ReduceRel: the result has the dtype of the data. A scalar, or nothing to combine, stays as it is. */
export function defineReduce(spec: ReduceOpSpec): Op {
  return defineOp({
    name: spec.name,
    inputs: ["data"],
    attrs: reduceSchema,
    attrsKey: "relay.attrs.ReduceAttrs",
    pattern: "commReduce",
    type: ({ data }, attrs, t) => {
      const cx = asker(t, spec.name);
      const type = tensorArg(cx, "data", data);
      if (type === null || !acceptsDType(cx, "data", type, spec.accepts ?? "number")) return null;
      const shape = reducedDims(cx, type.shape, attrs);
      return shape === null ? null : tensorType(shape, type.dtype);
    },
    compute: ({ data }, attrs, cx) => {
      const axes = reducedAxes(attrs, data.shape.length);
      return axes.length === 0 ? identity(data, cx) : spec.compute(data, axes, attrs, cx);
    },
    shapeFunc: reducedShape(reducedAxes),
    schedule: reduceRecipe,
    doc: spec.doc,
    examples: spec.examples ?? examples,
  });
}

/** A reduction by one combiner. */
export function reduceBy(
  reducer: (source: PrimExpr, axes: readonly IterVar[]) => PrimExpr,
): ReduceOpSpec["compute"] {
  return (data, axes, attrs, cx) =>
    reduce(data, { axes, keepdims: attrs.keepdims, origin: cx.origin }, reducer);
}

/** ArgReduceRel: int32 positions. */
export function defineArgReduce(spec: {
  readonly name: string;
  readonly doc: string;
  readonly kind: "max" | "min";
}): Op {
  return defineOp({
    name: spec.name,
    inputs: ["data"],
    attrs: argReduceSchema,
    attrsKey: "relay.attrs.ArgReduceAttrs",
    pattern: "commReduce",
    type: ({ data }, attrs, t) => {
      const cx = asker(t, spec.name);
      const type = tensorArg(cx, "data", data);
      if (type === null || !checkRank(cx, "data", type, [1, 2, 3, 4, 5, 6, 7, 8])) return null;
      const shape = reducedDims(cx, type.shape, attrs);
      return shape === null ? null : tensorType(shape, int32);
    },
    compute: ({ data }, attrs, cx) => {
      const axes = reducedAxes(attrs, data.shape.length);
      return argReduce(
        data,
        { axes, keepdims: attrs.keepdims, origin: cx.origin },
        spec.kind,
        attrs.select_last_index,
      );
    },
    shapeFunc: reducedShape(reducedAxes),
    schedule: reduceRecipe,
    doc: spec.doc,
    examples: [
      ...examples,
      {
        name: "last of equals",
        args: ["Tensor[(2, 9), int8]"],
        attrs: { axis: [1], select_last_index: true },
      },
    ],
  });
}

function identity(data: Tensor, cx: ComputeContext): Tensor {
  return compute(data.shape, (indices) => data.at(...indices), {
    name: "T_identity",
    tag: "elemwise",
    origin: cx.origin,
  });
}
