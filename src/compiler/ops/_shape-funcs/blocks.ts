// Shape functions of operators that move blocks of pixels into batches or channels and back; TVM 0.8 has none
// of them.
import { present, at } from "../../../support/assert.ts";
import { knownLayout } from "../../ir/layout.ts";
import type { AttrValue } from "../../ir/attrs.ts";
import { add, floorDiv, mul } from "../../tir/build.ts";
import type { PrimExpr } from "../../tir/expr.ts";
import type { ShapeFunc } from "../define.ts";
import { pairsOf } from "../_shared/pad-attrs.ts";
import { plainExtents, storedExtents } from "./extents.ts";

export const batchToSpaceShape: ShapeFunc<{
  readonly block_shape: readonly number[];
  readonly crops: AttrValue;
}> = {
  needs: "shape",
  dims: ([data], { block_shape: blocks, crops }) => {
    const pairs = present(pairsOf(crops), "pair");
    return [
      data.dims.map((dim, i) => {
        if (i === 0) return floorDiv(dim, product(blocks));
        return i > blocks.length
          ? dim
          : add(
              mul(dim, at(blocks, i - 1, "block")),
              -at(pairs, i - 1, "pair")[0] - at(pairs, i - 1, "pair")[1],
            );
      }),
    ];
  },
};

export const spaceToBatchShape: ShapeFunc<{
  readonly block_shape: readonly number[];
  readonly paddings: AttrValue;
}> = {
  needs: "shape",
  dims: ([data], { block_shape: blocks, paddings }) => {
    const pairs = present(pairsOf(paddings), "pair");
    return [
      data.dims.map((dim, i) => {
        if (i === 0) return mul(dim, product(blocks));
        return i > blocks.length
          ? dim
          : floorDiv(
              add(dim, at(pairs, i - 1, "pair")[0] + at(pairs, i - 1, "pair")[1]),
              at(blocks, i - 1, "block"),
            );
      }),
    ];
  },
};

function product(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a * b, 1);
}

type SubPixel = { readonly block_size: number; readonly layout: string };

function subPixel(
  change: (dims: readonly PrimExpr[], block: number) => readonly PrimExpr[],
): ShapeFunc<SubPixel> {
  return {
    needs: "shape",
    dims: ([data], attrs) => {
      const layout = knownLayout(attrs.layout);
      return [
        storedExtents(change(plainExtents(data.dims, layout, "NCHW"), attrs.block_size), layout, "NCHW"),
      ];
    },
  };
}

export const depthToSpaceShape: ShapeFunc<SubPixel> = subPixel(([n, c, h, w], block) => [
  n!,
  floorDiv(c!, block * block),
  mul(h!, block),
  mul(w!, block),
]);

export const spaceToDepthShape: ShapeFunc<SubPixel> = subPixel(([n, c, h, w], block) => [
  n!,
  mul(c!, block * block),
  floorDiv(h!, block),
  floorDiv(w!, block),
]);
