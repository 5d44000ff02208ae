// Max and average pools of 1, 2 and 3 axes.  TVM: src/relay/op/nn/pooling.cc
import { pool as poolRecipe } from "../../../recipes/pool.ts";
import { defineOp, type Op, type Example } from "../../define.ts";
import { poolShape } from "../../_shape-funcs/windows.ts";
import { countIncludePad, poolAttrs, poolCompute, poolRelation } from "./pool-attrs.ts";

interface PoolSpec {
  readonly kind: "max" | "avg";
  /** Letters of the axes that the window covers. */
  readonly spatial: "W" | "HW" | "DHW";
  readonly doc: string;
  readonly examples: readonly Example[];
}

export function definePool({ kind, spatial, doc, examples }: PoolSpec): Op {
  const rank = spatial.length;
  const name = `nn.${kind}_pool${rank}d`;
  const attrs = poolAttrs(spatial);
  return defineOp({
    name,
    inputs: ["data"],
    attrs: kind === "avg" ? { ...attrs, count_include_pad: countIncludePad } : attrs,
    attrsKey: `relay.attrs.${kind === "avg" ? "Avg" : "Max"}Pool${rank}DAttrs`,
    pattern: "outEWiseFusable",
    type: ({ data }, given, t) => poolRelation(name, data, given, spatial, t),
    compute: ({ data }, given, cx) => poolCompute(kind, data, given, spatial, cx),
    shapeFunc: poolShape(spatial),
    schedule: poolRecipe,
    doc,
    examples,
  });
}
