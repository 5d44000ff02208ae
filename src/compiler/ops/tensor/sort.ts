// Elements in sorted order.  TVM: src/relay/op/algorithm/sort.cc
import { knownInt } from "../../tir/build.ts";
import { at } from "../../../support/assert.ts";
import { extern as externRecipe } from "../../recipes/extern.ts";
import { sort as sortCompute } from "../../topi/sort.ts";
import { defineOp } from "../define.ts";
import { sameShape } from "../_shape-funcs/same.ts";
import { asker } from "../_shared/type-helpers.ts";
import { sortAttrs, sortedAxis } from "./sort-op.ts";

export const sort = defineOp({
  name: "sort",
  inputs: ["data"],
  attrs: sortAttrs,
  attrsKey: "relay.attrs.ArgsortAttrs",
  pattern: "opaque",
  type: ({ data }, attrs, t) => sortedAxis(asker(t, "sort"), data, attrs.axis)?.type ?? null,
  compute: ({ data }, attrs, cx) => {
    const axis = attrs.axis < 0 ? attrs.axis + data.shape.length : attrs.axis;
    return sortCompute(
      data,
      {
        axis,
        ascending: attrs.is_ascend,
        count: knownInt(at(data.shape, axis, "data axis")),
        outputs: [{ what: "values", dtype: data.dtype }],
        name: "sort_cpu",
      },
      cx.origin,
    );
  },
  shapeFunc: sameShape,
  schedule: externRecipe,
  doc: "The elements along `axis` in ascending order, or descending.",
  examples: [
    { name: "last axis", args: ["Tensor[(2, 7), float32]"] },
    { name: "descending", args: ["Tensor[(6, 2), int32]"], attrs: { axis: 0, is_ascend: false } },
  ],
});
