// Accuracy of the module's own maths in float32, scalar and vector, over the whole range and at the odd
// places.
import { expect, test } from "vitest";
import { float32 } from "../../ir/dtype.ts";
import { synthetic } from "../../ir/origin.ts";
import { tensorData } from "../../ir/tensor-data.ts";
import { buffer, forLoop, intImm, load, mul, ramp, store, tirVar, unary } from "../../tir/build.ts";
import { erf } from "../../tir/interp/intrinsics.ts";
import type { PrimFunc } from "../../tir/prim-func.ts";
import { runPrimitive } from "../../../runtime/jit.ts";
import { asPrimitive } from "../../../testing/harness/wasm-check.ts";

const origin = synthetic("test");
const special = [
  0,
  -0,
  1,
  -1,
  Infinity,
  -Infinity,
  NaN,
  1e-45,
  -1e-45,
  1e-38,
  1.17549435e-38,
  3.4e38,
  -3.4e38,
  88.7,
  88.73,
  -87.4,
  -103.9,
  -104.1,
  0.5,
  2,
];

function sweep(low: number, high: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => low + ((high - low) * i) / (count - 1));
}

/** `lanes` at a time: 1 = scalar code. */
function evaluate(op: string, xs: Float32Array, lanes: number): Float32Array {
  const x = buffer("x", float32, [xs.length], "param");
  const y = buffer("y", float32, [xs.length], "param");
  const i = tirVar("i");
  const index = lanes === 1 ? i : ramp(mul(i, lanes), intImm(1), lanes);
  const body = forLoop(
    i,
    { min: intImm(0), extent: intImm(xs.length / lanes) },
    store(y, [index], unary(`tir.${op}`, load(x, [index])), origin),
    origin,
  );
  const f: PrimFunc = {
    kind: "prim-func",
    name: op,
    params: [x, y],
    inputCount: 1,
    allocations: [],
    body,
    attrs: {},
    origin,
  };
  return runPrimitive(asPrimitive(f), [tensorData(float32, [xs.length], xs)])[0]!.data as Float32Array;
}

const bits = new Int32Array(1);
const float = new Float32Array(bits.buffer);

/** Position on the line of all floats: neighbours differ by 1. */
function position(value: number): number {
  float[0] = value;
  return bits[0]! < 0 ? -(bits[0]! & 0x7fffffff) : bits[0]!;
}

const cases: readonly (readonly [
  op: string,
  reference: (x: number) => number,
  low: number,
  high: number,
  ulp: number,
])[] = [
  ["exp", Math.exp, -105, 89, 2],
  ["log", Math.log, 1e-3, 50, 2],
  ["log", Math.log, 0.9, 1.1, 2],
  ["tanh", Math.tanh, -10, 10, 3],
  ["tanh", Math.tanh, -0.7, 0.7, 2],
  ["erf", erf, -4.5, 4.5, 3],
  ["erf", erf, -0.1, 0.1, 2],
];

test.each(cases)("%s (%#)", (op, reference, low, high, ulp) => {
  const xs = Float32Array.from([...special, ...sweep(low, high, 20_000)]);
  const scalar = evaluate(op, xs, 1);
  const vector = evaluate(op, xs, 4);
  let worst = 0;
  xs.forEach((x, i) => {
    expect(Object.is(scalar[i], vector[i]), `${op}(${x}): scalar ${scalar[i]}, vector ${vector[i]}`).toBe(
      true,
    );
    const want = Math.fround(reference(x));
    if (Object.is(scalar[i], want)) return;
    expect(
      Number.isNaN(want) || Number.isNaN(scalar[i]),
      `${op}(${x}) is ${scalar[i]}, should be ${want}`,
    ).toBe(false);
    worst = Math.max(worst, Math.abs(position(scalar[i]!) - position(want)));
  });
  expect(worst).toBeLessThanOrEqual(ulp);
});
