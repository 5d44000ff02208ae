// LEB128 as WebAssembly uses it.

/** Appends `value` (0 <= value < 2^53) as unsigned LEB128. */
export function pushUnsigned(out: number[], value: number): void {
  while (value >= 0x80) {
    out.push((value % 0x80) | 0x80);
    value = Math.floor(value / 0x80);
  }
  out.push(value);
}

/** Appends a signed 32-bit value as signed LEB128. */
export function pushSigned(out: number[], value: number): void {
  for (;;) {
    const byte = value & 0x7f;
    value >>= 7;
    if ((value === 0 && (byte & 0x40) === 0) || (value === -1 && (byte & 0x40) !== 0)) {
      out.push(byte);
      return;
    }
    out.push(byte | 0x80);
  }
}

/** Appends a signed 64-bit value as signed LEB128. */
export function pushSigned64(out: number[], value: bigint): void {
  for (;;) {
    const byte = Number(value & 0x7fn);
    value >>= 7n;
    if ((value === 0n && (byte & 0x40) === 0) || (value === -1n && (byte & 0x40) !== 0)) {
      out.push(byte);
      return;
    }
    out.push(byte | 0x80);
  }
}
