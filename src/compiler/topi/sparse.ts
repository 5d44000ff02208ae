// Tensors given by the positions of their few elements.  TVM: include/tvm/topi/transform.h (sparse_to_dense),
// python/tvm/topi/sparse_reshape.py, sparse_fill_empty_rows.py
// Known difference: every row that is filled is marked in the indicator (TVM marks the first of a run), and
// values keep their dtype.
import { at, first } from "../../support/assert.ts";
import { int32, int64, type DType } from "../ir/dtype.ts";
import type { Origin } from "../ir/origin.ts";
import {
  add,
  allocate,
  and,
  buffer,
  cast,
  constInt,
  eq,
  floorDiv,
  floorMod,
  ge,
  ifStmt,
  imm,
  intImm,
  load,
  lt,
  max,
  min,
  mul,
  select,
  seq,
  store,
  sub,
  knownInt,
} from "../tir/build.ts";
import type { Buffer, PrimExpr } from "../tir/expr.ts";
import type { Stmt } from "../tir/stmt.ts";
import { compute, extern } from "../te/compute.ts";
import type { Tensor } from "../te/tensor.ts";
import { loop, nest } from "./extern-loops.ts";
import { guarded } from "./scatter.ts";

const wide = (value: number): PrimExpr => intImm(value, int64);
const product = (values: readonly PrimExpr[]): PrimExpr => values.reduce((a, b) => mul(a, b), wide(1));
/** No division by 0: what a shape with a 0 gives has no elements. */
const divisor = (value: PrimExpr): PrimExpr => select(eq(value, 0), wide(1), value);

/**
 * `rest` everywhere but at the positions (N, rank; a vector for rank 1; a scalar), which hold the values; of
 * equal positions the last counts.
 */
export function sparseToDense(
  ins: readonly [positions: Tensor, values: Tensor, rest: Tensor],
  shape: readonly PrimExpr[],
  origin: Origin,
): Tensor {
  const [places, given] = ins;
  const rank = places.shape.length;
  return extern(
    ins,
    [{ shape, dtype: given.dtype }],
    ([positions, values, rest], [to]) =>
      seq(
        [
          nest(shape, origin, (i) => store(to, i, load(rest, []), origin), "c"),
          nest([rank === 0 ? intImm(1) : first(places.shape, "indices axis")], origin, ([j]) => {
            const place = shape.map((_, axis) =>
              cast(load(positions, rank === 0 ? [] : rank === 1 ? [j!] : [j!, intImm(axis)]), int32),
            );
            return guarded(
              to,
              { indices: place, checked: place.map((_, axis) => axis) },
              load(values, given.shape.length === 0 ? [] : [j!]),
              "update",
              origin,
            );
          }),
        ],
        origin,
      ),
    { name: "T_sparse_to_dense", origin },
  )[0];
}

/**
 * Positions (N, rank) in a tensor of `from` as positions in the same elements under `to`, where -1 is worked
 * out; and that shape.
 */
export function sparseReshape(
  positions: Tensor,
  from: Tensor,
  to: Tensor,
  origin: Origin,
): readonly Tensor[] {
  const rank = (shape: Tensor): number => knownInt(first(shape.shape, "shape argument axis"));
  const dims = (shape: Tensor): PrimExpr[] =>
    Array.from({ length: rank(shape) }, (_, i) => cast(shape.at(i), int64));
  const [before, wanted] = [dims(from), dims(to)];
  const known = product(wanted.map((dim) => select(eq(dim, -1), wide(1), dim)));
  const shape = compute(
    to.shape,
    ([axis]) => {
      const asked = to.at(axis!);
      return select(
        eq(asked, imm(-1, to.dtype)),
        cast(floorDiv(product(before), divisor(known)), to.dtype),
        asked,
      );
    },
    { name: "T_sparse_reshape_shape", tag: "injective", origin },
  );
  // Read from where it is stored: written out, the expression would grow with the fourth power of the rank.
  const after = dims(shape);
  const places = compute(
    [first(positions.shape, "indices axis"), intImm(rank(to))],
    ([n, axis]) => {
      const flat = before.reduce<PrimExpr>(
        (sum, dim, i) => add(mul(sum, dim), cast(positions.at(n, i), int64)),
        wide(0),
      );
      const along = after.map((dim, i) => {
        const stepped = floorDiv(flat, divisor(product(after.slice(i + 1))));
        return i === 0 ? stepped : floorMod(stepped, divisor(dim));
      });
      const picked = along
        .slice(0, -1)
        .reduceRight((rest, value, i) => select(eq(axis, i), value, rest), along.at(-1) ?? wide(0));
      return cast(picked, positions.dtype);
    },
    { name: "T_sparse_reshape", tag: "injective", origin },
  );
  return [places, shape];
}

