// Negative log likelihood of the right classes.  TVM: src/relay/op/nn/nn.cc (NLLLossRel),
// include/tvm/topi/nn.h (nll_loss)
import { first } from "../../../support/assert.ts";
import { int, text } from "../../ir/attrs.ts";
import { printType, scalarType, tensorType } from "../../ir/type.ts";
import { cast, div, imm, mul, ne, select, sub } from "../../tir/build.ts";
import { int32 } from "../../ir/dtype.ts";
import type { PrimExpr } from "../../tir/expr.ts";
import { compute, sum } from "../../te/compute.ts";
import { reduce as reduceRecipe } from "../../recipes/reduce.ts";
import { reduce } from "../../topi/reduction.ts";
import { inRange } from "../../topi/transform.ts";
import { defineOp } from "../define.ts";
import { acceptsDType } from "../math/unary.ts";
import {
  asker,
  hasElements,
  oneOf,
  requiredAttr,
  sameDTypes,
  shapesMatch,
  tensorArg,
} from "../_shared/type-helpers.ts";

export const nllLoss = defineOp({
  name: "nn.nll_loss",
  inputs: ["predictions", "targets", "weights"],
  attrs: {
    reduction: text({ default: "mean", doc: '"mean" (weighted), "sum" or "none".' }),
    ignore_index: int({ doc: "Targets of this class count nothing." }),
  },
  attrsKey: "relay.attrs.NLLLossAttrs",
  pattern: "outEWiseFusable",
  type: (args, attrs, t) => {
    const cx = asker(t, "nn.nll_loss");
    const predictions = tensorArg(cx, "predictions", args.predictions);
    const targets = tensorArg(cx, "targets", args.targets);
    const weights = tensorArg(cx, "weights", args.weights);
    if (
      predictions === null ||
      targets === null ||
      weights === null ||
      requiredAttr(cx, "ignore_index", attrs.ignore_index) === null
    )
      return null;
    if (
      !oneOf(cx, "reduction", attrs.reduction, ["mean", "sum", "none"]) ||
      !acceptsDType(cx, "predictions", predictions, "float") ||
      !acceptsDType(cx, "targets", targets, "integer")
    )
      return null;
    if (!sameDTypes(cx, ["predictions", predictions], ["weights", weights])) return null;
    const [batch, classes, ...places] = predictions.shape;
    const fits =
      batch !== undefined &&
      classes !== undefined &&
      shapesMatch(cx, [batch, ...places], targets.shape) &&
      shapesMatch(cx, [classes], weights.shape);
    if (fits && !hasElements(cx, "predictions", [classes], targets.shape)) return null;
    if (fits)
      return attrs.reduction === "none"
        ? tensorType(targets.shape, predictions.dtype)
        : scalarType(predictions.dtype);
    return t.error("RS2105", "nn.nll_loss: the shapes do not fit together", {
      expected: "predictions (N, C, ...), targets (N, ...), weights (C)",
      got: [predictions, targets, weights].map(printType).join(", "),
    });
  },
  compute: ({ predictions, targets, weights }, attrs, cx) => {
    const { dtype } = predictions;
    const target = (i: readonly PrimExpr[]): PrimExpr => cast(targets.at(...i), int32);
    const inClass = (i: readonly PrimExpr[]): PrimExpr =>
      inRange(target(i), first(weights.shape, "class weights axis"), "clip");
    const counted = (i: readonly PrimExpr[], value: PrimExpr): PrimExpr =>
      select(ne(target(i), attrs.ignore_index), value, imm(0, dtype));
    const parts = { name: "nll_loss", tag: "broadcast", origin: cx.origin };
    const loss = compute(
      targets.shape,
      (i) =>
        counted(
          i,
          mul(
            sub(imm(0, dtype), predictions.at(first(i, "index"), inClass(i), ...i.slice(1))),
            weights.at(inClass(i)),
          ),
        ),
      parts,
    );
    if (attrs.reduction === "none") return loss;
    const every = { axes: targets.shape.map((_, i) => i), keepdims: false, origin: cx.origin };
    const total = reduce(loss, every, sum);
    if (attrs.reduction === "sum") return total;
    const weight = reduce(
      compute(targets.shape, (i) => counted(i, weights.at(inClass(i))), parts),
      every,
      sum,
    );
    return compute([], () => div(total.at(), weight.at()), {
      name: "T_divide",
      tag: "broadcast",
      origin: cx.origin,
    });
  },
  schedule: reduceRecipe,
  doc: "Minus the prediction at each target's class times the class' weight; summed, divided by the summed weights, or neither. Targets out of range take the nearest class.",
  examples: [
    {
      name: "mean",
      args: ["Tensor[(3, 5), float32]", "Tensor[(3), int32]", "Tensor[(5), float32]"],
      attrs: { ignore_index: -100 },
    },
    {
      name: "none",
      args: ["Tensor[(2, 3, 4), float32]", "Tensor[(2, 4), int32]", "Tensor[(3), float32]"],
      attrs: { reduction: "none", ignore_index: 1 },
    },
  ],
});
