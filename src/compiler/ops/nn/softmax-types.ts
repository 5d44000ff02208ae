// Type relation of softmax and its relatives.
import { isFloat } from "../../ir/dtype.ts";
import type { TypeReporter } from "../../ir/op.ts";
import type { TensorType, Type } from "../../ir/type.ts";
import { asker, axisArg, tensorArg } from "../_shared/type-helpers.ts";

export function softmaxRelation(op: string, data: Type, axis: number, t: TypeReporter): TensorType | null {
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
export function axisIndex(axis: number, rank: number): number {
  return axis < 0 ? axis + rank : axis;
}
