// Products and sums with sparse matrices: rows indptr[r] … indptr[r + 1] of entries, each with its column;
// entries are numbers (CSR) or blocks (BSR). Entries and columns out of range are left out.
// TVM: python/tvm/topi/nn/sparse.py, python/tvm/topi/x86/sparse.py
import { at, tuple } from "../../support/assert.ts";
import { int32 } from "../ir/dtype.ts";
import type { Origin } from "../ir/origin.ts";
import {
  add,
  allocate,
  and,
  buffer,
  cast,
  floorDiv,
  floorMod,
  ge,
  ifStmt,
  ifThenElse,
  imm,
  intImm,
  load,
  lt,
  max,
  min,
  mul,
  seq,
  store,
  sub,
} from "../tir/build.ts";
import type { Buffer, PrimExpr } from "../tir/expr.ts";
import type { Stmt } from "../tir/stmt.ts";
import { compute, extern } from "../te/compute.ts";
import type { Tensor } from "../te/tensor.ts";
import { loop, nest } from "./extern-loops.ts";

interface SparseMatrix {
  /** (entries), or (entries, rows, columns) of blocks, or (entries, rows) of blocks of one column. */
  readonly data: Tensor;
  readonly columns: Tensor;
  readonly starts: Tensor;
}

/** Rows of blocks. */
const blockRows = ({ starts }: SparseMatrix): PrimExpr => sub(at(starts.shape, 0, "row starts axis"), 1);

const blockShape = ({ data }: SparseMatrix): readonly [PrimExpr, PrimExpr] => [
  data.shape[1] ?? intImm(1),
  data.shape[2] ?? intImm(1),
];

interface Buffers {
  readonly data: Buffer;
  readonly columns: Buffer;
  readonly starts: Buffer;
}

/** For every entry of block row r whose columns are in range: body(entry, first column). */
function entriesOf(
  { columns, starts }: Buffers,
  r: PrimExpr,
  range: { readonly width: PrimExpr; readonly each: PrimExpr; readonly origin: Origin },
  body: (entry: PrimExpr, first: PrimExpr) => Stmt,
): Stmt {
  const bound = (position: PrimExpr): PrimExpr =>
    max(min(cast(load(starts, [position]), int32), at(columns.shape, 0, "column indices axis")), 0);
  const first = bound(r);
  return loop(max(sub(bound(add(r, 1)), first), 0), "e", range.origin, (e) => {
    const entry = add(first, e);
    const column = cast(load(columns, [entry]), int32);
    const inside = and(ge(column, 0), lt(column, floorDiv(range.width, range.each)));
    return ifStmt(inside, body(entry, mul(column, range.each)), null, range.origin);
  });
}

/**
 * dense (M, K) times the transposed sparse matrix (N, K): (M, N); with sparseLeft the sparse matrix (M, K)
 * times dense (N, K) transposed.
 */
export function sparseDense(
  dense: Tensor,
  matrix: SparseMatrix,
  sparseLeft: boolean,
  origin: Origin,
): Tensor {
  const [high, wide] = blockShape(matrix);
  const rows = mul(blockRows(matrix), high);
  const [count, width] = tuple(dense.shape, 2, "shape of dense");
  const shape = sparseLeft ? [rows, count] : [count, rows];
  return extern(
    [dense, matrix.data, matrix.columns, matrix.starts],
    [{ shape, dtype: dense.dtype }],
    ([from, data, columns, starts], [to]) => {
      const accumulate = (i: PrimExpr, r: PrimExpr): Stmt =>
        entriesOf({ data, columns, starts }, r, { width, each: wide, origin }, (entry, first) =>
          nest(
            [high, wide],
            origin,
            ([j, c]) => {
              const row = add(mul(r, high), j!);
              const position = sparseLeft ? [row, i] : [i, row];
              return store(
                to,
                position,
                add(
                  load(to, position),
                  mul(
                    load(data, [entry, j!, c!].slice(0, data.shape.length)),
                    load(from, [i, add(first, c!)]),
                  ),
                ),
                origin,
              );
            },
            "b",
          ),
        );
      return seq(
        [
          nest(shape, origin, (i) => store(to, i, imm(0, dense.dtype), origin), "z"),
          nest([count, blockRows(matrix)], origin, ([i, r]) => accumulate(i!, r!)),
        ],
        origin,
      );
    },
    { name: sparseLeft ? "sparse_dense_sp_lhs" : "sparse_dense_sp_rhs", origin },
  )[0];
}

/** dense (M, N) plus a sparse matrix of numbers. */
export function sparseAdd(dense: Tensor, matrix: SparseMatrix, origin: Origin): Tensor {
  return extern(
    [dense, matrix.data, matrix.columns, matrix.starts],
    [{ shape: dense.shape, dtype: dense.dtype }],
    ([from, data, columns, starts], [to]) => {
      const row = (r: PrimExpr): Stmt =>
        entriesOf(
          { data, columns, starts },
          r,
          { width: at(dense.shape, 1, "dense matrix axis"), each: intImm(1), origin },
          (entry, column) => store(to, [r, column], add(load(data, [entry]), load(to, [r, column])), origin),
        );
      return seq(
        [
          nest(dense.shape, origin, (i) => store(to, i, load(from, i), origin), "c"),
          loop(min(blockRows(matrix), at(dense.shape, 0, "dense matrix axis")), "r", origin, row),
        ],
        origin,
      );
    },
    { name: "sparse_accumulatecsr", origin },
  )[0];
}

