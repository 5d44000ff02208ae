// What the file looked like: shown as it is.
import { byteSize, isInteger } from "../../ir/dtype.ts";
import { relayName } from "../input-names.ts";
import { dimWord, type FileDim, type FileTensor, type ModelFacts } from "../model-file.ts";
import type { TfGraph, TfModel, TfTensor } from "./model.ts";

/** `params` are the names of main's parameters by tensor number, where the file could be imported. */
export function modelFacts(model: TfModel, params: ReadonlyMap<number, string>): ModelFacts {
  const [main] = model.graphs;
  const constants = main.tensors.flatMap((tensor) =>
    tensor.bytes === null ? [] : [{ tensor, bytes: tensor.bytes.length }],
  );
  const runtime = model.metadata.find(({ name }) => name === "min_runtime_version")?.bytes ?? null;
  const others = model.metadata.filter(({ name }) => name !== "min_runtime_version").map(({ name }) => name);
  return {
    format: `TFLite schema ${model.version}`,
    producer: model.description,
    details: [
      ...(main.name === "" ? [] : [["graph", main.name] as const]),
      ...(model.graphs.length === 1 ? [] : [["graphs", String(model.graphs.length)] as const]),
      ...(runtime === null
        ? []
        : [["least runtime", new TextDecoder().decode(runtime).replace(/\0+$/, "")] as const]),
      ["operators", String(main.operators.length)],
      ["tensors", String(main.tensors.length)],
      ["constants", `${constants.length}, ${constants.reduce((sum, { bytes }) => sum + bytes, 0)} bytes`],
      ["weights", weightWords(main, constants)],
      ...(others.length === 0 ? [] : [["metadata", others.join(", ")] as const]),
    ],
    inputs: main.inputs.flatMap((index) => described(main.tensors[index], params)),
    outputs: main.outputs.flatMap((index) => described(main.tensors[index], params)),
    operators: counted(main),
  };
}

/** "int8, one scale a channel", "float16", … of the constants that hold most bytes. */
function weightWords(
  graph: TfGraph,
  constants: readonly { readonly tensor: TfTensor; readonly bytes: number }[],
): string {
  const sizes = new Map<string, number>();
  for (const { tensor, bytes } of constants) {
    const words = `${tensor.typeName.toLowerCase()}${tensor.quant === null ? "" : tensor.quant.scale.length > 1 ? ", one scale a channel" : ", one scale"}${tensor.sparsity === null ? "" : ", sparse"}`;
    sizes.set(words, (sizes.get(words) ?? 0) + bytes);
  }
  const most = [...sizes].sort((a, b) => b[1] - a[1])[0];
  return most === undefined ? `none (${graph.tensors.length} tensors)` : most[0];
}

function described(tensor: TfTensor | undefined, params: ReadonlyMap<number, string>): readonly FileTensor[] {
  if (tensor === undefined) return [];
  const { name, index } = tensor;
  const dtype = tensor.typeName.toLowerCase();
  const dims = (tensor.signature ?? tensor.shape).map((dim): FileDim => ({
    extent: dim < 0 ? null : dim,
    symbol: "",
  }));
  const quant =
    tensor.quant === null ? "" : ` = ${tensor.quant.scale[0]} × (q − ${tensor.quant.zeroPoint[0]})`;
  const size =
    tensor.dtype === null
      ? ""
      : `, ${tensor.shape.reduce((a, b) => a * b, 1) * byteSize(tensor.dtype)} bytes`;
  return [
    {
      name,
      relayName: params.get(index) ?? relayName(name),
      type: `${dtype}[${dims.map(dimWord).join(", ")}]${quant}${size}`,
      dtype,
      isWhole: tensor.dtype !== null && (isInteger(tensor.dtype) || tensor.dtype.code === "bool"),
      dims,
    },
  ];
}

function counted(graph: TfGraph): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const { op } of graph.operators) counts.set(op, (counts.get(op) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}
