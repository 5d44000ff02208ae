// The tables of a TFLite file that importing needs. Tensor data stay views on the file.
// Source: tensorflow/lite/schema/schema.fbs (Model, SubGraph, Tensor, Operator, QuantizationParameters)
import type { DType } from "../../ir/dtype.ts";
import { elementTypes } from "../element-types.ts";
import { fail } from "../../ir/diagnostic.ts";
import {
  byte,
  bytesOf,
  child,
  children,
  fileBytes,
  flag,
  floats,
  int,
  ints,
  long,
  longs,
  rootTable,
  text,
  type FlatTable,
} from "./flatbuffer.ts";
import { customOperator, operatorName } from "./operator-names.ts";

/**
 * How integers stand for numbers: number = scale * (integer - zeroPoint), by channel along `axis` where there
 * are several.
 */
export interface Quant {
  readonly scale: Float32Array;
  readonly zeroPoint: readonly number[];
  readonly axis: number;
}

export interface TfTensor {
  readonly index: number;
  readonly name: string;
  readonly shape: readonly number[];
  /** The shape with -1 where a dimension is dynamic, or null. */
  readonly signature: readonly number[] | null;
  /** Null for what Relay has no dtype for; `typeName` is the file's word. */
  readonly dtype: DType | null;
  readonly typeName: string;
  /** The file's bytes, or null for what is computed. */
  readonly bytes: Uint8Array | null;
  readonly quant: Quant | null;
  readonly sparsity: FlatTable | null;
  readonly isVariable: boolean;
}

export interface TfOperator {
  /** "CONV_2D"; for custom operators the name that the model gives. */
  readonly op: string;
  readonly custom: boolean;
  /** Tensor numbers; -1 is an optional input that is left out. */
  readonly inputs: readonly number[];
  readonly outputs: readonly number[];
  readonly options: FlatTable | null;
  readonly customOptions: Uint8Array | null;
}

export interface TfGraph {
  readonly name: string;
  readonly tensors: readonly TfTensor[];
  readonly inputs: readonly number[];
  readonly outputs: readonly number[];
  /** In an order in which they can run. */
  readonly operators: readonly TfOperator[];
}

export interface TfModel {
  readonly version: number;
  readonly description: string;
  /** The first is the model; others are branches and bodies of its operators. */
  readonly graphs: readonly [TfGraph, ...TfGraph[]];
  readonly metadata: readonly { readonly name: string; readonly bytes: Uint8Array | null }[];
}

const types = elementTypes([
  ["FLOAT32", "float32"],
  ["FLOAT16", "float16"],
  ["INT32", "int32"],
  ["UINT8", "uint8"],
  ["INT64", "int64"],
  ["STRING", null],
  ["BOOL", "bool"],
  ["INT16", "int16"],
  ["COMPLEX64", null],
  ["INT8", "int8"],
  ["FLOAT64", "float64"],
  ["COMPLEX128", null],
  ["UINT64", "uint64"],
  ["RESOURCE", null],
  ["VARIANT", null],
  ["UINT32", "uint32"],
  ["UINT16", "uint16"],
  ["INT4", null],
]);

/** Reads the graphs of `bytes`. Throws CompileError RS1840 where the file is damaged or no TFLite model. */
export function readModel(bytes: Uint8Array): TfModel {
  const model = rootTable(bytes, "TFL3");
  const buffers = children(model, 4);
  const codes = children(model, 1).map(readCode);
  const [main, ...others] = children(model, 2).map((table) => readGraph(table, buffers, codes));
  if (main === undefined)
    return fail("RS1840", "The TFLite file holds no graph.", {
      expected: "at least one subgraph",
      got: "none",
    });
  return {
    version: int(model, 0),
    description: text(model, 3),
    graphs: [main, ...others],
    metadata: children(model, 6).map((table) => ({
      name: text(table, 0),
      bytes: bufferOf(buffers[int(table, 1)]),
    })),
  };
}

function readGraph(table: FlatTable, buffers: readonly FlatTable[], codes: readonly OperatorCode[]): TfGraph {
  return {
    name: text(table, 4),
    inputs: ints(table, 1) ?? [],
    outputs: ints(table, 2) ?? [],
    tensors: children(table, 0).map((tensor, index) => readTensor(tensor, index, buffers)),
    operators: children(table, 3).map((operator) => readOperator(operator, codes)),
  };
}

interface OperatorCode {
  readonly name: string;
  readonly custom: boolean;
}

/** The number is in a byte, in newer files (also) in an int: the greater of the two is meant. */
function readCode(table: FlatTable): OperatorCode {
  const code = Math.max(byte(table, 0), int(table, 3));
  return code === customOperator
    ? { name: text(table, 1), custom: true }
    : { name: operatorName(code), custom: false };
}

function readOperator(table: FlatTable, codes: readonly OperatorCode[]): TfOperator {
  const code = codes[int(table, 0)];
  if (code === undefined)
    return fail("RS1840", "The TFLite file is damaged: an operator has no code.", {
      expected: `a number below ${codes.length}`,
      got: String(int(table, 0)),
    });
  return {
    op: code.name,
    custom: code.custom,
    inputs: ints(table, 1) ?? [],
    outputs: ints(table, 2) ?? [],
    options: child(table, 4),
    customOptions: bytesOf(table, 5),
  };
}

function readTensor(table: FlatTable, index: number, buffers: readonly FlatTable[]): TfTensor {
  const code = byte(table, 1);
  const { word: typeName, dtype } = types[code] ?? { word: `type ${code}`, dtype: null };
  const shape = ints(table, 0) ?? [];
  if (shape.some((dim) => dim < 0))
    return fail("RS1840", "The TFLite file is damaged: a tensor has a negative dimension.", {
      expected: "dimensions of 0 or more",
      got: `(${shape.join(", ")})`,
    });
  return {
    index,
    name: text(table, 3),
    shape,
    signature: ints(table, 7),
    dtype,
    typeName,
    bytes: bufferOf(buffers[int(table, 2)]),
    quant: readQuant(child(table, 4)),
    sparsity: child(table, 6),
    isVariable: flag(table, 5),
  };
}

/** Buffers of very large files lie behind the tables. */
function bufferOf(table: FlatTable | undefined): Uint8Array | null {
  if (table === undefined) return null;
  const bytes = bytesOf(table, 0);
  if (bytes !== null && bytes.length > 0) return bytes;
  const at = long(table, 1);
  return at > 1 ? fileBytes(table, at, long(table, 2)) : null;
}

/** Null where the table gives only ranges, as that of a float tensor does. */
function readQuant(table: FlatTable | null): Quant | null {
  const scale = table === null ? null : floats(table, 2);
  if (table === null || scale === null || scale.every((value) => value === 0)) return null;
  const zeroPoint = (longs(table, 3) ?? []).map(Number);
  return {
    scale: Float32Array.from(scale),
    zeroPoint: zeroPoint.length === 0 ? [0] : zeroPoint,
    axis: int(table, 6),
  };
}
