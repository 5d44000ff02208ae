// CombineParallelBatchMatmul: batch_matmuls of the same left operand become one with all their columns.
// TVM: src/relay/transforms/combine_parallel_batch_matmul.cc
import { argOf } from "../../expr.ts";
import { first, at } from "../../../../support/assert.ts";
import { sameDim } from "../../../ir/type.ts";
import { tensorTypeOf } from "../../op.ts";
import {
  combineParallel,
  concatenate,
  extentOf,
  likeCall,
  originOf,
  sliceAlong,
  type ParallelRule,
} from "./combine-parallel-op.ts";

const rule: ParallelRule = {
  op: "nn.batch_matmul",
  pass: "CombineParallelBatchMatmul",
  supports: (call) => call.attrs["transpose_a"] === false && call.attrs["transpose_b"] === true,
  compatible: (a, b) => {
    const [ra, rb] = [tensorTypeOf(argOf(a, 1)), tensorTypeOf(argOf(b, 1))];
    return (
      ra.dtype === rb.dtype &&
      tensorTypeOf(a).dtype === tensorTypeOf(b).dtype &&
      sameDim(first(ra.shape, "dimension"), first(rb.shape, "dimension")) &&
      a.attrs["out_dtype"] === b.attrs["out_dtype"]
    );
  },
  combine: (branches, cx) => {
    const heads = branches.map((branch) => first(branch, "branch"));
    const weight = concatenate(
      cx,
      heads.map((head) => argOf(head, 1)),
      1,
    );
    return likeCall(
      cx,
      first(heads, "head"),
      [argOf(first(heads, "head"), 0), weight],
      first(heads, "head").attrs,
      originOf(heads),
    );
  },
  // Only operands that run over the columns of their branch can be joined by columns (TVM joins any, and is
  // wrong for others).
  operandsFit: (a, b, index) => {
    const [ta, tb] = [tensorTypeOf(argOf(a, index)), tensorTypeOf(argOf(b, index))];
    if (ta.dtype !== tb.dtype || ta.shape.length !== tb.shape.length || ta.shape.length === 0) return false;
    if (
      extentOf(argOf(a, index), -1) !== extentOf(a, -1) ||
      extentOf(argOf(b, index), -1) !== extentOf(b, -1)
    )
      return false;
    return ta.shape.slice(0, -1).every((dim, i) => sameDim(dim, at(tb.shape, i, "dimension")));
  },
  joinOperands: (calls, index, _parent, _head, cx) =>
    concatenate(
      cx,
      calls.map((call) => argOf(call, index)),
      -1,
    ),
  slices: (combined, branches, depth, cx) => {
    let start = 0;
    return branches.map((branch) => {
      const extent = extentOf(argOf(first(branch, "branch"), 1), 1);
      const slice = sliceAlong(cx, combined, { axis: 2, start, extent }, at(branch, depth, "branch").origin);
      start += extent;
      return slice;
    });
  },
};

export const combineParallelBatchMatmul = combineParallel(rule);
