// The list of operators. Adding one: its file, and here its import and its name.
import { invariant } from "../../support/assert.ts";
import type { OpTable } from "../ir/op.ts";
import type { Op } from "./define.ts";
import { compilerBegin } from "./annotation/compiler-begin.ts";
import { compilerEnd } from "./annotation/compiler-end.ts";
import { deviceCopy } from "./annotation/device-copy.ts";
import { onDevice } from "./annotation/on-device.ts";
import { simulatedQuantize } from "./annotation/simulated-quantize.ts";
import { stopFusion } from "./annotation/stop-fusion.ts";
import { dynBroadcastTo } from "./dyn/broadcast-to.ts";
import { dynExpandDims } from "./dyn/expand-dims.ts";
import { dynFull } from "./dyn/full.ts";
import { dynOneHot } from "./dyn/one-hot.ts";
import { dynOnes } from "./dyn/ones.ts";
import { dynPad } from "./dyn/pad.ts";
import { dynReshape } from "./dyn/reshape.ts";
import { dynResize2d } from "./dyn/resize2d.ts";
import { dynSparseToDense } from "./dyn/sparse-to-dense.ts";
import { dynSqueeze } from "./dyn/squeeze.ts";
import { dynStridedSlice } from "./dyn/strided-slice.ts";
import { dynTile } from "./dyn/tile.ts";
import { dynTopk } from "./dyn/topk.ts";
import { dynUpsampling } from "./dyn/upsampling.ts";
import { dynUpsampling3d } from "./dyn/upsampling3d.ts";
import { dynZeros } from "./dyn/zeros.ts";
import { affineGrid } from "./image/affine-grid.ts";
import { cropAndResize } from "./image/crop-and-resize.ts";
import { dilation2d } from "./image/dilation2d.ts";
import { gridSample } from "./image/grid-sample.ts";
import { resize1d } from "./image/resize1d.ts";
import { resize2d } from "./image/resize2d.ts";
import { resize3d } from "./image/resize3d.ts";
import { abs } from "./math/abs.ts";
import { acos } from "./math/acos.ts";
import { acosh } from "./math/acosh.ts";
import { add } from "./math/add.ts";
import { asin } from "./math/asin.ts";
import { asinh } from "./math/asinh.ts";
import { atan } from "./math/atan.ts";
import { atanh } from "./math/atanh.ts";
import { bitwiseAnd } from "./math/bitwise-and.ts";
import { bitwiseNot } from "./math/bitwise-not.ts";
import { bitwiseOr } from "./math/bitwise-or.ts";
import { bitwiseXor } from "./math/bitwise-xor.ts";
import { ceil } from "./math/ceil.ts";
import { clip } from "./math/clip.ts";
import { copy } from "./math/copy.ts";
import { cos } from "./math/cos.ts";
import { cosh } from "./math/cosh.ts";
import { divide } from "./math/divide.ts";
import { equal } from "./math/equal.ts";
import { erf } from "./math/erf.ts";
import { exp } from "./math/exp.ts";
import { fastErf } from "./math/fast-erf.ts";
import { fastExp } from "./math/fast-exp.ts";
import { fastTanh } from "./math/fast-tanh.ts";
import { fixedPointMultiply } from "./math/fixed-point-multiply.ts";
import { floorDivide } from "./math/floor-divide.ts";
import { floorMod } from "./math/floor-mod.ts";
import { floor } from "./math/floor.ts";
import { greaterEqual } from "./math/greater-equal.ts";
import { greater } from "./math/greater.ts";
import { isfinite } from "./math/isfinite.ts";
import { isinf } from "./math/isinf.ts";
import { isnan } from "./math/isnan.ts";
import { leftShift } from "./math/left-shift.ts";
import { lessEqual } from "./math/less-equal.ts";
import { less } from "./math/less.ts";
import { log } from "./math/log.ts";
import { log10 } from "./math/log10.ts";
import { log2 } from "./math/log2.ts";
import { logicalAnd } from "./math/logical-and.ts";
import { logicalNot } from "./math/logical-not.ts";
import { logicalOr } from "./math/logical-or.ts";
import { logicalXor } from "./math/logical-xor.ts";
import { maximum } from "./math/maximum.ts";
import { minimum } from "./math/minimum.ts";
import { mod } from "./math/mod.ts";
import { multiply } from "./math/multiply.ts";
import { negative } from "./math/negative.ts";
import { notEqual } from "./math/not-equal.ts";
import { onesLike } from "./math/ones-like.ts";
import { power } from "./math/power.ts";
import { rightShift } from "./math/right-shift.ts";
import { round } from "./math/round.ts";
import { rsqrt } from "./math/rsqrt.ts";
import { sigmoid } from "./math/sigmoid.ts";
import { sign } from "./math/sign.ts";
import { sin } from "./math/sin.ts";
import { sinh } from "./math/sinh.ts";
import { sqrt } from "./math/sqrt.ts";
import { subtract } from "./math/subtract.ts";
import { tan } from "./math/tan.ts";
import { tanh } from "./math/tanh.ts";
import { trunc } from "./math/trunc.ts";
import { zerosLike } from "./math/zeros-like.ts";
import { adaptiveAvgPool1d } from "./nn/pool/adaptive-avg-pool1d.ts";
import { adaptiveAvgPool2d } from "./nn/pool/adaptive-avg-pool2d.ts";
import { adaptiveAvgPool3d } from "./nn/pool/adaptive-avg-pool3d.ts";
import { adaptiveMaxPool1d } from "./nn/pool/adaptive-max-pool1d.ts";
import { adaptiveMaxPool2d } from "./nn/pool/adaptive-max-pool2d.ts";
import { adaptiveMaxPool3d } from "./nn/pool/adaptive-max-pool3d.ts";
import { avgPool1d } from "./nn/pool/avg-pool1d.ts";
import { avgPool2d } from "./nn/pool/avg-pool2d.ts";
import { avgPool2dGrad } from "./nn/pool/avg-pool2d-grad.ts";
import { avgPool3d } from "./nn/pool/avg-pool3d.ts";
import { batchFlatten } from "./nn/batch-flatten.ts";
import { batchMatmul } from "./nn/batch-matmul.ts";
import { batchNorm } from "./nn/batch-norm.ts";
import { batchToSpaceNd } from "./nn/batch-to-space-nd.ts";
import { biasAdd } from "./nn/bias-add.ts";
import { bitpack } from "./nn/bitpack.ts";
import { bitserialConv2d } from "./nn/conv/bitserial-conv2d.ts";
import { bitserialDense } from "./nn/bitserial-dense.ts";
import { contribConv2dNchwc } from "./nn/conv/contrib-conv2d-nchwc.ts";
import { contribDensePack } from "./nn/contrib-dense-pack.ts";
import { contribDepthwiseConv2dNchwc } from "./nn/conv/contrib-depthwise-conv2d-nchwc.ts";
import { conv1dTranspose } from "./nn/conv/conv1d-transpose.ts";
import { conv1d } from "./nn/conv/conv1d.ts";
import { conv2dTranspose } from "./nn/conv/conv2d-transpose.ts";
import { conv2d } from "./nn/conv/conv2d.ts";
import { conv3dTranspose } from "./nn/conv/conv3d-transpose.ts";
import { conv3d } from "./nn/conv/conv3d.ts";
import { correlation } from "./nn/correlation.ts";
import { crossEntropyWithLogits } from "./nn/cross-entropy-with-logits.ts";
import { crossEntropy } from "./nn/cross-entropy.ts";
import { deformableConv2d } from "./nn/conv/deformable-conv2d.ts";
import { dense } from "./nn/dense.ts";
import { depthToSpace } from "./nn/depth-to-space.ts";
import { dilate } from "./nn/dilate.ts";
import { dropout } from "./nn/dropout.ts";
import { fastSoftmax } from "./nn/fast-softmax.ts";
import { fifoBuffer } from "./nn/fifo-buffer.ts";
import { globalAvgPool2d } from "./nn/pool/global-avg-pool2d.ts";
import { globalMaxPool2d } from "./nn/pool/global-max-pool2d.ts";
import { groupNorm } from "./nn/group-norm.ts";
import { instanceNorm } from "./nn/instance-norm.ts";
import { l2Normalize } from "./nn/l2-normalize.ts";
import { layerNorm } from "./nn/layer-norm.ts";
import { leakyRelu } from "./nn/leaky-relu.ts";
import { logSoftmax } from "./nn/log-softmax.ts";
import { lrn } from "./nn/lrn.ts";
import { matmul } from "./nn/matmul.ts";
import { maxPool1d } from "./nn/pool/max-pool1d.ts";
import { maxPool2d } from "./nn/pool/max-pool2d.ts";
import { maxPool2dGrad } from "./nn/pool/max-pool2d-grad.ts";
import { maxPool3d } from "./nn/pool/max-pool3d.ts";
import { mirrorPad } from "./nn/mirror-pad.ts";
import { nllLoss } from "./nn/nll-loss.ts";
import { pad } from "./nn/pad.ts";
import { prelu } from "./nn/prelu.ts";
import { relu } from "./nn/relu.ts";
import { softmax } from "./nn/softmax.ts";
import { spaceToBatchNd } from "./nn/space-to-batch-nd.ts";
import { spaceToDepth } from "./nn/space-to-depth.ts";
import { sparseAdd } from "./nn/sparse-add.ts";
import { sparseConv2d } from "./nn/conv/sparse-conv2d.ts";
import { sparseDense } from "./nn/sparse-dense.ts";
import { sparseTranspose } from "./nn/sparse-transpose.ts";
import { upsampling } from "./nn/upsampling.ts";
import { upsampling3d } from "./nn/upsampling3d.ts";
import { qnnAdd } from "./qnn/add.ts";
import { qnnBatchMatmul } from "./qnn/batch-matmul.ts";
import { qnnConcatenate } from "./qnn/concatenate.ts";
import { qnnConv2dTranspose } from "./qnn/conv2d-transpose.ts";
import { qnnConv2d } from "./qnn/conv2d.ts";
import { qnnDense } from "./qnn/dense.ts";
import { qnnDequantize } from "./qnn/dequantize.ts";
import { qnnMul } from "./qnn/mul.ts";
import { qnnQuantize } from "./qnn/quantize.ts";
import { qnnRequantize } from "./qnn/requantize.ts";
import { qnnSimulatedDequantize } from "./qnn/simulated-dequantize.ts";
import { qnnSimulatedQuantize } from "./qnn/simulated-quantize.ts";
import { qnnSubtract } from "./qnn/subtract.ts";
import { threefryGenerate } from "./random/threefry-generate.ts";
import { threefrySplit } from "./random/threefry-split.ts";
import { uniform } from "./random/uniform.ts";
import { all } from "./reduce/all.ts";
import { any } from "./reduce/any.ts";
import { argmax } from "./reduce/argmax.ts";
import { argmin } from "./reduce/argmin.ts";
import { collapseSumLike } from "./reduce/collapse-sum-like.ts";
import { collapseSumTo } from "./reduce/collapse-sum-to.ts";
import { max } from "./reduce/max.ts";
import { mean } from "./reduce/mean.ts";
import { min } from "./reduce/min.ts";
import { prod } from "./reduce/prod.ts";
import { sum } from "./reduce/sum.ts";
import { variance } from "./reduce/variance.ts";
import { advIndex } from "./tensor/adv-index.ts";
import { arange } from "./tensor/arange.ts";
import { argsort } from "./tensor/argsort.ts";
import { argwhere } from "./tensor/argwhere.ts";
import { broadcastToLike } from "./tensor/broadcast-to-like.ts";
import { broadcastTo } from "./tensor/broadcast-to.ts";
import { castLike } from "./tensor/cast-like.ts";
import { cast } from "./tensor/cast.ts";
import { concatenate } from "./tensor/concatenate.ts";
import { cumprod } from "./tensor/cumprod.ts";
import { cumsum } from "./tensor/cumsum.ts";
import { einsum } from "./tensor/einsum.ts";
import { expandDims } from "./tensor/expand-dims.ts";
import { fullLike } from "./tensor/full-like.ts";
import { full } from "./tensor/full.ts";
import { gatherNd } from "./tensor/gather-nd.ts";
import { gather } from "./tensor/gather.ts";
import { invertPermutation } from "./tensor/invert-permutation.ts";
import { layoutTransform } from "./tensor/layout-transform.ts";
import { matrixSetDiag } from "./tensor/matrix-set-diag.ts";
import { meshgrid } from "./tensor/meshgrid.ts";
import { ndarraySize } from "./tensor/ndarray-size.ts";
import { oneHot } from "./tensor/one-hot.ts";
import { ones } from "./tensor/ones.ts";
import { reinterpret } from "./tensor/reinterpret.ts";
import { repeat } from "./tensor/repeat.ts";
import { reshapeLike } from "./tensor/reshape-like.ts";
import { reshape } from "./tensor/reshape.ts";
import { reverseReshape } from "./tensor/reverse-reshape.ts";
import { reverseSequence } from "./tensor/reverse-sequence.ts";
import { reverse } from "./tensor/reverse.ts";
import { scatterAdd } from "./tensor/scatter-add.ts";
import { scatterNd } from "./tensor/scatter-nd.ts";
import { scatter } from "./tensor/scatter.ts";
import { searchsorted } from "./tensor/searchsorted.ts";
import { sequenceMask } from "./tensor/sequence-mask.ts";
import { shapeOf } from "./tensor/shape-of.ts";
import { sliceLike } from "./tensor/slice-like.ts";
import { sort } from "./tensor/sort.ts";
import { sparseFillEmptyRows } from "./tensor/sparse-fill-empty-rows.ts";
import { sparseReshape } from "./tensor/sparse-reshape.ts";
import { sparseToDense } from "./tensor/sparse-to-dense.ts";
import { split } from "./tensor/split.ts";
import { squeeze } from "./tensor/squeeze.ts";
import { stack } from "./tensor/stack.ts";
import { stridedSet } from "./tensor/strided-set.ts";
import { stridedSlice } from "./tensor/strided-slice.ts";
import { take } from "./tensor/take.ts";
import { tile } from "./tensor/tile.ts";
import { topk } from "./tensor/topk.ts";
import { transpose } from "./tensor/transpose.ts";
import { unique } from "./tensor/unique.ts";
import { unravelIndex } from "./tensor/unravel-index.ts";
import { where } from "./tensor/where.ts";
import { zeros } from "./tensor/zeros.ts";
import { allClassNonMaxSuppression } from "./vision/all-class-non-max-suppression.ts";
import { getValidCounts } from "./vision/get-valid-counts.ts";
import { multiboxPrior } from "./vision/multibox-prior.ts";
import { multiboxTransformLoc } from "./vision/multibox-transform-loc.ts";
import { nonMaxSuppression } from "./vision/non-max-suppression.ts";
import { proposal } from "./vision/proposal.ts";
import { roiAlign } from "./vision/roi-align.ts";
import { roiPool } from "./vision/roi-pool.ts";
import { yoloReorg } from "./vision/yolo-reorg.ts";