interface Filling {
  readonly positions: Buffer;
  readonly outs: readonly Buffer[];
  /** The next row of the result. */
  readonly row: Buffer;
  readonly origin: Origin;
}

/** Writes one entry: row number, other indices, value. What does not fit into the result is left out. */
function emit(f: Filling, number: PrimExpr, index: (axis: number) => PrimExpr, value: PrimExpr): Stmt {
  const [places, values] = [at(f.outs, 0, "result of places"), at(f.outs, 1, "result of values")];
  const row = load(f.row, [intImm(0)]);
  const rank = knownInt(at(places.shape, 1, "indices axis"));
  const record = Array.from({ length: rank }, (_, axis) =>
    store(places, [row, intImm(axis)], axis === 0 ? number : index(axis), f.origin),
  );
  return ifStmt(
    lt(row, first(places.shape, "indices axis")),
    seq(
      [...record, store(values, [row], value, f.origin), store(f.row, [intImm(0)], add(row, 1), f.origin)],
      f.origin,
    ),
    null,
    f.origin,
  );
}

/**
 * Entries for rows that have none: (positions, values, whether a row was empty), all int64; `positions` stand
 * in the order of rows.
 */
export function sparseFillEmptyRows(
  positions: Tensor,
  values: Tensor,
  rest: Tensor,
  spec: { readonly entries: PrimExpr; readonly rows: PrimExpr; readonly dtype: DType },
  origin: Origin,
): readonly Tensor[] {
  const count = first(positions.shape, "indices axis");
  const outputs = [
    { shape: [spec.entries, at(positions.shape, 1, "indices axis")], dtype: int64 },
    { shape: [spec.entries], dtype: spec.dtype },
    { shape: [spec.rows], dtype: int64 },
  ];
  return extern(
    [positions, values, rest],
    outputs,
    ([places, given, filler], outs) => {
      const f: Filling = { positions: places, outs, row: buffer("row", int32, [1], "local"), origin };
      const empty = at(outs, 2, "output");
      const rowOf = (i: PrimExpr): PrimExpr => cast(load(places, [i, intImm(0)]), int32);
      const fill = (from: PrimExpr, to: PrimExpr): Stmt =>
        loop(min(max(sub(to, from), 0), spec.rows), "j", origin, (j) =>
          emit(f, cast(add(from, j), int64), () => wide(0), cast(load(filler, []), spec.dtype)),
        );
      const entry = (i: PrimExpr): Stmt => {
        const row = rowOf(i);
        return seq(
          [
            fill(select(eq(i, 0), intImm(0), add(rowOf(max(sub(i, 1), 0)), 1)), row),
            emit(
              f,
              cast(row, int64),
              (axis) => cast(load(places, [i, intImm(axis)]), int64),
              cast(load(given, [i]), spec.dtype),
            ),
            ifStmt(and(ge(row, 0), lt(row, spec.rows)), store(empty, [row], wide(0), origin), null, origin),
          ],
          origin,
        );
      };
      const last = constInt(count) === 0 ? intImm(0) : add(rowOf(sub(count, 1)), 1);
      return allocate(
        f.row,
        seq(
          [
            store(f.row, [intImm(0)], intImm(0), origin),
            loop(spec.rows, "r", origin, (r) => store(empty, [r], wide(1), origin)),
            loop(count, "i", origin, entry),
            fill(last, spec.rows),
          ],
          origin,
        ),
        origin,
      );
    },
    { name: "sparse_fill_empty_rows", origin },
  );
}
