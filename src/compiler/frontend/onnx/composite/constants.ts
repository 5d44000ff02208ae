// Tensors that the file writes out or describes.  TVM: python/tvm/relay/frontend/onnx.py (Constant,
// ConstantOfShape, Range, EyeLike)
import { float32, int64, type DType } from "../../../ir/dtype.ts";
import { tensorData } from "../../../ir/tensor-data.ts";
import { constantOf, refuse, scalarOf, shapeOfRank } from "../../import-node.ts";
import {
  call,
  dtypeOf,
  elementOf,
  floats,
  float,
  has,
  input,
  int,
  ints,
  int64sOf,
  intsOf,
  known,
  reshape,
  sparseTensor,
  tensor,
  type Importer,
  numberOf,
} from "../graph.ts";
import { onnxOp, type OnnxOp } from "../ops/op-table.ts";
import { writable } from "../../within.ts";
import { fromNumbers } from "../../values.ts";

const constant: Importer = (n) => {
  const value = tensor(n, "value");
  if (value !== null) return constantOf(n, value);
  if (has(n, "value_int")) return scalarOf(n, int64, int(n, "value_int", 0));
  if (has(n, "value_float")) return scalarOf(n, float32, float(n, "value_float", 0));
  const integers = ints(n, "value_ints");
  if (integers !== null) return int64sOf(n, integers);
  const sparse = sparseTensor(n, "sparse_value");
  if (sparse !== null) return constantOf(n, sparse);
  const list = floats(n, "value_floats");
  if (list !== null) return constantOf(n, tensorData(float32, [list.length], Float32Array.from(list)));
  return refuse(n, "only tensors of numbers and booleans can be constants", {
    got: n.proto.attribute.map(({ name }) => name).join(", "),
  });
};

const constantOfShape: Importer = (n) => {
  const value = tensor(n, "value");
  const scalar = value === null ? scalarOf(n, float32, 0) : constantOf(n, { ...value, shape: [] });
  if (known(n, input(n, 0)) === null)
    return call(n, "dyn.full", [scalar, input(n, 0)], { dtype: dtypeOf(n, scalar).name });
  const shape = intsOf(n, input(n, 0), "the shape");
  return call(n, "full", [scalar], { shape, dtype: dtypeOf(n, scalar).name });
};

/** start, start + delta, … before limit; the number of them follows the definition in float64. */
const range: Importer = (n) => {
  const dtype: DType = dtypeOf(n, input(n, 0));
  if ([0, 1, 2].some((i) => known(n, input(n, i)) === null))
    return call(
      n,
      "arange",
      [0, 1, 2].map((i) => reshape(n, input(n, i), [])),
      { dtype: dtype.name },
    );
  const start = numberOf(n, input(n, 0), "the start");
  const limit = numberOf(n, input(n, 1), "the limit");
  const delta = numberOf(n, input(n, 2), "the step");
  const count = writable(n, Math.max(Math.ceil((limit - start) / delta), 0));
  if (Number.isNaN(count)) refuse(n, "the step is 0", { expected: "a step forward or backward", got: "0" });
  return constantOf(
    n,
    fromNumbers(
      dtype,
      [count],
      Array.from({ length: count }, (_, i) => start + i * delta),
    ),
  );
};

const eyeLike: Importer = (n) => {
  const data = input(n, 0);
  const dtype = elementOf(n, "dtype", dtypeOf(n, data));
  const [rows, columns] = shapeOfRank(n, data, 2);
  writable(n, rows * columns);
  const k = int(n, "k", 0);
  return constantOf(
    n,
    fromNumbers(
      dtype,
      [rows, columns],
      Array.from({ length: rows * columns }, (_, i) =>
        (i % columns) - Math.floor(i / columns) === k ? 1 : 0,
      ),
    ),
  );
};

export const constantOps: readonly OnnxOp[] = [
  onnxOp("Constant", constant),
  onnxOp("ConstantOfShape", constantOfShape),
  onnxOp("Range", range),
  onnxOp("EyeLike", eyeLike),
];
