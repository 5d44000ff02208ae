// Shape functions of matrix products.  TVM: python/tvm/relay/op/nn/_nn.py (matmul_shape_func,
// dense_shape_func, batch_matmul_shape_func)
import { at, first } from "../../../support/assert.ts";
import { eq, select, mul } from "../../tir/build.ts";
import type { ShapeFunc } from "../define.ts";

interface Transposes {
  readonly transpose_a: boolean;
  readonly transpose_b: boolean;
}

function product(transposed: (attrs: Transposes) => Transposes): ShapeFunc<Transposes, 2> {
  return {
    needs: "shape",
    dims: ([a, b], attrs) => {
      const { transpose_a: left, transpose_b: right } = transposed(attrs);
      const shape = [...a.dims];
      if (left) shape[a.rank - 2] = at(a.dims, a.rank - 1, "dimension");
      shape[a.rank - 1] = at(b.dims, right ? 0 : 1, "dimension");
      return [shape];
    },
  };
}

export const matmulShape: ShapeFunc<Transposes, 2> = product((attrs) => attrs);

/** The weight is stored transposed. */
export const denseShape: ShapeFunc<unknown, 2> = {
  needs: "shape",
  dims: ([data, weight]) => [[...data.dims.slice(0, -1), first(weight.dims, "dimension")]],
};

export const densePackShape: ShapeFunc<unknown, 2> = {
  needs: "shape",
  dims: ([data, weight]) => [
    [first(data.dims, "dimension"), mul(first(weight.dims, "dimension"), at(weight.dims, 2, "dimension"))],
  ],
};

export const batchMatmulShape: ShapeFunc<Transposes, 2> = {
  needs: "shape",
  dims: ([a, b], attrs) => {
    const [batchA, batchB] = [first(a.dims, "dimension"), first(b.dims, "dimension")];
    return [
      [
        select(eq(batchA, 1), batchB, batchA),
        at(a.dims, attrs.transpose_a ? 2 : 1, "dimension"),
        at(b.dims, attrs.transpose_b ? 1 : 2, "dimension"),
      ],
    ];
  },
};