/** The transposed square matrix of numbers: data, columns and starts. */
export function sparseTranspose(matrix: SparseMatrix, origin: Origin): readonly Tensor[] {
  const parts = [matrix.data, matrix.columns, matrix.starts];
  return extern(
    parts,
    parts.map(({ shape, dtype }) => ({ shape, dtype })),
    ([data, columns, starts], [toData, toColumns, toStarts]) => {
      const size = blockRows(matrix);
      const next = buffer("next", int32, [add(size, 1)], "global");
      const all = { data: data!, columns: columns!, starts: starts! };
      const eachEntry = (body: (r: PrimExpr, entry: PrimExpr, column: PrimExpr) => Stmt): Stmt =>
        loop(size, "r", origin, (r) =>
          entriesOf(all, r, { width: size, each: intImm(1), origin }, (entry, column) =>
            body(r, entry, column),
          ),
        );
      const up = (position: PrimExpr): Stmt =>
        store(next, [position], add(load(next, [position]), 1), origin);
      const put = (r: PrimExpr, entry: PrimExpr, column: PrimExpr): Stmt => {
        const place = load(next, [column]);
        const written = [
          store(toData!, [place], load(data!, [entry]), origin),
          store(toColumns!, [place], cast(r, toColumns!.dtype), origin),
        ];
        return ifStmt(
          lt(place, at(data!.shape, 0, "data axis")),
          seq([...written, up(column)], origin),
          null,
          origin,
        );
      };
      const clear = (of: Buffer): Stmt =>
        nest(of.shape, origin, (i) => store(of, i, imm(0, of.dtype), origin), "z");
      return allocate(
        next,
        seq(
          [
            clear(next),
            clear(toData!),
            clear(toColumns!),
            eachEntry((_r, _entry, column) => up(add(column, 1))),
            loop(size, "r", origin, (r) =>
              store(next, [add(r, 1)], add(load(next, [add(r, 1)]), load(next, [r])), origin),
            ),
            loop(add(size, 1), "r", origin, (r) =>
              store(toStarts!, [r], cast(load(next, [r]), toStarts!.dtype), origin),
            ),
            eachEntry(put),
          ],
          origin,
        ),
        origin,
      );
    },
    { name: "sparse_transpose", origin },
  );
}

export interface SparseConvSpec {
  readonly layout: "NHWC" | "NCHW";
  /** 1, or 3 with one pixel of padding. */
  readonly window: number;
}

/**
 * Image times the transposed sparse matrix (N, window * window * C), whose columns are the elements of the
 * window.
 */
export function sparseConv2d(
  data: Tensor,
  matrix: SparseMatrix,
  spec: SparseConvSpec,
  origin: Origin,
): Tensor {
  const channelsLast = spec.layout === "NHWC";
  const [n, second, third, fourth] = tuple(data.shape, 4, "extents of the images");
  const [h, w, c] = channelsLast ? [second, third, fourth] : [third, fourth, second];
  const pixels = mul(mul(n, h), w);
  const { window } = spec;
  // One row a pixel; TVM counts (row, column, channel) with the channels last, (channel, row, column) else.
  const rows = compute(
    [pixels, mul(c, window * window)],
    ([pixel, element]) => {
      const [image, y, x] = [floorDiv(pixel, mul(h, w)), floorMod(floorDiv(pixel, w), h), floorMod(pixel, w)];
      const channel = channelsLast ? floorMod(element, c) : floorDiv(element, window * window);
      const place = channelsLast ? floorDiv(element, c) : floorMod(element, window * window);
      const border = (window - 1) / 2;
      const [row, column] = [
        sub(add(y, floorDiv(place, window)), border),
        sub(add(x, floorMod(place, window)), border),
      ];
      const value = data.at(
        ...(channelsLast ? [image, row, column, channel] : [image, channel, row, column]),
      );
      if (window === 1) return value;
      const inside = and(and(ge(row, 0), lt(row, h)), and(ge(column, 0), lt(column, w)));
      return ifThenElse(inside, value, imm(0, data.dtype));
    },
    { name: "im2col", tag: "injective", origin },
  );
  const product = sparseDense(rows, matrix, false, origin);
  const channels = at(product.shape, 1, "product axis");
  const pixelAt = (image: PrimExpr, y: PrimExpr, x: PrimExpr): PrimExpr =>
    add(mul(add(mul(image, h), y), w), x);
  const shape = channelsLast ? [n, h, w, channels] : [n, channels, h, w];
  return compute(
    shape,
    (i) =>
      channelsLast
        ? product.at(pixelAt(at(i, 0, "index"), at(i, 1, "index"), at(i, 2, "index")), at(i, 3, "index"))
        : product.at(pixelAt(at(i, 0, "index"), at(i, 2, "index"), at(i, 3, "index")), at(i, 1, "index")),
    { name: "sparse_conv2d", tag: "injective", origin },
  );
}
