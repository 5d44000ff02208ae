// Layer normalisation.  TVM: src/relay/op/nn/nn.cc (LayerNormRel), simplify_inference.cc
// (LayerNormToInferUnpack)
import { tensorTypeOf } from "../../relay/op.ts";
import { defineOp } from "../define.ts";
import { asker } from "../_shared/type-helpers.ts";
import { normAttrs, normRelation } from "./norm-attrs.ts";
import { normalise, scaleAndCenter } from "./norm-rewrite.ts";

export const layerNorm = defineOp({
  name: "nn.layer_norm",
  inputs: ["data", "gamma", "beta"],
  attrs: normAttrs(-1),
  attrsKey: "relay.attrs.LayerNormAttrs",
  pattern: "opaque",
  type: (args, { axis }, t) => normRelation(asker(t, "nn.layer_norm"), args, axis),
  simplify: (norm, cx) => {
    const { node, args, attrs } = norm;
    const { axis, epsilon } = attrs;
    const type = tensorTypeOf(args.data);
    const normal = normalise(cx, args.data, { axes: [axis], epsilonDType: type.dtype, epsilon }, node.origin);
    return scaleAndCenter(cx, normal, norm, {
      axis: axis < 0 ? axis + type.shape.length : axis,
      rank: type.shape.length,
    });
  },
  doc: "Normalises along `axis` to mean 0 and variance 1, then multiplies by gamma and adds beta.",
  examples: [
    {
      name: "last axis",
      args: ["Tensor[(2, 3, 8), float32]", "Tensor[(8), float32]", "Tensor[(8), float32]"],
    },
  ],
});
