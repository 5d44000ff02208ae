// CombineParallelDense: dense layers of the same data and the same shape become one batch_matmul of stacked
// operands.
// TVM: src/relay/transforms/combine_parallel_dense.cc (to batch_matmul, relay.build's choice),
// combine_parallel_op_batch.cc
import { argOf } from "../../expr.ts";
import { at, first } from "../../../../support/assert.ts";
import { sameDim, sameType } from "../../../ir/type.ts";
import { call as callOf, getItem, tuple as tupleOf } from "../../build.ts";
import type { Expr } from "../../expr.ts";
import type { RelayContext } from "../../op.ts";
import { tensorTypeOf } from "../../op.ts";
import { combineParallel, originOf, type ParallelRule } from "./combine-parallel-op.ts";

function stack(cx: RelayContext, values: readonly Expr[]): Expr {
  const origin = originOf(values);
  return callOf(cx, "stack", [tupleOf(cx, values, origin)], { axis: 0 }, origin);
}

const rule: ParallelRule = {
  op: "nn.dense",
  pass: "CombineParallelDense",
  supports: () => true,
  compatible: (a, b) => {
    const [wa, wb] = [tensorTypeOf(argOf(a, 1)), tensorTypeOf(argOf(b, 1))];
    return (
      a.attrs["out_dtype"] === b.attrs["out_dtype"] &&
      wa.dtype === wb.dtype &&
      wa.shape.every((dim, i) => sameDim(dim, at(wb.shape, i, "dimension")))
    );
  },
  combine: (branches, cx) => {
    const heads = branches.map((branch) => first(branch, "branch"));
    const [data, weight] = [0, 1].map((i) =>
      stack(
        cx,
        heads.map((head) => argOf(head, i)),
      ),
    );
    const { out_dtype: outDtype } = first(heads, "head").attrs;
    const attrs = { out_dtype: outDtype ?? null, transpose_a: false, transpose_b: true };
    return callOf(cx, "nn.batch_matmul", [data!, weight!], attrs, originOf(heads));
  },
  operandsFit: (a, b, index) => {
    const [ta, tb] = [tensorTypeOf(argOf(a, index)), tensorTypeOf(argOf(b, index))];
    // Stacked operands of rank 1 get a second axis so that they broadcast along the batch; other short ones
    // would not.
    const rank = tensorTypeOf(a).shape.length;
    return sameType(ta, tb) && (ta.shape.length === 1 || ta.shape.length === rank);
  },
  joinOperands: (calls, index, _parent, _head, cx) =>
    stack(
      cx,
      calls.map((call) => {
        const operand = argOf(call, index);
        if (tensorTypeOf(operand).shape.length !== 1) return operand;
        return callOf(cx, "expand_dims", [operand], { axis: 0, num_newaxis: 1 }, operand.origin);
      }),
    ),
  slices: (combined, branches, depth, cx) => {
    const all = originOf(branches.map((branch) => at(branch, depth, "branch")));
    const split = callOf(cx, "split", [combined], { indices_or_sections: branches.length, axis: 0 }, all);
    return branches.map((branch, i) => {
      const { origin } = at(branch, depth, "branch");
      return callOf(cx, "squeeze", [getItem(cx, split, i, origin)], { axis: [0] }, origin);
    });
  },
};

export const combineParallelDense = combineParallel(rule);
