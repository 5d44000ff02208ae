// What the file looked like: shown as it is.
import { isInteger } from "../../ir/dtype.ts";
import { relayName } from "../input-names.ts";
import { dimWord, type FileDim, type FileTensor, type ModelFacts } from "../model-file.ts";
import type { DimensionProto, GraphProto, ModelProto, TypeProto, ValueInfoProto } from "./model-proto.ts";
import { initializedNames } from "./sparse.ts";
import { elementType, elementWord } from "./tensor.ts";

/** `params` are the names of main's parameters by the inputs' names, where the file could be imported. */
export function modelFacts(
  model: ModelProto,
  graph: GraphProto,
  opsets: ReadonlyMap<string, number>,
  params: ReadonlyMap<string, string>,
): ModelFacts {
  const described = (info: ValueInfoProto): FileTensor => ({
    name: info.name,
    relayName: params.get(info.name) ?? relayName(info.name),
    type: info.type === null ? "?" : typeWord(info.type),
    ...tensorFacts(info.type),
  });
  const others = [...opsets]
    .filter(([domain]) => domain !== "")
    .map(([domain, version]) => [`opset of ${domain}`, String(version)] as const);
  const initialized = initializedNames(graph);
  return {
    format: `ONNX opset ${opsets.get("") ?? 1}`,
    producer: [model.producer_name, model.producer_version].filter((part) => part !== "").join(" "),
    details: [
      ["graph", graph.name],
      ["IR version", String(model.ir_version)],
      ...(model.domain === "" ? [] : [["domain", model.domain] as const]),
      ...(model.model_version === 0 ? [] : [["model version", String(model.model_version)] as const]),
      ...others,
      ["nodes", String(graph.node.length)],
      ["initializers", String(graph.initializer.length + graph.sparse_initializer.length)],
      ...model.metadata_props.map(({ key, value }) => [key, value] as const),
    ],
    inputs: graph.input.filter(({ name }) => !initialized.has(name)).map(described),
    outputs: graph.output.map(described),
    operators: counted(graph),
  };
}

function tensorFacts(type: TypeProto | null): Pick<FileTensor, "dtype" | "isWhole" | "dims"> {
  if (type === null || type.tensor_type === null) return { dtype: "", isWhole: false, dims: null };
  const { shape, elem_type } = type.tensor_type;
  const dtype = elementType(elem_type);
  return {
    dtype: elementWord(elem_type),
    isWhole: dtype !== null && (isInteger(dtype) || dtype.code === "bool"),
    dims: shape?.dim.map(fileDim) ?? null,
  };
}

function fileDim({ dim_value, dim_param }: DimensionProto): FileDim {
  const extent = dim_param === "" && dim_value > 0 ? dim_value : null;
  return { extent, symbol: dim_param };
}

/** "float[N, 3, 224, 224]" with the file's own names of dimensions. */
function typeWord(type: TypeProto): string {
  if (type.tensor_type !== null) {
    const { shape, elem_type } = type.tensor_type;
    return `${elementWord(elem_type)}[${shape?.dim.map((dim) => dimWord(fileDim(dim))).join(", ") ?? "…"}]`;
  }
  const inner = type.sequence_type ?? type.optional_type;
  if (inner !== null)
    return `${type.sequence_type !== null ? "sequence" : "optional"} of ${inner.elem_type === null ? "?" : typeWord(inner.elem_type)}`;
  return type.map_type !== null ? "map" : "sparse tensor";
}

function counted(graph: GraphProto): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const { op_type } of graph.node) counts.set(op_type, (counts.get(op_type) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}
