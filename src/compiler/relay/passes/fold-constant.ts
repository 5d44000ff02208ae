// FoldConstant: what depends on constants alone is computed now.  TVM: src/relay/transforms/fold_constant.cc
import { foldFunction } from "./constant-folder.ts";
import { functionPass } from "./function-pass.ts";

export const foldConstant = functionPass({
  name: "FoldConstant",
  optLevel: 2,
  run: (func, cx) => foldFunction(func, cx),
});
