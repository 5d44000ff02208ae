// Transposed convolutions of 1, 2 and 3 axes: attributes, type relation and factory.
// TVM: src/relay/op/nn/convolution.h (Conv1DTransposeRel, Conv2DTransposeRel, Conv3DTransposeRel)
import { at } from "../../../../support/assert.ts";
import {
  dtypeAttr,
  int,
  ints,
  optionalInt,
  optionalInts,
  text,
  type AttrField,
  type AttrsOf,
} from "../../../ir/attrs.ts";
import { fromPlainShape, toPlainShape, knownLayout } from "../../../ir/layout.ts";
import { anyDim, printDim, tensorType, type Dim, type TensorType, type Type } from "../../../ir/type.ts";
import { convTranspose } from "../../../topi/conv-transpose.ts";
import { convPlan, fitsLayout, paddingPairs, type ConvAttrs, type ConvPlan } from "./conv-types.ts";
import { conv2dTranspose as conv2dTransposeRecipe } from "../../../recipes/conv2d-transpose.ts";
import { defineOp, type Example, type Op, type OpRewrite } from "../../define.ts";
import { convTransposeShape } from "../../_shape-funcs/windows.ts";
import {
  asker,
  dtypeOf,
  fillArgument,
  intsAttr,
  mapDim,
  tensorArg,
  type Asker,
} from "../../_shared/type-helpers.ts";

type ConvTransposeSchema = {
  readonly channels: AttrField<number | null>;
  readonly kernel_size: AttrField<readonly number[] | null>;
  readonly strides: AttrField<readonly number[]>;
  readonly output_padding: AttrField<readonly number[]>;
  readonly padding: AttrField<readonly number[]>;
  readonly dilation: AttrField<readonly number[]>;
  readonly groups: AttrField<number>;
  readonly data_layout: AttrField<string>;
  readonly kernel_layout: AttrField<string>;
  readonly out_layout: AttrField<string>;
  readonly out_dtype: AttrField<string | null>;
};

export type ConvTransposeRewrite = OpRewrite<"data" | "weight", AttrsOf<ConvTransposeSchema>>;

interface ConvTransposeAttrs extends ConvAttrs {
  readonly output_padding: readonly number[];
}

/** The attribute table for spatial axes `spatial`. */
export function convTransposeSchema(spatial: string): ConvTransposeSchema {
  const ones = spatial.split("").map(() => 1);
  const zeros = ones.map(() => 0);
  const channels = optionalInt({ default: null, doc: "Number of output channels." });
  const kernelSize = optionalInts({ default: null, doc: `Size of the window along ${spatial}.` });
  const strides = ints({ default: ones, doc: "Distance that neighbours of the data get in the result." });
  const padding = ints({
    default: zeros,
    doc: "How much of the full result is cut off: one number, one an axis, or all begins and then all ends.",
  });
  const outputPadding = ints({ default: zeros, doc: "Elements added at the end; less than the stride." });
  const dilation = ints({ default: ones, doc: "Distance between the window's elements." });
  const groups = int({
    default: 1,
    doc: "Input and output channels are split into this many independent parts.",
  });
  const rest = {
    data_layout: text({ default: `NC${spatial}`, doc: "Order of the data's axes." }),
    kernel_layout: text({
      default: `OI${spatial}`,
      doc:
        channelLetters(spatial) === "IO"
          ? "Order of the weight's axes; I counts input channels, O output channels of a group."
          : "Order of the weight's axes; O counts input channels, I output channels of a group.",
    }),
    out_layout: text({ default: "", doc: "Order of the result's axes; empty means data_layout." }),
    out_dtype: dtypeAttr({
      default: null,
      doc: "Dtype of the sums and the result; empty means that of the data.",
    }),
  };
  const first = { channels, kernel_size: kernelSize, strides };
  return { ...first, output_padding: outputPadding, padding, dilation, groups, ...rest };
}

