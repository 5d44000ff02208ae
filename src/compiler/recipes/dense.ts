// Matrix products with a matrix of weights: results accumulate in local buffers.
// TVM: python/tvm/topi/x86/dense.py
import type { ScheduleRecipe } from "../te/schedule-recipe.ts";
import { matmulRecipe } from "./matmul-tile.ts";

export const dense: ScheduleRecipe = matmulRecipe;
