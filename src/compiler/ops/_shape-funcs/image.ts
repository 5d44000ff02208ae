// Shape functions of image and detection operators.
// TVM: python/tvm/relay/op/image/_image.py, vision/_vision.py, nn/_nn.py, dyn/image/_image.py, dyn/nn/_nn.py
import { present, at, first } from "../../../support/assert.ts";
import { float64, int64 } from "../../ir/dtype.ts";
import { axisOf, type Layout, knownLayout } from "../../ir/layout.ts";
import { add, cast, floatImm, mul, unary } from "../../tir/build.ts";
import type { PrimExpr } from "../../tir/expr.ts";
import type { ShapeFunc } from "../define.ts";
import { extent, extents } from "./extents.ts";
import { elements } from "./init.ts";

interface SomeAttrs {
  readonly [name: string]: unknown;
  readonly layout: string;
}

/** round(dim * scale), halves up. */
function scaled(dim: PrimExpr, scale: PrimExpr): PrimExpr {
  return cast(
    unary("tir.floor", add(mul(cast(dim, float64), cast(scale, float64)), floatImm(0.5, float64))),
    int64,
  );
}

function replaced(
  dims: readonly PrimExpr[],
  layout: Layout,
  spatial: string,
  size: (dim: PrimExpr, i: number) => PrimExpr,
): readonly PrimExpr[] {
  const shape = [...dims];
  spatial.split("").forEach((letter, i) => {
    const axis = axisOf(layout, letter);
    shape[axis] = size(at(shape, axis, "input axis"), i);
  });
  return shape;
}

/** The extents along `spatial` times the factors in the attributes of these names. */
export function upsamplingShape(spatial: string, factors: readonly string[]): ShapeFunc<SomeAttrs> {
  return {
    needs: "shape",
    dims: ([data], attrs) => [
      replaced(data.dims, knownLayout(attrs.layout), spatial, (dim, i) =>
        scaled(dim, floatImm(Number(attrs[at(factors, i, "factor")]), float64)),
      ),
    ],
  };
}

/** The factors are the arguments after the first, scalars. */
export function dynUpsamplingShape(spatial: string): ShapeFunc<{ readonly layout: string }> {
  return {
    needs: ["shape", ...spatial.split("").map((): "data" => "data")],
    dims: ([data, ...scales], attrs) => [
      replaced(data.dims, knownLayout(attrs.layout), spatial, (dim, i) =>
        scaled(dim, at(scales, i, "scale").data.at()),
      ),
    ],
  };
}

/** The second argument holds the size. */
export const dynResizeShape: ShapeFunc<{ readonly layout: string }, 2> = {
  needs: ["shape", "data"],
  dims: ([data, size], attrs) => [
    replaced(data.dims, knownLayout(attrs.layout), "HW", (_, i) =>
      at(elements(size), i, "element of the size"),
    ),
  ],
};

/** A result a box: its height and width are the attribute of this name, the channels are the data's. */
export function boxesShape(sizes: string): ShapeFunc<SomeAttrs, 2> {
  return {
    needs: "shape",
    dims: ([data, boxes], attrs) => {
      const layout = knownLayout(attrs.layout);
      const size = extents((attrs[sizes] as readonly number[]).map(Number));
      return [
        layout.axes.map(({ letter }, i) =>
          letter === "N"
            ? first(boxes.dims, "dimension")
            : letter === "C"
              ? at(data.dims, i, "dimension")
              : at(size, letter === "H" ? 0 : 1, "size"),
        ),
      ];
    },
  };
}

export const affineGridShape: ShapeFunc<{ readonly target_shape: readonly number[] | null }> = {
  needs: "shape",
  dims: ([data], attrs) => [
    [
      first(data.dims, "dimension"),
      extent(2),
      ...extents(present(attrs.target_shape, "target_shape").map(Number)),
    ],
  ],
};

/** Data (N, C, H, W) at a grid (N, 2, H', W'). */
export const gridSampleShape: ShapeFunc<unknown, 2> = {
  needs: "shape",
  dims: ([data, grid]) => [[...data.dims.slice(0, 2), ...grid.dims.slice(2)]],
};
