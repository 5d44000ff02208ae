// Parameters as TVM stores them: the .params file that tvm.runtime.load_param_dict reads.
// TVM: src/runtime/file_utils.cc SaveParams, include/tvm/runtime/ndarray.h NDArray::Save (dmlc serialisation,
// little endian)
import { byteSize, type DType } from "../ir/dtype.ts";
import { tensorBytes, type TensorData } from "../ir/tensor-data.ts";

const listMagic = 0xf7e58d4f05049cb7n;
const ndarrayMagic = 0xdd5e40f096b4a13fn;
const typeCodes: Readonly<Record<DType["code"], number>> = {
  int: 0,
  uint: 1,
  bool: 1,
  float: 2,
  handle: 3,
  bfloat: 4,
};

/** Bytes of one NDArray: magic, reserved, device (cpu 0), rank, dtype, shape, data. */
function ndarrayBytes(tensor: TensorData): Uint8Array {
  const { shape, dtype } = tensor;
  const raw = tensorBytes(tensor);
  const head = 8 + 8 + 8 + 4 + 4 + 8 * shape.length + 8;
  const out = new Uint8Array(head + raw.length);
  const view = new DataView(out.buffer);
  view.setBigUint64(0, ndarrayMagic, true);
  view.setInt32(16, 1, true);
  view.setInt32(24, shape.length, true);
  view.setUint8(28, typeCodes[dtype.code]);
  view.setUint8(29, dtype.bits);
  view.setUint16(30, dtype.lanes, true);
  shape.forEach((dim, i) => view.setBigInt64(32 + 8 * i, BigInt(dim), true));
  view.setBigInt64(32 + 8 * shape.length, BigInt(byteSize(dtype) * (raw.length / byteSize(dtype))), true);
  out.set(raw, head);
  return out;
}

/** The whole .params file: magic, reserved, names, arrays. */
export function serializeParams(params: ReadonlyMap<string, TensorData>): Uint8Array {
  const encoder = new TextEncoder();
  const names = [...params.keys()].map((name) => encoder.encode(name));
  const arrays = [...params.values()].map(ndarrayBytes);
  const size =
    8 +
    8 +
    8 +
    names.reduce((sum, name) => sum + 8 + name.length, 0) +
    8 +
    arrays.reduce((sum, array) => sum + array.length, 0);
  const out = new Uint8Array(size);
  const view = new DataView(out.buffer);
  view.setBigUint64(0, listMagic, true);
  let at = 16;
  const count = (value: number): void => {
    view.setBigUint64(at, BigInt(value), true);
    at += 8;
  };
  count(names.length);
  for (const name of names) {
    count(name.length);
    out.set(name, at);
    at += name.length;
  }
  count(arrays.length);
  for (const array of arrays) {
    out.set(array, at);
    at += array.length;
  }
  return out;
}
