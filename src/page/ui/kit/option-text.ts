// Options that are lists and records, as one line of text and back. Null: the text is not one. Pure.
import { defaultOptions, type Options } from "../../../compiler/options.ts";

function parts(text: string, separator: string): string[] {
  return text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

export function listText(items: readonly string[]): string {
  return items.join(", ");
}

export function readNames(text: string): readonly string[] | null {
  const names = parts(text, ",");
  return names.every((name) => /^[\w.:/%-]+$/.test(name))
    ? names.map((name) => name.replace(/^%/, ""))
    : null;
}

/** "ccompiler; other=add,multiply". */
export function partitionText(items: readonly string[]): string {
  return items.join("; ");
}

export function readPartition(text: string): readonly string[] | null {
  const items = parts(text, ";").map((item) => item.replace(/\s+/g, ""));
  return items.every((item) => /^[A-Za-z_]\w*(=[\w.]+(,[\w.]+)*)?$/.test(item)) ? items : null;
}

/** "x=1x3x224x224; mask=1x8". */
export function shapesText(shapes: Options["shapes"]): string {
  return Object.entries(shapes)
    .map(([name, shape]) => `${name}=${shape.join("x")}`)
    .join("; ");
}

export function readShapes(text: string): Options["shapes"] | null {
  const entries = parts(text, ";").map((part): readonly [string, readonly number[]] | null => {
    const found = /^%?([^=\s]+)\s*=\s*(\d+(?:\s*[x×,]\s*\d+)*)?$/.exec(part);
    return found === null
      ? null
      : [found[1]!, found[2] === undefined ? [] : found[2].split(/\s*[x×,]\s*/).map(Number)];
  });
  return entries.includes(null)
    ? null
    : Object.fromEntries(entries as (readonly [string, readonly number[]])[]);
}

/** "relay.fallback_device_type=4; tir.disable_vectorize=1", without the keys in `but`. */
export function configText(config: Options["config"], but: readonly string[]): string {
  return Object.entries(config)
    .filter(([key]) => !but.includes(key))
    .map(([key, value]) => `${key}=${value}`)
    .join("; ");
}

export function readConfig(text: string): Options["config"] | null {
  const entries = parts(text, ";").map((part) => /^([\w.]+)\s*=\s*(.*)$/.exec(part));
  return entries.every((found) => found !== null)
    ? Object.fromEntries(entries.map((found) => [found![1]!, found![2]!]))
    : null;
}

/** "sr=16000; k=1, 2". */
export function valuesText(values: Options["bindValues"]): string {
  return Object.entries(values)
    .map(([name, numbers]) => `${name}=${numbers.join(", ")}`)
    .join("; ");
}

export function readNumbers(text: string): readonly number[] | null {
  const numbers = parts(text, ",").map(Number);
  return numbers.every(Number.isFinite) ? numbers : null;
}

export function readValues(text: string): Options["bindValues"] | null {
  const entries = parts(text, ";").map((part): readonly [string, readonly number[]] | null => {
    const found = /^%?([^=\s]+)\s*=\s*(.+)$/.exec(part);
    const numbers = found === null ? null : readNumbers(found[2]!);
    return found === null || numbers === null || numbers.length === 0 ? null : [found[1]!, numbers];
  });
  return entries.includes(null)
    ? null
    : Object.fromEntries(entries as (readonly [string, readonly number[]])[]);
}

/** The options that differ from the defaults. */
export function changedOptions(options: Options): Partial<Options> {
  const entries = Object.entries(options).filter(
    ([key, value]) => JSON.stringify(value) !== JSON.stringify(defaultOptions[key as keyof Options]),
  );
  return Object.fromEntries(entries);
}
