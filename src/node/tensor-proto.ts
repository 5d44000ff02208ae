// ONNX's .pb files: one TensorProto (an input or output of ONNX's own tests, `--input NAME=FILE.pb`).
import { decodeTensor } from "../compiler/frontend/onnx/model-proto.ts";
import { readTensor } from "../compiler/frontend/onnx/tensor.ts";
import { CompileError } from "../compiler/ir/diagnostic.ts";
import type { TensorData } from "../compiler/ir/tensor-data.ts";
import { UsageError } from "./usage-error.ts";

/** Reads one tensor. Throws UsageError naming `file` where it is not a TensorProto of numbers. */
export function readPb(bytes: Uint8Array, file: string): TensorData {
  try {
    return readTensor(decodeTensor(bytes), new Map());
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    throw new UsageError(`${file}: ${error.diagnostic.message} ${error.diagnostic.got ?? ""}`);
  }
}
