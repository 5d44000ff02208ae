// Values for inputs and bound parameters by the fill rule (the rule itself: ir/fill-rule.ts).
import { fillTensor, parameterScale } from "../ir/fill-rule.ts";
import type { TensorData } from "../ir/tensor-data.ts";
import type { TensorType } from "../ir/type.ts";

export { fillTensor };

/**
 * Values of a parameter of `main` that is bound as a constant: scale = sqrt(3 / product of dims[1:]) for rank
 * >= 2, else 0.5; where the name ends in `var` or `variance`, |v| + 0.5 (a variance is positive).
 */
export function parameterFill(
  name: string,
  type: TensorType,
  provenance: TensorData["provenance"] = "seeded",
): TensorData {
  const positive = /var(?:iance)?$/.test(name);
  return fillTensor(
    name,
    type,
    parameterScale(type),
    provenance,
    positive ? (value) => Math.abs(value) + 0.5 : undefined,
  );
}
