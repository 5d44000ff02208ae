// Shape functions of image and detection operators.
// TVM: python/tvm/relay/op/image/_image.py, vision/_vision.py, nn/_nn.py, dyn/image/_image.py, dyn/nn/_nn.py
import { float64, int64 } from "../../ir/dtype.ts";
import { axisOf, parseLayout, type Layout } from "../../ir/layout.ts";
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
    shape[axis] = size(shape[axis]!, i);
  });
  return shape;
}

/** The extents along `spatial` times the factors in the attributes of these names. */
export function upsamplingShape(spatial: string, factors: readonly string[]): ShapeFunc<SomeAttrs> {
  return {
    needs: "shape",
    dims: ([data], attrs) => [
      replaced(data!.dims, parseLayout(attrs.layout)!, spatial, (dim, i) =>
        scaled(dim, floatImm(Number(attrs[factors[i]!]), float64)),
      ),
    ],
  };
}

/** The factors are the arguments after the first, scalars. */
export function dynUpsamplingShape(spatial: string): ShapeFunc<{ readonly layout: string }> {
  return {
    needs: ["shape", ...spatial.split("").map((): "data" => "data")],
    dims: ([data, ...scales], attrs) => [
      replaced(data!.dims, parseLayout(attrs.layout)!, spatial, (dim, i) =>
        scaled(dim, scales[i]!.data.at()),
      ),
    ],
  };
}

/** The second argument holds the size. */
export const dynResizeShape: ShapeFunc<{ readonly layout: string }> = {
  needs: ["shape", "data"],
  dims: ([data, size], attrs) => [
    replaced(data!.dims, parseLayout(attrs.layout)!, "HW", (_, i) => elements(size!)[i]!),
  ],
};

/** A result a box: its height and width are the attribute of this name, the channels are the data's. */
export function boxesShape(sizes: string): ShapeFunc<SomeAttrs> {
  return {
    needs: "shape",
    dims: ([data, boxes], attrs) => {
      const layout = parseLayout(attrs.layout)!;
      const size = extents((attrs[sizes] as readonly number[]).map(Number));
      return [
        layout.axes.map(({ letter }, i) =>
          letter === "N" ? boxes!.dims[0]! : letter === "C" ? data!.dims[i]! : size[letter === "H" ? 0 : 1]!,
        ),
      ];
    },
  };
}

export const affineGridShape: ShapeFunc<{ readonly target_shape: readonly number[] | null }> = {
  needs: "shape",
  dims: ([data], attrs) => [[data!.dims[0]!, extent(2), ...extents(attrs.target_shape!.map(Number))]],
};

/** Data (N, C, H, W) at a grid (N, 2, H', W'). */
export const gridSampleShape: ShapeFunc<unknown> = {
  needs: "shape",
  dims: ([data, grid]) => [[...data!.dims.slice(0, 2), ...grid!.dims.slice(2)]],
};
