// Stable 32-bit hashes. Never used for names that TVM prints (see compiler/lower/prim-func-name.ts for
// those).

/**
 * FNV-1a over the UTF-16 code units' low bytes is not what callers want; this hashes UTF-8 bytes. Result:
 * unsigned 32-bit.
 */
export function fnv1a(bytes: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < bytes.length; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193);
  return hash >>> 0;
}

/** FNV-1a-32 of the UTF-8 bytes of `text`. */
export function fnv1aText(text: string): number {
  return fnv1a(new TextEncoder().encode(text));
}

/** Mixes `value` into `seed` (both 32-bit); order-dependent. */
export function combineHash(seed: number, value: number): number {
  return (seed ^ (value + 0x9e3779b9 + (seed << 6) + (seed >>> 2))) >>> 0;
}
