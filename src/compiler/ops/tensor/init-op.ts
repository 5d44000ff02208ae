// Tensors filled with one value: attributes and type.  TVM: src/relay/op/tensor/transform.cc (InitOpRel),
// attrs/transform.h (InitOpAttrs)
import { dtypeAttr, optionalInts, type AttrField } from "../../ir/attrs.ts";
import type { DType } from "../../ir/dtype.ts";
import { tensorType, type TensorType } from "../../ir/type.ts";
import { imm } from "../../tir/build.ts";
import type { PrimExpr } from "../../tir/expr.ts";
import { compute } from "../../te/compute.ts";
import type { Tensor } from "../../te/tensor.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { defineOp, type ComputeContext, type Op } from "../define.ts";
import { shapeAttribute } from "../_shape-funcs/init.ts";
import { outExtents } from "../_shared/out-shape.ts";
import { asker, dtypeOf, requiredAttr, type Asker } from "../_shared/type-helpers.ts";

const shape: AttrField<readonly number[] | null> = optionalInts({ doc: "Shape of the result." });
export const initSchema = { shape, dtype: dtypeAttr({ default: null, doc: "Dtype of the result." }) };
/** For operators whose makers in TVM leave the dtype unset, which prints as dtype="". */
export const bareInitSchema = {
  shape,
  dtype: dtypeAttr({ default: null, made: "", doc: "Not used: the result has the dtype of the data." }),
};

/** The type that `shape` and `dtype` spell; `otherwise` is the dtype where none is given. */
export function initType(
  cx: Asker,
  attrs: { readonly shape: readonly number[] | null; readonly dtype: string | null },
  otherwise: DType | null,
): TensorType | null {
  const dims = requiredAttr(cx, "shape", attrs.shape);
  const dtype = dtypeOf(cx, "dtype", attrs.dtype, otherwise);
  if (dims === null || dtype === null) return null;
  const sizes = dims.map(Number);
  if (sizes.every((size) => Number.isInteger(size) && size >= 0)) return tensorType(sizes, dtype);
  return cx.t.error("RS2108", `${cx.op}: attribute \`shape\` is not usable`, {
    expected: "integers, each at least 0",
    got: `[${dims.join(", ")}]`,
  });
}

/** A tensor of the result's shape that holds `value` everywhere. */
export function filled(cx: ComputeContext, value: PrimExpr): Tensor {
  return compute(outExtents(cx), () => value, { name: "T_full", tag: "elemwise", origin: cx.origin });
}

/** zeros and ones. */
export function defineFilled(spec: {
  readonly name: string;
  readonly value: number;
  readonly doc: string;
}): Op {
  return defineOp({
    name: spec.name,
    inputs: [],
    attrs: initSchema,
    attrsKey: "relay.attrs.InitOpAttrs",
    pattern: "elemWise",
    type: (_, attrs, t) => initType(asker(t, spec.name), attrs, null),
    compute: (_, __, cx) => filled(cx, imm(spec.value, cx.outType.dtype)),
    shapeFunc: shapeAttribute,
    schedule: injectiveRecipe,
    doc: spec.doc,
    examples: [
      { name: "matrix", args: [], attrs: { shape: [2, 3], dtype: "float32" } },
      { name: "scalar", args: [], attrs: { shape: [], dtype: "int32" } },
    ],
  });
}
