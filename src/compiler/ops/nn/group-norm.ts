// Group normalisation.  TVM: src/relay/op/nn/nn.cc (GroupNormRel), simplify_inference.cc (GroupNormToInferUnpack)
import { int } from "../../ir/attrs.ts";
import { printDim, staticShape } from "../../ir/type.ts";
import { call } from "../../relay/build.ts";
import { typeOf } from "../../relay/op.ts";
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
    const channels = type.shape[axis < 0 ? axis + type.shape.length : axis]!;
    if (groups >= 1 && (typeof channels !== "number" || channels % groups === 0)) return type;
    return t.error("RS2105", "nn.group_norm: the channels cannot be divided into groups", {
      expected: `num_groups that divides ${printDim(channels)}`,
      got: String(groups),
    });
  },
  simplify: (node, cx) => {
    const type = typeOf(node.args[0]!);
    const shape = type.kind === "tensor-type" ? staticShape(type) : null;
    if (type.kind !== "tensor-type" || shape === null) return null;
    const rank = shape.length;
    const given = Number(node.attrs["axis"]);
    const axis = given < 0 ? given + rank : given;
    const groups = Number(node.attrs["num_groups"]);
    const grouped = shape.flatMap((dim, i) => (i === axis ? [groups, dim / groups] : [dim]));
    const axes = shape.flatMap((_, i) => (i >= axis ? [i + 1] : []));
    const data = call(cx, "reshape", [node.args[0]!], { newshape: grouped }, node.origin);
    const normal = normalise(
      cx,
      data,
      { axes, epsilonDType: type.dtype, epsilon: Number(node.attrs["epsilon"]) },
      node.origin,
    );
    const back = call(cx, "reshape", [normal], { newshape: [...shape] }, node.origin);
    return scaleAndCenter(cx, back, node, { axis, rank });
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
