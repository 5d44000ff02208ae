// Deterministic test values in [-1, 1).

export function fillValues(count: number, seed: number): Float32Array {
  const out = new Float32Array(count);
  let state = seed >>> 0;
  for (let i = 0; i < count; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    out[i] = (state >>> 8) / 8388608 - 1;
  }
  return out;
}
