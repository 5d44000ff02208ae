// Convolutions of 2 and 3 axes, also of channels in blocks.  TVM: src/relay/op/nn/convolution.cc
import { conv2d as conv2dRecipe } from "../../../recipes/conv2d.ts";
import { defineOp, type Op, type Example } from "../../define.ts";
import { convShape } from "../../_shape-funcs/windows.ts";
import { asker } from "../../_shared/type-helpers.ts";
import { convAttrs } from "./conv-attrs.ts";
import { convCompute } from "./conv-compute.ts";
import { convRelation } from "./conv-types.ts";

interface ConvSpec {
  readonly name: string;
  /** Letters of the axes that the window covers. */
  readonly spatial: "HW" | "DHW";
  readonly doc: string;
  readonly examples: readonly Example[];
}

export function defineConv({ name, spatial, doc, examples }: ConvSpec): Op {
  return defineOp({
    name,
    inputs: ["data", "weight"],
    attrs: convAttrs(spatial),
    attrsKey: `relay.attrs.Conv${spatial.length}DAttrs`,
    pattern: "outEWiseFusable",
    type: ({ data, weight }, attrs, t) => convRelation(asker(t, name), { data, weight }, attrs, spatial),
    compute: ({ data, weight }, attrs, cx) => convCompute({ data, weight }, attrs, spatial, cx),
    shapeFunc: convShape(spatial),
    schedule: conv2dRecipe,
    doc,
    examples,
  });
}
