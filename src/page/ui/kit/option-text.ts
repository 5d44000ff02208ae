// Options that are lists and records, as one line of text and back. Null: the text is not one. Pure.
import type { Options } from "../../../compiler/options.ts";

function parts(text: string, separator: string): string[] {
  return text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

/** Parts between semicolons, each an entry; null where one is none. */
function recordOf<T>(
  text: string,
  entry: (part: string) => readonly [string, T] | null,
): Readonly<Record<string, T>> | null {
  const entries: (readonly [string, T])[] = [];
  for (const part of parts(text, ";")) {
    const read = entry(part);
    if (read === null) return null;
    entries.push(read);
  }
  return Object.fromEntries(entries);
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
  return recordOf(text, (part) => {
    const [, name, extents] = /^%?([^=\s]+)\s*=\s*(\d+(?:\s*[x×,]\s*\d+)*)?$/.exec(part) ?? [];
    if (name === undefined) return null;
    return [name, extents === undefined ? [] : extents.split(/\s*[x×,]\s*/).map(Number)];
  });
}

/** "relay.fallback_device_type=4; tir.disable_vectorize=1", without the keys in `but`. */
export function configText(config: Options["config"], but: readonly string[]): string {
  return Object.entries(config)
    .filter(([key]) => !but.includes(key))
    .map(([key, value]) => `${key}=${value}`)
    .join("; ");
}

export function readConfig(text: string): Options["config"] | null {
  return recordOf(text, (part) => {
    const [, key, value] = /^([\w.]+)\s*=\s*(.*)$/.exec(part) ?? [];
    return key === undefined || value === undefined ? null : [key, value];
  });
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
  return recordOf(text, (part) => {
    const [, name, list] = /^%?([^=\s]+)\s*=\s*(.+)$/.exec(part) ?? [];
    const numbers = list === undefined ? null : readNumbers(list);
    return name === undefined || numbers === null || numbers.length === 0 ? null : [name, numbers];
  });
}
