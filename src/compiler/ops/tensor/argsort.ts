// Positions in sorted order.  TVM: src/relay/op/algorithm/argsort.cc
import { knownInt } from "../../tir/build.ts";
import { at } from "../../../support/assert.ts";
import { int32 } from "../../ir/dtype.ts";
import { tensorType } from "../../ir/type.ts";
import { extern as externRecipe } from "../../recipes/extern.ts";
import { sort as sortCompute } from "../../topi/sort.ts";
import { defineOp } from "../define.ts";
import { sameShape } from "../_shape-funcs/same.ts";
import { asker, dtypeOf } from "../_shared/type-helpers.ts";
import { sortAttrs, sortedAxis } from "./sort-op.ts";

export const argsort = defineOp({
  name: "argsort",
  inputs: ["data"],
  attrs: sortAttrs,
  attrsKey: "relay.attrs.ArgsortAttrs",
  pattern: "opaque",
  type: ({ data }, attrs, t) => {
    const cx = asker(t, "argsort");
    const sorted = sortedAxis(cx, data, attrs.axis);
    const dtype = dtypeOf(cx, "dtype", attrs.dtype, int32);
    return sorted === null || dtype === null ? null : tensorType(sorted.type.shape, dtype);
  },
  compute: ({ data }, attrs, cx) => {
    const axis = attrs.axis < 0 ? attrs.axis + data.shape.length : attrs.axis;
    return sortCompute(
      data,
      {
        axis,
        ascending: attrs.is_ascend,
        count: knownInt(at(data.shape, axis, "data axis")),
        outputs: [{ what: "indices", dtype: cx.outType.dtype }],
        name: "argsort_cpu",
      },
      cx.origin,
    );
  },
  shapeFunc: sameShape,
  schedule: externRecipe,
  doc: "For every place in sorted order the position of its element along `axis`; equal elements keep their order.",
  examples: [
    {
      name: "descending",
      args: ["Tensor[(2, 8), float32]"],
      attrs: { axis: 1, is_ascend: false, dtype: "int32" },
    },
    { name: "first axis", args: ["Tensor[(5, 3), int32]"], attrs: { axis: 0, dtype: "int64" } },
  ],
});
