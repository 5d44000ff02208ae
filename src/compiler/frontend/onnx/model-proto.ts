// The messages of an ONNX file that the importer reads, as field tables. Fields left out are skipped
// (documentation, training, quantisation annotations).  Format: onnx/onnx.proto
import { decode, message, type Message } from "./protobuf.ts";

interface EntryProto {
  readonly key: string;
  readonly value: string;
}

export interface TensorProto {
  readonly dims: readonly number[];
  readonly data_type: number;
  readonly float_data: ArrayLike<number>;
  readonly int32_data: ArrayLike<number>;
  readonly string_data: readonly Uint8Array[];
  readonly int64_data: ArrayLike<bigint>;
  readonly name: string;
  /** A view on the file. */
  readonly raw_data: Uint8Array | null;
  readonly double_data: ArrayLike<number>;
  readonly uint64_data: ArrayLike<bigint>;
  readonly external_data: readonly EntryProto[];
  /** 1: in another file, named by external_data. */
  readonly data_location: number;
}

export interface SparseTensorProto {
  readonly values: TensorProto | null;
  readonly indices: TensorProto | null;
  readonly dims: readonly number[];
}

export interface AttributeProto {
  readonly name: string;
  readonly ref_attr_name: string;
  readonly type: number;
  readonly f: number;
  readonly i: number;
  readonly s: Uint8Array | null;
  readonly t: TensorProto | null;
  readonly g: GraphProto | null;
  readonly sparse_tensor: SparseTensorProto | null;
  readonly tp: TypeProto | null;
  readonly floats: ArrayLike<number>;
  readonly ints: readonly number[];
  readonly strings: readonly Uint8Array[];
}

export interface NodeProto {
  readonly input: readonly string[];
  readonly output: readonly string[];
  readonly name: string;
  readonly op_type: string;
  readonly attribute: readonly AttributeProto[];
  readonly domain: string;
}

export interface DimensionProto {
  /** 0 where absent: ONNX's exporters mean "unknown" by it too. */
  readonly dim_value: number;
  readonly dim_param: string;
}

interface TensorTypeProto {
  readonly elem_type: number;
  readonly shape: { readonly dim: readonly DimensionProto[] } | null;
}

export interface TypeProto {
  readonly tensor_type: TensorTypeProto | null;
  readonly sequence_type: { readonly elem_type: TypeProto | null } | null;
  readonly map_type: object | null;
  readonly sparse_tensor_type: object | null;
  readonly optional_type: { readonly elem_type: TypeProto | null } | null;
}

export interface ValueInfoProto {
  readonly name: string;
  readonly type: TypeProto | null;
}

export interface GraphProto {
  readonly node: readonly NodeProto[];
  readonly name: string;
  readonly initializer: readonly TensorProto[];
  readonly sparse_initializer: readonly SparseTensorProto[];
  readonly input: readonly ValueInfoProto[];
  readonly output: readonly ValueInfoProto[];
}

interface OperatorSetProto {
  readonly domain: string;
  readonly version: number;
}

export interface FunctionProto {
  readonly name: string;
  readonly input: readonly string[];
  readonly output: readonly string[];
  readonly attribute: readonly string[];
  readonly node: readonly NodeProto[];
  readonly opset_import: readonly OperatorSetProto[];
  readonly domain: string;
}

export interface ModelProto {
  readonly ir_version: number;
  readonly producer_name: string;
  readonly producer_version: string;
  readonly domain: string;
  readonly model_version: number;
  readonly graph: GraphProto | null;
  readonly opset_import: readonly OperatorSetProto[];
  readonly metadata_props: readonly EntryProto[];
  readonly functions: readonly FunctionProto[];
}

const entry = message<EntryProto>("StringStringEntryProto", {
  1: { name: "key", kind: "text" },
  2: { name: "value", kind: "text" },
});

const tensor = message<TensorProto>("TensorProto", {
  1: { name: "dims", kind: "ints" },
  2: { name: "data_type", kind: "int" },
  4: { name: "float_data", kind: "floats" },
  5: { name: "int32_data", kind: "int32s" },
  6: { name: "string_data", kind: "byteses" },
  7: { name: "int64_data", kind: "int64s" },
  8: { name: "name", kind: "text" },
  9: { name: "raw_data", kind: "bytes" },
  10: { name: "double_data", kind: "doubles" },
  11: { name: "uint64_data", kind: "uint64s" },
  13: { name: "external_data", kind: "messages", of: () => entry },
  14: { name: "data_location", kind: "int" },
});

const sparse = message<SparseTensorProto>("SparseTensorProto", {
  1: { name: "values", kind: "message", of: () => tensor },
  2: { name: "indices", kind: "message", of: () => tensor },
  3: { name: "dims", kind: "ints" },
});

