// CenterCropPad: every axis cut or padded with zeros to an extent, evenly on both sides (the odd element at
// the end). Source: onnx/defs/tensor/defs.cc (CenterCropPad); TVM 0.8 does not import it.
import { at } from "../../../../support/assert.ts";
import { number, slice } from "../arithmetic.ts";
import { rankOf, refuse, shapeOf } from "../../import-node.ts";
import { axisIn, call, input, ints, intsOf, type Importer } from "../graph.ts";
import { onnxOp, type OnnxOp } from "../ops/op-table.ts";

const centerCropPad: Importer = (n) => {
  const x = input(n, 0);
  const shape = shapeOf(n, x);
  const given = ints(n, "axes") ?? shape.map((_, axis) => axis);
  const axes = given.map((axis) => axisIn(n, axis, rankOf(n, x)));
  const wanted = intsOf(n, input(n, 1), "the shape");
  if (wanted.length !== axes.length)
    return refuse(n, "its shape does not fit its axes", {
      expected: `${axes.length} extents`,
      got: String(wanted.length),
    });
  const more = shape.map((extent, axis) => {
    const place = axes.indexOf(axis);
    return place < 0 ? 0 : at(wanted, place, "extent") - extent;
  });
  const before = more.map((count) => Math.trunc(count / 2));
  const cut = more.some((count) => count < 0)
    ? slice(n, x, {
        begin: before.map((count) => Math.max(-count, 0)),
        end: shape.map(
          (extent, axis) =>
            Math.max(-at(before, axis, "cut"), 0) + Math.min(extent, extent + at(more, axis, "extent")),
        ),
        axes: shape.map((_, axis) => axis),
      })
    : x;
  if (!more.some((count) => count > 0)) return cut;
  return call(n, "nn.pad", [cut, number(n, 0, x)], {
    pad_width: more.map((count, axis) => {
      const front = Math.max(at(before, axis, "padding"), 0);
      return [front, Math.max(count, 0) - front];
    }),
    pad_mode: "constant",
  });
};

export const centerCropPadOps: readonly OnnxOp[] = [onnxOp("CenterCropPad", centerCropPad, { values: [1] })];
