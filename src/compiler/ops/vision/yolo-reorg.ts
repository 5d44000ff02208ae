// Pixels of blocks gathered into channels, as YOLO stores them.  TVM: src/relay/op/vision/yolo.cc,
// include/tvm/topi/vision/reorg.h
import { first, tuple } from "../../../support/assert.ts";
import { printType, tensorType } from "../../ir/type.ts";
import { add, floorDiv, floorMod, mul } from "../../tir/build.ts";
import { compute } from "../../te/compute.ts";
import { injective as injectiveRecipe } from "../../recipes/injective.ts";
import { ravel, unravel } from "../../topi/indexing.ts";
import { integerObject } from "../_shared/attr-fields.ts";
import { defineOp } from "../define.ts";
import { outExtents } from "../_shared/out-shape.ts";
import { asker, checkRank, mapDim, tensorArg } from "../_shared/type-helpers.ts";

export const yoloReorg = defineOp({
  name: "vision.yolo_reorg",
  inputs: ["data"],
  attrs: { stride: integerObject({ default: 1, doc: "Height and width of a block." }) },
  attrsKey: "relay.attrs.YoloReorgAttrs",
  pattern: "injective",
  type: ({ data }, { stride }, t) => {
    const cx = asker(t, "vision.yolo_reorg");
    const type = tensorArg(cx, "data", data);
    if (type === null || !checkRank(cx, "data", type, [4])) return null;
    const [n, c, h, w] = tuple(type.shape, 4, "shape of type");
    const fits =
      stride >= 1 &&
      (typeof c !== "number" || c % (stride * stride) === 0) &&
      [h, w].every((dim) => typeof dim !== "number" || dim % stride === 0);
    if (fits)
      return tensorType(
        [
          n,
          mapDim(c, (x) => x * stride * stride),
          mapDim(h, (x) => x / stride),
          mapDim(w, (x) => x / stride),
        ],
        type.dtype,
      );
    return t.error("RS2105", "vision.yolo_reorg: attribute `stride` does not divide the data", {
      expected: `a stride that divides height and width, and whose square divides the channels of ${printType(type)}`,
      got: String(stride),
    });
  },
  compute: ({ data }, { stride }, cx) => {
    const [, c, h, w] = tuple(data.shape, 4, "shape of data");
    const channels = floorDiv(c, stride * stride);
    const shape = outExtents(cx);
    return compute(
      shape,
      (i) => {
        const [b, k, j, col] = tuple(unravel(ravel(i, shape), data.shape), 4, "indices");
        const place = floorDiv(k, channels);
        const y = add(mul(j, stride), floorDiv(place, stride));
        const x = add(mul(col, stride), floorMod(place, stride));
        // the position in an image of stride times the height and width and fewer channels, which has the
        // same elements
        const wide = [first(data.shape, "data axis"), channels, mul(h, stride), mul(w, stride)];
        return data.at(...unravel(ravel([b, floorMod(k, channels), y, x], wide), data.shape));
      },
      { name: "tensor", tag: "reorg_output", origin: cx.origin },
    );
  },
  schedule: injectiveRecipe,
  doc: "Rearranges (N, C, H, W) to (N, C*s*s, H/s, W/s) the way Darknet's reorg layer does.",
  examples: [{ name: "stride 2", args: ["Tensor[(1, 4, 4, 6), float32]"], attrs: { stride: 2 } }],
});
