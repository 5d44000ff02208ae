// All axes but the first made one.  TVM: src/relay/op/nn/nn.cc (BatchFlattenRel)
import { first } from "../../../support/assert.ts";
import { printType, tensorType } from "../../ir/type.ts";
import { compute } from "../../te/compute.ts";
import { product, unravel } from "../../topi/indexing.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { defineOp } from "../define.ts";
import { batchFlattenShape } from "../_shape-funcs/reshape.ts";
import { asker, productDim, tensorArg } from "../_shared/type-helpers.ts";

export const batchFlatten = defineOp({
  name: "nn.batch_flatten",
  inputs: ["data"],
  attrs: {},
  pattern: "injective",
  type: ({ data }, _, t) => {
    const type = tensorArg(asker(t, "nn.batch_flatten"), "data", data);
    if (type === null) return null;
    if (type.shape.length > 0)
      return tensorType([first(type.shape, "input axis"), productDim(type.shape.slice(1))], type.dtype);
    return t.error("RS2106", "nn.batch_flatten: argument `data` has the wrong rank", {
      expected: "rank 1 or more",
      got: printType(type),
    });
  },
  compute: ({ data }, _, cx) => {
    const inner = data.shape.slice(1);
    return compute(
      [first(data.shape, "data axis"), product(inner)],
      (i) => data.at(i[0], ...unravel(i[1], inner)),
      { name: "tensor", tag: "injective", origin: cx.origin },
    );
  },
  shapeFunc: batchFlattenShape,
  schedule: injectiveRecipe,
  doc: "Keeps the first axis and joins all others in row-major order: (N, d1, d2, ...) becomes (N, d1*d2*...).",
  examples: [
    { name: "image", args: ["Tensor[(2, 3, 4, 5), float32]"] },
    { name: "matrix", args: ["Tensor[(2, 3), int32]"] },
  ],
});
