// Instance normalisation.  TVM: src/relay/op/nn/nn.cc (InstanceNormRel), simplify_inference.cc
// (InstanceNormToInferUnpack)
import { tensorTypeOf } from "../../relay/op.ts";
import { defineOp } from "../define.ts";
import { asker } from "../_shared/type-helpers.ts";
import { normAttrs, normRelation } from "./norm-attrs.ts";
import { normalise, scaleAndCenter } from "./norm-rewrite.ts";

export const instanceNorm = defineOp({
  name: "nn.instance_norm",
  inputs: ["data", "gamma", "beta"],
  attrs: normAttrs(1),
  attrsKey: "relay.attrs.InstanceNormAttrs",
  pattern: "opaque",
  type: (args, { axis }, t) => normRelation(asker(t, "nn.instance_norm"), args, axis),
  simplify: (norm, cx) => {
    const { node, args, attrs } = norm;
    const type = tensorTypeOf(args.data);
    const rank = type.shape.length;
    const axis = attrs.axis < 0 ? attrs.axis + rank : attrs.axis;
    const axes = Array.from({ length: rank }, (_, i) => i).filter((i) => i !== 0 && i !== axis);
    // TVM's constant is float32 whatever the data; another dtype would not add up, so it has the data's own.
    const epsilonDType = type.dtype;
    return scaleAndCenter(
      cx,
      normalise(cx, args.data, { axes, epsilonDType, epsilon: attrs.epsilon }, node.origin),
      norm,
      { axis, rank },
    );
  },
  doc: "Normalises every channel of every batch element on its own, then multiplies by gamma and adds beta.",
  examples: [
    {
      name: "channels",
      args: ["Tensor[(2, 4, 6), float32]", "Tensor[(4), float32]", "Tensor[(4), float32]"],
    },
  ],
});
