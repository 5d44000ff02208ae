// CombineParallelConv2d: convolutions of the same data with kernels of the same window become one with all
// their channels.
// TVM: src/relay/transforms/combine_parallel_conv2d.cc
import { sameAttrValue } from "../../../ir/attrs.ts";
import { sameDim } from "../../../ir/type.ts";
import type { Call } from "../../expr.ts";
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

const sharedAttrs = [
  "strides",
  "padding",
  "dilation",
  "groups",
  "data_layout",
  "kernel_layout",
  "out_dtype",
  "out_layout",
] as const;

function kernelAxis(call: Call, letter: string): number {
  return String(call.attrs["kernel_layout"]).indexOf(letter);
}

function channelAxis(call: Call): number {
  const { out_layout: out, data_layout: data } = call.attrs;
  return (out === "" ? String(data) : String(out)).indexOf("C");
}

function channels(call: Call): number {
  return extentOf(call.args[1]!, kernelAxis(call, "O"));
}

/** Axes counted in letters: a layout with blocked axes ("OIHW8i8o") has more of them, and is left alone. */
function plainLayouts(call: Call): boolean {
  const { kernel_layout: kernel, data_layout: data, out_layout: out } = call.attrs;
  return [kernel, data, out].every((layout) => !/\d/.test(String(layout)));
}

const rule: ParallelRule = {
  op: "nn.conv2d",
  pass: "CombineParallelConv2d",
  supports: (call) => call.attrs["groups"] === 1 && plainLayouts(call) && Number.isFinite(channels(call)),
  compatible: (a, b) =>
    sharedAttrs.every((name) => sameAttrValue(a.attrs[name] ?? null, b.attrs[name] ?? null)) &&
    ["H", "W"].every(
      (letter) => extentOf(a.args[1]!, kernelAxis(a, letter)) === extentOf(b.args[1]!, kernelAxis(b, letter)),
    ),
  combine: (branches, cx) => {
    const heads = branches.map((branch) => branch[0]!);
    const first = heads[0]!;
    const weight = concatenate(
      cx,
      heads.map((head) => head.args[1]!),
      kernelAxis(first, "O"),
    );
    const total = heads.reduce((sum, head) => sum + channels(head), 0);
    return likeCall(
      cx,
      first,
      [first.args[0]!, weight],
      { ...first.attrs, channels: total },
      originOf(heads),
    );
  },
  operandsFit: (a, b, index, head) => {
    const [ta, tb] = [tensorTypeOf(a.args[index]!), tensorTypeOf(b.args[index]!)];
    const [oa, ob] = [tensorTypeOf(a), tensorTypeOf(b)];
    if (ta.dtype !== tb.dtype || ta.shape.length !== tb.shape.length) return false;
    const channel = channelAxis(head);
    const at = channel - oa.shape.length + ta.shape.length;
    if (at < 0 || !sameDim(ta.shape[at]!, oa.shape[channel]!) || !sameDim(tb.shape[at]!, ob.shape[channel]!))
      return false;
    return ta.shape.every((dim, i) => i === at || sameDim(dim, tb.shape[i]!));
  },
  joinOperands: (calls, index, _parent, head, cx) => {
    const operands = calls.map((call) => call.args[index]!);
    const at =
      channelAxis(head) - tensorTypeOf(calls[0]!).shape.length + tensorTypeOf(operands[0]!).shape.length;
    return concatenate(cx, operands, at);
  },
  slices: (combined, branches, depth, cx) => {
    let start = 0;
    return branches.map((branch) => {
      const extent = channels(branch[0]!);
      const slice = sliceAlong(
        cx,
        combined,
        { axis: channelAxis(branch[0]!), start, extent },
        branch[depth]!.origin,
      );
      start += extent;
      return slice;
    });
  },
};

export const combineParallelConv2d = combineParallel(rule);
