// How the runner calls an external function, in both calling conventions.
import type { LoweredPrimitive } from "../../../executor/plan.ts";
import { packedParameters } from "../kernel.ts";

/** Declaration of an external function as the runner calls it, without the semicolon. */
export function externalPrototype(
  { symbol, inputTypes, outputTypes }: LoweredPrimitive,
  unpacked: boolean,
): string {
  if (!unpacked) return `TVM_DLL int32_t ${symbol}(${packedParameters})`;
  const parameters = [
    ...inputTypes.map((_, i) => `void* arg${i}`),
    ...outputTypes.map((_, i) => `void* ret${i}`),
  ];
  return `TVM_DLL int32_t ${symbol}(${parameters.join(", ")})`;
}
