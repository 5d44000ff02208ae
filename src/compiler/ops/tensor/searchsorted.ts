// Where values belong in sorted rows.  TVM: src/relay/op/algorithm/searchsorted.cc (SearchSortedRel),
// python/tvm/topi/searchsorted.py
import { last, at } from "../../../support/assert.ts";
import { dtypeAttr, flag } from "../../ir/attrs.ts";
import { int32 } from "../../ir/dtype.ts";
import { printType, tensorType } from "../../ir/type.ts";
import { extern } from "../../te/compute.ts";
import { extern as externRecipe } from "../../recipes/extern.ts";
import { loop, nest } from "../../topi/extern-loops.ts";
import {
  add,
  allocate,
  buffer,
  cast,
  floorDiv,
  ifStmt,
  intImm,
  le,
  load,
  lt,
  seq,
  store,
  knownInt,
} from "../../tir/build.ts";
import { defineOp } from "../define.ts";
import { shapeOfArgument } from "../_shape-funcs/same.ts";
import { asker, dtypeOf, sameDTypes, tensorArg } from "../_shared/type-helpers.ts";

export const searchsorted = defineOp({
  name: "searchsorted",
  inputs: ["sorted_sequence", "values"],
  attrs: {
    right: flag({ default: false, doc: "Behind equal elements instead of in front of them." }),
    dtype: dtypeAttr({ default: "int32", doc: "Dtype of positions." }),
  },
  attrsKey: "relay.attrs.SearchSortedAttrs",
  pattern: "opaque",
  type: (args, attrs, t) => {
    const cx = asker(t, "searchsorted");
    const rows = tensorArg(cx, "sorted_sequence", args.sorted_sequence);
    const values = tensorArg(cx, "values", args.values);
    const dtype = dtypeOf(cx, "dtype", attrs.dtype, int32);
    if (
      rows === null ||
      values === null ||
      dtype === null ||
      !sameDTypes(cx, ["sorted_sequence", rows], ["values", values])
    )
      return null;
    const rank = rows.shape.length;
    const fits =
      rank === 1
        ? values.shape.length > 0
        : rank > 1 &&
          values.shape.length === rank &&
          rows.shape.slice(0, -1).every((dim, i) => t.dimEqual(dim, at(values.shape, i, "values axis")));
    if (fits) return tensorType(values.shape, dtype);
    return t.error("RS2105", "searchsorted: argument `values` does not fit `sorted_sequence`", {
      expected: "a vector to search in, or as many rows as there are rows of values",
      got: `${printType(rows)} and ${printType(values)}`,
    });
  },
  compute: (args, { right }, cx) => {
    const { dtype } = cx.outType;
    const extent = last(args.sorted_sequence.shape, "sorted_sequence axis");
    // Halving 0 … n leaves one position after this many steps.
    const steps = Math.ceil(Math.log2(knownInt(extent) + 1));
    return extern(
      [args.sorted_sequence, args.values],
      [{ shape: args.values.shape, dtype }],
      ([rows, values], [out]) => {
        const bounds = buffer("bounds", int32, [2], "local");
        const [low, high] = [load(bounds, [intImm(0)]), load(bounds, [intImm(1)])];
        const set = (which: number, value: Parameters<typeof store>[2]): ReturnType<typeof store> =>
          store(bounds, [intImm(which)], value, cx.origin);
        const body = nest(out.shape, cx.origin, (i) => {
          const middle = floorDiv(add(low, high), 2);
          const element = load(rows, [...(rows.shape.length === 1 ? [] : i.slice(0, -1)), middle]);
          const before = right ? le(element, load(values, i)) : lt(element, load(values, i));
          const halve = ifStmt(before, set(0, add(middle, 1)), set(1, middle), cx.origin);
          return seq(
            [
              set(0, intImm(0)),
              set(1, extent),
              loop(intImm(steps), "step", cx.origin, () => ifStmt(lt(low, high), halve, null, cx.origin)),
              store(out, i, cast(low, dtype), cx.origin),
            ],
            cx.origin,
          );
        });
        return allocate(bounds, body, cx.origin);
      },
      { name: "searchsorted", origin: cx.origin },
    )[0];
  },
  shapeFunc: shapeOfArgument(1),
  schedule: externRecipe,
  doc: "For every value the position in the sorted last axis in front of which it belongs (behind equal ones with right=True).",
  examples: [
    {
      name: "one row for all",
      args: ["Tensor[(5), float32]", "Tensor[(2, 3), float32]"],
      values: { 0: [-0.6, -0.1, 0.2, 0.2, 0.7] },
    },
    {
      name: "row by row, behind",
      args: ["Tensor[(2, 4), int32]", "Tensor[(2, 3), int32]"],
      attrs: { right: true, dtype: "int64" },
      values: { 0: [-5, 0, 0, 3, 1, 1, 2, 8], 1: [0, 9, -6, 1, 2, 0] },
    },
  ],
});
