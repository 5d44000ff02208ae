// CombineParallelBatchMatmul: batch_matmuls of the same left operand become one with all their columns.
// TVM: src/relay/transforms/combine_parallel_batch_matmul.cc
import { sameDim } from "../../../ir/type.ts";
import { tensorTypeOf } from "../fold-scale-axis/axis-scale.ts";
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
    const [ra, rb] = [tensorTypeOf(a.args[1]!), tensorTypeOf(b.args[1]!)];
    return (
      ra.dtype === rb.dtype &&
      tensorTypeOf(a).dtype === tensorTypeOf(b).dtype &&
      sameDim(ra.shape[0]!, rb.shape[0]!) &&
      a.attrs["out_dtype"] === b.attrs["out_dtype"]
    );
  },
  combine: (branches, cx) => {
    const heads = branches.map((branch) => branch[0]!);
    const weight = concatenate(
      cx,
      heads.map((head) => head.args[1]!),
      1,
    );
    return likeCall(cx, heads[0]!, [heads[0]!.args[0]!, weight], heads[0]!.attrs, originOf(heads));
  },
  // Only operands that run over the columns of their branch can be joined by columns (TVM joins any, and is wrong for others).
  operandsFit: (a, b, index) => {
    const [ta, tb] = [tensorTypeOf(a.args[index]!), tensorTypeOf(b.args[index]!)];
    if (ta.dtype !== tb.dtype || ta.shape.length !== tb.shape.length || ta.shape.length === 0) return false;
    if (extentOf(a.args[index]!, -1) !== extentOf(a, -1) || extentOf(b.args[index]!, -1) !== extentOf(b, -1))
      return false;
    return ta.shape.slice(0, -1).every((dim, i) => sameDim(dim, tb.shape[i]!));
  },
  joinOperands: (calls, index, _parent, _head, cx) =>
    concatenate(
      cx,
      calls.map((call) => call.args[index]!),
      -1,
    ),
  slices: (combined, branches, depth, cx) => {
    let start = 0;
    return branches.map((branch) => {
      const extent = extentOf(branch[0]!.args[1]!, 1);
      const slice = sliceAlong(cx, combined, 2, start, extent, branch[depth]!.origin);
      start += extent;
      return slice;
    });
  },
};

export const combineParallelBatchMatmul = combineParallel(rule);
