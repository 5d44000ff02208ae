// Where a region for an external compiler begins and ends.  TVM: src/relay/op/annotation/annotation.cc
import { text } from "../../ir/attrs.ts";
import { elementwise } from "../../topi/elementwise.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { defineOp, type Op } from "../define.ts";

export function defineCompilerMark(name: "compiler_begin" | "compiler_end", what: "enters" | "leaves"): Op {
  return defineOp({
    name: `annotation.${name}`,
    inputs: ["data"],
    attrs: { compiler: text({ doc: "The external code generator, or default." }) },
    attrsKey: "relay.attrs.CompilerAttrs",
    pattern: "opaque",
    type: ({ data }) => (data.kind === "incomplete-type" ? null : data),
    compute: ({ data }, _, cx) => elementwise(data, "T_identity", cx.origin, (x) => x),
    schedule: injectiveRecipe,
    flags: { attrsInMeta: true },
    doc: `The argument itself; marks that it ${what} a region for an external compiler. AnnotateTarget writes it, PartitionGraph removes it.`,
    examples: [{ name: "matrix", args: ["Tensor[(2, 3), float32]"], attrs: { compiler: "ccompiler" } }],
  });
}
