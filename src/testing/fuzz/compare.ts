// Outputs of two ways of running: integers and bool to the bit, floats within what their dtype and the
// program's length allow, NaN equal to NaN.
import { elementsOf, numbersOf } from "../../compiler/frontend/values.ts";
import { isFloat } from "../../compiler/ir/dtype.ts";
import type { TensorData } from "../../compiler/ir/tensor-data.ts";

export interface Difference {
  readonly output: number;
  readonly element: number;
  readonly got: string;
  readonly want: string;
}

/** Relative to the element, and to the greatest finite element of the tensor. */
const tolerance: Readonly<Record<string, readonly [number, number]>> = {
  float32: [2e-4, 2e-5],
  float64: [1e-5, 1e-6],
  float16: [2e-2, 1e-2],
  bfloat16: [6e-2, 5e-2],
};

/**
 * The first difference, null for none. `slack` per output and element is allowed on top (see `conditioned` in
 * ways.ts).
 */
export function differenceOf(
  got: readonly TensorData[],
  want: readonly TensorData[],
  scale = 1,
): Difference | null {
  if (got.length !== want.length)
    return { output: -1, element: -1, got: `${got.length} outputs`, want: `${want.length}` };
  for (const [output, expected] of want.entries()) {
    const found = tensorDifference(got[output]!, expected, scale);
    if (found !== null) return { output, ...found };
  }
  return null;
}

function tensorDifference(
  got: TensorData,
  want: TensorData,
  scale: number,
): Omit<Difference, "output"> | null {
  const typed = ({ dtype, shape }: TensorData): string => `${dtype.name} (${shape.join(", ")})`;
  if (typed(got) !== typed(want)) return { element: -1, got: typed(got), want: typed(want) };
  if (!isFloat(want.dtype)) {
    const [a, b] = [elementsOf(got), elementsOf(want)];
    for (let i = 0; i < b.length; i++)
      if (a[i] !== b[i]) return { element: i, got: String(a[i]), want: String(b[i]) };
    return null;
  }
  const [a, b] = [numbersOf(got), numbersOf(want)];
  const [relative, ofPeak] = tolerance[want.dtype.name] ?? [0, 0];
  const peak = b.reduce((most, v) => (Number.isFinite(v) ? Math.max(most, Math.abs(v)) : most), 0);
  for (const [i, w] of b.entries()) {
    const g = a[i]!;
    if (g === w || (Number.isNaN(g) && Number.isNaN(w))) continue;
    if (Math.abs(g - w) <= scale * (relative * Math.abs(w) + ofPeak * peak + 1e-30)) continue;
    return { element: i, got: String(g), want: String(w) };
  }
  return null;
}
