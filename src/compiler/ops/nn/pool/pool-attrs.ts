// Attributes, type relation and compute that max and average pools of 1, 2 and 3 axes share.
// TVM: src/relay/op/nn/pooling.cc (Pool1DRel, Pool2DRel, Pool3DRel)
import { at } from "../../../../support/assert.ts";
import { flag, ints, text, type AttrField } from "../../../ir/attrs.ts";
import { axisOf, knownLayout } from "../../../ir/layout.ts";
import type { TypeReporter } from "../../../ir/op.ts";
import { tensorType, type Dim, type TensorType, type Type } from "../../../ir/type.ts";
import type { Tensor } from "../../../te/tensor.ts";
import { pool } from "../../../topi/pool.ts";
import { fitsLayout, layoutAttr, paddingAttr, paddingPairs, windowCount } from "../conv/conv-types.ts";
import type { ComputeContext } from "../../define.ts";
import { asker, intsAttr, tensorArg } from "../../_shared/type-helpers.ts";

interface PoolSchema {
  readonly [name: string]: AttrField<unknown>;
  readonly pool_size: AttrField<readonly number[]>;
  readonly strides: AttrField<readonly number[]>;
  readonly dilation: AttrField<readonly number[]>;
  readonly padding: AttrField<readonly number[]>;
  readonly layout: AttrField<string>;
  readonly out_layout: AttrField<string>;
  readonly ceil_mode: AttrField<boolean>;
}

export interface PoolAttrs {
  readonly pool_size: readonly number[];
  readonly strides: readonly number[];
  readonly dilation: readonly number[];
  readonly padding: readonly number[];
  readonly layout: string;
  readonly out_layout: string;
  readonly ceil_mode: boolean;
}

export function poolAttrs(spatial: string): PoolSchema {
  const ones = spatial.split("").map(() => 1);
  return {
    pool_size: ints({ doc: `Size of the window along ${spatial}.` }),
    strides: ints({ default: ones, doc: "Step of the window." }),
    dilation: ints({ default: ones, doc: "Distance between the window's elements." }),
    padding: ints({
      default: ones.map(() => 0),
      doc: "Elements around the data: one number, one an axis, or all begins and then all ends.",
    }),
    layout: text({ default: `NC${spatial}`, doc: "Order of the axes." }),
    out_layout: text({ default: "", doc: "Order of the result's axes; empty means layout." }),
    ceil_mode: flag({ default: false, doc: "Round the number of windows up instead of down." }),
  };
}

/** The extra attribute of average pools. */
export const countIncludePad: AttrField<boolean> = flag({
  default: false,
  doc: "Divide by the whole window, padding included.",
});

export function poolRelation(
  op: string,
  data: Type,
  attrs: PoolAttrs,
  spatial: string,
  t: TypeReporter,
): TensorType | null {
  const cx = asker(t, op);
  const rank = spatial.length;
  const type = tensorArg(cx, "data", data);
  const layout = layoutAttr(cx, "layout", attrs.layout, `NC${spatial}`);
  if (type === null || layout === null || !fitsLayout(cx, "data", type, layout)) return null;
  const size = intsAttr(cx, "pool_size", attrs.pool_size, { lengths: [rank], least: 1 });
  const strides = intsAttr(cx, "strides", attrs.strides, { lengths: [rank], least: 1 });
  const dilation = intsAttr(cx, "dilation", attrs.dilation, { lengths: [rank], least: 1 });
  const padding = paddingAttr(cx, attrs.padding, rank);
  if (size === null || strides === null || dilation === null || padding === null) return null;
  const shape: Dim[] = [...type.shape];
  for (const [i, letter] of spatial.split("").entries()) {
    const axis = axisOf(layout, letter);
    const count = windowCount(
      cx,
      at(type.shape, axis, "input axis"),
      {
        kernel: at(size, i, "size"),
        stride: at(strides, i, "stride"),
        dilation: at(dilation, i, "dilation"),
        padding: at(padding, i, "padding"),
        ceil: attrs.ceil_mode,
      },
      letter,
    );
    if (count === null) return null;
    shape[axis] = count;
  }
  return tensorType(shape, type.dtype);
}

export function poolCompute(
  kind: "max" | "avg",
  data: Tensor,
  attrs: PoolAttrs & { readonly count_include_pad?: boolean },
  spatial: string,
  cx: ComputeContext,
): Tensor {
  const layout = knownLayout(attrs.layout);
  return pool(
    data,
    {
      kind,
      axes: spatial.split("").map((letter) => axisOf(layout, letter)),
      window: attrs.pool_size,
      strides: attrs.strides,
      dilation: attrs.dilation,
      padding: paddingPairs(attrs.padding, spatial.length),
      ceilMode: attrs.ceil_mode,
      countIncludePad: attrs.count_include_pad ?? false,
    },
    cx.origin,
  );
}
