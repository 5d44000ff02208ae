// What the type relations of convolutions and pools share: paddings, window sizes, layouts, the back-filled
// weight.
// TVM: src/relay/op/nn/convolution.h, pooling.cc
import { present, at, first } from "../../../../support/assert.ts";
import { convertibleLayout, fromPlainShape, isSplit, toPlainShape, type Layout } from "../../../ir/layout.ts";
import { anyDim, printDim, tensorType, type Dim, type TensorType, type Type } from "../../../ir/type.ts";
import {
  dtypeOf,
  fillArgument,
  intsAttr,
  mostIndex,
  tensorArg,
  type Asker,
} from "../../_shared/type-helpers.ts";

/** A padding attribute of 1, n or 2n entries as [before, after] pairs, one per spatial axis. */
export function paddingPairs(
  padding: readonly number[],
  rank: number,
): readonly (readonly [number, number])[] {
  return Array.from({ length: rank }, (_, i): readonly [number, number] => {
    if (padding.length === 1) return [first(padding, "padding"), first(padding, "padding")];
    return [
      at(padding, i, "padding"),
      padding.length === rank ? at(padding, i, "padding") : at(padding, i + rank, "padding"),
    ];
  });
}

export function paddingAttr(
  cx: Asker,
  padding: readonly number[],
  rank: number,
): readonly (readonly [number, number])[] | null {
  const lengths = rank === 1 ? [1, 2] : [1, rank, 2 * rank];
  const list = intsAttr(cx, "padding", padding, { lengths, least: 0 });
  return list === null ? null : paddingPairs(list, rank);
}

/** A layout attribute that has exactly the axes of `plain`, spatial ones unsplit; null after reporting. */
export function layoutAttr(cx: Asker, name: string, value: string, plain: string): Layout | null {
  const layout = convertibleLayout(value, plain);
  const spatial = plain.split("").filter((letter) => !"NCOI".includes(letter));
  if (layout !== null && !spatial.some((letter) => isSplit(layout, letter))) return layout;
  return cx.t.error("RS2107", `${cx.op}: attribute \`${name}\` is not a layout this operator takes`, {
    expected: `the axes of ${plain} in some order; only ${plain.includes("O") ? "O and I" : "N and C"} may be split, as in ${plain.includes("O") ? "OIHW4i4o" : "NCHW8c"}`,
    got: `"${value}"`,
  });
}

/**
 * The tensor has one dimension an axis of the layout, and blocks are as large as it says; false after
 * reporting.
 */
export function fitsLayout(cx: Asker, name: string, type: TensorType, layout: Layout): boolean {
  if (type.shape.length === layout.axes.length) return blocksFit(cx, name, type, layout);
  cx.t.error("RS2106", `${cx.op}: argument \`${name}\` has the wrong rank for layout ${layout.name}`, {
    expected: `rank ${layout.axes.length}`,
    got: `rank ${type.shape.length}: (${type.shape.map(printDim).join(", ")})`,
  });
  return false;
}

function blocksFit(cx: Asker, name: string, type: TensorType, layout: Layout): boolean {
  const wrong = layout.axes.findIndex(
    ({ factor }, i) => factor !== null && !cx.t.dimEqual(at(type.shape, i, "input axis"), factor),
  );
  if (wrong < 0) return true;
  const { letter, factor } = at(layout.axes, wrong, "axis of the layout");
  cx.t.error("RS2105", `${cx.op}: argument \`${name}\` does not have the blocks of layout ${layout.name}`, {
    expected: `${String(factor)} elements in a block of ${letter}`,
    got: `${printDim(at(type.shape, wrong, "input axis"))} in (${type.shape.map(printDim).join(", ")})`,
  });
  return false;
}

interface Window {
  readonly kernel: Dim;
  readonly stride: number;
  readonly dilation: number;
  readonly padding: readonly [number, number];
  readonly ceil?: boolean;
}

/**
 * How many windows fit along one axis, or null after reporting that none does. A dynamic one stays dynamic.
 */
export function windowCount(cx: Asker, size: Dim, window: Window, axis: string): Dim | null {
  if (typeof size !== "number") return size;
  if (typeof window.kernel !== "number") return anyDim;
  const dilated = (window.kernel - 1) * window.dilation + 1;
  const room = size + window.padding[0] + window.padding[1] - dilated;
  const count = Math.floor((room + (window.ceil === true ? window.stride - 1 : 0)) / window.stride) + 1;
  const span = size + window.padding[0] + window.padding[1] + window.stride + dilated;
  if (span > mostIndex)
    return cx.t.error("RS2111", `${cx.op}: data, padding and window are too long along ${axis}`, {
      expected: "padded data, stride and dilated window below 2^31 together",
      got: String(span),
      because: "kernels count in int32",
      hint: "use a smaller stride, dilation or padding",
    });
  if (count >= 1 || size === 0) return Math.max(count, 0);
  return cx.t.error("RS2111", `${cx.op}: the window does not fit into the data along ${axis}`, {
    expected: `at least ${dilated} elements, the window with its dilation`,
    got: `${size + window.padding[0] + window.padding[1]} (${size} and padding)`,
    hint: "use a smaller window or more padding",
  });
}

