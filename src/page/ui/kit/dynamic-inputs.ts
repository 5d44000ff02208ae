// Inputs of main whose dimensions are not all known, the guesses that fields start with, and what was typed
// as shapes. Pure.
import { own } from "../../../support/own.ts";
import { at } from "../../../support/assert.ts";
import type { DimView, Summary } from "../../../protocol/compile.ts";
import type { Options } from "../../../compiler/options.ts";

export interface DynamicInput {
  /** As options.shapes names it. */
  readonly name: string;
  /** As the compiled main names it. */
  readonly relayName: string;
  readonly dtype: string;
  readonly dims: readonly DimView[];
}

function isDynamic({ dims }: DynamicInput): boolean {
  return dims.some(({ extent }) => extent === null);
}

/**
 * Of a file, as the file states them, however options.shapes fixes them; of Relay text, those that are
 * dynamic after compiling.
 */
export function dynamicInputs(summary: Summary): readonly DynamicInput[] {
  if (summary.model !== null) {
    return summary.model.inputs
      .flatMap(({ name, relayName, dtype, dims }) =>
        dims === null ? [] : [{ name, relayName, dtype, dims }],
      )
      .filter(isDynamic);
  }
  return summary.dynamicInputs.map(({ name, dtype, dims }) => ({
    name,
    relayName: name,
    dtype,
    dims: dims.map((extent) => ({ extent, symbol: "" })),
  }));
}

/** Inputs of a file that may decide shapes and branches by their values: a few whole numbers. */
export function valueInputs(summary: Summary): readonly string[] {
  return (summary.model?.inputs ?? [])
    .filter(
      ({ isWhole, dims }) => isWhole && dims !== null && dims.length <= 1 && (dims[0]?.extent ?? 1) <= 8,
    )
    .map(({ name }) => name);
}

/** What a dynamic dimension most likely is: a batch of 1, pictures of 224×224 with 3 channels. */
export function guess(dims: readonly DimView[], index: number): number {
  const batch =
    index === 0 ||
    (dims.length !== 4 && dims.slice(0, index).every(({ extent }) => extent !== null && extent !== 1));
  if (batch) return 1;
  if (dims.length !== 4) return 16;
  const channelsLast = dims[3]?.extent != null && dims[3].extent <= 4;
  if (channelsLast) return 224;
  return index === 1 ? 3 : 224;
}

/** Under which a field's text is kept. */
export function fieldKey(input: DynamicInput, index: number): string {
  const { symbol } = at(input.dims, index, "dimension");
  return symbol === "" ? `${input.name}.${index}` : symbol;
}

type FieldTexts = Readonly<Record<string, string>>;

export function fieldText(
  input: DynamicInput,
  index: number,
  typed: FieldTexts,
  shapes: Options["shapes"],
): string {
  const given = (own(shapes, input.name) ?? own(shapes, input.relayName))?.[index];
  return own(typed, fieldKey(input, index)) ?? String(given ?? guess(input.dims, index));
}

export function isExtent(text: string): boolean {
  return /^\d{1,9}$/.test(text.trim());
}

/** The shapes that the fields say, by `name` of each input; null where one of them is no number. */
export function typedShapes(
  inputs: readonly DynamicInput[],
  typed: FieldTexts,
  shapes: Options["shapes"],
  name: "name" | "relayName",
): Record<string, readonly number[]> | null {
  const entries: [string, readonly number[]][] = [];
  for (const input of inputs) {
    const texts = input.dims.map(({ extent }, index) =>
      extent === null ? fieldText(input, index, typed, shapes) : String(extent),
    );
    if (!texts.every(isExtent)) return null;
    entries.push([input[name], texts.map(Number)]);
  }
  return Object.fromEntries(entries);
}

/** Equal neighbours counted: ["a", "a", "b"] -> [["a", 2], ["b", 1]]. */
export function runsOf(words: readonly string[]): (readonly [word: string, times: number])[] {
  const runs: [string, number][] = [];
  for (const word of words) {
    const last = runs.at(-1);
    if (last?.[0] === word) last[1]++;
    else runs.push([word, 1]);
  }
  return runs;
}
