// Part of a tensor replaced.  TVM: src/relay/op/tensor/transform.cc (StridedSetRel),
// python/tvm/topi/transform.py (strided_set)
// Known difference: backward slices step from their begin, as Python's do (TVM picks the positions with (i +
// 1) % |stride| = 0).
import { at, first } from "../../../support/assert.ts";
import { int32, isInteger } from "../../ir/dtype.ts";
import { printType, type Type } from "../../ir/type.ts";
import { compute } from "../../te/compute.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import type { Tensor } from "../../te/tensor.ts";
import {
  add,
  all,
  and,
  cast,
  eq,
  floorDiv,
  floorMod,
  ge,
  gt,
  ifThenElse,
  intImm,
  le,
  lt,
  max,
  min,
  select,
  sub,
  knownInt,
} from "../../tir/build.ts";
import type { PrimExpr } from "../../tir/expr.ts";
import { defineOp } from "../define.ts";
import { asker, checkRank, sameDTypes, tensorArg, type Asker } from "../_shared/type-helpers.ts";

/** A vector of at most `rank` integers. */
function isBounds(cx: Asker, name: string, type: Type, rank: number): boolean {
  const vector = tensorArg(cx, name, type);
  if (vector === null || !checkRank(cx, name, vector, [1])) return false;
  if (isInteger(vector.dtype) && typeof vector.shape[0] === "number" && vector.shape[0] <= rank) return true;
  cx.t.error("RS2105", `${cx.op}: argument \`${name}\` is no list of positions`, {
    expected: `at most ${rank} integers, one an axis`,
    got: printType(vector),
  });
  return false;
}

interface Cut {
  readonly inside: PrimExpr;
  /** Position in the slice. */
  readonly at: PrimExpr;
}

/** Whether position `i` of an axis of `extent` lies in its slice, and where. */
function cutOf(
  axis: number,
  i: PrimExpr,
  extent: PrimExpr,
  bounds: readonly [begin: Tensor, end: Tensor, strides: Tensor],
): Cut {
  const [begin, end, stride] = bounds.map((of) =>
    axis < knownInt(first(of.shape, "slice bounds axis")) ? cast(of.at(axis), int32) : null,
  );
  const counted = (position: PrimExpr): PrimExpr => select(lt(position, 0), add(position, extent), position);
  const last = sub(extent, 1);
  const step = stride ?? intImm(1);
  const backward = lt(step, 0);
  const from =
    begin == null
      ? select(backward, last, intImm(0))
      : select(backward, min(max(counted(begin), -1), last), min(max(counted(begin), 0), extent));
  const to =
    end == null
      ? select(backward, intImm(-1), extent)
      : select(backward, max(counted(end), -1), min(counted(end), extent));
  const size = max(select(backward, sub(intImm(0), step), step), 1);
  const away = select(backward, sub(from, i), sub(i, from));
  const inside = select(backward, and(le(i, from), gt(i, to)), and(ge(i, from), lt(i, to)));
  return { inside: and(inside, eq(floorMod(away, size), 0)), at: floorDiv(away, size) };
}

export const stridedSet = defineOp({
  name: "strided_set",
  inputs: ["data", "v", "begin", "end", "strides"],
  attrs: {},
  pattern: "injective",
  type: (args, _, t) => {
    const cx = asker(t, "strided_set");
    const data = tensorArg(cx, "data", args.data);
    const v = tensorArg(cx, "v", args.v);
    if (
      data === null ||
      v === null ||
      !sameDTypes(cx, ["data", data], ["v", v]) ||
      !checkRank(cx, "v", v, [data.shape.length])
    )
      return null;
    return (["begin", "end", "strides"] as const).every((name) =>
      isBounds(cx, name, args[name], data.shape.length),
    )
      ? data
      : null;
  },
  compute: ({ data, v, begin, end, strides }, _, cx) =>
    compute(
      data.shape,
      (i) => {
        const cuts = i.map((index, axis) =>
          cutOf(axis, index, at(data.shape, axis, "data axis"), [begin, end, strides]),
        );
        // Values that the slice has too many places for are repeated from the last.
        const value = v.at(
          ...cuts.map(({ at: place }, axis) => min(place, sub(at(v.shape, axis, "update axis"), 1))),
        );
        return ifThenElse(all(cuts.map(({ inside }) => inside)), value, data.at(...i));
      },
      { name: "strided_set", tag: "injective", origin: cx.origin },
    ),
  schedule: injectiveRecipe,
  doc: "data with the elements of the slice begin:end:strides replaced by those of v; positions are written as in Python, and axes that the lists do not reach are whole.",
  examples: [
    {
      name: "a block",
      args: [
        "Tensor[(3, 4), float32]",
        "Tensor[(2, 3), float32]",
        "Tensor[(2), int32]",
        "Tensor[(2), int32]",
        "Tensor[(2), int32]",
      ],
      values: { 2: [0, 1], 3: [2, 4], 4: [1, 1] },
    },
    {
      name: "every second row, backward",
      args: [
        "Tensor[(5, 2), int32]",
        "Tensor[(3, 2), int32]",
        "Tensor[(1), int64]",
        "Tensor[(1), int64]",
        "Tensor[(1), int64]",
      ],
      values: { 2: [-1], 3: [-6], 4: [-2] },
    },
  ],
});
