// TensorProto -> TensorData. raw_data and external data stay views on the file where they lie aligned, else
// that tensor is copied.
import { elementsOf, elementTypes } from "../element-types.ts";
import { arrayOf } from "../values.ts";
import { byteSize, float32, float64, int64, uint32, uint64, type DType } from "../../ir/dtype.ts";
import { fail } from "../../ir/diagnostic.ts";
import { elementCount, tensorData, type TensorArray, type TensorData } from "../../ir/tensor-data.ts";
import type { TensorProto } from "./model-proto.ts";

const types = elementTypes([
  ["undefined", null],
  ["float", "float32"],
  ["uint8", "uint8"],
  ["int8", "int8"],
  ["uint16", "uint16"],
  ["int16", "int16"],
  ["int32", "int32"],
  ["int64", "int64"],
  ["string", null],
  ["bool", "bool"],
  ["float16", "float16"],
  ["double", "float64"],
  ["uint32", "uint32"],
  ["uint64", "uint64"],
  ["complex64", null],
  ["complex128", null],
  ["bfloat16", "bfloat16"],
  ["float8e4m3fn", null],
  ["float8e4m3fnuz", null],
  ["float8e5m2", null],
  ["float8e5m2fnuz", null],
  ["uint4", null],
  ["int4", null],
  ["float4e2m1", null],
]);

/** ONNX's word for an element type number. */
export function elementWord(type: number): string {
  return types[type]?.word ?? `element type ${type}`;
}

/** The dtype of an element type number, or null (strings, complex numbers, eight-bit floats). */
export function elementType(type: number): DType | null {
  return types[type]?.dtype ?? null;
}

/** Where external data are found: file name -> bytes. */
export type DataFiles = ReadonlyMap<string, Uint8Array>;

/**
 * The values of `proto`. Throws CompileError: RS1821 an element type without tensors, RS1822 data missing or
 * of the wrong size.
 */
export function readTensor(proto: TensorProto, files: DataFiles): TensorData {
  const type = elementType(proto.data_type);
  if (type === null)
    return fail(
      "RS1821",
      proto.data_type === 0
        ? `The tensor ${named(proto)} has no element type.`
        : `The tensor ${named(proto)} holds ${elementWord(proto.data_type)}.`,
      {
        expected: "numbers or booleans",
        got: proto.data_type === 0 ? "none" : elementWord(proto.data_type),
        hint: "take the nodes that read it out of the model, or write it as numbers",
      },
    );
  const count = elementCount(proto.dims);
  const data = bytesOf(proto, files);
  return tensorData(
    type,
    [...proto.dims],
    data === null ? fromLists(proto, type, count) : view(proto, type, count, data),
  );
}

function named(proto: TensorProto): string {
  return proto.name === "" ? "of a node" : `"${proto.name}"`;
}

function bytesOf(proto: TensorProto, files: DataFiles): Uint8Array | null {
  if (proto.data_location !== 1) return proto.raw_data;
  const entries = new Map(proto.external_data.map(({ key, value }) => [key, value]));
  const location = entries.get("location") ?? "";
  const file = files.get(location) ?? files.get(externalFile(proto) ?? "");
  const subject = { kind: "file", name: externalFile(proto) ?? location } as const;
  if (file === undefined)
    return fail("RS1822", `The values of ${named(proto)} are in another file.`, {
      subject,
      expected: `the file ${location}`,
      got: "only the model",
      hint: "drop both files together",
    });
  const start = Number(entries.get("offset") ?? 0);
  const length = entries.has("length") ? Number(entries.get("length")) : file.length - start;
  for (const [word, value] of [
    ["offset", start],
    ["length", length],
  ] as const) {
    if (!Number.isSafeInteger(value) || value < 0)
      return fail("RS1822", `The ${word} of ${named(proto)} in ${location} is no number of bytes.`, {
        subject,
        expected: "0 or more",
        got: entries.get(word) ?? String(value),
        hint: "the model is damaged, or the other file is not the one it was written with",
      });
  }
  if (start + length > file.length)
    return fail("RS1822", `${location} is too short for ${named(proto)}.`, {
      subject,
      expected: `${start + length} bytes`,
      got: `${file.length} bytes`,
    });
  return file.subarray(start, start + length);
}

/** The name (without folders) of the file that holds the tensor's values, or null if the model does. */
function externalFile(proto: TensorProto): string | null {
  if (proto.data_location !== 1) return null;
  const location = proto.external_data.find(({ key }) => key === "location")?.value ?? "";
  return location.slice(location.lastIndexOf("/") + 1);
}

function view(proto: TensorProto, type: DType, count: number, bytes: Uint8Array): TensorArray {
  const size = byteSize(type);
  if (bytes.length !== count * size)
    return fail("RS1822", `The values of ${named(proto)} have the wrong size.`, {
      expected: `${count * size} bytes for (${proto.dims.join(", ")}) of ${type.name}`,
      got: `${bytes.length} bytes`,
    });
  return elementsOf(type, bytes, count);
}

/** The typed lists: which one holds an element type is told in onnx.proto. */
function fromLists(proto: TensorProto, type: DType, count: number): TensorArray {
  const list = listOf(proto, type);
  if (list.length !== count)
    return fail("RS1822", `The values of ${named(proto)} have the wrong number.`, {
      expected: `${count} for (${proto.dims.join(", ")})`,
      got: String(list.length),
    });
  return arrayOf(type, list);
}

function listOf(proto: TensorProto, type: DType): ArrayLike<number | bigint> {
  if (type === float32) return proto.float_data;
  if (type === float64) return proto.double_data;
  if (type === int64) return proto.int64_data;
  if (type === uint64) return proto.uint64_data;
  if (type === uint32) return Array.from(proto.uint64_data, Number);
  return proto.int32_data;
}
