// What fails as a case file: a header with the problem, the options and the inputs, and the program.
import { flatValues } from "../../node/values.ts";
import { defaultOptions, type Options } from "../../compiler/options.ts";
import type { Setting } from "./settings.ts";
import type { Inputs, Problem } from "./ways.ts";

/** Options that are not the default, as one line. */
export function optionsText(options: Setting): string {
  const changed = Object.entries(options).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(defaultOptions[name as keyof Options]),
  );
  return JSON.stringify(Object.fromEntries(changed));
}

interface Found {
  readonly kind: string;
  readonly seed: number;
  readonly problem: Problem;
  readonly options: readonly Setting[];
  readonly inputs: Inputs;
  readonly text: string;
}

/** The file's text; the number and what is right are for who adds it to cases/. */
export function caseText({ kind, seed, problem, options, inputs, text }: Found): string {
  const tensors = [...inputs].map(([name, tensor]) => {
    const { shape, dtype, values } = flatValues(tensor);
    const data = values.map((value) => (value === null ? "NaN" : value));
    return `// @input ${JSON.stringify({ name, dtype, shape, data })}`;
  });
  return [
    `// Case 000: fuzz-${kind}-${seed}`,
    `// Fault: ${problem.detail.split("\n")[0] ?? ""}`,
    ...options.map((one) => `// Setup: ${optionsText(one)}`),
    ...tensors,
    text,
  ].join("\n");
}
