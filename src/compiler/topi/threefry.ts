// Random numbers by counting and hashing, which can be split into independent rows; the same key gives the
// same numbers. A key has ten words: key (4), path of splits (2), counter (2), position of the next step of
// the path (2).
// TVM: python/tvm/topi/random/kernel.py (for a new key it hashes two words of ones and two that lie behind
// them; here all are ones). The cipher: "The Skein Hash Function Family", Salmon et al., SC '11; as in TVM
// the key is not added after the last round.
import { at, tuple } from "../../support/assert.ts";
import { uint32, uint64, type DType } from "../ir/dtype.ts";
import type { Origin } from "../ir/origin.ts";
import {
  add,
  allocate,
  and,
  buffer,
  cast,
  eq,
  ifStmt,
  imm,
  intImm,
  load,
  lt,
  mul,
  seq,
  store,
  sub,
  tirCall,
  knownInt,
} from "../tir/build.ts";
import type { Buffer, PrimExpr } from "../tir/expr.ts";
import type { Stmt } from "../tir/stmt.ts";
import { compute, extern } from "../te/compute.ts";
import type { Tensor } from "../te/tensor.ts";
import { loop } from "./extern-loops.ts";
import { unravel } from "./indexing.ts";

const word = (value: bigint | number): PrimExpr => intImm(value, uint64);
const position = (i: number): PrimExpr[] => [intImm(i)];
const or = (a: PrimExpr, b: PrimExpr): PrimExpr => tirCall("tir.bitwise_or", uint64, [a, b]);
const xor = (a: PrimExpr, b: PrimExpr): PrimExpr => tirCall("tir.bitwise_xor", uint64, [a, b]);
const left = (a: PrimExpr, by: number): PrimExpr => tirCall("tir.shift_left", uint64, [a, word(by)]);
const right = (a: PrimExpr, by: number): PrimExpr => tirCall("tir.shift_right", uint64, [a, word(by)]);

/** How far the second word of each pair turns in each of eight rounds. */
const turns = [
  [14, 16],
  [52, 57],
  [23, 40],
  [5, 37],
  [25, 33],
  [46, 12],
  [58, 22],
  [32, 32],
] as const;
const rounds = 20;
/** What completes the key to five words: the parity constant of Skein. */
const parity = 0x1bd11bdaa9fc1a22n;
const all = 0xffffffffffffffffn;

interface Cipher {
  readonly key: Buffer;
  readonly state: Buffer;
  readonly origin: Origin;
}

/** The five words of the key, from the first four of `from`. */
function setKey({ key, origin }: Cipher, from: Buffer): Stmt {
  const words = [0, 1, 2, 3].map((i) => load(from, position(i)));
  return seq(
    [
      ...words.map((value, i) => store(key, position(i), value, origin)),
      store(
        key,
        position(4),
        words.reduce((a, b) => xor(a, b), word(parity)),
        origin,
      ),
    ],
    origin,
  );
}

/** `state` hashed: four words. */
function hash({ key, state, origin }: Cipher): Stmt {
  const steps: Stmt[] = [];
  const set = (i: number, value: PrimExpr): void => void steps.push(store(state, position(i), value, origin));
  const get = (i: number): PrimExpr => load(state, position(i));
  // Where word j stands: each round swaps the second and the fourth.
  let place: readonly number[] = [0, 1, 2, 3];
  for (let round = 0; round < rounds; round++) {
    const step = round / 4;
    if (round % 4 === 0) {
      for (let j = 0; j < 4; j++)
        set(
          at(place, j, "position of a word"),
          add(
            get(at(place, j, "position of a word")),
            j === 3
              ? add(load(key, position((step + j) % 5)), word(step))
              : load(key, position((step + j) % 5)),
          ),
        );
    }
    for (const pair of [0, 1]) {
      const [a, b] = [
        at(place, 2 * pair, "position of a word"),
        at(place, 2 * pair + 1, "position of a word"),
      ];
      const turn = at(at(turns, round % 8, "rotations of a round"), pair, "rotation of a pair of words");
      set(a, add(get(a), get(b)));
      set(b, xor(get(a), or(left(get(b), turn), right(get(b), 64 - turn))));
    }
    place = [0, 3, 2, 1].map((j) => at(place, j, "position of a word"));
  }
  return seq(steps, origin);
}

const copyWord = (from: Buffer, to: Buffer, i: number, origin: Origin): Stmt =>
  store(to, position(i), load(from, position(i)), origin);

/** The position of the next step of the path, one bit further. */
function nextStep(from: Buffer, to: Buffer, origin: Origin): Stmt {
  const [high, low] = [load(from, position(8)), load(from, position(9))];
  const put = (a: PrimExpr, b: PrimExpr): Stmt =>
    seq([store(to, position(8), a, origin), store(to, position(9), b, origin)], origin);
  return ifStmt(
    eq(high, word(1)),
    put(word(0), word(1n << 63n)),
    ifStmt(eq(high, word(0)), put(word(0), right(low, 1)), put(right(high, 1), word(0)), origin),
    origin,
  );
}

const pathIsFull = (key: Buffer): PrimExpr =>
  and(eq(load(key, position(8)), word(0)), eq(load(key, position(9)), word(0)));

function withCipher(origin: Origin, body: (cipher: Cipher) => Stmt): Stmt {
  const cipher: Cipher = {
    key: buffer("full_key", uint64, [5], "local"),
    state: buffer("state", uint64, [4], "local"),
    origin,
  };
  return allocate(cipher.key, allocate(cipher.state, body(cipher), origin), origin);
}

