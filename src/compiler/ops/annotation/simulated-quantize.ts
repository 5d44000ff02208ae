// What Relay's quantiser puts in place of quantised numbers while it looks for their scales.
// TVM: src/relay/quantize/quantize.cc (SimulatedQuantizeRel), python/tvm/relay/quantize/_annotate.py
import { tuple } from "../../../support/assert.ts";
import { flag, int, text } from "../../ir/attrs.ts";
import { float32 } from "../../ir/dtype.ts";
import { scalarType } from "../../ir/type.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { elementwise } from "../../topi/elementwise.ts";
import { cast, div, max, min, mul, unary } from "../../tir/build.ts";
import { defineOp } from "../define.ts";
import { acceptsDType } from "../math/unary.ts";
import { sameShape } from "../_shape-funcs/same.ts";
import { asker, fillArgument, oneOf, requiredAttr, tensorArg } from "../_shared/type-helpers.ts";

/** The kind for numbers that are left as they are. */
const identity = 0;

export const simulatedQuantize = defineOp({
  name: "relay.op.annotation.simulated_quantize",
  inputs: ["data", "dom_scale", "clip_min", "clip_max"],
  attrs: {
    kind: int({ doc: "What data is: 0 left as it is, 1 input, 2 weight, 3 activation." }),
    sign: flag({ default: true, doc: "Quantised numbers have a sign; only True." }),
    rounding: text({ default: "round", doc: 'Only "round".' }),
  },
  attrsKey: "relay.attrs.SimulatedQuantizeAttrs",
  pattern: "elemWise",
  type: (args, attrs, t) => {
    const cx = asker(t, "relay.op.annotation.simulated_quantize");
    const data = tensorArg(cx, "data", args.data);
    if (
      data === null ||
      requiredAttr(cx, "kind", attrs.kind) === null ||
      !acceptsDType(cx, "data", data, "float") ||
      !oneOf(cx, "rounding", attrs.rounding, ["round"])
    )
      return null;
    if (!attrs.sign)
      return t.error("RS2108", "relay.op.annotation.simulated_quantize: attribute `sign` is not usable", {
        expected: "True",
        got: "False",
      });
    const scalars = ["dom_scale", "clip_min", "clip_max"] as const;
    return scalars.every((name) =>
      fillArgument(cx, name, args[name], {
        wanted: scalarType(float32),
        because: "scales and limits are float32 scalars",
      }),
    )
      ? data
      : null;
  },
  compute: ({ data, dom_scale: scale, clip_min: low, clip_max: high }, { kind }, cx) =>
    elementwise(data, "T_simulated_quantize", cx.origin, (x) => {
      if (kind === identity) return x;
      const [step, least, most] = tuple(
        [scale, low, high].map((of) => cast(of.at(), data.dtype)),
        3,
        "element",
      );
      return mul(unary("tir.round", max(min(div(x, step), most), least)), step);
    }),
  shapeFunc: sameShape,
  schedule: injectiveRecipe,
  doc: "data divided by dom_scale, clipped, rounded and multiplied again: the error that quantising would make. With kind 0 data itself.",
  examples: [
    {
      name: "input",
      args: ["Tensor[(2, 3), float32]", "float32", "float32", "float32"],
      attrs: { kind: 1 },
      values: { 1: [0.125], 2: [-4], 3: [3] },
    },
    {
      name: "left as it is",
      args: ["Tensor[(4), float32]", "float32", "float32", "float32"],
      attrs: { kind: 0 },
    },
  ],
});
