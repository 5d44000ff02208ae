// Shape functions of matrix products.  TVM: python/tvm/relay/op/nn/_nn.py (matmul_shape_func, dense_shape_func, batch_matmul_shape_func)
import { max, mul } from "../../tir/build.ts";
import type { ShapeFunc } from "../define.ts";

interface Transposes {
  readonly transpose_a: boolean;
  readonly transpose_b: boolean;
}

function product(transposed: (attrs: Transposes) => Transposes): ShapeFunc<Transposes> {
  return {
    needs: "shape",
    dims: ([a, b], attrs) => {
      const { transpose_a: left, transpose_b: right } = transposed(attrs);
      const shape = [...a!.dims];
      if (left) shape[a!.rank - 2] = a!.dims[a!.rank - 1]!;
      shape[a!.rank - 1] = b!.dims[right ? 0 : 1]!;
      return [shape];
    },
  };
}

export const matmulShape: ShapeFunc<Transposes> = product((attrs) => attrs);

/** The weight is stored transposed. */
export const denseShape: ShapeFunc<unknown> = {
  needs: "shape",
  dims: ([data, weight]) => [[...data!.dims.slice(0, -1), weight!.dims[0]!]],
};

export const densePackShape: ShapeFunc<unknown> = {
  needs: "shape",
  dims: ([data, weight]) => [[data!.dims[0]!, mul(weight!.dims[0]!, weight!.dims[2]!)]],
};

export const batchMatmulShape: ShapeFunc<Transposes> = {
  needs: "shape",
  dims: ([a, b], attrs) => [
    [max(a!.dims[0]!, b!.dims[0]!), a!.dims[attrs.transpose_a ? 2 : 1]!, b!.dims[attrs.transpose_b ? 1 : 2]!],
  ],
};
