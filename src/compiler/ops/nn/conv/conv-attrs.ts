// The attribute table of the convolutions, which differ only in the number of spatial axes.
// TVM: include/tvm/relay/attrs/nn.h (Conv1DAttrs, Conv2DAttrs, Conv3DAttrs)
import { dtypeAttr, int, ints, optionalInt, optionalInts, text, type AttrField } from "../../../ir/attrs.ts";

interface ConvSchema {
  readonly [name: string]: AttrField<unknown>;
  readonly strides: AttrField<readonly number[]>;
  readonly padding: AttrField<readonly number[]>;
  readonly dilation: AttrField<readonly number[]>;
  readonly groups: AttrField<number>;
  readonly channels: AttrField<number | null>;
  readonly kernel_size: AttrField<readonly number[] | null>;
  readonly data_layout: AttrField<string>;
  readonly kernel_layout: AttrField<string>;
  readonly out_layout: AttrField<string>;
  readonly out_dtype: AttrField<string | null>;
}

/** The table for spatial axes `spatial`, "W", "HW" or "DHW". */
export function convAttrs(spatial: string): ConvSchema {
  const ones = spatial.split("").map(() => 1);
  return {
    strides: ints({ default: ones, doc: `Step of the window along ${spatial}.` }),
    padding: ints({
      default: ones.map(() => 0),
      doc: "Zeros around the data: one number, one an axis, or all begins and then all ends.",
    }),
    dilation: ints({ default: ones, doc: "Distance between the window's elements." }),
    groups: int({ default: 1, doc: "Input and output channels are split into this many independent parts." }),
    channels: optionalInt({ default: null, doc: "Number of output channels." }),
    kernel_size: optionalInts({ default: null, doc: `Size of the window along ${spatial}.` }),
    data_layout: text({ default: `NC${spatial}`, doc: "Order of the data's axes." }),
    kernel_layout: text({ default: `OI${spatial}`, doc: "Order of the weight's axes." }),
    out_layout: text({ default: "", doc: "Order of the result's axes; empty means data_layout." }),
    out_dtype: dtypeAttr({
      default: null,
      doc: "Dtype of the sums and the result; empty means that of the data.",
    }),
  };
}
