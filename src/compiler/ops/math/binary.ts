// Factory of element-by-element operators of two tensors.  TVM: src/relay/op/tensor/binary.cc, include/tvm/topi/broadcast.h
import { bool } from "../../ir/dtype.ts";
import type { PrimExpr } from "../../tir/expr.ts";
import { broadcastPair } from "../../te/topi/elementwise.ts";
import { defineOp, type Example, type Op } from "../define.ts";
import { asker, broadcastRelation } from "../type-helpers.ts";

export interface BinarySpec {
  readonly name: string;
  /** Name of the te stage; default T_<name>. */
  readonly stage?: string;
  /** The result is bool: BroadcastCompRel. */
  readonly compares?: boolean;
  readonly doc: string;
  readonly examples: readonly Example[];
  readonly value: (x: PrimExpr, y: PrimExpr) => PrimExpr;
}

export function defineBinary(spec: BinarySpec): Op {
  return defineOp({
    name: spec.name, inputs: ["lhs", "rhs"], attrs: {}, pattern: "broadcast",
    type: ({ lhs, rhs }, _, t) => broadcastRelation(asker(t, spec.name), [["lhs", lhs], ["rhs", rhs]], spec.compares === true ? bool : null),
    compute: ({ lhs, rhs }, _, cx) => broadcastPair(lhs, rhs, { name: spec.stage ?? `T_${spec.name}`, origin: cx.origin }, spec.value),
    doc: spec.doc, examples: spec.examples,
  });
}

/** The examples most binary operators show: equal shapes, a row broadcast, integers. */
export const binaryExamples: readonly Example[] = [
  { name: "same shapes", args: ["Tensor[(2, 3), float32]", "Tensor[(2, 3), float32]"] },
  { name: "row broadcast", args: ["Tensor[(2, 3), float32]", "Tensor[(3), float32]"] },
  { name: "both broadcast", args: ["Tensor[(2, 1, 4), int32]", "Tensor[(3, 1), int32]"] },
];
