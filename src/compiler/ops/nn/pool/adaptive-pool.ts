// Global and adaptive pools: attributes, type relation and factories.  TVM: src/relay/op/nn/pooling.cc
// (GlobalPool2DRel, AdaptivePool2DRel, …)
import { at, first, present } from "../../../../support/assert.ts";
import { ints, text, type AttrField } from "../../../ir/attrs.ts";
import { axisOf, knownLayout } from "../../../ir/layout.ts";
import { tensorType, type Dim, type TensorType, type Type } from "../../../ir/type.ts";
import { intImm } from "../../../tir/build.ts";
import type { Tensor } from "../../../te/tensor.ts";
import { adaptivePool } from "../../../topi/pool.ts";
import { fitsLayout, layoutAttr } from "../conv/conv-types.ts";
import { pool as poolRecipe } from "../../../recipes/pool.ts";
import { defineOp, type ComputeContext, type Op } from "../../define.ts";
import { spatialShape } from "../../_shape-funcs/windows.ts";
import { asker, tensorArg, type Asker } from "../../_shared/type-helpers.ts";

const outLayout: AttrField<string> = text({
  default: "",
  doc: "Order of the result's axes; empty means layout.",
});

interface SizeAttrs {
  readonly output_size: readonly number[];
  readonly layout: string;
}

/** The data's type with the spatial extents replaced: none given keeps them, one serves all axes. */
function relation(cx: Asker, data: Type, attrs: SizeAttrs, spatial: string): TensorType | null {
  const type = tensorArg(cx, "data", data);
  const layout = layoutAttr(cx, "layout", attrs.layout, `NC${spatial}`);
  if (type === null || layout === null || !fitsLayout(cx, "data", type, layout)) return null;
  const sizes = attrs.output_size;
  if (![0, 1, spatial.length].includes(sizes.length) || !sizes.every((size) => size >= 1)) {
    return cx.t.error("RS2108", `${cx.op}: attribute \`output_size\` is not usable`, {
      expected: `no number, one, or ${spatial.length}, each at least 1`,
      got: `[${sizes.join(", ")}]`,
    });
  }
  const shape: Dim[] = [...type.shape];
  spatial.split("").forEach((letter, i) => {
    if (sizes.length > 0) shape[axisOf(layout, letter)] = sizes[i] ?? first(sizes, "size");
  });
  return tensorType(shape, type.dtype);
}

function computePool(
  kind: "max" | "avg",
  data: Tensor,
  attrs: SizeAttrs,
  spatial: string,
  cx: ComputeContext,
): Tensor {
  const layout = knownLayout(attrs.layout);
  const axes = spatial.split("").map((letter) => axisOf(layout, letter));
  const sizes = attrs.output_size;
  const outSize = axes.map((axis, i) =>
    sizes.length === 0 ? at(data.shape, axis, "data axis") : intImm(sizes[i] ?? first(sizes, "size")),
  );
  return adaptivePool(data, { kind, axes, outSize }, cx.origin);
}

const example: Readonly<Record<string, string>> = {
  W: "Tensor[(1, 2, 7), float32]",
  HW: "Tensor[(1, 2, 7, 6), float32]",
  DHW: "Tensor[(1, 2, 4, 5, 6), float32]",
};

interface Spec {
  readonly kind: "max" | "avg";
  /** "W", "HW" or "DHW". */
  readonly spatial: string;
}

const words = (kind: "max" | "avg"): string => (kind === "max" ? "Greatest element" : "Average");

/** nn.adaptive_{max,avg}_pool{1,2,3}d */
export function defineAdaptivePool({ kind, spatial }: Spec): Op {
  const rank = spatial.length;
  const name = `nn.adaptive_${kind}_pool${rank}d`;
  return defineOp({
    name,
    inputs: ["data"],
    attrs: {
      output_size: ints({
        default: [],
        doc: `Extents of the result along ${spatial}; none keeps them, one serves all.`,
      }),
      layout: text({ default: `NC${spatial}`, doc: "Order of the axes." }),
      out_layout: outLayout,
    },
    attrsKey: `relay.attrs.AdaptivePool${rank}DAttrs`,
    pattern: "outEWiseFusable",
    type: ({ data }, attrs, t) => relation(asker(t, name), data, attrs, spatial),
    compute: ({ data }, attrs, cx) => computePool(kind, data, attrs, spatial, cx),
    shapeFunc: spatialShape(spatial, "output_size"),
    schedule: poolRecipe,
    doc: `${words(kind)} of windows chosen so that the result has the given extents: window i of n inputs and m outputs is floor(i*n/m) to ceil((i+1)*n/m).`,
    examples: [
      { name: "to one", args: [present(example[spatial], "example")], attrs: { output_size: [1] } },
      {
        name: "uneven windows",
        args: [present(example[spatial], "example")],
        attrs: { output_size: spatial.split("").map((_, i) => 3 - (i % 2)) },
      },
    ],
  });
}

/** nn.global_{max,avg}_pool2d */
export function defineGlobalPool2d(kind: "max" | "avg"): Op {
  const name = `nn.global_${kind}_pool2d`;
  return defineOp({
    name,
    inputs: ["data"],
    attrs: { layout: text({ default: "NCHW", doc: "Order of the axes." }), out_layout: outLayout },
    attrsKey: "relay.attrs.GlobalPool2DAttrs",
    pattern: "outEWiseFusable",
    type: ({ data }, { layout }, t) => relation(asker(t, name), data, { layout, output_size: [1] }, "HW"),
    compute: ({ data }, { layout }, cx) => computePool(kind, data, { layout, output_size: [1] }, "HW", cx),
    shapeFunc: spatialShape("HW", [1]),
    schedule: poolRecipe,
    doc: `${words(kind)} of every channel of an image: (N, C, H, W) becomes (N, C, 1, 1).`,
    examples: [
      { name: "NCHW", args: ["Tensor[(1, 3, 5, 4), float32]"] },
      { name: "NHWC", args: ["Tensor[(1, 5, 4, 3), float32]"], attrs: { layout: "NHWC" } },
    ],
  });
}