export interface ConvAttrs {
  readonly strides: readonly number[];
  readonly padding: readonly number[];
  readonly dilation: readonly number[];
  readonly groups: number;
  readonly channels: number | null;
  readonly kernel_size: readonly number[] | null;
  readonly data_layout: string;
  readonly kernel_layout: string;
  readonly out_layout: string;
  readonly out_dtype: string | null;
}

/** The layouts, windows and sizes of a convolution, all checked. */
export interface ConvPlan {
  readonly data: Layout;
  readonly kernel: Layout;
  readonly out: Layout;
  readonly padding: readonly (readonly [number, number])[];
  readonly strides: readonly number[];
  readonly dilation: readonly number[];
}

export function convPlan(cx: Asker, attrs: ConvAttrs, spatial: string): ConvPlan | null {
  const rank = spatial.length;
  const data = layoutAttr(cx, "data_layout", attrs.data_layout, `NC${spatial}`);
  const kernel = layoutAttr(cx, "kernel_layout", attrs.kernel_layout, `OI${spatial}`);
  if (data === null || kernel === null) return null;
  const out = attrs.out_layout === "" ? data : layoutAttr(cx, "out_layout", attrs.out_layout, `NC${spatial}`);
  const padding = paddingAttr(cx, attrs.padding, rank);
  const strides = intsAttr(cx, "strides", attrs.strides, { lengths: [rank], least: 1 });
  const dilation = intsAttr(cx, "dilation", attrs.dilation, { lengths: [rank], least: 1 });
  if (out === null || padding === null || strides === null || dilation === null) return null;
  return { data, kernel, out, padding, strides, dilation };
}

/** Whether the kernel's O axis counts input channels and I the multiplier: groups = input channels = O. */
export function isDepthwise(groups: number, channels: Dim, kernelOut: Dim): boolean {
  return groups > 1 && groups === channels && groups === kernelOut;
}

/**
 * Conv1DRel, Conv2DRel and Conv3DRel in one: fills the weight from channels and kernel_size, or reads them
 * from it.
 */
export function convRelation(
  cx: Asker,
  args: { readonly data: Type; readonly weight: Type },
  attrs: ConvAttrs,
  spatial: string,
): TensorType | null {
  const data = tensorArg(cx, "data", args.data);
  const plan = convPlan(cx, attrs, spatial);
  if (data === null || plan === null || !fitsLayout(cx, "data", data, plan.data)) return null;
  const weight = args.weight.kind === "incomplete-type" ? null : tensorArg(cx, "weight", args.weight);
  if (weight === null && args.weight.kind !== "incomplete-type") return null;
  if (weight !== null && !fitsLayout(cx, "weight", weight, plan.kernel)) return null;
  const plainData = toPlainShape(data.shape, plan.data, `NC${spatial}`);
  const given = weight === null ? null : toPlainShape(weight.shape, plan.kernel, `OI${spatial}`);
  if (!groupsFit(cx, attrs, at(plainData, 1, "plain data axis"))) return null;
  const kernel = kernelShape(
    cx,
    { data, weight, given, channelsIn: at(plainData, 1, "plain data axis"), spatial, declared: args.weight },
    attrs,
    plan,
  );
  if (kernel === null) return null;
  const dims: Dim[] = [first(plainData, "plain data axis"), kernel.channels];
  for (const [i, letter] of spatial.split("").entries()) {
    const count = windowCount(
      cx,
      at(plainData, 2 + i, "plain data axis"),
      {
        kernel: at(kernel.size, i, "size"),
        stride: at(plan.strides, i, "stride"),
        dilation: at(plan.dilation, i, "dilation"),
        padding: at(plan.padding, i, "padding"),
      },
      letter,
    );
    if (count === null) return null;
    dims.push(count);
  }
  const dtype = dtypeOf(cx, "out_dtype", attrs.out_dtype, data.dtype);
  return dtype === null ? null : tensorType(fromPlainShape(dims, plan.out, `NC${spatial}`), dtype);
}

function groupsFit(cx: Asker, attrs: ConvAttrs, channelsIn: Dim): boolean {
  const { groups } = attrs;
  if (groups < 1) {
    cx.t.error("RS2108", `${cx.op}: attribute \`groups\` is not usable`, {
      expected: "at least 1",
      got: String(groups),
    });
    return false;
  }
  const uneven =
    typeof channelsIn === "number" && channelsIn % groups !== 0
      ? `${channelsIn} input channels`
      : attrs.channels !== null && attrs.channels % groups !== 0
        ? `${attrs.channels} output channels`
        : null;
  if (uneven === null) return true;
  cx.t.error("RS2105", `${cx.op}: the channels cannot be divided into ${groups} groups`, {
    expected: `a multiple of ${groups}`,
    got: uneven,
  });
  return false;
}

