// Output values against a golden record: floats within rtol 1e-4 + 1e-5 of the tensor's peak (networks 1e-3 +
// 1e-4; float16 1e-2), sum and abssum within 1e-3; integers and bool exactly (programs with qnn within 1).
import { elementCount } from "../../compiler/ir/tensor-data.ts";

export interface GoldenOutput {
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly values: readonly (number | string | boolean | null)[];
  readonly stride?: number;
  readonly sum?: number | string | null;
  readonly abssum?: number | string | null;
  readonly max?: number | string | null;
}

/** One output of ours, decoded: the flat list in `run --json`'s spelling. */
export interface OurOutput {
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly values: readonly (number | string | boolean | null)[];
}

/** Every bit of an integer or a bool. */
function asInteger(value: number | string | boolean | null): bigint {
  return BigInt(value ?? 0);
}

function asNumber(value: number | string | boolean | null): number {
  if (value === null) return NaN;
  if (typeof value === "string")
    return value === "Infinity" || value === "inf"
      ? Infinity
      : value === "-Infinity" || value === "-inf"
        ? -Infinity
        : Number(value);
  return Number(value);
}

/** null if all agree, else the first difference in words. */
export function compareOutputs(
  ours: readonly OurOutput[],
  theirs: readonly GoldenOutput[],
  how: { readonly network: boolean; readonly quantised: boolean },
): string | null {
  if (ours.length !== theirs.length) return `${ours.length} outputs, expected ${theirs.length}`;
  for (const [i, want] of theirs.entries()) {
    const difference = compareOne(ours[i]!, want, how);
    if (difference !== null) return `output ${i}: ${difference}`;
  }
  return null;
}

function compareOne(
  got: OurOutput,
  want: GoldenOutput,
  how: { readonly network: boolean; readonly quantised: boolean },
): string | null {
  if (got.dtype !== want.dtype) return `dtype ${got.dtype}, expected ${want.dtype}`;
  if (got.shape.join() !== want.shape.join())
    return `shape (${got.shape.join(", ")}), expected (${want.shape.join(", ")})`;
  if (got.values.length !== elementCount(got.shape))
    return `${got.values.length} values for shape (${got.shape.join(", ")})`;
  const stride = want.stride ?? 1;
  const float = /float/.test(want.dtype);
  if (!float) return compareIntegers(got, want, how.quantised ? 1n : 0n);
  const [relative, ofPeak] =
    want.dtype === "float16" ? [1e-2, 1e-2] : how.network ? [1e-3, 1e-4] : [1e-4, 1e-5];
  const peak = got.values.reduce<number>((most, value) => {
    const magnitude = Math.abs(asNumber(value));
    return Number.isFinite(magnitude) ? Math.max(most, magnitude) : most;
  }, 0);
  for (const [k, expected] of want.values.entries()) {
    const a = asNumber(got.values[k * stride] ?? null);
    const b = asNumber(expected);
    if (Object.is(a, b) || a === b || (Number.isNaN(a) && Number.isNaN(b))) continue;
    if (!Number.isFinite(b) || !(Math.abs(a - b) <= relative * Math.abs(b) + ofPeak * peak))
      return `element ${k * stride} is ${a}, expected ${b}`;
  }
  const numbers = got.values.map(asNumber);
  const sum = numbers.reduce((x, y) => x + y, 0);
  const abssum = numbers.reduce((x, y) => x + Math.abs(y), 0);
  const tolerance = want.dtype === "float16" ? 1e-2 : 1e-3;
  for (const [what, ourSum, given] of [
    ["sum", sum, want.sum],
    ["abssum", abssum, want.abssum],
  ] as const) {
    if (given === undefined || given === null || !Number.isFinite(asNumber(given))) continue;
    if (!(Math.abs(ourSum - asNumber(given)) <= tolerance * Math.max(abssum, 1e-30)))
      return `${what} is ${ourSum}, expected ${String(given)}`;
  }
  return null;
}

/** Each listed element, and the sum of all where the record has one (as a float64). */
function compareIntegers(got: OurOutput, want: GoldenOutput, allowed: bigint): string | null {
  const stride = want.stride ?? 1;
  for (const [k, expected] of want.values.entries()) {
    const a = got.values[k * stride];
    if (a === undefined) return `element ${k * stride} is missing`;
    const difference = asInteger(a) - asInteger(expected);
    if (difference > allowed || -difference > allowed)
      return `element ${k * stride} is ${a}, expected ${expected}`;
  }
  if (want.sum === undefined || want.sum === null) return null;
  const sum = Number(got.values.reduce((total, value) => total + asInteger(value), 0n));
  const expected = asNumber(want.sum);
  const room = 1e-12 * Math.abs(expected) + Number(allowed) * got.values.length;
  return Math.abs(sum - expected) <= room ? null : `sum is ${sum}, expected ${expected}`;
}
