// Devices by number and target, as every pane names them: "4=opencl".
import type { Options } from "../../../compiler/options.ts";

/** DLDeviceType numbers that a target may have. */
export const deviceNames: readonly (readonly [number, string])[] = [
  [1, "cpu"],
  [2, "cuda"],
  [4, "opencl"],
  [7, "vulkan"],
  [8, "metal"],
];

export function deviceLabel({ targets }: Pick<Options, "targets">, device: number): string {
  const kind =
    targets.find((target) => target.device === device)?.kind ??
    deviceNames.find(([number]) => number === device)?.[1];
  return kind === undefined ? `${device}` : `${device}=${kind}`;
}
