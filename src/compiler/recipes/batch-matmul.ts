// Matrix products, one per batch element: results accumulate in local buffers.
// TVM: python/tvm/topi/x86/batch_matmul.py
import type { ScheduleRecipe } from "../te/schedule-recipe.ts";
import { matmulRecipe } from "./matmul-tile.ts";

export const batchMatmul: ScheduleRecipe = matmulRecipe;
