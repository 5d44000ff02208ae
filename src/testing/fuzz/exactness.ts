// Which operators round, and which make a jump out of a rounding: what is fed to the latter is kept exact, so
// that back ends which round otherwise (other order of sums, other exp) need not agree by luck.
import { OpPattern } from "../../compiler/ir/op.ts";
import type { Op } from "../../compiler/ops/define.ts";

const jumps =
  /^(?:floor|ceil|round|trunc|sign|cast|cast_like|equal|not_equal|less|less_equal|greater|greater_equal|logical_.*|floor_divide|floor_mod|mod|argmax|argmin|argsort|topk|dyn\.topk|unique|searchsorted|isnan|isfinite|isinf|where|argwhere|power|bitwise_.*|reinterpret|prod|arange|tan|acos|asin|acosh|atanh|log.*|rsqrt|divide|full.*)$|^(?:vision|image|qnn|random)\.|nms|roi|quantize|pool.*grad|fixed_point|nn\.(?:cross|nll|lrn|correlation|bit)/;

/** Whether a rounding of its float arguments may become something else than a rounding. */
export const needsExact = (name: string): boolean => jumps.test(name);

const exactElements =
  /^(?:add|subtract|multiply|negative|abs|copy|maximum|minimum|clip|cast|nn\.(?:relu|bias_add|leaky_relu|prelu)|where|max|min|all|any|argmax|argmin|zeros.*|ones.*)$/;
const movesAndRounds =
  /^(?:image|vision|qnn|random)\.|upsampling|lrn|softmax|cum|norm|correlation|einsum|matmul|sparse/;

/** Whether its result is exact where its arguments are. */
export function isExact({ name, pattern }: Op): boolean {
  return exactElements.test(name) || (pattern === OpPattern.injective && !movesAndRounds.test(name));
}
