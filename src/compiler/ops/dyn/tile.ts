// tile with repetitions given as a tensor; with a constant it becomes tile.  TVM: src/relay/op/dyn/tensor/transform.cc (TileRel)
import { ints } from "../../ir/attrs.ts";
import { tensorType } from "../../ir/type.ts";
import { defineOp } from "../define.ts";
import { dynTileShape } from "../shape-funcs/transform.ts";
import { asker, tensorArg } from "../type-helpers.ts";
import { staticTwin, unknownDims, vectorLength } from "./dyn-op.ts";

export const dynTile = defineOp({
  name: "dyn.tile", inputs: ["data", "reps"], attrs: { reps: ints({ doc: "Not used." }) }, attrsKey: "relay.attrs.TileAttrs", pattern: "injective",
  type: ({ data, reps }, _, t) => {
    const cx = asker(t, "dyn.tile");
    const type = tensorArg(cx, "data", data);
    const count = vectorLength(cx, "reps", reps);
    return type === null || count === null ? null : tensorType(unknownDims(Math.max(type.shape.length, count)), type.dtype);
  },
  shapeFunc: dynTileShape,
  toStatic: staticTwin("tile", { args: [0], constants: [1], attrs: ([reps]) => ({ reps: reps! }) }),
  doc: "tile with the repetitions as the second argument.",
  examples: [{ name: "matrix", args: ["Tensor[(2, 3), float32]", "Tensor[(2), int64]"] }],
});
