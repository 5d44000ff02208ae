/**
 * x to the y as C's pow: 1 for a base of 1, whatever y is, and for -1 to an infinity, where Math.pow has NaN.
 */
export function power(x: number, y: number): number {
  return x === 1 || (x === -1 && Math.abs(y) === Infinity) ? 1 : x ** y;
}
