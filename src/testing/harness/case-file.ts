// Case files: a Relay program under a comment header that ends in machine-readable lines (@input, @bind,
// @output, @run,
// @error, @exact). The form: cases/README of the folder that the `cases` command is given.
import { encodeBfloat16, encodeFloat16 } from "../../compiler/ir/float16.ts";
import { allocateArray, elementCount, tensorData, type TensorData } from "../../compiler/ir/tensor-data.ts";
import { parseDType } from "../../compiler/ir/dtype.ts";

export interface CaseRun {
  readonly inputs: ReadonlyMap<string, TensorData>;
  /** Flattened outputs in order. */
  readonly outputs: readonly TensorData[];
}

export interface CaseFile {
  /** "08". */
  readonly number: string;
  readonly slug: string;
  /** What the header says the right outcome is, one line. */
  readonly outcome: string;
  readonly runs: readonly CaseRun[];
  readonly binds: ReadonlyMap<string, TensorData>;
  /** Must be refused in this stage, with the span on this text. */
  readonly error: { readonly stage: "parse" | "infer"; readonly at: string } | null;
  /** Floats bit for bit. */
  readonly exact: boolean;
}

interface TensorLine {
  readonly name?: string;
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data?: readonly (number | string | boolean)[];
  readonly fill?: number | string;
}

/** Reads the header of `text`; `mark` starts a comment line. Throws Error for a line that it cannot read. */
export function readCase(text: string, mark: "//" | "#" = "//"): CaseFile {
  const lines = text
    .split("\n")
    .filter((line) => line.startsWith(`${mark} `))
    .map((line) => line.slice(mark.length + 1));
  const title = /^Case (\d+): (\S+)/.exec(lines[0] ?? "");
  if (title === null) throw new Error("the first line is not a case's title");
  const runs: { inputs: Map<string, TensorData>; outputs: TensorData[] }[] = [];
  const binds = new Map<string, TensorData>();
  const run = () => (runs.length === 0 ? startRun(runs) : runs[runs.length - 1]!);
  let error: CaseFile["error"] = null;
  let exact = false;
  for (const line of lines) {
    const [, word, rest = ""] = /^@(\w+)\s*(.*)$/.exec(line) ?? [];
    if (word === undefined) continue;
    if (word === "run") {
      if (runs.length === 0 || run().outputs.length > 0) startRun(runs);
    } else if (word === "exact") exact = true;
    else if (word === "error") error = JSON.parse(rest) as CaseFile["error"];
    else {
      const given = JSON.parse(rest) as TensorLine;
      if (word === "input") run().inputs.set(given.name!, tensorOf(given));
      else if (word === "bind") binds.set(given.name!, tensorOf(given));
      else if (word === "output") run().outputs.push(tensorOf(given));
      else throw new Error(`@${word} is not a line of a case`);
    }
  }
  return {
    number: title[1]!,
    slug: title[2]!,
    outcome: paragraph(lines, "Right outcome"),
    runs,
    binds,
    error,
    exact,
  };
}

/** The values that a script writes beside its model: inputs by name and outputs in order, a run each. */
export function readRuns(json: string): readonly CaseRun[] {
  const runs = JSON.parse(json) as readonly {
    readonly inputs: Readonly<Record<string, TensorLine>>;
    readonly outputs: readonly TensorLine[];
  }[];
  return runs.map((run) => ({
    inputs: new Map(Object.entries(run.inputs).map(([name, line]) => [name, tensorOf(line)])),
    outputs: run.outputs.map(tensorOf),
  }));
}

function startRun(runs: { inputs: Map<string, TensorData>; outputs: TensorData[] }[]) {
  const run = { inputs: new Map<string, TensorData>(), outputs: [] };
  runs.push(run);
  return run;
}

function paragraph(lines: readonly string[], label: string): string {
  const at = lines.findIndex((line) => line.startsWith(`${label}: `));
  if (at < 0) return "";
  const rest = lines.slice(at + 1);
  const end = rest.findIndex((line) => !line.startsWith("  "));
  return [lines[at]!.slice(label.length + 2), ...rest.slice(0, end).map((line) => line.trim())].join(" ");
}

function tensorOf(line: TensorLine): TensorData {
  const dtype = parseDType(line.dtype);
  if (dtype === null) throw new Error(`no dtype ${line.dtype}`);
  const count = elementCount(line.shape);
  const values = line.data ?? Array.from({ length: count }, (_, k) => fillValue(line.fill ?? 0, k));
  if (values.length !== count)
    throw new Error(`${values.length} values for shape (${line.shape.join(", ")})`);
  const array = allocateArray(dtype, count);
  values.forEach((value, i) => {
    if (array instanceof BigInt64Array || array instanceof BigUint64Array) array[i] = BigInt(value);
    else if (dtype.code === "bfloat") array[i] = encodeBfloat16(Number(value));
    else
      array[i] = dtype.code === "float" && dtype.bits === 16 ? encodeFloat16(Number(value)) : Number(value);
  });
  return tensorData(dtype, line.shape, array);
}

/** A constant, or an expression in the flat index k with + - * / // % and parentheses. */
function fillValue(fill: number | string, k: number): number {
  if (typeof fill === "number") return fill;
  const words = fill.match(/\d+(?:\.\d*)?(?:e[-+]?\d+)?|\/\/|[-+*/%()k]/gi) ?? [];
  const reader = { words, at: 0, k };
  const value = readSum(reader);
  if (reader.at < words.length) throw new Error(`fill cannot be read: ${fill}`);
  return value;
}

interface FillReader {
  readonly words: readonly string[];
  at: number;
  readonly k: number;
}

function readSum(reader: FillReader): number {
  let value = readProduct(reader);
  for (;;) {
    const word = reader.words[reader.at];
    if (word !== "+" && word !== "-") return value;
    reader.at++;
    const right = readProduct(reader);
    value = word === "+" ? value + right : value - right;
  }
}

function readProduct(reader: FillReader): number {
  let value = readFactor(reader);
  for (;;) {
    const word = reader.words[reader.at];
    if (word !== "*" && word !== "/" && word !== "//" && word !== "%") return value;
    reader.at++;
    const right = readFactor(reader);
    if (word === "*") value *= right;
    else if (word === "/") value /= right;
    else value = word === "//" ? Math.floor(value / right) : value - Math.floor(value / right) * right;
  }
}

function readFactor(reader: FillReader): number {
  const word = reader.words[reader.at++];
  if (word === "-") return -readFactor(reader);
  if (word === "k" || word === "K") return reader.k;
  if (word !== "(") return Number(word);
  const value = readSum(reader);
  if (reader.words[reader.at++] !== ")") throw new Error("fill lacks a parenthesis");
  return value;
}
