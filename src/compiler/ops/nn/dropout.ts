// Dropout; at inference the data itself.  TVM: src/relay/op/nn/nn.cc (DropoutRel), simplify_inference.cc
import { float } from "../../ir/attrs.ts";
import { tupleType } from "../../ir/type.ts";
import { call, tuple } from "../../relay/build.ts";
import { defineOp } from "../define.ts";
import { asker, tensorArg } from "../_shared/type-helpers.ts";

export const dropout = defineOp({
  name: "nn.dropout",
  inputs: ["data"],
  attrs: { rate: float({ default: 0.5, doc: "Part of the elements that training sets to zero." }) },
  attrsKey: "relay.attrs.DropoutAttrs",
  pattern: "opaque",
  type: ({ data }, _, t) => {
    const type = tensorArg(asker(t, "nn.dropout"), "data", data);
    return type === null ? null : tupleType([type, type]);
  },
  // A tuple-valued operator becomes a tuple; SimplifyInference takes its field 0 where only that is used.
  simplify: ({ node: { origin }, args: { data } }, cx) =>
    tuple(cx, [data, call(cx, "ones_like", [data], {}, origin)], origin),
  flags: { stateful: true },
  doc: "In training sets random elements to zero; at inference the data passes unchanged. Gives a tuple: the data and the mask.",
  examples: [
    { name: "half", args: ["Tensor[(2, 3), float32]"] },
    { name: "a fifth", args: ["Tensor[(2, 3), float32]"], attrs: { rate: 0.2 } },
  ],
});
