// Shape functions of operators on boxes.  TVM: python/tvm/relay/op/vision/_vision.py
import { tuple, first } from "../../../support/assert.ts";
import { mul } from "../../tir/build.ts";
import type { ShapeFunc } from "../define.ts";
import { extent } from "./extents.ts";

export const validCountsShape: ShapeFunc<unknown> = {
  needs: "shape",
  dims: ([data]) => [[first(data.dims, "dimension")], data.dims, data.dims.slice(0, 2)],
};

export const nmsShape: ShapeFunc<{ readonly return_indices: boolean }> = {
  needs: "shape",
  dims: ([data], attrs) =>
    attrs.return_indices ? [data.dims.slice(0, 2), [first(data.dims, "dimension"), extent(1)]] : [data.dims],
};

export const allClassNmsShape: ShapeFunc<{ readonly output_format: string }, 2> = {
  needs: "shape",
  dims: ([, scores], attrs) => {
    const [batch, classes, boxes] = tuple(scores.dims, 3, "extents");
    const each = mul(classes, boxes);
    return attrs.output_format === "onnx"
      ? [[mul(batch, each), extent(3)], [extent(1)]]
      : [[batch, each, extent(2)], [batch, each], [batch]];
  },
};
