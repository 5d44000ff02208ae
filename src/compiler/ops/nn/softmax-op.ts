// What softmax and its relatives share.  TVM: src/relay/op/nn/nn.cc (nn.softmax, nn.log_softmax)
import { int } from "../../ir/attrs.ts";
import type { Origin } from "../../ir/origin.ts";
import { softmax as softmaxRecipe } from "../../recipes/softmax.ts";
import type { Tensor } from "../../te/tensor.ts";
import { defineOp, type Op, type Example } from "../define.ts";
import { sameShape } from "../_shape-funcs/same.ts";
import { isFloat } from "../../ir/dtype.ts";
import type { TypeReporter } from "../../ir/op.ts";
import type { TensorType, Type } from "../../ir/type.ts";
import { asker, axisArg, tensorArg } from "../_shared/type-helpers.ts";

function softmaxRelation(op: string, data: Type, axis: number, t: TypeReporter): TensorType | null {
  const cx = asker(t, op);
  const type = tensorArg(cx, "data", data);
  if (type === null || axisArg(cx, axis, type.shape.length) === null) return null;
  if (isFloat(type.dtype)) return type;
  return t.error("RS2110", `${op}: argument \`data\` has a dtype that this operator does not take`, {
    expected: "float32, float64, float16 or bfloat16",
    got: type.dtype.name,
    hint: 'convert it, as in cast(%x, dtype="float32")',
  });
}

/** `axis` counted from the front. */
function axisIndex(axis: number, rank: number): number {
  return axis < 0 ? axis + rank : axis;
}

interface SoftmaxSpec {
  readonly name: string;
  readonly axisDoc?: string;
  /** `axis` is counted from the front. */
  readonly compute: (data: Tensor, axis: number, origin: Origin) => Tensor;
  readonly doc: string;
  readonly examples: readonly Example[];
}

export function defineSoftmax({ name, axisDoc, compute, doc, examples }: SoftmaxSpec): Op {
  return defineOp({
    name,
    inputs: ["data"],
    attrs: { axis: int({ default: -1, doc: axisDoc ?? "Axis along which the results add up to 1." }) },
    attrsKey: "relay.attrs.SoftmaxAttrs",
    pattern: "outEWiseFusable",
    type: ({ data }, { axis }, t) => softmaxRelation(name, data, axis, t),
    compute: ({ data }, { axis }, cx) => compute(data, axisIndex(axis, data.shape.length), cx.origin),
    shapeFunc: sameShape,
    schedule: softmaxRecipe,
    doc,
    examples,
  });
}
