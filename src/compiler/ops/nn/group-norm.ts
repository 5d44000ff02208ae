// Group normalisation.  TVM: src/relay/op/nn/nn.cc (GroupNormRel), simplify_inference.cc
// (GroupNormToInferUnpack)
import { at } from "../../../support/assert.ts";
import { int } from "../../ir/attrs.ts";
import { printDim, staticShape } from "../../ir/type.ts";
import { reshapeTo } from "../../relay/build.ts";
import { tensorTypeOf } from "../../relay/op.ts";
import { defineOp } from "../define.ts";
import { asker } from "../_shared/type-helpers.ts";
import { normAttrs, normRelation } from "./norm-attrs.ts";
import { normalise, scaleAndCenter } from "./norm-rewrite.ts";

export const groupNorm = defineOp({
  name: "nn.group_norm",
  inputs: ["data", "gamma", "beta"],
  attrs: {
    num_groups: int({ default: 0, doc: "Number of groups that the channels are divided into." }),
    ...normAttrs(1),
  },
  attrsKey: "relay.attrs.GroupNormAttrs",
  pattern: "opaque",
  type: (args, { axis, num_groups: groups }, t) => {
    const type = normRelation(asker(t, "nn.group_norm"), args, axis);
    if (type === null) return null;
    const channels = at(type.shape, axis < 0 ? axis + type.shape.length : axis, "input axis");
    if (groups >= 1 && (typeof channels !== "number" || channels % groups === 0)) return type;
    return t.error("RS2105", "nn.group_norm: the channels cannot be divided into groups", {
      expected: `num_groups that divides ${printDim(channels)}`,
      got: String(groups),
    });
  },
  simplify: (norm, cx) => {
    const { node, args, attrs } = norm;
    const type = tensorTypeOf(args.data);
    const shape = staticShape(type);
    if (shape === null) return null;
    const rank = shape.length;
    const axis = attrs.axis < 0 ? attrs.axis + rank : attrs.axis;
    const groups = attrs.num_groups;
    const grouped = shape.flatMap((dim, i) => (i === axis ? [groups, dim / groups] : [dim]));
    const axes = shape.flatMap((_, i) => (i >= axis ? [i + 1] : []));
    const data = reshapeTo(cx, args.data, grouped, node.origin);
    const normal = normalise(
      cx,
      data,
      { axes, epsilonDType: type.dtype, epsilon: attrs.epsilon },
      node.origin,
    );
    const back = reshapeTo(cx, normal, shape, node.origin);
    return scaleAndCenter(cx, back, norm, { axis, rank });
  },
  doc: "Normalises groups of channels of every batch element, then multiplies by gamma and adds beta.",
  examples: [
    {
      name: "two groups",
      args: ["Tensor[(2, 4, 6), float32]", "Tensor[(4), float32]", "Tensor[(4), float32]"],
      attrs: { num_groups: 2 },
    },
  ],
});
