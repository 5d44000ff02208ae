// A compilation in words: which model, under which options. Pure.
import { defaultOptions, type Options } from "../../compiler/options.ts";
import { changedOptions } from "./changed-options.ts";

const named: ReadonlySet<keyof Options> = new Set([
  "optLevel",
  "executor",
  "disabledPasses",
  "requiredPasses",
]);

/** "O3, aot, AlterOpLayout on, 2 more options". */
export function optionWords(options: Options): string {
  const on = defaultOptions.disabledPasses.filter((pass) => !options.disabledPasses.includes(pass));
  const off = options.disabledPasses.filter((pass) => !defaultOptions.disabledPasses.includes(pass));
  const required = options.requiredPasses.filter((pass) => !on.includes(pass));
  const more = Object.keys(changedOptions(options)).filter((key) => !named.has(key as keyof Options)).length;
  return [
    `O${options.optLevel}`,
    options.executor,
    ...on.map((pass) => `${pass} on`),
    ...off.map((pass) => `${pass} off`),
    ...required.map((pass) => `${pass} required`),
    ...(more === 0 ? [] : [`${more} more option${more === 1 ? "" : "s"}`]),
  ].join(", ");
}
