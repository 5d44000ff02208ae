// NDArrays as TVM serialises them (dmlc streams, little endian).  TVM: SaveDLTensor in
// include/tvm/runtime/ndarray.h u64 magic 0xDD5E40F096B4A13F, u64 reserved, i32 device type, i32 device id,
// i32 ndim, u8 type code, u8 bits, u16 lanes, i64 shape[ndim], i64 byte count, the bytes.
import { maxTensorBytes } from "../../limits.ts";
import { byteSize, dtype, type DType } from "../../ir/dtype.ts";
import { elementCount, tensorBytes, tensorData, viewArray, type TensorData } from "../../ir/tensor-data.ts";

const magicLow = 0x96b4a13f;
const magicHigh = 0xdd5e40f0;
/** DLDataTypeCode: 0 int, 1 uint, 2 float, 3 handle, 4 bfloat. */
const codes = ["int", "uint", "float", "handle", "bfloat"] as const;

/** The array in `bytes`, or a sentence that says what is wrong with them. */
export function decodeNDArray(bytes: Uint8Array): TensorData | string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 32) return "it is cut off";
  if (view.getUint32(0, true) !== magicLow || view.getUint32(4, true) !== magicHigh)
    return "it does not start with an NDArray's magic number";
  const rank = view.getInt32(24, true);
  if (rank < 0 || rank > 64 || bytes.length < 40 + rank * 8) return "its rank is not plausible";
  const type = decodeType(view.getUint8(28), view.getUint8(29), view.getUint16(30, true));
  if (type === null)
    return `its data type (code ${view.getUint8(28)}, ${view.getUint8(29)} bits) is not known`;
  const shape: number[] = [];
  for (let i = 0; i < rank; i++) shape.push(Number(view.getBigInt64(32 + i * 8, true)));
  if (shape.some((dim) => dim < 0 || !Number.isSafeInteger(dim))) return "its shape is not plausible";
  const count = elementCount(shape);
  const size = count * byteSize(type);
  if (size > maxTensorBytes) return `it has ${size} bytes, more than ${maxTensorBytes}`;
  const start = 40 + rank * 8;
  if (Number(view.getBigInt64(start - 8, true)) !== size || bytes.length < start + size)
    return "its byte count does not agree with its shape";
  // A copy of its own: typed arrays need aligned offsets.
  return tensorData(type, shape, viewArray(type, bytes.slice(start, start + size).buffer, 0, count), "given");
}

function decodeType(code: number, bits: number, lanes: number): DType | null {
  const name = codes[code];
  // Pointers are no data.
  if (name === undefined || name === "handle" || lanes !== 1) return null;
  if (name === "uint" && bits === 1) return dtype("bool", 1);
  if (name === "float" && ![16, 32, 64].includes(bits)) return null;
  if ((name === "int" || name === "uint") && ![8, 16, 32, 64].includes(bits)) return null;
  if (name === "bfloat" && bits !== 16) return null;
  return dtype(name, bits);
}

/** The bytes that TVM would write for `tensor`. */
export function encodeNDArray(tensor: TensorData): Uint8Array {
  const data = tensorBytes(tensor);
  const rank = tensor.shape.length;
  const out = new Uint8Array(40 + rank * 8 + data.length);
  const view = new DataView(out.buffer);
  view.setUint32(0, magicLow, true);
  view.setUint32(4, magicHigh, true);
  view.setInt32(16, 1, true);
  view.setInt32(24, rank, true);
  const { code, bits, lanes } = tensor.dtype;
  view.setUint8(28, code === "bool" ? 1 : codes.indexOf(code));
  view.setUint8(29, bits);
  view.setUint16(30, lanes, true);
  tensor.shape.forEach((dim, i) => view.setBigInt64(32 + i * 8, BigInt(dim), true));
  view.setBigInt64(32 + rank * 8, BigInt(data.length), true);
  out.set(data, 40 + rank * 8);
  return out;
}