/** The key to go on with, and as many random words as `shape` has elements. */
export function threefryGenerate(key: Tensor, shape: readonly PrimExpr[], origin: Origin): readonly Tensor[] {
  const count = shape.reduce((product, extent) => product * knownInt(extent), 1);
  return extern(
    [key],
    [
      { shape: [10], dtype: uint64 },
      { shape, dtype: uint64 },
    ],
    ([from], [next, out]) =>
      withCipher(origin, (cipher) => {
        const { state } = cipher;
        const full = Math.floor(count / 4) * 4;
        const counter = (i: number): PrimExpr => load(next, position(4 + i));
        /** Words first … of the result: the hash of the counter, moved on by `index`. */
        const four = (index: PrimExpr, first: PrimExpr, words: number): Stmt =>
          seq(
            [
              ...[0, 1, 2, 3].map((j) =>
                store(state, position(j), add(counter(j), cast(index, uint64)), origin),
              ),
              hash(cipher),
              ...[0, 1, 2, 3]
                .slice(0, words)
                .map((j) => store(out, unravel(add(first, j), shape), load(state, position(j)), origin)),
            ],
            origin,
          );
        const advance = (by: number): Stmt => store(next, position(7), add(counter(3), word(by)), origin);
        const rest = count - full;
        return seq(
          [
            ifStmt(
              lt(load(from, position(7)), sub(word(all), word(count))),
              seq(
                Array.from({ length: 10 }, (_, i) => copyWord(from, next, i, origin)),
                origin,
              ),
              freshKey(cipher, from, next),
              origin,
            ),
            setKey(cipher, next),
            ...(full === 0 ? [] : [loop(intImm(full / 4), "l", origin, (l) => four(l, mul(l, 4), 4))]),
            ...(rest === 0
              ? [advance(count)]
              : [advance(full), four(intImm(0), intImm(full), rest), advance(4)]),
            store(next, position(6), word(0), origin),
          ],
          origin,
        );
      }),
    { name: "threefry_generate", origin },
  );
}

/**
 * A key with a counter at its start: one step further down the path, or where that is full with a new key.
 */
function freshKey(cipher: Cipher, from: Buffer, to: Buffer): Stmt {
  const { state, origin } = cipher;
  const set = (values: readonly (bigint | number)[]): Stmt[] =>
    values.map((value, i) => store(to, position(4 + i), word(value), origin));
  const renewed = seq(
    [
      setKey(cipher, from),
      ...[all, all, all, all].map((value, i) => store(state, position(i), word(value), origin)),
      hash(cipher),
      ...[0, 1, 2, 3].map((i) => store(to, position(i), load(state, position(i)), origin)),
      ...set([0, 0, 0, 0, 1n << 63n, 0]),
    ],
    origin,
  );
  const longer = seq(
    [
      ...[0, 1, 2, 3].map((i) => copyWord(from, to, i, origin)),
      ...[4, 5].map((i) =>
        store(to, position(i), or(load(from, position(i)), load(from, position(i + 4))), origin),
      ),
      ...[6, 7].map((i) => store(to, position(i), word(0), origin)),
      nextStep(from, to, origin),
    ],
    origin,
  );
  return ifStmt(pathIsFull(from), renewed, longer, origin);
}

/** Two keys that go on independently of each other. */
export function threefrySplit(key: Tensor, origin: Origin): readonly Tensor[] {
  return extern(
    [key],
    [
      { shape: [10], dtype: uint64 },
      { shape: [10], dtype: uint64 },
    ],
    ([from], outs) =>
      withCipher(origin, (cipher) => {
        const [one, other] = tuple(outs, 2, "keys");
        const renewed = seq(
          [
            setKey(cipher, from),
            ...[0, 1, 2, 3].map((i) => store(cipher.state, position(i), load(from, position(4 + i)), origin)),
            hash(cipher),
            ...[one, other].flatMap((to, side) => [
              ...[0, 1, 2, 3].map((i) => store(to, position(i), load(cipher.state, position(i)), origin)),
              ...[side === 0 ? 0 : 1n << 63n, 0, 0, 0, 1n << 62n, 0].map((value, i) =>
                store(to, position(4 + i), word(value), origin),
              ),
            ]),
          ],
          origin,
        );
        const longer = seq(
          [
            ...[one, other].flatMap((to, side) => [
              ...[0, 1, 2, 3, 6, 7].map((i) => copyWord(from, to, i, origin)),
              ...[4, 5].map((i) =>
                store(
                  to,
                  position(i),
                  side === 0
                    ? load(from, position(i))
                    : or(load(from, position(i)), load(from, position(i + 4))),
                  origin,
                ),
              ),
              nextStep(from, to, origin),
            ]),
          ],
          origin,
        );
        return ifStmt(pathIsFull(from), renewed, longer, origin);
      }),
    { name: "threefry_split", origin },
  );
}

/** Words as numbers in [low, high): their highest bits are the fraction of a number in [1, 2). */
export function uniform(words: Tensor, low: Tensor, high: Tensor, dtype: DType, origin: Origin): Tensor {
  const [type, fraction, bias] =
    dtype.bits === 32 ? ([uint32, 23, 127n] as const) : ([uint64, 52, 1023n] as const);
  return compute(
    words.shape,
    (i) => {
      const shifted = tirCall("tir.shift_right", type, [
        cast(words.at(...i), type),
        intImm(type.bits - fraction, type),
      ]);
      const one = tirCall("tir.reinterpret", dtype, [
        tirCall("tir.bitwise_or", type, [shifted, intImm(bias << BigInt(fraction), type)]),
      ]);
      return add(mul(sub(one, imm(1, dtype)), sub(high.at(), low.at())), low.at());
    },
    { name: "uniform", tag: "injective", origin },
  );
}
