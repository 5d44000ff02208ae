// Random choices from a seed, the same every time on every machine.
import { at, invariant } from "../../support/assert.ts";

export interface Random {
  /** An integer from 0 to n - 1. */
  readonly below: (n: number) => number;
  /** True with this probability. */
  readonly chance: (probability: number) => boolean;
  readonly pick: <T>(list: readonly T[]) => T;
  /** From 0 up to 1. */
  readonly unit: () => number;
}

/** Mulberry32. */
export function random(seed: number): Random {
  let state = seed >>> 0;
  const unit = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (n: number): number => Math.floor(unit() * n);
  return {
    below,
    chance: (probability) => unit() < probability,
    pick: (list) => {
      invariant(list.length > 0, "nothing to pick from");
      return at(list, below(list.length), "list");
    },
    unit,
  };
}

/** The seed of round `n` of one kind of trial: neighbours have nothing in common. */
export function seedOf(seed: number, kind: string, n: number): number {
  let hash = 0x811c9dc5 ^ seed;
  for (const char of `${kind}:${n}`) hash = Math.imul(hash ^ char.charCodeAt(0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}
