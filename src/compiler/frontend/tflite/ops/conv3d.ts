// Convolutions of volumes, which TVM's importer of 0.8 lacks.  Source:
// tensorflow/lite/kernels/internal/reference/conv3d.h
import { refuse, shapeOfRank } from "../../import-node.ts";
import { byte, int } from "../flatbuffer.ts";
import { call, exprOf, input, option } from "../graph.ts";
import { withActivation } from "../quant.ts";
import { paddingOf } from "./conv.ts";
import { samePadding } from "./padding.ts";
import { tfOp, type TfOp } from "./op-table.ts";

/** The options name the strides and dilations of depth, width and height, in this order. */
const conv3d = tfOp("CONV_3D", (n) => {
  if (input(n, 0).quant !== null)
    return refuse(n, "it is supported on floats only, as in TFLite", { got: "quantised data" });
  const [data, weight] = [exprOf(n, input(n, 0)), exprOf(n, input(n, 1))];
  const [, depth, height, width] = shapeOfRank(n, data, 5, "its data");
  const [kd, kh, kw, , channels] = shapeOfRank(n, weight, 5, "its weight");
  const spatial = [
    { extent: depth, kernel: kd, stride: option(n, int, 1, 1), dilation: option(n, int, 5, 1) },
    { extent: height, kernel: kh, stride: option(n, int, 3, 1), dilation: option(n, int, 7, 1) },
    { extent: width, kernel: kw, stride: option(n, int, 2, 1), dilation: option(n, int, 6, 1) },
  ];
  const same = paddingOf(n, 0) === "SAME";
  const pads = spatial.map(({ extent, kernel, stride, dilation }) =>
    same ? samePadding(extent, dilation * (kernel - 1) + 1, stride) : ([0, 0] as const),
  );
  const product = call(n, "nn.conv3d", [data, weight], {
    strides: spatial.map(({ stride }) => stride),
    padding: [...pads.map(([before]) => before), ...pads.map(([, after]) => after)],
    dilation: spatial.map(({ dilation }) => dilation),
    kernel_size: [kd, kh, kw],
    channels,
    data_layout: "NDHWC",
    kernel_layout: "DHWIO",
  });
  const bias = n.inputs[2] ?? null;
  const biased = bias === null ? product : call(n, "nn.bias_add", [product, exprOf(n, bias)], { axis: 4 });
  return withActivation(n, biased, option(n, byte, 4, 0));
});

export const conv3dOps: readonly TfOp[] = [conv3d];
