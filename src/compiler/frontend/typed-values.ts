// Numbers that somebody typed for an input, as its tensor.
import { own } from "../../support/own.ts";
import { diagnostic } from "../ir/diagnostic.ts";
import { encodeBfloat16, encodeFloat16 } from "../ir/float16.ts";
import { allocateArray, elementCount, tensorData, type TensorData } from "../ir/tensor-data.ts";
import { printType, type TensorType } from "../ir/type.ts";
import type { RelayContext } from "../relay/op.ts";

/**
 * The shape that `count` numbers have as a `type`: at most one dynamic dimension takes what is left. null
 * where they do not fit.
 */
function shapeFor(type: TensorType, count: number): readonly number[] | null {
  const known = elementCount(type.shape.filter((dim) => typeof dim === "number"));
  const dynamic = type.shape.filter((dim) => typeof dim !== "number").length;
  if (dynamic > 1 || (dynamic === 0 ? known !== count : known === 0 || count % known !== 0)) return null;
  return type.shape.map((dim) => (typeof dim === "number" ? dim : count / known));
}

/**
 * options.bindValues of `name` as a tensor of `type`; null where there is none, or after reporting that it
 * does not fit.
 */
export function typedValue(name: string, type: TensorType, cx: RelayContext): TensorData | null {
  const numbers = own(cx.options.bindValues, name);
  if (numbers === undefined) return null;
  const shape = shapeFor(type, numbers.length);
  const whole = type.dtype.code === "int" || type.dtype.code === "uint" || type.dtype.code === "bool";
  if (shape === null || (whole && !numbers.every(Number.isInteger))) {
    cx.diagnostics.push(
      diagnostic("RS1803", `The value for %${name} has another type.`, {
        subject: { kind: "parameter", name },
        expected: printType(type),
        got: `${numbers.length === 1 ? numbers[0] : `${numbers.length} numbers`}`,
      }),
    );
    return null;
  }
  const data = allocateArray(type.dtype, numbers.length);
  if (data instanceof BigInt64Array || data instanceof BigUint64Array)
    numbers.forEach((value, i) => (data[i] = BigInt(value)));
  else {
    const encode =
      type.dtype.code === "bfloat"
        ? encodeBfloat16
        : type.dtype.code === "float" && type.dtype.bits === 16
          ? encodeFloat16
          : Number;
    numbers.forEach((value, i) => (data[i] = encode(value)));
  }
  return tensorData(type.dtype, shape, data);
}