const dimension = message<DimensionProto>("Dimension", {
  1: { name: "dim_value", kind: "int" },
  2: { name: "dim_param", kind: "text" },
});
const shape = message<{ readonly dim: readonly DimensionProto[] }>("TensorShapeProto", {
  1: { name: "dim", kind: "messages", of: () => dimension },
});
const tensorType = message<TensorTypeProto>("TypeProto.Tensor", {
  1: { name: "elem_type", kind: "int" },
  2: { name: "shape", kind: "message", of: () => shape },
});
const element = message<{ readonly elem_type: TypeProto | null }>("TypeProto.Sequence", {
  1: { name: "elem_type", kind: "message", of: (): Message<unknown> => typeProto },
});
const opaque = message<object>("TypeProto.Other", {});

const typeProto: Message<TypeProto> = message<TypeProto>("TypeProto", {
  1: { name: "tensor_type", kind: "message", of: () => tensorType },
  4: { name: "sequence_type", kind: "message", of: () => element },
  5: { name: "map_type", kind: "message", of: () => opaque },
  8: { name: "sparse_tensor_type", kind: "message", of: () => opaque },
  9: { name: "optional_type", kind: "message", of: () => element },
});

const attribute = message<AttributeProto>("AttributeProto", {
  1: { name: "name", kind: "text" },
  2: { name: "f", kind: "float" },
  3: { name: "i", kind: "int" },
  4: { name: "s", kind: "bytes" },
  5: { name: "t", kind: "message", of: () => tensor },
  6: { name: "g", kind: "message", of: (): Message<unknown> => graph },
  7: { name: "floats", kind: "floats" },
  8: { name: "ints", kind: "ints" },
  9: { name: "strings", kind: "byteses" },
  14: { name: "tp", kind: "message", of: () => typeProto },
  20: { name: "type", kind: "int" },
  21: { name: "ref_attr_name", kind: "text" },
  22: { name: "sparse_tensor", kind: "message", of: () => sparse },
});

const node = message<NodeProto>("NodeProto", {
  1: { name: "input", kind: "texts" },
  2: { name: "output", kind: "texts" },
  3: { name: "name", kind: "text" },
  4: { name: "op_type", kind: "text" },
  5: { name: "attribute", kind: "messages", of: () => attribute },
  7: { name: "domain", kind: "text" },
});

const valueInfo = message<ValueInfoProto>("ValueInfoProto", {
  1: { name: "name", kind: "text" },
  2: { name: "type", kind: "message", of: () => typeProto },
});

const graph: Message<GraphProto> = message<GraphProto>("GraphProto", {
  1: { name: "node", kind: "messages", of: () => node },
  2: { name: "name", kind: "text" },
  5: { name: "initializer", kind: "messages", of: () => tensor },
  11: { name: "input", kind: "messages", of: () => valueInfo },
  12: { name: "output", kind: "messages", of: () => valueInfo },
  15: { name: "sparse_initializer", kind: "messages", of: () => sparse },
});

const operatorSet = message<OperatorSetProto>("OperatorSetIdProto", {
  1: { name: "domain", kind: "text" },
  2: { name: "version", kind: "int" },
});

const functionProto = message<FunctionProto>("FunctionProto", {
  1: { name: "name", kind: "text" },
  4: { name: "input", kind: "texts" },
  5: { name: "output", kind: "texts" },
  6: { name: "attribute", kind: "texts" },
  7: { name: "node", kind: "messages", of: () => node },
  9: { name: "opset_import", kind: "messages", of: () => operatorSet },
  10: { name: "domain", kind: "text" },
});

const model = message<ModelProto>("ModelProto", {
  1: { name: "ir_version", kind: "int" },
  2: { name: "producer_name", kind: "text" },
  3: { name: "producer_version", kind: "text" },
  4: { name: "domain", kind: "text" },
  5: { name: "model_version", kind: "int" },
  7: { name: "graph", kind: "message", of: () => graph },
  8: { name: "opset_import", kind: "messages", of: () => operatorSet },
  14: { name: "metadata_props", kind: "messages", of: () => entry },
  25: { name: "functions", kind: "messages", of: () => functionProto },
});

export const decodeModel = (bytes: Uint8Array): ModelProto => decode(model, bytes);
const sequence = message<{ readonly tensor_values: readonly TensorProto[] }>("SequenceProto", {
  3: { name: "tensor_values", kind: "messages", of: () => tensor },
});

/** The elements of a SequenceProto of tensors. */
export const decodeSequence = (bytes: Uint8Array): readonly TensorProto[] =>
  decode(sequence, bytes).tensor_values;
export const decodeTensor = (bytes: Uint8Array): TensorProto => decode(tensor, bytes);
