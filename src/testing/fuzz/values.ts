// Values for the inputs of random programs: mostly small ones on a grid (sums and products of few are exact),
// some at the ends of their dtype.
import { fromNumbers } from "../../compiler/frontend/values.ts";
import { isFloat, type DType } from "../../compiler/ir/dtype.ts";
import { allocateArray, elementCount, tensorData, type TensorData } from "../../compiler/ir/tensor-data.ts";
import { edges } from "../oracles/integers.ts";
import type { Random } from "./random.ts";

const floatEdges = [0, -0, 1, -1, 0.5, NaN, Infinity, -Infinity, 1e-40, 65504, -3e38, 2 ** 24 + 2, 1e-7];

export interface ValueStyle {
  /** Share of elements at the ends of the dtype, NaN and infinities among them. */
  readonly edges: number;
  /** All at least this. */
  readonly least?: number;
}

/** Multiples of 1/8 from -4 to 4; integers from -9 to 9 (0 to 9 where unsigned). */
export function randomTensor(
  rng: Random,
  dtype: DType,
  shape: readonly number[],
  style: ValueStyle = { edges: 0 },
): TensorData {
  const count = elementCount(shape);
  if (!isFloat(dtype)) return integers(rng, dtype, shape, style);
  const values = Array.from({ length: count }, () =>
    rng.chance(style.edges)
      ? rng.pick(floatEdges)
      : Math.max(style.least ?? -Infinity, (rng.below(65) - 32) / 8),
  );
  return fromNumbers(dtype, shape, values);
}

function integers(rng: Random, dtype: DType, shape: readonly number[], style: ValueStyle): TensorData {
  const data = allocateArray(dtype, elementCount(shape));
  const ends = edges(dtype);
  const low = Math.ceil(Math.max(dtype.code === "int" ? -9 : 0, style.least ?? -9));
  for (let i = 0; i < data.length; i++) {
    const value =
      dtype.code === "bool"
        ? BigInt(rng.below(2))
        : rng.chance(style.edges)
          ? rng.pick(ends)
          : BigInt(low + rng.below(10 - low));
    data[i] = data instanceof BigInt64Array || data instanceof BigUint64Array ? value : Number(value);
  }
  return tensorData(dtype, shape, data);
}
