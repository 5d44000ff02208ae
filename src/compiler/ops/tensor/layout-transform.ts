// From one data layout to another.  TVM: src/relay/op/tensor/transform.cc (LayoutTransformRel),
// include/tvm/topi/transform.h
import { text } from "../../ir/attrs.ts";
import { fromPlainShape, parseLayout, toPlainShape, type Layout, knownLayout } from "../../ir/layout.ts";
import { printType, tensorType } from "../../ir/type.ts";
import { compute } from "../../te/compute.ts";
import { logicalIndices, physicalIndices } from "../../topi/layout.ts";
import { fitsLayout } from "../nn/conv/conv-types.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { defineOp } from "../define.ts";
import { layoutTransformShape } from "../_shape-funcs/windows.ts";
import { outExtents } from "../_shared/out-shape.ts";
import { asker, requiredAttr, tensorArg } from "../_shared/type-helpers.ts";

function plainLetters(layout: Layout): string {
  return layout.axes
    .filter((axis) => axis.factor === null)
    .map((axis) => axis.letter)
    .join("");
}

export const layoutTransform = defineOp({
  name: "layout_transform",
  inputs: ["data"],
  attrs: { src_layout: text({ doc: "Layout of data." }), dst_layout: text({ doc: "Layout of the result." }) },
  attrsKey: "relay.attrs.LayoutTransformAttrs",
  pattern: "injective",
  type: ({ data }, attrs, t) => {
    const cx = asker(t, "layout_transform");
    const type = tensorArg(cx, "data", data);
    if (
      type === null ||
      requiredAttr(cx, "src_layout", attrs.src_layout) === null ||
      requiredAttr(cx, "dst_layout", attrs.dst_layout) === null
    )
      return null;
    const from = parseLayout(attrs.src_layout);
    const to = parseLayout(attrs.dst_layout);
    const plain = from === null ? "" : plainLetters(from);
    if (
      from === null ||
      to === null ||
      plainLetters(to)
        .split("")
        .toSorted((a, b) => (a < b ? -1 : 1))
        .join("") !==
        plain
          .split("")
          .toSorted((a, b) => (a < b ? -1 : 1))
          .join("")
    ) {
      return t.error("RS2107", "layout_transform: the layouts cannot be converted into each other", {
        expected: "two layouts of the same axes, as in NCHW and NCHW4c",
        got: `"${attrs.src_layout}" and "${attrs.dst_layout}"`,
      });
    }
    if (!fitsLayout(cx, "data", type, from)) return null;
    const dims = toPlainShape(type.shape, from, plain);
    const uneven = to.axes.find(
      (axis) =>
        axis.factor !== null &&
        typeof dims[plain.indexOf(axis.letter)] === "number" &&
        Number(dims[plain.indexOf(axis.letter)]) % axis.factor !== 0,
    );
    if (uneven === undefined) return tensorType(fromPlainShape(dims, to, plain), type.dtype);
    return t.error(
      "RS2105",
      `layout_transform: axis ${uneven.letter} cannot be split into blocks of ${uneven.factor}`,
      {
        expected: `a multiple of ${uneven.factor}`,
        got: `${String(dims[plain.indexOf(uneven.letter)])} in ${printType(type)}`,
      },
    );
  },
  compute: ({ data }, attrs, cx) => {
    const from = knownLayout(attrs.src_layout);
    const to = knownLayout(attrs.dst_layout);
    return compute(
      outExtents(cx),
      (indices) => data.at(...physicalIndices(from, logicalIndices(to, indices))),
      { name: "T_layout_trans", tag: "injective", origin: cx.origin },
    );
  },
  shapeFunc: layoutTransformShape,
  schedule: injectiveRecipe,
  doc: "The same elements stored in another layout: axes in another order, split into blocks (NCHW4c) or joined again.",
  examples: [
    {
      name: "to blocks",
      args: ["Tensor[(1, 8, 3, 3), float32]"],
      attrs: { src_layout: "NCHW", dst_layout: "NCHW4c" },
    },
    {
      name: "from blocks",
      args: ["Tensor[(1, 2, 3, 3, 4), float32]"],
      attrs: { src_layout: "NCHW4c", dst_layout: "NHWC" },
    },
    {
      name: "weights",
      args: ["Tensor[(4, 6, 3, 3), float32]"],
      attrs: { src_layout: "OIHW", dst_layout: "OIHW2i4o" },
    },
  ],
});
