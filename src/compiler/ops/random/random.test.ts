// Random numbers against a plain BigInt version of the cipher.
import { describe, expect, test } from "vitest";
import { invariant } from "../../../support/assert.ts";
import { parseTypeText } from "../../../testing/harness/op-runner.ts";
import { runRelay, withJit } from "../../../testing/harness/relay-run.ts";
import { relayContext } from "../../../testing/harness/relay-text.ts";
import { float32, uint64 } from "../../ir/dtype.ts";
import { synthetic } from "../../ir/origin.ts";
import { tensorData, type TensorData } from "../../ir/tensor-data.ts";
import type { Attrs } from "../../ir/attrs.ts";
import { call } from "../../relay/build.ts";
import { makeFunction, makeVar } from "../../relay/expr.ts";

const u64 = (value: bigint): bigint => BigInt.asUintN(64, value);
const turn = (value: bigint, by: number): bigint => u64((value << BigInt(by)) | (value >> BigInt(64 - by)));
const turns = [
  [14, 16],
  [52, 57],
  [23, 40],
  [5, 37],
  [25, 33],
  [46, 12],
  [58, 22],
  [32, 32],
];

function hash(key: readonly bigint[], counter: readonly bigint[]): bigint[] {
  const words = [...key.slice(0, 4), key.slice(0, 4).reduce((a, b) => a ^ b, 0x1bd11bdaa9fc1a22n)];
  let state = [...counter];
  for (let round = 0; round < 20; round++) {
    const step = Math.floor(round / 4);
    if (round % 4 === 0)
      state = state.map((value, j) => u64(value + words[(step + j) % 5]! + (j === 3 ? BigInt(step) : 0n)));
    const [a, b, c, d] = state as [bigint, bigint, bigint, bigint];
    const [x, y] = [u64(a + b), u64(c + d)];
    const mixed = [x, x ^ turn(b, turns[round % 8]![0]!), y, y ^ turn(d, turns[round % 8]![1]!)];
    state = [mixed[0]!, mixed[3]!, mixed[2]!, mixed[1]!];
  }
  return state;
}

function next(high: bigint, low: bigint): [bigint, bigint] {
  return high === 1n ? [0n, 1n << 63n] : high === 0n ? [0n, low >> 1n] : [high >> 1n, 0n];
}

function generate(
  key: readonly bigint[],
  count: number,
): { readonly key: readonly bigint[]; readonly words: readonly bigint[] } {
  let own = [...key];
  if (key[7]! >= 2n ** 64n - 1n - BigInt(count)) {
    own =
      key[8] === 0n && key[9] === 0n
        ? [...hash(key, Array<bigint>(4).fill(2n ** 64n - 1n)), 0n, 0n, 0n, 0n, 1n << 63n, 0n]
        : [...key.slice(0, 4), key[4]! | key[8]!, key[5]! | key[9]!, 0n, 0n, ...next(key[8]!, key[9]!)];
  }
  const full = Math.floor(count / 4);
  const words = Array.from({ length: full }, (_, l) =>
    hash(
      own,
      own.slice(4, 8).map((value) => u64(value + BigInt(l))),
    ),
  ).flat();
  const moved = own.with(7, u64(own[7]! + BigInt(full * 4)));
  if (count % 4 !== 0) words.push(...hash(moved, moved.slice(4, 8)).slice(0, count % 4));
  return { key: moved.with(7, u64(moved[7]! + (count % 4 !== 0 ? 4n : 0n))).with(6, 0n), words };
}

const seed = [5n, 2n ** 63n + 17n, 3n, 2n ** 64n - 9n];
const fresh = [...seed, 0n, 0n, 0n, 0n, 1n << 63n, 0n];

/** Through the passes and WebAssembly. */
function run(
  name: string,
  types: readonly string[],
  attrs: Attrs,
  inputs: readonly TensorData[],
): readonly TensorData[] {
  const cx = withJit(relayContext());
  const origin = synthetic("test");
  const params = types.map((type, i) => makeVar(cx.ids, `p${i}`, parseTypeText(type), { origin }));
  const body = call(cx, name, params, attrs, origin);
  invariant(body.type !== null, name);
  return runRelay(
    makeFunction(cx.ids, params, body, { origin, resultType: body.type, attrs: {} }),
    inputs,
    cx,
  );
}

const keyData = (key: readonly bigint[]): TensorData => tensorData(uint64, [10], BigUint64Array.from(key));
const words = (data: TensorData): readonly bigint[] => Array.from(data.data as BigUint64Array);

describe.each([
  ["fresh", fresh],
  ["the counter at its end", fresh.with(7, 2n ** 64n - 3n)],
  ["the path in its second word", [...seed, 1n, 2n, 0n, 2n ** 64n - 2n, 1n, 0n]],
  ["counter and path at their ends", [...seed, 1n, 2n, 0n, 2n ** 64n - 2n, 0n, 0n]],
])("a key: %s", (_, key) => {
  test.each([[[8]], [[2, 3]], [[]], [[13]]])("words of shape %j", (shape) => {
    const [after, found] = run("random.threefry_generate", ["Tensor[(10), uint64]"], { out_shape: shape }, [
      keyData(key),
    ]);
    const wanted = generate(
      key,
      shape.reduce((a, b) => a * b, 1),
    );
    expect([words(after!), words(found!)]).toEqual([wanted.key, wanted.words]);
  });

  test("split", () => {
    const [one, other] = run("random.threefry_split", ["Tensor[(10), uint64]"], {}, [keyData(key)]);
    const full = key[8] === 0n && key[9] === 0n;
    const start = full ? hash(key, key.slice(4, 8)) : key.slice(0, 4);
    const step = full ? [1n << 62n, 0n] : next(key[8]!, key[9]!);
    const counter = full ? [0n, 0n] : key.slice(6, 8);
    expect(words(one!)).toEqual([...start, ...(full ? [0n, 0n] : key.slice(4, 6)), ...counter, ...step]);
    expect(words(other!)).toEqual([
      ...start,
      ...(full ? [1n << 63n, 0n] : [key[4]! | key[8]!, key[5]! | key[9]!]),
      ...counter,
      ...step,
    ]);
  });
});

test("uniform numbers are spread evenly between their bounds", () => {
  const scalar = (value: number): TensorData => tensorData(float32, [], Float32Array.of(value));
  const [after, found] = run(
    "random.uniform",
    ["Tensor[(10), uint64]", "float32", "float32"],
    { out_shape: [40, 50], out_dtype: "float32" },
    [keyData(fresh), scalar(-1), scalar(3)],
  );
  const wanted = generate(fresh, 2000);
  expect(words(after!)).toEqual(wanted.key);
  const numbers = Array.from(found!.data as Float32Array);
  const fraction = (word: bigint): number => Number((word & 0xffffffffn) >> 9n) / 2 ** 23;
  numbers.forEach((value, i) =>
    expect(Math.abs(value - (fraction(wanted.words[i]!) * 4 - 1))).toBeLessThan(1e-6),
  );
  for (const quarter of [0, 1, 2, 3])
    expect(numbers.filter((value) => value >= quarter - 1 && value < quarter).length).toBeGreaterThan(400);
});
