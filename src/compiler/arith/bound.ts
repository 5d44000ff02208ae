// Constant bounds of integer expressions: closed ranges of numbers, infinite where unknown.
// TVM: src/arith/const_int_bound.cc
import { at } from "../../support/assert.ts";
import type { DType } from "../ir/dtype.ts";

export interface Bound {
  readonly min: number;
  readonly max: number;
}

export const everything: Bound = { min: -Infinity, max: Infinity };

export function bound(min: number, max: number): Bound {
  return { min, max };
}

export function point(value: number): Bound {
  return { min: value, max: value };
}

export function addBounds(a: Bound, b: Bound): Bound {
  return { min: a.min + b.min, max: a.max + b.max };
}

export function scaleBound(a: Bound, by: number): Bound {
  if (by === 0) return point(0);
  return by > 0 ? { min: a.min * by, max: a.max * by } : { min: a.max * by, max: a.min * by };
}

/** 0 * infinity is 0 here: a bound that is 0 times anything is 0. */
function times(a: number, b: number): number {
  return a === 0 || b === 0 ? 0 : a * b;
}

export function mulBounds(a: Bound, b: Bound): Bound {
  const corners = [times(a.min, b.min), times(a.min, b.max), times(a.max, b.min), times(a.max, b.max)];
  return { min: Math.min(...corners), max: Math.max(...corners) };
}

/** Rounding down by a positive constant. */
export function floorDivBound(a: Bound, by: number): Bound {
  return { min: Math.floor(a.min / by), max: Math.floor(a.max / by) };
}

export function floorModBound(a: Bound, by: number): Bound {
  if (Number.isFinite(a.min) && Number.isFinite(a.max)) {
    const quotient = Math.floor(a.min / by);
    if (quotient === Math.floor(a.max / by))
      return { min: a.min - quotient * by, max: a.max - quotient * by };
  }
  return { min: 0, max: by - 1 };
}

export function unionBounds(a: Bound, b: Bound): Bound {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}

/** Empty intersections (dead code) come out as the tighter pair, min > max; callers only compare. */
export function intersectBounds(a: Bound, b: Bound): Bound {
  return { min: Math.max(a.min, b.min), max: Math.min(a.max, b.max) };
}

const exact = Number.MAX_SAFE_INTEGER;
const truth: Bound = { min: 0, max: 1 };
/** By bits. */
const signed = Array.from({ length: 65 }, (_, bits) => bound(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1));
const unsigned = Array.from({ length: 65 }, (_, bits) => bound(0, 2 ** bits - 1));

/** What a value of an integer dtype can be (the ends of 64 bits rounded outwards), everything for others. */
export function dtypeBound(dtype: DType): Bound {
  switch (dtype.code) {
    case "int":
      return at(signed, dtype.bits, "width of an int");
    case "uint":
      return at(unsigned, dtype.bits, "width of a uint");
    case "bool":
      return truth;
    case "float":
    case "bfloat":
    case "handle":
      return everything;
  }
}

/**
 * Whether every value between the ends is one of `dtype`; of 64 bits, whether doubles hold it exactly as
 * well.
 */
export function boundFits(a: Bound, dtype: DType): boolean {
  const own = dtypeBound(dtype);
  return a.min >= own.min && a.max <= own.max && a.min >= -exact && a.max <= exact;
}
