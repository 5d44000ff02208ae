// reshape and its sister that reads the shape from the end.
// TVM: src/relay/op/tensor/transform.cc (ReshapeRel, ReverseReshapeRel)
import { ints } from "../../ir/attrs.ts";
import { tensorType } from "../../ir/type.ts";
import { reshape } from "../../topi/transform.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { defineOp, type Op, type Example } from "../define.ts";
import { reshapeShape, reverseReshapeShape } from "../_shape-funcs/reshape.ts";
import { outExtents } from "../_shared/out-shape.ts";
import { asker, requiredAttr, tensorArg } from "../_shared/type-helpers.ts";
import { newShape } from "./reshape-types.ts";

interface ReshapeSpec {
  readonly name: string;
  readonly fromEnd: boolean;
  readonly shapeDoc: string;
  readonly doc: string;
  readonly examples: readonly Example[];
}

export function defineReshape({ name, fromEnd, shapeDoc, doc, examples }: ReshapeSpec): Op {
  const inOrder = <T>(items: readonly T[]): readonly T[] => (fromEnd ? items.toReversed() : items);
  return defineOp({
    name,
    inputs: ["data"],
    attrs: { newshape: ints({ doc: shapeDoc }) },
    attrsKey: "relay.attrs.ReshapeAttrs",
    pattern: "injective",
    type: ({ data }, { newshape }, t) => {
      const cx = asker(t, name);
      const type = tensorArg(cx, "data", data);
      const wanted = requiredAttr(cx, "newshape", newshape);
      if (type === null || wanted === null) return null;
      const shape = newShape(cx, inOrder(type.shape), inOrder(wanted.map(Number)));
      return shape === null ? null : tensorType(inOrder(shape), type.dtype);
    },
    compute: ({ data }, _, cx) => reshape(data, outExtents(cx), cx.origin),
    flags: { reshapeOnly: true },
    shapeFunc: fromEnd ? reverseReshapeShape : reshapeShape,
    schedule: injectiveRecipe,
    doc,
    examples,
  });
}
