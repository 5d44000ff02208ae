// IEEE half and bfloat16, encoded and decoded by hand: Node 20 has no Float16Array.

const decodeTable = new Float32Array(65536);
{
  for (let bits = 0; bits < 65536; bits++) {
    const sign = bits & 0x8000 ? -1 : 1;
    const exponent = (bits >> 10) & 31;
    const fraction = bits & 1023;
    decodeTable[bits] =
      exponent === 31
        ? fraction === 0
          ? sign * Infinity
          : NaN
        : exponent === 0
          ? sign * fraction * 2 ** -24
          : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
  }
}

export function decodeFloat16(bits: number): number {
  return decodeTable[bits]!;
}

const scratch = new DataView(new ArrayBuffer(8));

/** Nearest half, ties to even, computed from float64 without double rounding. */
export function encodeFloat16(value: number): number {
  if (Number.isNaN(value)) return 0x7e00;
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const magnitude = Math.abs(value);
  if (magnitude >= 65520) return sign | 0x7c00;
  if (magnitude < 2 ** -14) return sign | roundEven(magnitude * 2 ** 24);
  scratch.setFloat64(0, magnitude);
  const exponent = ((scratch.getUint32(0) >>> 20) & 0x7ff) - 1023;
  const mantissa = roundEven((magnitude / 2 ** exponent) * 1024);
  return sign | (mantissa === 2048 ? (exponent + 16) << 10 : ((exponent + 15) << 10) | (mantissa - 1024));
}

function roundEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (rest > 0.5 || (rest === 0.5 && floor % 2 === 1)) return floor + 1;
  return floor;
}

export function decodeBfloat16(bits: number): number {
  scratch.setUint32(0, bits << 16);
  return scratch.getFloat32(0);
}

/** Nearest bfloat16 of the float32 nearest to `value`, ties to even, as TVM's cast does. */
export function encodeBfloat16(value: number): number {
  scratch.setFloat32(0, value);
  const bits = scratch.getUint32(0);
  if (Number.isNaN(value)) return 0x7fc0;
  return ((bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16) & 0xffff;
}
