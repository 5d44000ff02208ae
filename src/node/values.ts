// Tensor values as `run --json` spells them: NaN null, infinities as words, wide int64 as decimal text, bool
// true/false.
import { decodeBfloat16, decodeFloat16 } from "../compiler/ir/float16.ts";
import type { TensorData } from "../compiler/ir/tensor-data.ts";

type JsonValue = number | string | boolean | null;

export interface OutputJson {
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly values: readonly JsonValue[];
}

export function flatValues(tensor: TensorData): OutputJson {
  const { dtype, shape, data } = tensor;
  const values: JsonValue[] = [];
  for (const raw of data) {
    if (dtype.code === "bool") values.push(raw !== 0);
    else if (typeof raw === "bigint")
      values.push(
        raw > Number.MAX_SAFE_INTEGER || raw < Number.MIN_SAFE_INTEGER ? raw.toString() : Number(raw),
      );
    else if (dtype.code === "bfloat") values.push(jsonNumber(decodeBfloat16(raw)));
    else if (dtype.code === "float" && dtype.bits === 16) values.push(jsonNumber(decodeFloat16(raw)));
    else values.push(jsonNumber(raw));
  }
  return { shape, dtype: dtype.name, values };
}

function jsonNumber(value: number): JsonValue {
  if (Number.isNaN(value)) return null;
  if (value === Infinity) return "Infinity";
  if (value === -Infinity) return "-Infinity";
  return value;
}
