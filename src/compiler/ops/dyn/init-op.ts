// dyn.zeros and dyn.ones: a shape given as a tensor; with a constant they become zeros and ones.
// TVM: src/relay/op/dyn/tensor/transform.cc (InitOpRel)
import { tensorType } from "../../ir/type.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { imm } from "../../tir/build.ts";
import { defineOp, type Op } from "../define.ts";
import { shapeArgument } from "../_shape-funcs/init.ts";
import { filled, initSchema } from "../tensor/init-op.ts";
import { asker, dtypeOf } from "../_shared/type-helpers.ts";
import { dynamicDims, othersOf, staticTwin, vectorLength } from "./dyn-op.ts";

export function defineDynFilled(twin: "zeros" | "ones", value: number): Op {
  const name = `dyn.${twin}`;
  return defineOp({
    name,
    inputs: ["shape"],
    attrs: initSchema,
    attrsKey: "relay.attrs.InitOpAttrs",
    pattern: "elemWise",
    type: ({ shape }, attrs, t) => {
      const cx = asker(t, name);
      const rank = vectorLength(cx, "shape", shape);
      if (rank === null) return null;
      const dtype = dtypeOf(cx, "dtype", attrs.dtype, null);
      return dtype === null ? null : tensorType(dynamicDims(rank), dtype);
    },
    compute: (_, __, cx) => filled(cx, imm(value, cx.outType.dtype)),
    shapeFunc: shapeArgument(0, 1),
    schedule: injectiveRecipe,
    toStatic: staticTwin(twin, {
      args: [],
      constants: ["shape"],
      attrs: ({ shape }, attrs) => ({ ...othersOf(attrs, "shape"), shape }),
    }),
    doc: `${twin} with the shape as argument.`,
    examples: [
      {
        name: "matrix",
        args: ["Tensor[(2), int64]"],
        attrs: { dtype: "float32" },
        values: { 0: [3, 2] },
        results: ["Tensor[(3, 2), float32]"],
      },
    ],
  });
}
