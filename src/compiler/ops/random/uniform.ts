// Random numbers between two bounds.  TVM: src/relay/op/random/kernel.cc (UniformRel)
import { at, tuple } from "../../../support/assert.ts";
import { dtypeAttr, ints } from "../../ir/attrs.ts";
import { float32, float64, parseDType } from "../../ir/dtype.ts";
import { scalarType, tensorType, tupleType } from "../../ir/type.ts";
import { extern as externRecipe } from "../../recipes/extern.ts";
import { threefryGenerate, uniform as uniformCompute } from "../../topi/threefry.ts";
import { defineOp } from "../define.ts";
import { outExtents } from "../_shared/out-shape.ts";
import { asker, fillArgument, requiredAttr, tensorArg } from "../_shared/type-helpers.ts";
import { isKey, keyType } from "./key-type.ts";

export const uniform = defineOp({
  name: "random.uniform",
  inputs: ["key", "low", "high"],
  attrs: {
    out_shape: ints({ doc: "Shape of the numbers." }),
    out_dtype: dtypeAttr({ default: null, doc: "float32 or float64." }),
  },
  attrsKey: "relay.attrs.UniformAttrs",
  pattern: "opaque",
  type: (args, attrs, t) => {
    const cx = asker(t, "random.uniform");
    if (args.key.kind === "incomplete-type") return null;
    const shape = requiredAttr(cx, "out_shape", attrs.out_shape);
    const spelled = requiredAttr(cx, "out_dtype", attrs.out_dtype);
    if (shape === null || spelled === null || !isKey(cx, args.key)) return null;
    const dtype = parseDType(spelled);
    if (dtype !== float32 && dtype !== float64)
      return t.error("RS2108", "random.uniform: attribute `out_dtype` is not usable", {
        expected: "float32 or float64",
        got: `"${spelled}"`,
      });
    for (const name of ["low", "high"] as const) {
      if (args[name].kind !== "incomplete-type" && tensorArg(cx, name, args[name]) === null) return null;
      if (
        !fillArgument(cx, name, args[name], { wanted: scalarType(dtype), because: `out_dtype="${spelled}"` })
      )
        return null;
    }
    return tupleType([keyType, tensorType(shape.map(Number), dtype)]);
  },
  compute: ({ key, low, high }, _, cx) => {
    const [next, words] = tuple(threefryGenerate(key, outExtents(cx, 1), cx.origin), 2, "results");
    return [next, uniformCompute(words, low, high, at(cx.outTypes, 1, "result type").dtype, cx.origin)];
  },
  schedule: externRecipe,
  doc: "A tuple: the key to go on with, and numbers spread evenly over [low, high). The same key gives the same numbers.",
  examples: [
    {
      name: "matrix",
      args: ["Tensor[(10), uint64]", "float32", "float32"],
      attrs: { out_shape: [2, 5], out_dtype: "float32" },
      values: { 1: [-1], 2: [3] },
    },
    {
      name: "float64",
      args: ["Tensor[(10), uint64]", "float64", "float64"],
      attrs: { out_shape: [3], out_dtype: "float64" },
      values: { 1: [0], 2: [1] },
    },
  ],
});
