// Numbers at equal distances.  TVM: src/relay/op/tensor/transform.cc (ArangeRel, ArangeCompute)
// Known difference: the attributes start, stop and step, which only repeat constant operands, are numbers
// here.
import { anyAttr, dtypeAttr, type AttrValue } from "../../ir/attrs.ts";
import { anyDim, scalarType, tensorType } from "../../ir/type.ts";
import { call } from "../../relay/build.ts";
import { add, cast, mul } from "../../tir/build.ts";
import { compute } from "../../te/compute.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { defineOp } from "../define.ts";
import { constantNumbers } from "../dyn/dyn-op.ts";
import { outExtents } from "../_shared/out-shape.ts";
import { arangeShape } from "../_shape-funcs/values.ts";
import { asker, dtypeOf, fillArgument, requiredAttr, tensorArg } from "../_shared/type-helpers.ts";

interface Bounds {
  readonly start: AttrValue;
  readonly stop: AttrValue;
  readonly step: AttrValue;
}

/** How many numbers there are, or null where the operands are not constants. */
function countOf({ start, stop, step }: Bounds): number | null {
  const known = (value: AttrValue): number =>
    typeof value === "number" || typeof value === "bigint" ? Number(value) : NaN;
  const [from, to, by] = [known(start), known(stop), known(step)];
  return Number.isNaN(from + to + by) ? null : Math.max(Math.ceil((to - from) / by), 0);
}

export const arange = defineOp({
  name: "arange",
  inputs: ["start", "end", "step"],
  attrs: {
    start: anyAttr({ doc: "The first operand where that is a constant, else None." }),
    stop: anyAttr({ doc: "The second operand where that is a constant, else None." }),
    step: anyAttr({ doc: "The third operand where that is a constant, else None." }),
    dtype: dtypeAttr({ doc: "Dtype of the operands and the result." }),
  },
  attrsKey: "relay.attrs.ArangeAttrs",
  pattern: "opaque",
  type: (args, attrs, t) => {
    const cx = asker(t, "arange");
    const dtype = dtypeOf(cx, "dtype", requiredAttr(cx, "dtype", attrs.dtype), null);
    if (dtype === null) return null;
    let waits = false;
    for (const name of ["start", "end", "step"] as const) {
      const type = args[name];
      if (type.kind === "incomplete-type") waits = true;
      else if (tensorArg(cx, name, type) === null) return null;
      if (!fillArgument(cx, name, type, { wanted: scalarType(dtype), because: `dtype="${dtype.name}"` }))
        return null;
    }
    if (waits) return null;
    const count = countOf(attrs);
    if (count === null) return tensorType([anyDim], dtype);
    if (Number.isFinite(count)) return tensorType([count], dtype);
    return t.error("RS2108", "arange: the numbers never end", {
      expected: "a step that is not 0",
      got: `start=${String(attrs.start)}, stop=${String(attrs.stop)}, step=${String(attrs.step)}`,
    });
  },
  compute: ({ start, step }, _, cx) =>
    compute(outExtents(cx), ([i]) => add(start.at(), mul(step.at(), cast(i!, start.dtype))), {
      name: "T_arange",
      tag: "injective",
      origin: cx.origin,
    }),
  shapeFunc: arangeShape,
  schedule: injectiveRecipe,
  toStatic: ({ node, attrs }, cx) => {
    if (countOf(attrs) !== null) return null;
    const [start, stop, step] = node.args.map((arg) => constantNumbers(arg)?.[0]);
    if (start === undefined || stop === undefined || step === undefined) return null;
    return call(cx, "arange", node.args, { ...attrs, start, stop, step }, node.origin);
  },
  doc: "start, start + step, … up to but not including `end`, ceil((end - start) / step) numbers; all three operands are scalars.",
  examples: [
    {
      name: "known",
      args: ["float32", "float32", "float32"],
      attrs: { start: 0, stop: 5, step: 1, dtype: "float32" },
    },
    {
      name: "by values",
      args: ["int32", "int32", "int32"],
      attrs: { dtype: "int32" },
      values: { 0: [7], 1: [-2], 2: [-2] },
      results: ["Tensor[(5), int32]"],
    },
  ],
});