interface KernelQuestion {
  readonly data: TensorType;
  readonly weight: TensorType | null;
  /** The weight's shape in OI… order. */
  readonly given: readonly Dim[] | null;
  readonly channelsIn: Dim;
  readonly spatial: string;
  readonly declared: Type;
}

function kernelShape(
  cx: Asker,
  q: KernelQuestion,
  attrs: ConvAttrs,
  plan: ConvPlan,
): { readonly channels: Dim; readonly size: readonly Dim[] } | null {
  const rank = q.spatial.length;
  if (
    attrs.kernel_size !== null &&
    intsAttr(cx, "kernel_size", attrs.kernel_size, { lengths: [rank], least: 1 }) === null
  )
    return null;
  if (attrs.groups > 1 && q.given === null) {
    return cx.t.error(
      "RS2105",
      `${cx.op}: the type of \`weight\` must be known when groups is greater than 1`,
      {
        expected: "a weight with a declared type",
        got: "a weight without one",
        hint: "write its type, as in %w: Tensor[(32, 1, 3, 3), float32]",
      },
    );
  }
  const per = (dim: Dim, by: number): Dim => (typeof dim === "number" ? Math.floor(dim / by) : dim);
  if (attrs.kernel_size !== null && attrs.channels !== null) {
    const depthwise = isDepthwise(attrs.groups, q.channelsIn, q.given?.[0] ?? anyDim);
    const plain: Dim[] = depthwise
      ? [q.channelsIn, per(attrs.channels, attrs.groups), ...attrs.kernel_size]
      : [attrs.channels, per(q.channelsIn, attrs.groups), ...attrs.kernel_size];
    const wanted = tensorType(
      fromPlainShape(plain, plan.kernel, `OI${q.spatial}`),
      q.weight?.dtype ?? q.data.dtype,
    );
    const because = `\`data\` has ${printDim(q.channelsIn)} channels, channels=${attrs.channels}, kernel_size=[${attrs.kernel_size.join(", ")}], groups=${attrs.groups}`;
    return fillArgument(cx, "weight", q.declared, { wanted, because })
      ? { channels: attrs.channels, size: attrs.kernel_size }
      : null;
  }
  if (q.given === null) return null;
  return kernelFromWeight(cx, { ...q, given: q.given }, attrs);
}

function kernelFromWeight(
  cx: Asker,
  q: KernelQuestion & { readonly given: readonly Dim[] },
  attrs: ConvAttrs,
): { readonly channels: Dim; readonly size: readonly Dim[] } | null {
  const [channels, channelsPerGroup, ...size] = q.given;
  const shape = `(${present(q.weight, "weight").shape.map(printDim).join(", ")}) in layout ${attrs.kernel_layout}`;
  if (
    attrs.kernel_size !== null &&
    !attrs.kernel_size.every((value, i) => cx.t.dimEqual(value, at(size, i, "size")))
  ) {
    return cx.t.error("RS2105", `${cx.op}: the window of \`weight\` is not kernel_size`, {
      expected: `[${attrs.kernel_size.join(", ")}]`,
      got: `[${size.map(printDim).join(", ")}], from weight ${shape}`,
    });
  }
  if (attrs.channels !== null && !cx.t.dimEqual(attrs.channels, channels!)) {
    return cx.t.error(
      "RS2105",
      `${cx.op}: the output channels of \`weight\` are not the attribute \`channels\``,
      { expected: String(attrs.channels), got: `${printDim(channels!)}, from weight ${shape}` },
    );
  }
  const wanted: Dim = typeof q.channelsIn === "number" ? q.channelsIn / attrs.groups : anyDim;
  if (!cx.t.dimEqual(wanted, channelsPerGroup!)) {
    return cx.t.error("RS2105", `${cx.op}: the channels of \`data\` do not match \`weight\``, {
      expected: `${printDim(wanted)} input channels in the weight: ${printDim(q.channelsIn)} channels of data over ${attrs.groups} group${attrs.groups === 1 ? "" : "s"}`,
      got: `${printDim(channelsPerGroup!)}, from weight ${shape}`,
      hint:
        attrs.groups === 1 && channelsPerGroup === 1
          ? `for a depthwise convolution give groups=${printDim(q.channelsIn)}`
          : "check data_layout, kernel_layout and groups",
    });
  }
  if (typeof channels === "number" && channels % attrs.groups !== 0) {
    return cx.t.error(
      "RS2105",
      `${cx.op}: the output channels cannot be divided into ${attrs.groups} groups`,
      { expected: `a multiple of ${attrs.groups}`, got: `${channels}, from weight ${shape}` },
    );
  }
  return { channels: channels!, size };
}
