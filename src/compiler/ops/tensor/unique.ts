// Distinct elements of a vector.  TVM: src/relay/op/tensor/transform.cc (UniqueRel)
import { flag } from "../../ir/attrs.ts";
import { int32 } from "../../ir/dtype.ts";
import { tensorType, tupleType } from "../../ir/type.ts";
import { extern as externRecipe } from "../../recipes/extern.ts";
import { unique as uniqueCompute } from "../../topi/unique.ts";
import { defineOp } from "../define.ts";
import { uniqueShape } from "../_shape-funcs/values.ts";
import { asker, checkRank, tensorArg } from "../_shared/type-helpers.ts";

export const unique = defineOp({
  name: "unique",
  inputs: ["data"],
  attrs: {
    sorted: flag({ default: true, doc: "Ascending order; else the order of first occurrence." }),
    return_counts: flag({ default: false, doc: "Give a fifth tensor: how often each element occurs." }),
  },
  attrsKey: "relay.attrs.UniqueAttrs",
  pattern: "opaque",
  type: ({ data }, attrs, t) => {
    const cx = asker(t, "unique");
    const type = tensorArg(cx, "data", data);
    if (type === null || !checkRank(cx, "data", type, [1])) return null;
    const positions = tensorType(type.shape, int32);
    return tupleType([
      type,
      positions,
      positions,
      tensorType([1], int32),
      ...(attrs.return_counts ? [positions] : []),
    ]);
  },
  compute: ({ data }, attrs, cx) =>
    uniqueCompute(data, { sorted: attrs.sorted, counts: attrs.return_counts }, cx.origin),
  shapeFunc: uniqueShape,
  schedule: externRecipe,
  flags: { attrsInMeta: true },
  doc: "A tuple: the distinct elements, the position of the first of each, for each element of data the number of its value, how many values there are, and with return_counts how often each occurs. Vectors are as long as data; behind the last value stand 0 and, as position, the length.",
  examples: [
    { name: "ascending", args: ["Tensor[(8), int32]"], values: { 0: [4, 5, 1, 2, 3, 3, 4, 5] } },
    {
      name: "in order of occurrence, counted",
      args: ["Tensor[(8), int64]"],
      attrs: { sorted: false, return_counts: true },
      values: { 0: [4, 5, 1, 2, 3, 3, 4, 5] },
    },
    {
      name: "floats, counted",
      args: ["Tensor[(6), float32]"],
      attrs: { return_counts: true },
      values: { 0: [0.5, -1, 0.5, 2, -1, 0.5] },
    },
  ],
});
