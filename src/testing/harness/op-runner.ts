// Runs one call of an operator on filled inputs: type relation, compute, its schedule, the TIR interpreter.
import { invariant } from "../../support/assert.ts";
import { completeAttrs, type Attrs } from "../../compiler/ir/attrs.ts";
import type { Diagnostic } from "../../compiler/ir/diagnostic.ts";
import { diagnostic } from "../../compiler/ir/diagnostic.ts";
import { parseDType, type DType } from "../../compiler/ir/dtype.ts";
import { decodeFloat16, encodeFloat16 } from "../../compiler/ir/float16.ts";
import type { TypeReporter } from "../../compiler/ir/op.ts";
import { synthetic } from "../../compiler/ir/origin.ts";
import { allocateArray, elementCount, type TensorArray } from "../../compiler/ir/tensor-data.ts";
import {
  anyDim,
  flattenTensorTypes,
  sameDim,
  sameType,
  staticShape,
  tensorType,
  tupleType,
  type Dim,
  type TensorType,
  type Type,
} from "../../compiler/ir/type.ts";
import { computeContext, type Example, type Op } from "../../compiler/ops/define.ts";
import { ops } from "../../compiler/ops/index.ts";
import { placeholder } from "../../compiler/te/compute.ts";
import { lowerSchedule } from "../../compiler/te/lower.ts";
import { createSchedule } from "../../compiler/te/schedule.ts";
import type { Tensor } from "../../compiler/te/tensor.ts";
import { constInt } from "../../compiler/tir/build.ts";
import { interpret } from "../../compiler/tir/interp/interp.ts";

const origin = synthetic("test");

/** "Tensor[(1, ?), float32]", "float32", "(Tensor[...], Tensor[...])", "?" for a hole. */
export function parseTypeText(text: string): Type {
  const trimmed = text.trim();
  if (trimmed === "?") return { kind: "incomplete-type" };
  if (trimmed.startsWith("(")) return tupleType(splitTop(trimmed.slice(1, -1)).map(parseTypeText));
  const match = /^Tensor\[\(([^)]*)\), (\w+)\]$/.exec(trimmed);
  const dtype = parseDType(match?.[2] ?? trimmed);
  invariant(dtype !== null, `a type, not ${text}`);
  const dims = (match?.[1] ?? "")
    .split(",")
    .map((dim) => dim.trim())
    .filter((dim) => dim !== "");
  return tensorType(
    dims.map((dim): Dim => (dim === "?" ? anyDim : Number(dim))),
    dtype,
  );
}

function splitTop(text: string): string[] {
  const parts: string[] = [""];
  let depth = 0;
  for (const char of text) {
    if (char === "(" || char === "[") depth++;
    if (char === ")" || char === "]") depth--;
    if (char === "," && depth === 0) parts.push("");
    else parts[parts.length - 1] += char;
  }
  return parts.filter((part) => part.trim() !== "");
}

export interface Typed {
  readonly type: Type | null;
  readonly diagnostics: readonly Diagnostic[];
  /** What holes among the arguments were filled with, by argument index. */
  readonly filled: ReadonlyMap<number, Type>;
}

export function opNamed(name: string): Op {
  const op = ops.get(name);
  invariant(op !== undefined, `no operator ${name}`);
  return op;
}

/** The relation's answer for argument types given as text. */
export function typeOfCall(name: string, args: readonly string[], attrs: Attrs = {}): Typed {
  const op = opNamed(name);
  const types = args.map(parseTypeText);
  const diagnostics: Diagnostic[] = [];
  const filled = new Map<number, Type>();
  const reporter: TypeReporter = {
    unify: (a, b) => {
      const at = types.indexOf(a);
      if (a.kind === "incomplete-type") filled.set(at, b);
      return a.kind === "incomplete-type" || sameType(a, b);
    },
    dimEqual: (a, b) => sameDim(a, b) || [a, b].some((dim) => typeof dim !== "number" && dim.kind === "any"),
    error: (code, message, parts) => {
      diagnostics.push(diagnostic(code, message, parts));
      return null;
    },
  };
  return { type: op.relation(types, completeAttrs(op.attrs, attrs), reporter), diagnostics, filled };
}

/** A tensor as plain numbers: what references read and give. */
export interface Nd {
  readonly shape: readonly number[];
  readonly values: readonly number[];
}

/** The element of `nd` at `indices`. */
export function at(nd: Nd, ...indices: readonly number[]): number {
  const flat = indices.reduce((a, index, i) => a * nd.shape[i]! + index, 0);
  return nd.values[flat]!;
}

/** A tensor whose element at every index is f(index). */
export function build(shape: readonly number[], f: (index: readonly number[]) => number): Nd {
  const values = Array.from({ length: elementCount(shape) }, (_, flat) => {
    const index = new Array<number>(shape.length);
    let rest = flat;
    for (let i = shape.length - 1; i >= 0; i--) {
      index[i] = rest % shape[i]!;
      rest = Math.floor(rest / shape[i]!);
    }
    return f(index);
  });
  return { shape, values };
}

/** Sum of f over 0 … n-1. */
export function total(n: number, f: (i: number) => number): number {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += f(i);
  return sum;
}

