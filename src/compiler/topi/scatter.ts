// Writing updates at given positions of a copy.  TVM: python/tvm/topi/scatter.py, scatter_add.py
import { at, first } from "../../support/assert.ts";
import type { Origin } from "../ir/origin.ts";
import {
  add,
  and,
  cast,
  ge,
  ifStmt,
  intImm,
  load,
  lt,
  seq,
  select,
  store,
  tirVar,
  knownInt,
} from "../tir/build.ts";
import { letStmt } from "../tir/build.ts";
import { int32 } from "../ir/dtype.ts";
import type { Buffer, PrimExpr } from "../tir/expr.ts";
import type { Stmt } from "../tir/stmt.ts";
import { extern } from "../te/compute.ts";
import type { Tensor } from "../te/tensor.ts";
import { nest } from "./extern-loops.ts";

export type ScatterMode = "update" | "add";

function copy(from: Buffer, to: Buffer, origin: Origin): Stmt {
  return nest(from.shape, origin, (i) => store(to, i, load(from, i), origin), "c");
}

/** A position of which the axes in `checked` may be out of range. */
interface DoubtfulPosition {
  readonly indices: readonly PrimExpr[];
  readonly checked: readonly number[];
}

/** Writes `value` at a position if it is in range; positions out of range are left out. */
export function guarded(
  to: Buffer,
  { indices, checked }: DoubtfulPosition,
  value: PrimExpr,
  mode: ScatterMode,
  origin: Origin,
): Stmt {
  const names = indices.map((_, i) => tirVar(`at${i}`, int32));
  const used = indices.map((index, i) => (checked.includes(i) ? at(names, i, "name") : index));
  const inside = checked
    .map((i) => and(ge(at(names, i, "name"), 0), lt(at(names, i, "name"), at(to.shape, i, "output axis"))))
    .reduce((a, b) => and(a, b));
  const write = store(to, used, mode === "add" ? add(load(to, used), value) : value, origin);
  return checked.reduceRight<Stmt>(
    (body, i) => letStmt(at(names, i, "name"), at(indices, i, "index"), body, origin),
    ifStmt(inside, write, null, origin),
  );
}

/**
 * Element (i, j, …) of updates goes to position indices[i, j, …] along `axis`; negative positions count from
 * the end.
 */
export function scatter(
  data: Tensor,
  indices: Tensor,
  updates: Tensor,
  spec: { readonly axis: number; readonly mode: ScatterMode },
  origin: Origin,
): Tensor {
  return extern(
    [data, indices, updates],
    [{ shape: data.shape, dtype: data.dtype }],
    ([from, places, values], [to]) =>
      seq(
        [
          copy(from, to, origin),
          nest(places.shape, origin, (i) => {
            const given = cast(load(places, i), int32);
            const position = select(lt(given, 0), add(given, at(from.shape, spec.axis, "input axis")), given);
            const target = i.map((index, axis) => (axis === spec.axis ? position : index));
            return guarded(to, { indices: target, checked: [spec.axis] }, load(values, i), spec.mode, origin);
          }),
        ],
        origin,
      ),
    { name: spec.mode === "add" ? "scatter_add_generic" : "scatter_generic", origin },
  )[0];
}

/**
 * indices (M, Y…) holds for every place Y a position along the first M axes; the slice of updates at Y goes
 * there.
 */
export function scatterNd(
  data: Tensor,
  indices: Tensor,
  updates: Tensor,
  mode: ScatterMode,
  origin: Origin,
): Tensor {
  const count = knownInt(first(indices.shape, "indices axis"));
  const places = indices.shape.slice(1);
  return extern(
    [data, indices, updates],
    [{ shape: data.shape, dtype: data.dtype }],
    ([from, positions, values], [to]) =>
      seq(
        [
          copy(from, to, origin),
          nest([...places, ...data.shape.slice(count)], origin, (i) => {
            const place = i.slice(0, places.length);
            const picked = Array.from({ length: count }, (_, k) =>
              cast(load(positions, [intImm(k), ...place]), int32),
            );
            return guarded(
              to,
              { indices: [...picked, ...i.slice(places.length)], checked: picked.map((_, k) => k) },
              load(values, i),
              mode,
              origin,
            );
          }),
        ],
        origin,
      ),
    { name: "scatter_nd_generic", origin },
  )[0];
}