/** The result type; fills the weight from channels and kernel_size, or reads them from it. */
export function convTransposeRelation(
  cx: Asker,
  args: { readonly data: Type; readonly weight: Type },
  attrs: ConvTransposeAttrs,
  spatial: string,
): TensorType | null {
  const data = tensorArg(cx, "data", args.data);
  const plan = convPlan(cx, attrs, spatial);
  if (data === null || plan === null || !fitsLayout(cx, "data", data, plan.data)) return null;
  const extra = intsAttr(cx, "output_padding", attrs.output_padding, { lengths: [spatial.length], least: 0 });
  if (extra === null || !outputPaddingFits(cx, extra, plan.strides)) return null;
  const plain = toPlainShape(data.shape, plan.data, `NC${spatial}`);
  const kernel = kernelShape(
    cx,
    { data, declared: args.weight, channelsIn: at(plain, 1, "plain data axis"), spatial },
    attrs,
    plan,
  );
  if (kernel === null) return null;
  const dims: Dim[] = [at(plain, 0, "plain data axis"), kernel.channels];
  for (const [i, letter] of spatial.split("").entries()) {
    const size = at(kernel.size, i, "size");
    if (typeof size !== "number") {
      dims.push(anyDim);
      continue;
    }
    const pads = at(plan.padding, i, "padding")[0] + at(plan.padding, i, "padding")[1];
    const extent = mapDim(
      at(plain, 2 + i, "plain data axis"),
      (n) =>
        at(plan.strides, i, "stride") * (n - 1) +
        (size - 1) * at(plan.dilation, i, "dilation") +
        1 -
        pads +
        at(extra, i, "output padding"),
    );
    if (typeof extent === "number" && extent < 1) {
      return cx.t.error("RS2111", `${cx.op}: nothing is left of the result along ${letter}`, {
        expected: "padding that leaves at least one element",
        got: `extent ${extent}`,
        hint: "use less padding",
      });
    }
    dims.push(extent);
  }
  const dtype = dtypeOf(cx, "out_dtype", attrs.out_dtype, data.dtype);
  return dtype === null ? null : tensorType(fromPlainShape(dims, plan.out, `NC${spatial}`), dtype);
}

function outputPaddingFits(cx: Asker, extra: readonly number[], strides: readonly number[]): boolean {
  if (extra.every((value, i) => value < at(strides, i, "stride") || value === 0)) return true;
  cx.t.error("RS2108", `${cx.op}: attribute \`output_padding\` is not usable`, {
    expected: `less than strides=[${strides.join(", ")}]`,
    got: `[${extra.join(", ")}]`,
  });
  return false;
}

/**
 * The kernel's axis of input channels, then that of output channels. TVM means I by the former in two
 * dimensions only; for one and three its layouts call the input channels O.
 */
function channelLetters(spatial: string): "IO" | "OI" {
  return spatial.length === 2 ? "IO" : "OI";
}

interface KernelQuestion {
  readonly data: TensorType;
  readonly declared: Type;
  readonly channelsIn: Dim;
  readonly spatial: string;
}

