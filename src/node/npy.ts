// NumPy's .npy files, version 1 to 3, C order.  Format: numpy/lib/format.py's description.
import { parseDType, type DType } from "../compiler/ir/dtype.ts";
import { elementCount, viewArray, type TensorData } from "../compiler/ir/tensor-data.ts";
import { own } from "../support/own.ts";
import { UsageError } from "./usage-error.ts";

const kinds: Readonly<Record<string, string>> = {
  f2: "float16",
  f4: "float32",
  f8: "float64",
  i1: "int8",
  i2: "int16",
  i4: "int32",
  i8: "int64",
  u1: "uint8",
  u2: "uint16",
  u4: "uint32",
  u8: "uint64",
  b1: "bool",
};

/** Reads one array. Throws UsageError naming `file` where it is not a .npy of a dtype we have. */
export function readNpy(bytes: Uint8Array, file: string): TensorData {
  const magic = String.fromCharCode(...bytes.subarray(1, 6));
  if (bytes[0] !== 0x93 || magic !== "NUMPY") throw new UsageError(`${file}: not a .npy file`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 12) throw new UsageError(`${file}: cut off: ${bytes.length} bytes`);
  const wide = bytes[6]! >= 2;
  const headerLength = wide ? view.getUint32(8, true) : view.getUint16(8, true);
  const start = (wide ? 12 : 10) + headerLength;
  const header = new TextDecoder().decode(bytes.subarray(wide ? 12 : 10, start));
  const descr = /'descr':\s*'([<>|=]?)(\w+)'/.exec(header);
  const shapeText = /'shape':\s*\(([^)]*)\)/.exec(header);
  if (descr === null || shapeText === null || descr[1] === ">")
    throw new UsageError(`${file}: header not understood: ${header.trim()}`);
  if (/'fortran_order':\s*True/.test(header))
    throw new UsageError(`${file}: Fortran order; save it with numpy.ascontiguousarray`);
  const dtype: DType | null = parseDType(own(kinds, descr[2]!) ?? "");
  if (dtype === null) throw new UsageError(`${file}: no dtype for '${descr[2]}'`);
  const shape = shapeText[1]!
    .split(",")
    .map((dim) => dim.trim())
    .filter((dim) => dim !== "")
    .map(Number);
  if (!shape.every((dim) => Number.isInteger(dim) && dim >= 0))
    throw new UsageError(`${file}: header not understood: ${header.trim()}`);
  const wanted = elementCount(shape) * (dtype.bits === 1 ? 1 : dtype.bits / 8);
  if (bytes.length - start < wanted)
    throw new UsageError(
      `${file}: cut off: ${wanted} bytes of values are said, ${Math.max(0, bytes.length - start)} are there`,
    );
  const copy = bytes.slice(start);
  return { dtype, shape, data: viewArray(dtype, copy.buffer, 0, elementCount(shape)), provenance: "given" };
}
