// From the attributes of a convolution to topi's computation. The attributes were checked by the type
// relation.
// TVM: python/tvm/relay/op/strategy/generic.py (conv2d_strategy): depthwise, grouped or plain by shapes and
// layouts
import { invariant, at, first } from "../../../../support/assert.ts";
import { convertibleLayout, toPlainShape, type Layout } from "../../../ir/layout.ts";
import type { Type } from "../../../ir/type.ts";
import type { Tensor } from "../../../te/tensor.ts";
import { conv } from "../../../topi/conv.ts";
import { isDepthwise, paddingPairs, type ConvAttrs } from "./conv-types.ts";
import type { ComputeContext } from "../../define.ts";

function known(text: string, plain: string): Layout {
  const layout = convertibleLayout(text, plain);
  invariant(layout !== null, `layout ${text} is not a layout of ${plain}`);
  return layout;
}

function plainShape(type: Type | undefined, layout: Layout, plain: string): ReturnType<typeof toPlainShape> {
  invariant(type?.kind === "tensor-type", "a convolution of tensors");
  return toPlainShape(type.shape, layout, plain);
}

export function convCompute(
  args: { readonly data: Tensor; readonly weight: Tensor },
  attrs: ConvAttrs,
  spatial: string,
  cx: ComputeContext,
): Tensor {
  const dataLayout = known(attrs.data_layout, `NC${spatial}`);
  const kernelLayout = known(attrs.kernel_layout, `OI${spatial}`);
  const dataShape = plainShape(cx.argTypes[0], dataLayout, `NC${spatial}`);
  const kernelShape = plainShape(cx.argTypes[1], kernelLayout, `OI${spatial}`);
  const depthwise = isDepthwise(
    attrs.groups,
    at(dataShape, 1, "data axis"),
    first(kernelShape, "kernel axis"),
  );
  const kind = `conv${spatial.length}d_${attrs.data_layout.toLowerCase()}`;
  const tag = depthwise ? `depthwise_${kind}` : attrs.groups > 1 ? `group_${kind}` : kind;
  return conv(
    args.data,
    args.weight,
    {
      name: tag,
      tag,
      spatial,
      dataLayout,
      kernelLayout,
      outLayout: attrs.out_layout === "" ? dataLayout : known(attrs.out_layout, `NC${spatial}`),
      strides: attrs.strides,
      dilation: attrs.dilation,
      padding: paddingPairs(attrs.padding, spatial.length),
      groups: attrs.groups,
      depthwise,
      outDType: cx.outType.dtype,
    },
    cx.origin,
  );
}
