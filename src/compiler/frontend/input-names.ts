// The inputs of a model file: what main calls them, and which one an option means.
import type { TensorData } from "../ir/tensor-data.ts";
import type { Options } from "../options.ts";
import { at } from "../../support/assert.ts";
import { freshName, nameSupply } from "../../support/name-supply.ts";

/** What stands between the words of a name in Relay's text; any other period or colon does not read back. */
const joints = /::(?=[\w/])|:(?=\d)|\.(?=[\w/])/;
const periodsAndColons = new RegExp(`(${joints.source})|[.:]`, "g");

/** The name of an input as Relay's text can hold it: most names stay. */
export function relayName(name: string): string {
  const plain = name
    .replace(/[^\w.:/]/g, "_")
    .replace(periodsAndColons, (_, joint: string | undefined) => joint ?? "_");
  return /^[A-Za-z_]/.test(plain) ? plain : `input_${plain}`;
}

/** The inputs of a file, and what options may call them: the file's own name goes before main's. */
export interface InputNames {
  /** What main calls them, in order. */
  readonly params: readonly string[];
  /** The number of the input that `given` means, -1 for none. */
  readonly find: (given: string) => number;
}

export function inputNames(files: readonly string[]): InputNames {
  const supply = nameSupply();
  const params = files.map((name) => freshName(supply, relayName(name)));
  const numbers = new Map(params.map((name, i) => [name, i]));
  for (let i = files.length - 1; i >= 0; i--) numbers.set(at(files, i, "input"), i);
  return { params, find: (given) => numbers.get(given) ?? -1 };
}

/** The options with main's names for the inputs that they name. */
export function withMainNames(names: InputNames, options: Options): Options {
  const main = (given: string): string => names.params[names.find(given)] ?? given;
  const renamed = <T>(record: Readonly<Record<string, T>>): Readonly<Record<string, T>> =>
    Object.fromEntries(Object.entries(record).map(([name, value]) => [main(name), value]));
  return {
    ...options,
    shapes: renamed(options.shapes),
    bindValues: renamed(options.bindValues),
    bindFill: options.bindFill.map(main),
  };
}

/** The same for values of inputs. */
export function valuesByMainName(
  names: InputNames,
  values: ReadonlyMap<string, TensorData>,
): ReadonlyMap<string, TensorData> {
  return new Map([...values].map(([name, value]) => [names.params[names.find(name)] ?? name, value]));
}
