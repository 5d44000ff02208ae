// Shape functions of operators on boxes.  TVM: python/tvm/relay/op/vision/_vision.py
import { mul } from "../../tir/build.ts";
import type { ShapeFunc } from "../define.ts";
import { extent } from "./extents.ts";

export const validCountsShape: ShapeFunc<unknown> = {
  needs: "shape",
  dims: ([data]) => [[data!.dims[0]!], data!.dims, data!.dims.slice(0, 2)],
};

export const nmsShape: ShapeFunc<{ readonly return_indices: boolean }> = {
  needs: "shape",
  dims: ([data], attrs) =>
    attrs.return_indices ? [data!.dims.slice(0, 2), [data!.dims[0]!, extent(1)]] : [data!.dims],
};

export const allClassNmsShape: ShapeFunc<{ readonly output_format: string }> = {
  needs: "shape",
  dims: ([, scores], attrs) => {
    const [batch, classes, boxes] = scores!.dims;
    const each = mul(classes!, boxes!);
    return attrs.output_format === "onnx"
      ? [[mul(batch!, each), extent(3)], [extent(1)]]
      : [[batch!, each, extent(2)], [batch!, each], [batch!]];
  },
};