/** Mixed signs, no element twice in a row, floats within -1 … 1 and never 0. */
function fillArray(type: TensorType, seed: number): TensorArray {
  const count = elementCount(staticShape(type)!);
  const data = allocateArray(type.dtype, count);
  for (let i = 0; i < count; i++) {
    const x = (Math.imul(i + 1, 2654435761) + Math.imul(seed + 1, 40503)) >>> 8;
    if (type.dtype.code === "bool") data[i] = x & 1;
    else if (data instanceof BigInt64Array || data instanceof BigUint64Array)
      data[i] = BigInt((x % 17) - (type.dtype.code === "int" ? 8 : 0));
    else if (type.dtype.code === "int" || type.dtype.code === "uint")
      data[i] = (x % 17) - (type.dtype.code === "int" ? 8 : 0);
    else
      data[i] =
        type.dtype.bits === 16 ? encodeFloat16((x % 2048) / 1024 - 0.9995) : (x % 4096) / 2048 - 0.99975;
  }
  return data;
}

function numbers(data: TensorArray, dtype: DType): number[] {
  return Array.from(data as ArrayLike<number | bigint>, (value) =>
    dtype.code === "float" && dtype.bits === 16 ? decodeFloat16(Number(value)) : Number(value),
  );
}

export interface Ran {
  readonly ins: readonly Nd[];
  readonly outs: readonly Nd[];
  readonly outTypes: readonly TensorType[];
}

export interface RunOptions {
  /** Values in place of the filled ones, by flattened input. */
  readonly values?: ReadonlyMap<number, readonly number[]>;
  /** "recipe" uses the operator's schedule, "plain" row-major loops for every stage. */
  readonly schedule?: "recipe" | "plain";
  readonly target?: "c" | "wasm";
}

/** The te tensors of a call. */
export function computeCall(
  name: string,
  example: Example,
  target: "c" | "wasm" = "c",
): {
  readonly inputs: Tensor[];
  readonly outs: readonly Tensor[];
  readonly inTypes: TensorType[];
  readonly outTypes: TensorType[];
} {
  const op = opNamed(name);
  const typed = typeOfCall(name, example.args, example.attrs);
  invariant(
    typed.type !== null && op.compute !== null,
    `${name} ${example.name}: ${typed.diagnostics.map((d) => d.message).join("; ")}`,
  );
  const argTypes = example.args.map(parseTypeText);
  const inTypes = argTypes.flatMap(flattenTensorTypes);
  const outTypes =
    example.results?.map(parseTypeText).flatMap(flattenTensorTypes) ?? flattenTensorTypes(typed.type);
  const inputs = inTypes.map((type, i) => placeholder(staticShape(type)!, type.dtype, { name: `p${i}` }));
  const outs = op.compute(
    inputs,
    completeAttrs(op.attrs, example.attrs ?? {}),
    computeContext({ ins: inputs, argTypes, outTypes, origin, target }),
  );
  return { inputs, outs, inTypes, outTypes };
}

/** Runs a call; the inputs it was given and the outputs, as plain numbers. */
export function runCall(name: string, example: Example, options: RunOptions = {}): Ran {
  const op = opNamed(name);
  const target = options.target ?? "c";
  const { inputs, outs, inTypes, outTypes } = computeCall(name, example, target);
  const schedule = createSchedule(outs);
  if (options.schedule !== "plain" && op.schedule !== null)
    op.schedule(schedule, outs, { target, anchor: outs });
  const f = lowerSchedule(schedule, { name: "f", inputs, outputs: outs, origin });
  const data = inTypes.map((type, i) => {
    const array = fillArray(type, i);
    (options.values?.get(i) ?? example.values?.[i])?.forEach((value, k) => {
      array[k] = array instanceof BigInt64Array || array instanceof BigUint64Array ? BigInt(value) : value;
    });
    return array;
  });
  const results = outs.map((out) =>
    allocateArray(out.dtype, elementCount(out.shape.map((extent) => constInt(extent)!))),
  );
  interpret(f, [...data, ...results]);
  return {
    ins: data.map((array, i) => ({
      shape: staticShape(inTypes[i]!)!,
      values: numbers(array, inTypes[i]!.dtype),
    })),
    outs: results.map((array, i) => ({
      shape: staticShape(outTypes[i]!)!,
      values: numbers(array, outTypes[i]!.dtype),
    })),
    outTypes,
  };
}

/** Whether the values agree within float32's rounding; the first disagreement as text, else null. */
export function disagreement(got: Nd, wanted: Nd, tolerance = 1e-5): string | null {
  if (got.shape.join() !== wanted.shape.join())
    return `shape (${got.shape.join(", ")}) instead of (${wanted.shape.join(", ")})`;
  const peak = wanted.values.reduce((a, v) => (Number.isFinite(v) ? Math.max(a, Math.abs(v)) : a), 0);
  for (const [i, value] of wanted.values.entries()) {
    const other = got.values[i]!;
    if (Object.is(value, other) || value === other) continue;
    if (
      Number.isFinite(value) &&
      Math.abs(value - other) <= tolerance * Math.max(Math.abs(value), peak, 1e-3)
    )
      continue;
    return `element ${i} is ${other} instead of ${value}`;
  }
  return null;
}