function kernelShape(
  cx: Asker,
  q: KernelQuestion,
  attrs: ConvTransposeAttrs,
  plan: ConvPlan,
): { readonly channels: Dim; readonly size: readonly Dim[] } | null {
  const plainKernel = `${channelLetters(q.spatial)}${q.spatial}`;
  const { groups } = attrs;
  if (
    groups < 1 ||
    (typeof q.channelsIn === "number" && q.channelsIn % groups !== 0) ||
    (attrs.channels !== null && attrs.channels % groups !== 0)
  ) {
    return cx.t.error("RS2105", `${cx.op}: the channels cannot be divided into ${groups} groups`, {
      expected: "groups that divides input and output channels",
      got: `${printDim(q.channelsIn)} input channels, channels=${attrs.channels ?? "None"}`,
    });
  }
  if (
    attrs.kernel_size !== null &&
    intsAttr(cx, "kernel_size", attrs.kernel_size, { lengths: [q.spatial.length], least: 1 }) === null
  )
    return null;
  if (attrs.kernel_size !== null && attrs.channels !== null) {
    const dtype = q.declared.kind === "tensor-type" ? q.declared.dtype : q.data.dtype;
    const wanted = tensorType(
      fromPlainShape([q.channelsIn, attrs.channels / groups, ...attrs.kernel_size], plan.kernel, plainKernel),
      dtype,
    );
    const because = `\`data\` has ${printDim(q.channelsIn)} channels, channels=${attrs.channels}, groups=${groups}, kernel_layout="${attrs.kernel_layout}"`;
    return fillArgument(cx, "weight", q.declared, { wanted, because })
      ? { channels: attrs.channels, size: attrs.kernel_size }
      : null;
  }
  const weight = tensorArg(cx, "weight", q.declared);
  if (weight === null || !fitsLayout(cx, "weight", weight, plan.kernel)) return null;
  const [channelsIn, perGroup, ...size] = toPlainShape(weight.shape, plan.kernel, plainKernel);
  const channels = mapDim(perGroup!, (n) => n * groups);
  const fits =
    cx.t.dimEqual(q.channelsIn, channelsIn!) &&
    (attrs.channels === null || cx.t.dimEqual(attrs.channels, channels)) &&
    (attrs.kernel_size === null ||
      attrs.kernel_size.every((value, i) => cx.t.dimEqual(value, at(size, i, "size"))));
  if (fits) return { channels, size };
  return cx.t.error("RS2105", `${cx.op}: argument \`weight\` does not fit the data or the attributes`, {
    expected: `${printDim(q.channelsIn)} input channels${attrs.channels === null ? "" : `, ${attrs.channels / groups} output channels a group`}${attrs.kernel_size === null ? "" : `, window [${attrs.kernel_size.join(", ")}]`}`,
    got: `(${weight.shape.map(printDim).join(", ")}) in layout ${attrs.kernel_layout}`,
    hint: `weights of shape (in, out, ...) have kernel_layout "${channelLetters(q.spatial)}${q.spatial}"`,
  });
}

/** nn.conv{1,2,3}d_transpose */
export function defineConvTranspose(spec: {
  readonly spatial: string;
  readonly legalize?: ConvTransposeRewrite;
  readonly examples: readonly Example[];
}): Op {
  const { spatial } = spec;
  const rank = spatial.length;
  const name = `nn.conv${rank}d_transpose`;
  return defineOp({
    name,
    inputs: ["data", "weight"],
    attrs: convTransposeSchema(spatial),
    attrsKey: `relay.attrs.Conv${rank}DTransposeAttrs`,
    pattern: "outEWiseFusable",
    type: ({ data, weight }, attrs, t) =>
      convTransposeRelation(asker(t, name), { data, weight }, attrs, spatial),
    compute: ({ data, weight }, attrs, cx) => {
      const dataLayout = knownLayout(attrs.data_layout, `NC${spatial}`);
      return convTranspose(
        data,
        weight,
        {
          name: `${attrs.groups > 1 ? "group_" : ""}conv${rank}d_transpose_${attrs.data_layout.toLowerCase()}`,
          spatial,
          dataLayout,
          kernelLayout: knownLayout(attrs.kernel_layout, `OI${spatial}`),
          inputLetter: channelLetters(spatial) === "IO" ? "I" : "O",
          outLayout: attrs.out_layout === "" ? dataLayout : knownLayout(attrs.out_layout, `NC${spatial}`),
          strides: attrs.strides,
          dilation: attrs.dilation,
          padding: paddingPairs(attrs.padding, rank),
          outputPadding: attrs.output_padding,
          groups: attrs.groups,
          outDType: cx.outType.dtype,
        },
        cx.origin,
      );
    },
    shapeFunc: convTransposeShape(spatial, channelLetters(spatial)),
    schedule: conv2dTransposeRecipe,
    ...(spec.legalize === undefined ? {} : { legalize: spec.legalize }),
    doc:
      "The reverse of a convolution's shape: every element of the data adds its product with the window to the result, `strides` apart. " +
      "Extent: stride * (n - 1) + dilated window - pads + output_padding.",
    examples: spec.examples,
  });
}
