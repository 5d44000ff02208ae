// nn.pad with amounts given as a tensor; with a constant it becomes nn.pad.  TVM: src/relay/op/dyn/nn/pad.cc (PadRel)
import { tensorType } from "../../ir/type.ts";
import { call } from "../../relay/build.ts";
import { defineOp } from "../define.ts";
import { dynPadShape } from "../shape-funcs/transform.ts";
import { padAttrs } from "../nn/pad.ts";
import { asker, checkRank, tensorArg } from "../type-helpers.ts";
import { constantNumbers, othersOf, unknownDims } from "./dyn-op.ts";

export const dynPad = defineOp({
  name: "dyn.nn.pad", inputs: ["data", "pad_width", "pad_val"], attrs: padAttrs, attrsKey: "relay.attrs.PadAttrs", pattern: "injective",
  type: (args, _, t) => {
    const cx = asker(t, "dyn.nn.pad");
    const type = tensorArg(cx, "data", args.data);
    const width = tensorArg(cx, "pad_width", args.pad_width);
    const value = tensorArg(cx, "pad_val", args.pad_val);
    if (type === null || width === null || value === null || !checkRank(cx, "pad_width", width, [2]) || !checkRank(cx, "pad_val", value, [0])) return null;
    return tensorType(unknownDims(type.shape.length), type.dtype);
  },
  shapeFunc: dynPadShape,
  toStatic: (node, cx) => {
    const width = constantNumbers(node.args[1]);
    if (width === null || node.args[2]!.kind !== "constant") return null;
    const pairs = Array.from({ length: width.length / 2 }, (_, i) => [width[2 * i]!, width[2 * i + 1]!]);
    return call(cx, "nn.pad", [node.args[0]!, node.args[2]!], { ...othersOf(node, "pad_width"), pad_width: pairs }, node.origin);
  },
  doc: "nn.pad with the amounts, a row an axis, as the second argument.",
  examples: [{ name: "matrix", args: ["Tensor[(2, 3), float32]", "Tensor[(2, 2), int64]", "float32"] }],
});
