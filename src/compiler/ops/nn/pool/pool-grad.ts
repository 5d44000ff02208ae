// What the gradients of two-dimensional pools share.  TVM: src/relay/op/nn/pooling.cc (Pool2DGradRel)
import { axisOf, knownLayout } from "../../../ir/layout.ts";
import type { TypeReporter } from "../../../ir/op.ts";
import { printType, type TensorType, type Type } from "../../../ir/type.ts";
import type { Tensor } from "../../../te/tensor.ts";
import { poolGrad } from "../../../topi/pool-grad.ts";
import { paddingPairs } from "../conv/conv-types.ts";
import { extern as externRecipe } from "../../../recipes/extern.ts";
import { defineOp, type ComputeContext, type Op, type Example } from "../../define.ts";
import { acceptsDType } from "../../math/unary.ts";
import { asker, sameDTypes, shapesMatch, tensorArg } from "../../_shared/type-helpers.ts";
import { countIncludePad, poolAttrs, poolRelation, type PoolAttrs } from "./pool-attrs.ts";

/** TVM's names: `data` is the gradient of the result, `grad` the data that was pooled. */
interface PoolGradArgs<T> {
  readonly data: T;
  readonly grad: T;
}

/** The type of the pooled data; its pool must have the type of the gradient. */
function poolGradRelation(
  op: string,
  args: PoolGradArgs<Type>,
  attrs: PoolAttrs,
  t: TypeReporter,
): TensorType | null {
  const cx = asker(t, op);
  const given = tensorArg(cx, "data", args.data);
  const pooled = tensorArg(cx, "grad", args.grad);
  if (
    given === null ||
    pooled === null ||
    !acceptsDType(cx, "grad", pooled, "float") ||
    !sameDTypes(cx, ["data", given], ["grad", pooled])
  )
    return null;
  const result = poolRelation(op, pooled, attrs, "HW", t);
  if (result === null || shapesMatch(cx, result.shape, given.shape)) return result === null ? null : pooled;
  return t.error("RS2105", `${op}: argument \`data\` is not the gradient of this pool's result`, {
    expected: printType(result),
    got: printType(given),
    because: `\`grad\` is the data that was pooled, ${printType(pooled)}`,
  });
}

function poolGradCompute(
  kind: "max" | "avg",
  { data, grad }: PoolGradArgs<Tensor>,
  attrs: PoolAttrs & { readonly count_include_pad?: boolean },
  cx: ComputeContext,
): Tensor {
  const layout = knownLayout(attrs.layout);
  return poolGrad(
    data,
    grad,
    {
      kind,
      axes: ["H", "W"].map((letter) => axisOf(layout, letter)),
      window: attrs.pool_size,
      strides: attrs.strides,
      dilation: attrs.dilation,
      padding: paddingPairs(attrs.padding, 2),
      countIncludePad: attrs.count_include_pad ?? false,
    },
    cx.origin,
  );
}

/** The gradient of nn.max_pool2d or nn.avg_pool2d. */
export function definePoolGrad({
  kind,
  doc,
  examples,
}: {
  readonly kind: "max" | "avg";
  readonly doc: string;
  readonly examples: readonly Example[];
}): Op {
  const name = `nn.${kind}_pool2d_grad`;
  const attrs = poolAttrs("HW");
  return defineOp({
    name,
    inputs: ["data", "grad"],
    attrs: kind === "avg" ? { ...attrs, count_include_pad: countIncludePad } : attrs,
    attrsKey: `relay.attrs.${kind === "avg" ? "Avg" : "Max"}Pool2DAttrs`,
    pattern: "outEWiseFusable",
    type: (args, given, t) => poolGradRelation(name, args, given, t),
    compute: (args, given, cx) => poolGradCompute(kind, args, given, cx),
    schedule: externRecipe,
    flags: { attrsInMeta: kind === "avg" },
    doc,
    examples,
  });
}
