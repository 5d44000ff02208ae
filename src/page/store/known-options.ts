// Options out of a file that anybody may have written: those that are what they should be, the defaults for
// the others. Pure.
import { defaultOptions, type Options, type TargetSpec } from "../../compiler/options.ts";

type Test<T> = (value: unknown) => value is T;

const isText: Test<string> = (value) => typeof value === "string";
const isFlag: Test<boolean> = (value) => typeof value === "boolean";
const isNumber: Test<number> = (value): value is number =>
  typeof value === "number" && Number.isFinite(value);
const oneOf =
  <T extends string | number>(...words: readonly T[]): Test<T> =>
  (value): value is T =>
    words.some((word) => word === value);
const listOf =
  <T>(item: Test<T>): Test<readonly T[]> =>
  (value): value is readonly T[] =>
    Array.isArray(value) && value.every(item);
const isRecord: Test<object> = (value): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const recordOf =
  <T>(item: Test<T>): Test<Readonly<Record<string, T>>> =>
  (value): value is Readonly<Record<string, T>> =>
    isRecord(value) && Object.values(value).every(item);
const isKind = oneOf("c", "wasm", "opencl");
const isTarget: Test<TargetSpec> = (value): value is TargetSpec =>
  isRecord(value) && "device" in value && isNumber(value.device) && "kind" in value && isKind(value.kind);

const tests: { readonly [K in keyof Options]: Test<Options[K]> } = {
  executor: oneOf("aot", "graph"),
  targets: (value): value is Options["targets"] => listOf(isTarget)(value) && value.length > 0,
  optLevel: oneOf(0, 1, 2, 3, 4),
  disabledPasses: listOf(isText),
  requiredPasses: listOf(isText),
  config: recordOf(isText),
  unpackedApi: isFlag,
  interfaceApi: oneOf("packed", "c"),
  linkParams: isFlag,
  modName: isText,
  shapes: recordOf(listOf(isNumber)),
  bindFill: listOf(isText),
  bindValues: recordOf(listOf(isNumber)),
  partition: listOf(isText),
  tfliteRounding: isFlag,
};

/** What of `given` is an option of this page; nothing else of it is kept. */
export function knownOptions(given: object): Options {
  const entries = Object.entries(given).filter(
    ([name, value]) => Object.hasOwn(tests, name) && tests[name as keyof Options](value),
  );
  return { ...defaultOptions, ...(Object.fromEntries(entries) as Partial<Options>) };
}
