// TFLite files of one operator, and what importing and running them gives.
import { expect } from "vitest";
import { relayContext } from "./relay-text.ts";
import { ops } from "../../compiler/ops/index.ts";
import { inferType } from "../../compiler/relay/passes/infer-type/infer-type.ts";
import { printModule } from "../../compiler/relay/text/print.ts";
import { runRelay, withJit } from "./relay-run.ts";
import { tfliteFile, type FlatFields, type OperatorSpec, type TensorSpec } from "./tflite-writer.ts";
import { defaultOptions, type Options } from "../../compiler/options.ts";
import { tensorData, type TensorArray, type TensorData } from "../../compiler/ir/tensor-data.ts";
import type { RelayContext } from "../../compiler/relay/op.ts";
import { runRelayPrefix } from "../../compiler/relay/pass-list.ts";
import type { Imported } from "../../compiler/frontend/model-file.ts";
import { importTflite } from "../../compiler/frontend/tflite/import.ts";

export function context(options: Options = defaultOptions): RelayContext {
  return withJit({ ...relayContext(), options });
}

export function importBytes(bytes: Uint8Array, cx: RelayContext = context()): Imported | null {
  return importTflite({ name: "model.tflite", bytes, files: new Map() }, cx);
}

export function imported(bytes: Uint8Array, cx: RelayContext = context()): Imported {
  const found = importBytes(bytes, cx);
  if (found === null)
    throw new Error(
      cx.diagnostics.map((d) => `${d.code} ${d.message} (${d.expected ?? ""}; ${d.got ?? ""})`).join("\n"),
    );
  return found;
}

export const codes = {
  ADD: 0,
  AVERAGE_POOL_2D: 1,
  CONCATENATION: 2,
  CONV_2D: 3,
  DEPTHWISE_CONV_2D: 4,
  DEQUANTIZE: 6,
  FULLY_CONNECTED: 9,
  LOGISTIC: 14,
  LSTM: 16,
  RELU: 19,
  RESHAPE: 22,
  RESIZE_BILINEAR: 23,
  SOFTMAX: 25,
  PAD: 34,
  GATHER: 36,
  MEAN: 40,
  STRIDED_SLICE: 45,
  SPLIT: 49,
  PRELU: 54,
  TRANSPOSE_CONV: 67,
  SHAPE: 77,
  PACK: 83,
  UNPACK: 88,
  LEAKY_RELU: 98,
  SPLIT_V: 102,
  QUANTIZE: 114,
  HARD_SWISH: 117,
  IF: 118,
  DENSIFY: 124,
  BATCH_MATMUL: 126,
  GELU: 150,
} as const;

export const f32 = (name: string, shape: readonly number[], data?: readonly number[]): TensorSpec => ({
  name,
  shape,
  type: "float32",
  ...(data === undefined ? {} : { data: Float32Array.from(data) }),
});
export const i32 = (
  name: string,
  data: readonly number[],
  shape: readonly number[] = [data.length],
): TensorSpec => ({ name, shape, type: "int32", data: Int32Array.from(data) });

/**
 * One operator on the model's inputs (tensors without data) and constants; further tensors are its outputs.
 */
export function single(
  op: string,
  ins: readonly TensorSpec[],
  outs: readonly TensorSpec[],
  options?: FlatFields,
  custom?: Uint8Array,
): Uint8Array {
  const operator: OperatorSpec = {
    code: (codes as Record<string, number>)[op] ?? op,
    inputs: ins.map((_, i) => i),
    outputs: outs.map((_, i) => ins.length + i),
    ...(options === undefined ? {} : { options }),
    ...(custom === undefined ? {} : { custom }),
  };
  return tfliteFile({
    tensors: [...ins, ...outs],
    inputs: ins.flatMap((tensor, i) => (tensor.data === undefined ? [i] : [])),
    outputs: operator.outputs,
    operators: [operator],
  });
}

/** Values of the outputs, inputs given in the order of the file. */
export function run(
  bytes: Uint8Array,
  inputs: readonly TensorArray[],
  shapes: Options["shapes"] = {},
  tfliteRounding = false,
): readonly (readonly number[])[] {
  const cx = context({ ...defaultOptions, shapes, tfliteRounding });
  const { module } = imported(bytes, cx);
  const main = runRelayPrefix(inferType.run(module, cx), cx).functions.get("main")!;
  const values = main.params.map((param, i): TensorData => {
    const type = param.annotation;
    if (type?.kind !== "tensor-type") throw new Error("a tensor");
    return tensorData(type.dtype, type.shape as number[], inputs[i]!);
  });
  return runRelay(main, values, cx).map((out) => Array.from(out.data as ArrayLike<number | bigint>, Number));
}

export const floats = (...values: readonly number[]): Float32Array => Float32Array.from(values);
export const ramp = (count: number, from = 0): Float32Array =>
  Float32Array.from({ length: count }, (_, i) => from + i);

/** The lines of main's body, without metadata. */
export function relayOf(bytes: Uint8Array): readonly string[] {
  const cx = context();
  const module = inferType.run(imported(bytes, cx).module, cx);
  expect(cx.diagnostics.filter((d) => d.severity === "error")).toEqual([]);
  const text = printModule(module, { ops, showMeta: false }).text;
  return text
    .slice(text.indexOf("{\n") + 2, text.indexOf("\n}"))
    .split("\n")
    .map((line) => line.trim().replaceAll(/ \/\* ty=.*?\*\//g, ""));
}
