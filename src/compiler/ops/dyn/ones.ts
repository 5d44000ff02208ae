// ones with a shape given as a tensor; with a constant it becomes ones.  TVM: src/relay/op/dyn/tensor/transform.cc (InitOpRel)
import { tensorType } from "../../ir/type.ts";
import { defineOp } from "../define.ts";
import { shapeArgument } from "../shape-funcs/init.ts";
import { initSchema } from "../tensor/init-op.ts";
import { asker, dtypeOf } from "../type-helpers.ts";
import { othersOf, staticTwin, unknownDims, vectorLength } from "./dyn-op.ts";

export const dynOnes = defineOp({
  name: "dyn.ones", inputs: ["shape"], attrs: initSchema, attrsKey: "relay.attrs.InitOpAttrs", pattern: "elemWise",
  type: ({ shape }, attrs, t) => {
    const cx = asker(t, "dyn.ones");
    const rank = vectorLength(cx, "shape", shape);
    if (rank === null) return null;
    const dtype = dtypeOf(cx, "dtype", attrs.dtype, null);
    return dtype === null ? null : tensorType(unknownDims(rank), dtype);
  },
  shapeFunc: shapeArgument(0, 1),
  toStatic: staticTwin("ones", { args: [], constants: [0], attrs: ([shape], node) => ({ ...othersOf(node, "shape"), shape: shape! }) }),
  doc: "ones with the shape as argument.",
  examples: [{ name: "matrix", args: ["Tensor[(2), int64]"], attrs: { dtype: "float32" } }],
});
