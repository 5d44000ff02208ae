// What TFLite's reference kernels compute, in plain loops: written for tests after reading the kernels, none
// of the compiler's code. Source: tensorflow/lite/kernels/internal/reference (resize_nearest_neighbor.h,
// integer_ops/conv.h, integer_ops/fully_connected.h, …)

/** Numbers in C order with their shape. */
export interface Array4 {
  readonly shape: readonly [number, number, number, number];
  readonly data: ArrayLike<number>;
}

const awayFromZero = (x: number): number => Math.sign(x) * Math.floor(Math.abs(x) + 0.5);

/** Which of `extent` positions the result's position `at` of `size` shows. */
export function nearestPosition(
  at: number,
  extent: number,
  size: number,
  flags: { readonly alignCorners: boolean; readonly halfPixelCenters: boolean },
): number {
  const scale = Math.fround(
    flags.alignCorners && size > 1 ? Math.fround((extent - 1) / (size - 1)) : extent / size,
  );
  const place = Math.fround(Math.fround(at + (flags.halfPixelCenters ? 0.5 : 0)) * scale);
  return Math.max(Math.min(flags.alignCorners ? awayFromZero(place) : Math.floor(place), extent - 1), 0);
}

/**
 * A real factor as TFLite stores it: a multiplier of 31 bits and a shift to the left (negative: to the
 * right).
 */
export function quantizedMultiplier(factor: number): { readonly multiplier: bigint; readonly shift: number } {
  if (factor === 0) return { multiplier: 0n, shift: 0 };
  let [fraction, shift] = [factor, 0];
  for (; fraction >= 1; shift++) fraction /= 2;
  for (; fraction < 0.5; shift--) fraction *= 2;
  const fixed = awayFromZero(fraction * 2 ** 31);
  return fixed === 2 ** 31
    ? { multiplier: 2n ** 30n, shift: shift + 1 }
    : { multiplier: BigInt(fixed), shift };
}

/** A 64-bit sum times the factor, as kernels of 16-bit data do it. */
export function scaledSum(sum: bigint, factor: number): bigint {
  const { multiplier, shift } = quantizedMultiplier(factor);
  const reduced = multiplier < 0x7fff0000n ? (multiplier + (1n << 15n)) >> 16n : 0x7fffn;
  const total = BigInt(15 - shift);
  return (sum * reduced + (1n << (total - 1n))) >> total;
}

const within16 = (value: bigint): number => Math.min(Math.max(Number(value), -32768), 32767);

export interface Convolution16 {
  readonly data: Array4;
  /** (channels out, height, width, channels in of one group) */
  readonly weight: Array4;
  readonly bias: readonly bigint[];
  readonly stride: number;
  readonly same: boolean;
  /** Scale of data times scale of weight over scale of the result, by channel. */
  readonly factors: readonly number[];
}

/**
 * CONV_2D of 16-bit data and 8-bit weights, zero points 0, groups where the weight has fewer channels than
 * the data.
 */
export function convolution16({ data, weight, bias, stride, same, factors }: Convolution16): number[] {
  const [batch, height, width, channels] = data.shape;
  const [out, kh, kw, each] = weight.shape;
  const size = (extent: number, window: number): number =>
    same ? Math.ceil(extent / stride) : Math.ceil((extent - window + 1) / stride);
  const [rows, columns] = [size(height, kh), size(width, kw)];
  const before = (extent: number, window: number, count: number): number =>
    same ? Math.floor(Math.max((count - 1) * stride + window - extent, 0) / 2) : 0;
  const [top, left] = [before(height, kh, rows), before(width, kw, columns)];
  const perGroup = out / (channels / each);
  const taps = Array.from({ length: kh * kw * each }, (_, tap) => ({
    row: Math.floor(tap / (kw * each)),
    column: Math.floor(tap / each) % kw,
    channel: tap % each,
  }));
  return Array.from({ length: batch * rows * columns * out }, (_, at) => {
    const [o, x] = [at % out, Math.floor(at / out) % columns];
    const [y, b] = [Math.floor(at / (out * columns)) % rows, Math.floor(at / (out * columns * rows))];
    const first = Math.floor(o / perGroup) * each;
    const sum = taps.reduce((total, tap, i) => {
      const [row, column] = [y * stride - top + tap.row, x * stride - left + tap.column];
      if (row < 0 || row >= height || column < 0 || column >= width) return total;
      const value = data.data[((b * height + row) * width + column) * channels + first + tap.channel]!;
      return total + BigInt(value) * BigInt(weight.data[o * taps.length + i]!);
    }, bias[o] ?? 0n);
    return within16(scaledSum(sum, factors[o] ?? factors[0]!));
  });
}
