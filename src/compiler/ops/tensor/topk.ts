// The greatest or least elements, with their positions.  TVM: src/relay/op/algorithm/topk.cc (TopKRel)
import { knownInt } from "../../tir/build.ts";
import { last, at, present, first } from "../../../support/assert.ts";
import { int32, type DType } from "../../ir/dtype.ts";
import { tensorType, tupleType } from "../../ir/type.ts";
import { extern as externRecipe } from "../../recipes/extern.ts";
import { sort, type SortOutput } from "../../topi/sort.ts";
import { defineOp } from "../define.ts";
import { topkShape } from "../_shape-funcs/transform.ts";
import { asker, dtypeOf, oneOf, requiredAttr } from "../_shared/type-helpers.ts";
import { sortedAxis, topkAttrs } from "./sort-op.ts";

/** Values, positions or both, as `kind` says. */
export function topkOutputs(kind: string, values: DType, indices: DType): readonly SortOutput[] {
  const both: readonly SortOutput[] = [
    { what: "values", dtype: values },
    { what: "indices", dtype: indices },
  ];
  return kind === "both" ? both : both.filter((out) => out.what === kind);
}

export const topk = defineOp({
  name: "topk",
  inputs: ["data"],
  attrs: topkAttrs,
  attrsKey: "relay.attrs.TopkAttrs",
  pattern: "opaque",
  type: ({ data }, attrs, t) => {
    const cx = asker(t, "topk");
    const sorted = sortedAxis(cx, data, attrs.axis);
    const k = requiredAttr(cx, "k", attrs.k);
    const dtype = dtypeOf(cx, "dtype", attrs.dtype, int32);
    if (
      sorted === null ||
      k === null ||
      dtype === null ||
      !oneOf(cx, "ret_type", attrs.ret_type, ["both", "values", "indices"])
    )
      return null;
    if (typeof sorted.extent === "number" && k > sorted.extent)
      return t.error("RS2108", "topk: attribute `k` is not usable", {
        expected: `at most ${sorted.extent}`,
        got: String(k),
      });
    const shape = sorted.type.shape.map((dim, i) => (i === sorted.axis && k >= 1 ? k : dim));
    const types = topkOutputs(attrs.ret_type, sorted.type.dtype, dtype).map((out) =>
      tensorType(shape, out.dtype),
    );
    return types.length === 1 ? first(types, "type") : tupleType(types);
  },
  compute: ({ data }, attrs, cx) => {
    const axis = attrs.axis < 0 ? attrs.axis + data.shape.length : attrs.axis;
    const count =
      present(attrs.k, "k") >= 1 ? present(attrs.k, "k") : knownInt(at(data.shape, axis, "data axis"));
    return sort(
      data,
      {
        axis,
        ascending: attrs.is_ascend,
        count,
        outputs: topkOutputs(attrs.ret_type, data.dtype, last(cx.outTypes, "result type").dtype),
        name: "topk_cpu",
      },
      cx.origin,
    );
  },
  shapeFunc: topkShape,
  schedule: externRecipe,
  doc: "The `k` greatest (or least) elements along `axis` in order, with their positions; equal elements keep their order.",
  examples: [
    { name: "both", args: ["Tensor[(2, 7), float32]"], attrs: { k: 3, dtype: "int32" } },
    {
      name: "least, positions",
      args: ["Tensor[(6, 2), int32]"],
      attrs: { k: 2, axis: 0, ret_type: "indices", is_ascend: true, dtype: "int64" },
    },
    { name: "all values", args: ["Tensor[(5), float32]"], attrs: { k: 0, ret_type: "values" } },
  ],
});
