// Factory of element-by-element operators of two tensors.  TVM: src/relay/op/tensor/binary.cc,
// include/tvm/topi/broadcast.h
import { bool, type DType } from "../../ir/dtype.ts";
import type { PrimExpr } from "../../tir/expr.ts";
import { broadcastPair } from "../../topi/elementwise.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { defineOp, type Example, type Op } from "../define.ts";
import { broadcastShape } from "../_shape-funcs/same.ts";
import { asker, broadcastRelation } from "../_shared/type-helpers.ts";
import { acceptsDType, type Accepts } from "./unary.ts";

interface BinarySpec {
  readonly name: string;
  /** Name of the te stage; default T_<name>. */
  readonly stage?: string;
  /** The result is bool: BroadcastCompRel. */
  readonly compares?: boolean;
  readonly accepts?: Accepts;
  readonly doc: string;
  readonly examples?: readonly Example[];
  readonly value: (x: PrimExpr, y: PrimExpr, dtype: DType) => PrimExpr;
}

export function defineBinary(spec: BinarySpec): Op {
  return defineOp({
    name: spec.name,
    inputs: ["lhs", "rhs"],
    attrs: {},
    pattern: "broadcast",
    type: ({ lhs, rhs }, _, t) => {
      const cx = asker(t, spec.name);
      const result = broadcastRelation(
        cx,
        [
          ["lhs", lhs],
          ["rhs", rhs],
        ],
        spec.compares === true ? bool : null,
      );
      return result !== null &&
        lhs.kind === "tensor-type" &&
        !acceptsDType(cx, "lhs", lhs, spec.accepts ?? "any")
        ? null
        : result;
    },
    compute: ({ lhs, rhs }, _, cx) =>
      broadcastPair(lhs, rhs, { name: spec.stage ?? `T_${spec.name}`, origin: cx.origin }, (x, y) =>
        spec.value(x, y, lhs.dtype),
      ),
    shapeFunc: broadcastShape,
    schedule: injectiveRecipe,
    doc: spec.doc,
    examples: spec.examples ?? examplesOf(spec.accepts ?? "any"),
  });
}

function examplesOf(accepts: Accepts): readonly Example[] {
  const first = accepts === "bool" ? "bool" : accepts === "integer" ? "int32" : "float32";
  const second = accepts === "any" || accepts === "number" ? "int32" : first;
  return [
    { name: "same shapes", args: [`Tensor[(2, 3), ${first}]`, `Tensor[(2, 3), ${first}]`] },
    { name: "row broadcast", args: [`Tensor[(2, 3), ${first}]`, `Tensor[(3), ${first}]`] },
    { name: "both broadcast", args: [`Tensor[(2, 1, 4), ${second}]`, `Tensor[(3, 1), ${second}]`] },
  ];
}
