// Resampling operators of 1, 2 and 3 axes.  TVM: src/relay/op/image/resize.cc,
// include/tvm/relay/attrs/image.h (Resize2DAttrs, …)
import { at } from "../../../support/assert.ts";
import { dtypeAttr, float, int, optionalInts, text, type AttrField, type AttrsOf } from "../../ir/attrs.ts";
import { axisOf, knownLayout } from "../../ir/layout.ts";
import { printType, tensorType, type Dim, type TensorType } from "../../ir/type.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { resize, type CoordinateMode, type ResizeSpec, type Rounding } from "../../topi/resize.ts";
import { fitsLayout, layoutAttr } from "../nn/conv/conv-types.ts";
import type { Tensor } from "../../te/tensor.ts";
import { defineOp, type ComputeContext, type Example, type Op } from "../define.ts";
import { spatialShape } from "../_shape-funcs/windows.ts";
import { asker, dtypeOf, intsAttr, oneOf, tensorArg, type Asker } from "../_shared/type-helpers.ts";

const methods: readonly ResizeSpec["method"][] = ["nearest_neighbor", "linear", "cubic"];
const modes: readonly CoordinateMode[] = [
  "half_pixel",
  "align_corners",
  "asymmetric",
  "pytorch_half_pixel",
  "tf_half_pixel_for_nn",
];
const roundings: readonly Rounding[] = [
  "",
  "round",
  "floor",
  "ceil",
  "round_prefer_floor",
  "round_prefer_ceil",
];

type ResizeSchema = {
  readonly size: AttrField<readonly number[] | null>;
  readonly layout: AttrField<string>;
  readonly method: AttrField<string>;
  readonly coordinate_transformation_mode: AttrField<string>;
  readonly rounding_method: AttrField<string>;
  readonly cubic_alpha: AttrField<number>;
  readonly cubic_exclude: AttrField<number>;
  readonly out_dtype: AttrField<string | null>;
};

export function resizeAttrs(spatial: string): ResizeSchema {
  return {
    size: optionalInts({ default: null, doc: `Extents of the result along ${spatial}.` }),
    layout: text({ default: `NC${spatial}`, doc: "Order of the axes." }),
    method: text({ default: "linear", doc: '"nearest_neighbor", "linear" or "cubic".' }),
    coordinate_transformation_mode: text({
      default: "half_pixel",
      doc: "Where in the source a position of the result lies, as ONNX Resize says.",
    }),
    rounding_method: text({
      default: "round",
      doc: "How nearest_neighbor rounds; empty lets the mode choose.",
    }),
    cubic_alpha: float({ default: -0.5, doc: "Coefficient of the cubic spline." }),
    cubic_exclude: int({ default: 0, doc: "1 leaves positions outside the image out of the cubic sum." }),
    out_dtype: dtypeAttr({ default: null, doc: "Dtype of the result; empty means that of the data." }),
  };
}

type ResizeWords = Omit<AttrsOf<ResizeSchema>, "size">;

/** `data` resampled to the extents of the result's type. */
export function resample(data: Tensor, attrs: ResizeWords, spatial: string, cx: ComputeContext): Tensor {
  const layout = knownLayout(attrs.layout, `NC${spatial}`);
  const axes = spatial.split("").map((letter) => axisOf(layout, letter));
  return resize(
    data,
    {
      method: attrs.method as ResizeSpec["method"],
      axes,
      size: axes.map((axis) => Number(cx.outType.shape[axis])),
      mode: attrs.coordinate_transformation_mode as CoordinateMode,
      rounding: attrs.rounding_method as Rounding,
      cubicAlpha: attrs.cubic_alpha,
      cubicExclude: attrs.cubic_exclude !== 0,
      outDType: cx.outType.dtype,
    },
    cx.origin,
  );
}

/** image.resize{1,2,3}d */
interface Sampling {
  readonly layout: string;
  readonly method: string;
  readonly coordinate_transformation_mode: string;
  readonly rounding_method: string;
}

/**
 * Whether the words among the attributes are known, and there is something to sample along the axes
 * `spatial`; false after reporting.
 */
export function samplingFits(cx: Asker, attrs: Sampling, type: TensorType, spatial: string): boolean {
  const words =
    oneOf(cx, "method", attrs.method, methods) &&
    oneOf(cx, "coordinate_transformation_mode", attrs.coordinate_transformation_mode, modes) &&
    oneOf(cx, "rounding_method", attrs.rounding_method, roundings);
  const layout = knownLayout(attrs.layout, `NC${spatial}`);
  const empty = spatial.split("").find((letter) => type.shape[axisOf(layout, letter)] === 0);
  if (empty === undefined) return words;
  cx.t.error("RS2111", `${cx.op}: argument \`data\` has no elements along ${empty}`, {
    expected: "at least one element to sample from",
    got: printType(type),
  });
  return false;
}

export function defineResize(spec: { readonly spatial: string; readonly examples: readonly Example[] }): Op {
  const { spatial } = spec;
  const rank = spatial.length;
  const name = `image.resize${rank}d`;
  return defineOp({
    name,
    inputs: ["data"],
    attrs: resizeAttrs(spatial),
    attrsKey: `relay.attrs.Resize${rank}DAttrs`,
    pattern: "injective",
    type: ({ data }, attrs, t) => {
      const cx = asker(t, name);
      const type = tensorArg(cx, "data", data);
      const layout = layoutAttr(cx, "layout", attrs.layout, `NC${spatial}`);
      if (type === null || layout === null || !fitsLayout(cx, "data", type, layout)) return null;
      const fits = samplingFits(cx, attrs, type, spatial);
      const size = intsAttr(cx, "size", attrs.size, { lengths: [rank], least: 1 });
      const dtype = dtypeOf(cx, "out_dtype", attrs.out_dtype, type.dtype);
      if (!fits || size === null || dtype === null) return null;
      const shape: Dim[] = [...type.shape];
      spatial.split("").forEach((letter, i) => {
        shape[axisOf(layout, letter)] = at(size, i, "size");
      });
      return tensorType(shape, dtype);
    },
    compute: ({ data }, attrs, cx) => resample(data, attrs, spatial, cx),
    shapeFunc: spatialShape(spatial, "size"),
    schedule: injectiveRecipe,
    doc: `Resamples the axes ${spatial} to the given extents, by nearest neighbour, linear or cubic interpolation.`,
    examples: spec.examples,
  });
}
