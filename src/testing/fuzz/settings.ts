// Two ways to compile one program: levels, executors, passes left out, depth of fusion, targets.
import { defaultOptions, switchablePasses, type Options } from "../../compiler/options.ts";
import type { Random } from "./random.ts";

const twoTargets: Options["targets"] = [
  { device: 1, kind: "c" },
  { device: 4, kind: "opencl" },
];

/** Without FuseOps no executor takes a program. */
const passes: readonly string[] = switchablePasses.filter((name) => name !== "FuseOps");

const conventions: readonly Partial<Options>[] = [
  { unpackedApi: false, interfaceApi: "packed" },
  { unpackedApi: true, interfaceApi: "packed" },
];

/** How a program is compiled: under which options, and whether its inputs have dynamic dimensions. */
export type Setting = Options & { readonly dynamic?: boolean };

/** The text with every dimension of main's inputs unknown. */
export function dynamicText(text: string): string {
  return text.replace(/^def @main\(.*\) \{$/m, (header) =>
    header.replace(/Tensor\[\(([^)]*)\)/g, (_, dims: string) => `Tensor[(${dims.replace(/\d+/g, "?")})`),
  );
}

/** Options that change what is made, not what it means. Level 4 replaces exp and tanh by approximations. */
export function randomOptions(rng: Random, modName: string): Options {
  const config: Record<string, string> = {};
  if (rng.chance(0.2)) config["relay.FuseOps.max_depth"] = String(rng.below(6) + 1);
  if (rng.chance(0.2)) config["tir.disable_vectorize"] = "true";
  const optLevel = rng.pick([0, 1, 2, 3, 3, 3, 4] as const);
  const left = [...(rng.chance(0.3) ? [rng.pick(passes)] : []), ...(rng.chance(0.8) ? ["FastMath"] : [])];
  return {
    ...defaultOptions,
    modName,
    optLevel,
    executor: rng.pick(["aot", "graph"]),
    disabledPasses: [...defaultOptions.disabledPasses, ...left],
    config,
    linkParams: rng.chance(0.85),
    ...(rng.chance(0.8) ? {} : rng.pick(conventions)),
    tfliteRounding: false,
    partition: rng.chance(0.12) ? [rng.pick(["ccompiler", "ccompiler=add,multiply"])] : [],
    targets: rng.chance(0.1) ? twoTargets : defaultOptions.targets,
  };
}
