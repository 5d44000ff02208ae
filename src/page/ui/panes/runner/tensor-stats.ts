// Facts on an output tensor: least, greatest, mean, how many are not numbers, and the first values as they
// print. Pure.
import type { TensorValueView } from "../../../../protocol/runner.ts";

interface TensorStats {
  readonly count: number;
  readonly least: number;
  readonly greatest: number;
  readonly mean: number;
  readonly notANumber: number;
}

/**
 * Null for tensors without numbers (empty). 64-bit integers arrive as decimal text and are read as doubles
 * for these facts.
 */
export function tensorStats(values: TensorValueView["values"]): TensorStats | null {
  let least = Infinity;
  let greatest = -Infinity;
  let sum = 0;
  let notANumber = 0;
  for (let i = 0; i < values.length; i++) {
    const value = Number(values[i]);
    if (Number.isNaN(value)) {
      notANumber++;
      continue;
    }
    if (value < least) least = value;
    if (value > greatest) greatest = value;
    sum += value;
  }
  const numbers = values.length - notANumber;
  return values.length === 0
    ? null
    : { count: values.length, least, greatest, mean: numbers === 0 ? NaN : sum / numbers, notANumber };
}

/** Six significant digits, integers whole, exponents short. */
export function showNumber(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e9) return String(value);
  if (!Number.isFinite(value)) return value === Infinity ? "inf" : value === -Infinity ? "-inf" : "nan";
  const size = Math.abs(value);
  return size >= 1e-4 && size < 1e7 ? String(Number(value.toPrecision(6))) : value.toExponential(4);
}

export function showValue(tensor: TensorValueView, index: number): string {
  const value = tensor.values[index];
  if (value === undefined) return "";
  if (tensor.dtype === "bool") return value === 0 ? "false" : "true";
  return typeof value === "string" ? value : showNumber(value);
}

/** "41.2 µs", "1.84 ms". */
export function microsText(micros: number): string {
  if (micros >= 1e6) return `${(micros / 1e6).toFixed(2)} s`;
  return micros >= 1000 ? `${(micros / 1000).toFixed(2)} ms` : `${micros.toFixed(micros < 0.1 ? 2 : 1)} µs`;
}
