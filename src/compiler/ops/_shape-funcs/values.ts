// Shape functions of operators whose results are as many as there are values: arange, argwhere, sparse
// tensors.  TVM: python/tvm/relay/op/_transform.py Unlike TVM 0.8, arange counts in float64, so that steps
// below 1 are right.
import { first, at, tuple } from "../../../support/assert.ts";
import { float64, int32, int64 } from "../../ir/dtype.ts";
import { extern } from "../../te/compute.ts";
import {
  add,
  cast,
  div,
  eq,
  forLoop,
  ifStmt,
  imm,
  intImm,
  load,
  max,
  mul,
  ne,
  seq,
  select,
  store,
  sub,
  tirVar,
  unary,
} from "../../tir/build.ts";
import type { PrimExpr } from "../../tir/expr.ts";
import type { ShapeFunc } from "../define.ts";
import { extent } from "./extents.ts";

/** ceil((stop - start) / step), not below 0. */
export const arangeShape: ShapeFunc<unknown> = {
  needs: "data",
  dims: (args) => {
    const [start, stop, step] = tuple(
      args.map((arg) => cast(arg.data.at(), float64)),
      3,
      "argument",
    );
    const count = cast(unary("tir.ceil", div(sub(stop, start), step)), int64);
    return [[max(count, extent(0))]];
  },
};

/** The number of elements that are not zero, and the rank. */
export const argwhereShape: ShapeFunc<unknown> = {
  needs: "both",
  dims: ([condition], _, cx) => {
    const { data, shape, rank } = condition;
    const [count] = extern(
      [data, shape],
      [{ shape: [1], dtype: int64 }],
      ([values, dims], [out]) => {
        const i = tirVar("i");
        const total = Array.from({ length: rank }, (__, axis) => load(dims, [intImm(axis)])).reduce<PrimExpr>(
          (product, dim) => mul(product, dim),
          extent(1),
        );
        const place = [intImm(0)];
        const element = load(values, [i]);
        const counted = add(
          load(out, place),
          select(ne(element, imm(0, element.dtype)), extent(1), extent(0)),
        );
        return seq(
          [
            store(out, place, extent(0), cx.origin),
            forLoop(
              i,
              { min: intImm(0), extent: cast(total, int32) },
              store(out, place, counted, cx.origin),
              cx.origin,
            ),
          ],
          cx.origin,
        );
      },
      { name: "count", origin: cx.origin },
    );
    return [[count.at(0), extent(rank)]];
  },
};

/** unique: all vectors are as long as the data, the count is one number. */
export const uniqueShape: ShapeFunc<unknown> = {
  needs: "shape",
  dims: ([data], _, cx) =>
    cx.outTypes.map((__, i) => (i === 3 ? [extent(1)] : [first(data.dims, "dimension")])),
};

/** sparse_reshape: as many positions, each of the new rank. */
export const sparseReshapeShape: ShapeFunc<unknown, 3> = {
  needs: "shape",
  dims: ([positions, , to]) => [
    [first(positions.dims, "dimension"), first(to.dims, "dimension")],
    [first(to.dims, "dimension")],
  ],
};

/** sparse_fill_empty_rows: the entries there are and one a row that has none; as many marks as rows. */
export const filledRowsShape: ShapeFunc<unknown, 3> = {
  needs: ["both", "none", "data", "none"],
  dims: ([positions, , denseShape], _, cx) => {
    const { data, shape, rank } = positions;
    const rows = cast(denseShape.data.at(0), int64);
    const [count] = extern(
      [data, shape, denseShape.data],
      [{ shape: [1], dtype: int64 }],
      ([values, dims, dense], [out]) => {
        const place = [intImm(0)];
        const width = load(dims, [intImm(rank - 1)]);
        const entries = cast(load(dims, place), int32);
        const rowOf = (i: PrimExpr): PrimExpr =>
          cast(
            load(
              values,
              values.shape.length === 1 ? [cast(mul(cast(i, int64), width), int32)] : [i, intImm(0)],
            ),
            int64,
          );
        const addGap = (value: PrimExpr): ReturnType<typeof store> =>
          store(out, place, add(load(out, place), max(value, extent(0))), cx.origin);
        const i = tirVar("i");
        const gap = sub(rowOf(i), select(eq(i, 0), extent(0), add(rowOf(max(sub(i, 1), 0)), 1)));
        const all = cast(load(dense, place), int64);
        return seq(
          [
            store(out, place, cast(entries, int64), cx.origin),
            forLoop(i, { min: intImm(0), extent: entries }, addGap(gap), cx.origin),
            ifStmt(eq(entries, 0), addGap(all), addGap(sub(all, add(rowOf(sub(entries, 1)), 1))), cx.origin),
          ],
          cx.origin,
        );
      },
      { name: "count", origin: cx.origin },
    );
    return [[count.at(0), at(positions.dims, 1, "dimension")], [count.at(0)], [rows]];
  },
};
