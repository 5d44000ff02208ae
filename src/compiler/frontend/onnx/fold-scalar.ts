// Scalar arithmetic of fold.ts. null: the operator is not one of these, or has no answer (division by zero).
type Scalar = number | bigint;
/** Function of one or of two elements. */
export type Fold =
  | { readonly arity: 1; readonly apply: (a: Scalar) => Scalar | null }
  | { readonly arity: 2; readonly apply: (a: Scalar, b: Scalar) => Scalar | null };

const truth = (value: boolean): number => (value ? 1 : 0);

type OnBigints = (a: bigint, b: bigint) => bigint | null;
type OnNumbers = (a: number, b: number) => number | null;

/** Arguments of one kind, as Relay's elementwise operators take them: both integers, or both floats. */
const arithmetic: Readonly<Record<string, readonly [OnBigints, OnNumbers]>> = {
  add: [(a, b) => a + b, (a, b) => a + b],
  subtract: [(a, b) => a - b, (a, b) => a - b],
  multiply: [(a, b) => a * b, (a, b) => a * b],
  divide: [(a, b) => (b === 0n ? null : a / b), (a, b) => a / b],
  mod: [(a, b) => (b === 0n ? null : a % b), (a, b) => a % b],
  floor_divide: [(a, b) => (b === 0n ? null : floorDivide(a, b)), (a, b) => Math.floor(a / b)],
  floor_mod: [(a, b) => (b === 0n ? null : a - b * floorDivide(a, b)), (a, b) => a - b * Math.floor(a / b)],
  power: [() => null, (a, b) => a ** b],
};

const comparison: Readonly<Record<string, (a: Scalar, b: Scalar) => Scalar>> = {
  maximum: (a, b) => (a > b ? a : b),
  minimum: (a, b) => (a < b ? a : b),
  equal: (a, b) => truth(a === b),
  not_equal: (a, b) => truth(a !== b),
  less: (a, b) => truth(a < b),
  less_equal: (a, b) => truth(a <= b),
  greater: (a, b) => truth(a > b),
  greater_equal: (a, b) => truth(a >= b),
};

const logical: Readonly<Record<string, (a: Scalar, b: Scalar) => Scalar>> = {
  logical_and: (a, b) => truth(Number(a) !== 0 && Number(b) !== 0),
  logical_or: (a, b) => truth(Number(a) !== 0 || Number(b) !== 0),
  logical_xor: (a, b) => truth((Number(a) !== 0) !== (Number(b) !== 0)),
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

/** The scalar function of Relay operator `name`. */
export function elementwise(name: string): Fold | null {
  const one = unary[name];
  if (one !== undefined) return { arity: 1, apply: one };
  const two = comparison[name] ?? logical[name];
  if (two !== undefined) return { arity: 2, apply: two };
  const pair = arithmetic[name];
  if (pair === undefined) return null;
  const [onBigints, onNumbers] = pair;
  return {
    arity: 2,
    apply: (a, b) => {
      if (typeof a === "bigint") return typeof b === "bigint" ? onBigints(a, b) : null;
      return typeof b === "number" ? onNumbers(a, b) : null;
    },
  };
}
