// strided_slice with bounds given as tensors; with a constant it becomes strided_slice.  TVM: src/relay/op/dyn/tensor/transform.cc (StridedSliceRel)
import { tensorType } from "../../ir/type.ts";
import { defineOp } from "../define.ts";
import { dynStridedSliceShape } from "../shape-funcs/slice.ts";
import { sliceSchema } from "../tensor/strided-slice.ts";
import { asker, tensorArg } from "../type-helpers.ts";
import { othersOf, staticTwin, unknownDims, vectorLength } from "./dyn-op.ts";

export const dynStridedSlice = defineOp({
  name: "dyn.strided_slice", inputs: ["data", "begin", "end", "strides"], attrs: sliceSchema, attrsKey: "relay.attrs.StridedSliceAttrs", pattern: "injective",
  type: (args, _, t) => {
    const cx = asker(t, "dyn.strided_slice");
    const type = tensorArg(cx, "data", args.data);
    const lengths = [vectorLength(cx, "begin", args.begin), vectorLength(cx, "end", args.end), vectorLength(cx, "strides", args.strides)];
    if (type === null || lengths.includes(null)) return null;
    const [count] = lengths;
    return tensorType([...unknownDims(Math.min(count!, type.shape.length)), ...type.shape.slice(count!)], type.dtype);
  },
  shapeFunc: dynStridedSliceShape,
  toStatic: staticTwin("strided_slice", {
    args: [0], constants: [1, 2, 3], attrs: ([begin, end, strides], node) => ({ ...othersOf(node, "begin", "end", "strides"), begin: begin!, end: end!, strides: strides! }),
  }),
  doc: "strided_slice with begin, end and strides as arguments.",
  examples: [{ name: "rows", args: ["Tensor[(4, 6), float32]", "Tensor[(1), int64]", "Tensor[(1), int64]", "Tensor[(1), int64]"] }],
});
