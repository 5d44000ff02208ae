// Instance normalisation.  TVM: src/relay/op/nn/nn.cc (InstanceNormRel), simplify_inference.cc (InstanceNormToInferUnpack)
import { float32 } from "../../ir/dtype.ts";
import { typeOf } from "../../relay/op.ts";
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
  simplify: (node, cx) => {
    const type = typeOf(node.args[0]!);
    if (type.kind !== "tensor-type") return null;
    const rank = type.shape.length;
    const given = Number(node.attrs["axis"]);
    const axis = given < 0 ? given + rank : given;
    const axes = Array.from({ length: rank }, (_, i) => i).filter((i) => i !== 0 && i !== axis);
    // TVM's constant is float32 whatever the data; another dtype would not add up, so the data's own is used there.
    const epsilonDType = type.dtype.code === "float" ? type.dtype : float32;
    return scaleAndCenter(
      cx,
      normalise(
        cx,
        node.args[0]!,
        { axes, epsilonDType, epsilon: Number(node.attrs["epsilon"]) },
        node.origin,
      ),
      node,
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
