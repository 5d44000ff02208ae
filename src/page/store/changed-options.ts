import { defaultOptions, type Options } from "../../compiler/options.ts";

/** The options that differ from the defaults. */
export function changedOptions(options: Options): Partial<Options> {
  const defaults = new Map<string, unknown>(Object.entries(defaultOptions));
  const entries = Object.entries(options).filter(
    ([key, value]) => JSON.stringify(value) !== JSON.stringify(defaults.get(key)),
  );
  return Object.fromEntries(entries);
}
