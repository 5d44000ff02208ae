// Scalar arithmetic of fold.ts. null: the operator is not one of these, or has no answer (division by zero).
import type { DType } from "../../ir/dtype.ts";

type Scalar = number | bigint;
type Fold = (...args: Scalar[]) => Scalar | null;

const truth = (value: boolean): number => (value ? 1 : 0);

/** Operators that read the same on numbers and bigints; both arguments are of one kind. */
const either: Readonly<Record<string, (a: never, b: never) => Scalar | null>> = {
  add: (a: number, b: number) => a + b,
  subtract: (a: number, b: number) => a - b,
  multiply: (a: number, b: number) => a * b,
  maximum: (a: number, b: number) => (a > b ? a : b),
  minimum: (a: number, b: number) => (a < b ? a : b),
  equal: (a: number, b: number) => truth(a === b),
  not_equal: (a: number, b: number) => truth(a !== b),
  less: (a: number, b: number) => truth(a < b),
  less_equal: (a: number, b: number) => truth(a <= b),
  greater: (a: number, b: number) => truth(a > b),
  greater_equal: (a: number, b: number) => truth(a >= b),
};

const logical: Readonly<Record<string, (a: Scalar, b: Scalar) => Scalar>> = {
  logical_and: (a, b) => truth(Number(a) !== 0 && Number(b) !== 0),
  logical_or: (a, b) => truth(Number(a) !== 0 || Number(b) !== 0),
  logical_xor: (a, b) => truth((Number(a) !== 0) !== (Number(b) !== 0)),
};

const onIntegers: Readonly<Record<string, (a: bigint, b: bigint) => bigint | null>> = {
  divide: (a, b) => (b === 0n ? null : a / b),
  mod: (a, b) => (b === 0n ? null : a % b),
  floor_divide: (a, b) => (b === 0n ? null : floorDivide(a, b)),
  floor_mod: (a, b) => (b === 0n ? null : a - b * floorDivide(a, b)),
};

const onFloats: Readonly<Record<string, (a: number, b: number) => number>> = {
  divide: (a, b) => a / b,
  mod: (a, b) => a % b,
  floor_divide: (a, b) => Math.floor(a / b),
  floor_mod: (a, b) => a - b * Math.floor(a / b),
  power: (a, b) => a ** b,
};

const unary: Readonly<Record<string, (a: Scalar) => Scalar>> = {
  negative: (a) => -a,
  abs: (a) => (a < 0 ? -a : a),
  logical_not: (a) => truth(Number(a) === 0),
  ceil: (a) => (typeof a === "bigint" ? a : Math.ceil(a)),
  floor: (a) => (typeof a === "bigint" ? a : Math.floor(a)),
  copy: (a) => a,
};

function floorDivide(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient;
}

/** The scalar function of Relay operator `name` on elements of `dtype`; its length is its number of arguments. */
export function elementwise(name: string, dtype: DType | undefined): Fold | null {
  const one = unary[name];
  if (one !== undefined) return (a) => one(a!);
  const integer = dtype?.code === "int" || dtype?.code === "uint";
  const two = either[name] ?? logical[name] ?? (integer ? onIntegers[name] : onFloats[name]);
  return two === undefined ? null : (a, b) => (two as (a: Scalar, b: Scalar) => Scalar | null)(a!, b!);
}
