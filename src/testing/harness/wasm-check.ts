// Differential check: a PrimFunc means the same to the TIR interpreter and to the WebAssembly back end.
import wabt from "wabt";
import { emitWasm, type WasmOptions } from "../../compiler/codegen/wasm/module.ts";
import type { LoweredPrimitive } from "../../compiler/executor/plan.ts";
import type { DType } from "../../compiler/ir/dtype.ts";
import { decodeBfloat16, decodeFloat16, encodeBfloat16, encodeFloat16 } from "../../compiler/ir/float16.ts";
import {
  allocateArray,
  elementCount,
  tensorData,
  type TensorArray,
  type TensorData,
} from "../../compiler/ir/tensor-data.ts";
import { tensorType } from "../../compiler/ir/type.ts";
import { interpret } from "../../compiler/tir/interp/interp.ts";
import type { PrimFunc } from "../../compiler/tir/prim-func.ts";
import type { Buffer } from "../../compiler/tir/expr.ts";
import { runPrimitive } from "../../runtime/jit.ts";
import { invariant } from "../../support/assert.ts";

const tools = await wabt();
const features = {
  simd: true,
  relaxed_simd: true,
  bulk_memory: true,
  sat_float_to_int: true,
  sign_extension: true,
  mutable_globals: true,
};

export function shapeOf(buffer: Buffer): number[] {
  return buffer.shape.map((dim) => {
    invariant(dim.kind === "int", `${buffer.name} has a constant shape`);
    return Number(dim.value);
  });
}

/** The primitive that a PrimFunc would be on both targets. */
export function asPrimitive(f: PrimFunc): LoweredPrimitive {
  const types = f.params.map((param) => tensorType(shapeOf(param), param.dtype));
  return {
    index: 0,
    name: f.name,
    symbol: f.name,
    ops: [],
    inputTypes: types.slice(0, f.inputCount),
    outputTypes: types.slice(f.inputCount),
    forC: f,
    forWasm: f,
    callSites: 1,
    cacheKey: "",
    device: 1,
    external: null,
    isCopy: false,
    origin: f.origin,
  } as LoweredPrimitive;
}

/** Deterministic values: whole numbers for integers, eighths in about [-4, 4] for floats. */
export function sampleArray(dtype: DType, count: number, seed: number): TensorArray {
  const data = allocateArray(dtype, count) as { [i: number]: number | bigint; length: number };
  let state = (seed * 2654435761 + 12345) >>> 0;
  for (let i = 0; i < count; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const draw = state >>> 8;
    const whole = dtype.code === "uint" ? draw % 200 : (draw % 201) - 100;
    if (dtype.code === "bool") data[i] = draw & 1;
    else if (dtype.code === "float" || dtype.code === "bfloat")
      data[i] = encodeFloat(dtype, ((draw % 4001) - 2000) / 512);
    else data[i] = dtype.bits === 64 ? BigInt(whole) : whole;
  }
  return data as unknown as TensorArray;
}

function encodeFloat(dtype: DType, value: number): number {
  if (dtype.bits > 16) return value;
  return dtype.code === "bfloat" ? encodeBfloat16(value) : encodeFloat16(value);
}

function decode(dtype: DType, raw: number | bigint): number {
  if (dtype.code === "bfloat") return decodeBfloat16(Number(raw));
  return dtype.code === "float" && dtype.bits === 16 ? decodeFloat16(Number(raw)) : Number(raw);
}

export interface CheckOptions extends WasmOptions {
  /** Allowed difference relative to the larger of 1 and the value. 0 = the same bits. */
  readonly tolerance?: number;
  readonly inputs?: readonly TensorArray[];
  /** What the interpreter runs, if not `f` (the same function before some passes). Same parameters. */
  readonly reference?: PrimFunc;
}

/** Throws where interpreter and WebAssembly differ, or where wabt refuses the module. */
export function checkPrimFunc(
  f: PrimFunc,
  options: CheckOptions = {},
): { readonly wat: string; readonly outputs: readonly TensorData[] } {
  const primitive = asPrimitive(f);
  const module = emitWasm([primitive], null, null, options);
  const read = tools.readWasm(module.bytes.slice(), { ...features, readDebugNames: true });
  read.validate();
  read.destroy();
  const wat = module.wat().text;
  const parsed = tools.parseWat("listing.wat", wat, features);
  parsed.validate();
  parsed.destroy();
  const inputs = sampleInputs(f, options);
  const expected = interpretOn(options.reference ?? f, inputs);
  const outputs = runPrimitive(
    primitive,
    inputs.map((data, i) => tensorData(f.params[i]!.dtype, shapeOf(f.params[i]!), data)),
    options,
  );
  outputs.forEach((output, o) => compare(f, output, expected[o]!, options.tolerance ?? 0, wat));
  return { wat, outputs };
}

function sampleInputs(f: PrimFunc, options: CheckOptions): readonly TensorArray[] {
  return f.params
    .slice(0, f.inputCount)
    .map((param, i) => options.inputs?.[i] ?? sampleArray(param.dtype, elementCount(shapeOf(param)), i + 1));
}

function interpretOn(f: PrimFunc, inputs: readonly TensorArray[]): readonly TensorArray[] {
  const outputs = f.params
    .slice(f.inputCount)
    .map((param) => allocateArray(param.dtype, elementCount(shapeOf(param))));
  interpret(f, [...inputs, ...outputs]);
  return outputs;
}

/**
 * Throws where the interpreter gives another result for `f` than for `reference` (the same function before
 * some passes).
 */
export function checkSame(f: PrimFunc, reference: PrimFunc, tolerance: number): void {
  const inputs = sampleInputs(f, {});
  const expected = interpretOn(reference, inputs);
  interpretOn(f, inputs).forEach((data, i) => {
    const param = f.params[f.inputCount + i]!;
    compare(f, tensorData(param.dtype, shapeOf(param), data), expected[i]!, tolerance, "");
  });
}

function compare(
  f: PrimFunc,
  output: TensorData,
  expected: TensorArray,
  tolerance: number,
  wat: string,
): void {
  for (let i = 0; i < expected.length; i++) {
    const got = decode(output.dtype, output.data[i]!);
    const want = decode(output.dtype, expected[i]!);
    if (Object.is(got, want) || got === want || output.data[i] === expected[i]) continue;
    if (Number.isFinite(want) && Math.abs(got - want) <= tolerance * Math.max(1, Math.abs(want))) continue;
    throw new Error(
      `${f.name}: element ${i} of ${output.dtype.name} is ${got} in WebAssembly, ${want} in the interpreter\n${wat.slice(0, 4000)}`,
    );
  }
}