const list: readonly Op[] = [
  // annotation
  compilerBegin,
  compilerEnd,
  deviceCopy,
  onDevice,
  simulatedQuantize,
  stopFusion,
  // dyn
  dynBroadcastTo,
  dynExpandDims,
  dynFull,
  dynOneHot,
  dynOnes,
  dynPad,
  dynReshape,
  dynResize2d,
  dynSparseToDense,
  dynSqueeze,
  dynStridedSlice,
  dynTile,
  dynTopk,
  dynUpsampling,
  dynUpsampling3d,
  dynZeros,
  // image
  affineGrid,
  cropAndResize,
  dilation2d,
  gridSample,
  resize1d,
  resize2d,
  resize3d,
  // math
  abs,
  acos,
  acosh,
  add,
  asin,
  asinh,
  atan,
  atanh,
  bitwiseAnd,
  bitwiseNot,
  bitwiseOr,
  bitwiseXor,
  ceil,
  clip,
  copy,
  cos,
  cosh,
  divide,
  equal,
  erf,
  exp,
  fastErf,
  fastExp,
  fastTanh,
  fixedPointMultiply,
  floorDivide,
  floorMod,
  floor,
  greaterEqual,
  greater,
  isfinite,
  isinf,
  isnan,
  leftShift,
  lessEqual,
  less,
  log,
  log10,
  log2,
  logicalAnd,
  logicalNot,
  logicalOr,
  logicalXor,
  maximum,
  minimum,
  mod,
  multiply,
  negative,
  notEqual,
  onesLike,
  power,
  rightShift,
  round,
  rsqrt,
  sigmoid,
  sign,
  sin,
  sinh,
  sqrt,
  subtract,
  tan,
  tanh,
  trunc,
  zerosLike,
  // nn
  adaptiveAvgPool1d,
  adaptiveAvgPool2d,
  adaptiveAvgPool3d,
  adaptiveMaxPool1d,
  adaptiveMaxPool2d,
  adaptiveMaxPool3d,
  avgPool1d,
  avgPool2d,
  avgPool2dGrad,
  avgPool3d,
  batchFlatten,
  batchMatmul,
  batchNorm,
  batchToSpaceNd,
  biasAdd,
  bitpack,
  bitserialConv2d,
  bitserialDense,
  contribConv2dNchwc,
  contribDensePack,
  contribDepthwiseConv2dNchwc,
  conv1dTranspose,
  conv1d,
  conv2dTranspose,
  conv2d,
  conv3dTranspose,
  conv3d,
  correlation,
  crossEntropyWithLogits,
  crossEntropy,
  deformableConv2d,
  dense,
  depthToSpace,
  dilate,
  dropout,
  fastSoftmax,
  fifoBuffer,
  globalAvgPool2d,
  globalMaxPool2d,
  groupNorm,
  instanceNorm,
  l2Normalize,
  layerNorm,
  leakyRelu,
  logSoftmax,
  lrn,
  matmul,
  maxPool1d,
  maxPool2d,
  maxPool2dGrad,
  maxPool3d,
  mirrorPad,
  nllLoss,
  pad,
  prelu,
  relu,
  softmax,
  spaceToBatchNd,
  spaceToDepth,
  sparseAdd,
  sparseConv2d,
  sparseDense,
  sparseTranspose,
  upsampling,
  upsampling3d,
  // qnn
  qnnAdd,
  qnnBatchMatmul,
  qnnConcatenate,
  qnnConv2dTranspose,
  qnnConv2d,
  qnnDense,
  qnnDequantize,
  qnnMul,
  qnnQuantize,
  qnnRequantize,
  qnnSimulatedDequantize,
  qnnSimulatedQuantize,
  qnnSubtract,
  // random
  threefryGenerate,
  threefrySplit,
  uniform,
  // reduce
  all,
  any,
  argmax,
  argmin,
  collapseSumLike,
  collapseSumTo,
  max,
  mean,
  min,
  prod,
  sum,
  variance,
  // tensor
  advIndex,
  arange,
  argsort,
  argwhere,
  broadcastToLike,
  broadcastTo,
  castLike,
  cast,
  concatenate,
  cumprod,
  cumsum,
  einsum,
  expandDims,
  fullLike,
  full,
  gatherNd,
  gather,
  invertPermutation,
  layoutTransform,
  matrixSetDiag,
  meshgrid,
  ndarraySize,
  oneHot,
  ones,
  reinterpret,
  repeat,
  reshapeLike,
  reshape,
  reverseReshape,
  reverseSequence,
  reverse,
  scatterAdd,
  scatterNd,
  scatter,
  searchsorted,
  sequenceMask,
  shapeOf,
  sliceLike,
  sort,
  sparseFillEmptyRows,
  sparseReshape,
  sparseToDense,
  split,
  squeeze,
  stack,
  stridedSet,
  stridedSlice,
  take,
  tile,
  topk,
  transpose,
  unique,
  unravelIndex,
  where,
  zeros,
  // vision
  allClassNonMaxSuppression,
  getValidCounts,
  multiboxPrior,
  multiboxTransformLoc,
  nonMaxSuppression,
  proposal,
  roiAlign,
  roiPool,
  yoloReorg,
];

function tableOf(operators: readonly Op[]): OpTable<Op> {
  const table = new Map<string, Op>();
  for (const op of operators) {
    invariant(!table.has(op.name), `two operators are called ${op.name}`);
    table.set(op.name, op);
  }
  return table;
}

export const ops: OpTable<Op> = tableOf(list);
