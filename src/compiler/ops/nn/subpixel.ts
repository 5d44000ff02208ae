// Attributes that depth_to_space and space_to_depth share.  TVM: include/tvm/relay/attrs/nn.h (SubPixelAttrs)
import { int, text, type AttrField } from "../../ir/attrs.ts";
import { convertibleLayout, fromPlainShape, toPlainShape } from "../../ir/layout.ts";
import { printType, tensorType, type Dim, type TensorType, type Type } from "../../ir/type.ts";
import { fitsLayout } from "./conv/conv-types.ts";
import { tensorArg, type Asker } from "../_shared/type-helpers.ts";

type SubPixelSchema = {
  readonly block_size: AttrField<number>;
  readonly layout: AttrField<string>;
  readonly mode: AttrField<string>;
};

export const subPixelAttrs: SubPixelSchema = {
  block_size: int({ default: 1, doc: "Height and width of a block." }),
  layout: text({ default: "NCHW", doc: '"NCHW" or "NHWC".' }),
  mode: text({
    default: "DCR",
    doc: 'How a channel\'s number is made of block position and channel: "DCR" block first, "CRD" channel first.',
  }),
};

/** The data's type with N, C, H, W changed by `change`, which gives null where a block does not divide. */
export function subPixelRelation(
  cx: Asker,
  data: Type,
  attrs: { readonly block_size: number; readonly layout: string },
  change: (dims: readonly Dim[], block: number) => readonly Dim[] | null,
): TensorType | null {
  const type = tensorArg(cx, "data", data);
  if (type === null) return null;
  const layout = convertibleLayout(attrs.layout, "NCHW");
  if (layout === null || (attrs.layout !== "NCHW" && attrs.layout !== "NHWC")) {
    return cx.t.error("RS2107", `${cx.op}: attribute \`layout\` is not a layout this operator takes`, {
      expected: '"NCHW" or "NHWC"',
      got: `"${attrs.layout}"`,
    });
  }
  if (!fitsLayout(cx, "data", type, layout)) return null;
  const dims =
    attrs.block_size >= 1 ? change(toPlainShape(type.shape, layout, "NCHW"), attrs.block_size) : null;
  if (dims !== null) return tensorType(fromPlainShape(dims, layout, "NCHW"), type.dtype);
  return cx.t.error("RS2105", `${cx.op}: attribute \`block_size\` does not divide the data`, {
    expected: `a block that divides ${printType(type)}`,
    got: String(attrs.block_size),
  });
}
