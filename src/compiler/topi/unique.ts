// Distinct elements of a vector.  TVM: python/tvm/topi/unique.py
import { at, first } from "../../support/assert.ts";
import { int32 } from "../ir/dtype.ts";
import type { Origin } from "../ir/origin.ts";
import {
  add,
  allocate,
  buffer,
  eq,
  ifStmt,
  ifThenElse,
  imm,
  intImm,
  load,
  ne,
  seq,
  store,
  sub,
  trueImm,
  knownInt,
} from "../tir/build.ts";
import type { Buffer, PrimExpr } from "../tir/expr.ts";
import type { Stmt } from "../tir/stmt.ts";
import { extern } from "../te/compute.ts";
import type { Tensor } from "../te/tensor.ts";
import { loop } from "./extern-loops.ts";
import { sortedPositions } from "./sort.ts";

interface UniqueSpec {
  /** Ascending order; else the order of first occurrence. */
  readonly sorted: boolean;
  readonly counts: boolean;
}

interface Work {
  readonly data: Buffer;
  readonly positions: Buffer;
  readonly elements: Buffer;
  readonly firsts: Buffer;
  /** For each element of data: the number of its value. */
  readonly inverse: Buffer;
  readonly total: Buffer;
  readonly counts: Buffer | null;
  readonly origin: Origin;
}

/**
 * (elements, first positions, number of each element's value, how many there are[, how often each]); what is
 * behind the last is 0, first positions n.
 */
export function unique(data: Tensor, spec: UniqueSpec, origin: Origin): readonly Tensor[] {
  const length = first(data.shape, "data axis");
  const positions =
    knownInt(length) > 0
      ? sortedPositions(data, { axis: 0, ascending: true, count: knownInt(length), name: "sorted" }, origin)
      : data;
  const vector = { shape: [length], dtype: int32 };
  const outputs = [
    { shape: [length], dtype: data.dtype },
    vector,
    vector,
    { shape: [1], dtype: int32 },
    ...(spec.counts ? [vector] : []),
  ];
  return extern(
    [data, positions],
    outputs,
    ([values, order], outs) => {
      const work: Work = {
        data: values,
        positions: order,
        elements: first(outs, "output"),
        firsts: at(outs, 1, "output"),
        inverse: at(outs, 2, "output"),
        total: at(outs, 3, "output"),
        counts: outs[4] ?? null,
        origin,
      };
      return seq(
        [
          store(work.total, [intImm(0)], intImm(0), origin),
          loop(length, "i", origin, (i) =>
            seq(
              [
                store(work.elements, [i], imm(0, data.dtype), origin),
                store(work.firsts, [i], length, origin),
                ...(work.counts === null ? [] : [store(work.counts, [i], intImm(0), origin)]),
              ],
              origin,
            ),
          ),
          // Of nothing there is no order, and data stand in for it.
          ...(knownInt(length) === 0 ? [] : [spec.sorted ? numberInOrder(work) : numberByOccurrence(work)]),
        ],
        origin,
      );
    },
    { name: "unique", origin },
  );
}

const total = (work: Work): PrimExpr => load(work.total, [intImm(0)]);
const countUp = (work: Work): Stmt => store(work.total, [intImm(0)], add(total(work), 1), work.origin);

/** Whether the k-th of the sorted elements differs from the one before. */
function startsValue(work: Work, k: PrimExpr): PrimExpr {
  const element = (place: PrimExpr): PrimExpr => load(work.data, [load(work.positions, [place])]);
  return ifThenElse(eq(k, 0), trueImm, ne(element(k), element(sub(k, 1))));
}

function count(work: Work, value: PrimExpr): readonly Stmt[] {
  return work.counts === null
    ? []
    : [store(work.counts, [value], add(load(work.counts, [value]), 1), work.origin)];
}

/**
 * Values are numbered in ascending order; sorting is stable, so the first of a run is the first occurrence.
 */
function numberInOrder(work: Work): Stmt {
  const { origin, data, positions, elements, firsts, inverse } = work;
  return loop(first(data.shape, "data axis"), "k", origin, (k) => {
    const position = load(positions, [k]);
    const last = sub(total(work), 1);
    const opened = seq(
      [
        store(elements, [total(work)], load(data, [position]), origin),
        store(firsts, [total(work)], position, origin),
        countUp(work),
      ],
      origin,
    );
    return seq(
      [
        ifStmt(startsValue(work, k), opened, null, origin),
        store(inverse, [position], last, origin),
        ...count(work, last),
      ],
      origin,
    );
  });
}

/** Each element points to the first of its value, which then get their numbers from front to back. */
function numberByOccurrence(work: Work): Stmt {
  const { origin, data, positions, elements, firsts, inverse } = work;
  const leader = buffer("leader", int32, [1], "local");
  const place = [intImm(0)];
  const point = loop(first(data.shape, "data axis"), "k", origin, (k) =>
    seq(
      [
        ifStmt(startsValue(work, k), store(leader, place, load(positions, [k]), origin), null, origin),
        store(inverse, [load(positions, [k])], load(leader, place), origin),
      ],
      origin,
    ),
  );
  // Elements in front of i hold numbers already, and a leader is never behind its followers.
  const number = loop(first(data.shape, "data axis"), "i", origin, (i) =>
    seq(
      [
        ifStmt(
          eq(load(inverse, [i]), i),
          seq(
            [
              store(elements, [total(work)], load(data, [i]), origin),
              store(firsts, [total(work)], i, origin),
              store(inverse, [i], total(work), origin),
              countUp(work),
            ],
            origin,
          ),
          store(inverse, [i], load(inverse, [load(inverse, [i])]), origin),
          origin,
        ),
        ...count(work, load(inverse, [i])),
      ],
      origin,
    ),
  );
  return allocate(leader, seq([point, number], origin), origin);
}
