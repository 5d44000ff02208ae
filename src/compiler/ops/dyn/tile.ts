// tile with repetitions given as a tensor; with a constant it becomes tile.
// TVM: src/relay/op/dyn/tensor/transform.cc (TileRel)
import { at } from "../../../support/assert.ts";
import { ints } from "../../ir/attrs.ts";
import { tensorType } from "../../ir/type.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { floorMod } from "../../tir/build.ts";
import { compute } from "../../te/compute.ts";
import { outExtents } from "../_shared/out-shape.ts";
import { defineOp } from "../define.ts";
import { dynTileShape } from "../_shape-funcs/transform.ts";
import { asker, tensorArg } from "../_shared/type-helpers.ts";
import { staticTwin, dynamicDims, vectorLength } from "./dyn-op.ts";

export const dynTile = defineOp({
  name: "dyn.tile",
  inputs: ["data", "reps"],
  attrs: { reps: ints({ doc: "Not used." }) },
  attrsKey: "relay.attrs.TileAttrs",
  pattern: "injective",
  type: ({ data, reps }, _, t) => {
    const cx = asker(t, "dyn.tile");
    const type = tensorArg(cx, "data", data);
    const count = vectorLength(cx, "reps", reps);
    return type === null || count === null
      ? null
      : tensorType(dynamicDims(Math.max(type.shape.length, count)), type.dtype);
  },
  compute: ({ data }, _, cx) => {
    const shape = outExtents(cx);
    const lead = shape.length - data.shape.length;
    return compute(
      shape,
      (indices) =>
        data.at(...data.shape.map((extent, i) => floorMod(at(indices, i + lead, "index"), extent))),
      { name: "T_tile", tag: "broadcast", origin: cx.origin },
    );
  },
  shapeFunc: dynTileShape,
  schedule: injectiveRecipe,
  toStatic: staticTwin("tile", { args: ["data"], constants: ["reps"], attrs: ({ reps }) => ({ reps }) }),
  doc: "tile with the repetitions as the second argument.",
  examples: [
    {
      name: "matrix",
      args: ["Tensor[(2, 3), float32]", "Tensor[(2), int64]"],
      values: { 1: [2, 3] },
      results: ["Tensor[(4, 9), float32]"],
    },
  ],
});
