// FoldScaleAxis: the two directions and the constant folding that makes new weights of scaled ones, as one
// pass. Each of the three obeys the pass context by its own name and level.
// TVM: src/relay/transforms/fold_scale_axis.cc
import { foldConstant } from "../fold-constant.ts";
import type { RelayPass } from "../function-pass.ts";
import { runScheduled } from "../sequential.ts";
import { backwardFoldScaleAxis } from "./backward.ts";
import { forwardFoldScaleAxis } from "./forward.ts";

export const foldScaleAxis: RelayPass = {
  name: "FoldScaleAxis",
  optLevel: 0,
  requires: [],
  run: (module, cx) => runScheduled([backwardFoldScaleAxis, forwardFoldScaleAxis, foldConstant], module, cx),
};
