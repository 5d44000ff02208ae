// Shape functions of convolutions, pools and layouts.
// TVM: python/tvm/relay/op/nn/_nn.py (conv_shape_func, conv_transpose_shape_func, pool2d_shape_func,
// global_pool2d_shape_func) Wider than TVM: any layout, asymmetric padding, dilated and rounded-up pools,
// three axes.
import { at, first } from "../../../support/assert.ts";
import { axisOf, knownLayout } from "../../ir/layout.ts";
import { add, eq, floorDiv, ifThenElse, max, mul, sub } from "../../tir/build.ts";
import type { PrimExpr } from "../../tir/expr.ts";
import type { ConvAttrs } from "../nn/conv/conv-types.ts";
import { paddingPairs } from "../nn/conv/conv-types.ts";
import type { ShapeFunc } from "../define.ts";
import { extent, plainExtents, storedExtents } from "./extents.ts";

interface Window {
  readonly size: PrimExpr;
  readonly stride: number;
  readonly dilation: number;
  readonly padding: readonly [number, number];
  readonly ceil: boolean;
}

/** How many windows fit into `dim` elements; none where there are none, as the type relations say. */
function windows(dim: PrimExpr, { size, stride, dilation, padding, ceil }: Window): PrimExpr {
  const dilated = add(mul(sub(size, 1), dilation), 1);
  const room = sub(add(dim, padding[0] + padding[1] + (ceil ? stride - 1 : 0)), dilated);
  const count = add(floorDiv(room, stride), 1);
  return ifThenElse(eq(dim, 0), max(count, 0), count);
}

type PartialConv = Pick<
  ConvAttrs,
  "strides" | "padding" | "dilation" | "data_layout" | "kernel_layout" | "channels"
> & { readonly out_layout?: string };

/** The data's and the kernel's extents in plain order, and the layout of the result. */
function plainParts(
  dims: readonly [readonly PrimExpr[], readonly PrimExpr[]],
  attrs: PartialConv,
  spatial: string,
  plainKernel: string,
) {
  const data = knownLayout(attrs.data_layout, `NC${spatial}`);
  const kernel = knownLayout(attrs.kernel_layout, plainKernel);
  const outLayout = attrs.out_layout ?? "";
  return {
    data: plainExtents(dims[0], data, `NC${spatial}`),
    kernel: plainExtents(dims[1], kernel, plainKernel),
    out: outLayout === "" ? data : knownLayout(outLayout, `NC${spatial}`),
  };
}

/** nn.conv{1,2,3}d and the blocked ones. */
export function convShape(spatial: string): ShapeFunc<PartialConv, 2> {
  return {
    needs: "shape",
    dims: ([data, weight], attrs) => {
      const plain = plainParts([data.dims, weight.dims], attrs, spatial, `OI${spatial}`);
      const padding = paddingPairs(attrs.padding, spatial.length);
      const counts = spatial
        .split("")
        .map((_, i) =>
          windows(at(plain.data, 2 + i, "plain data axis"), {
            size: at(plain.kernel, 2 + i, "plain kernel axis"),
            stride: at(attrs.strides, i, "stride"),
            dilation: at(attrs.dilation, i, "dilation"),
            padding: at(padding, i, "padding"),
            ceil: false,
          }),
        );
      // A depthwise kernel's O axis counts input channels.
      const channels =
        attrs.channels === null ? first(plain.kernel, "plain kernel axis") : extent(attrs.channels);
      return [
        storedExtents([first(plain.data, "plain data axis"), channels, ...counts], plain.out, `NC${spatial}`),
      ];
    },
  };
}

type PartialConvTranspose = PartialConv & {
  readonly output_padding: readonly number[];
  readonly groups: number;
};

/** nn.conv{1,2,3}d_transpose; `letters` are the kernel's axes of input and of output channels. */
export function convTransposeShape(
  spatial: string,
  letters: "IO" | "OI",
): ShapeFunc<PartialConvTranspose, 2> {
  return {
    needs: "shape",
    dims: ([data, weight], attrs) => {
      const plain = plainParts([data.dims, weight.dims], attrs, spatial, `${letters}${spatial}`);
      const padding = paddingPairs(attrs.padding, spatial.length);
      const sizes = spatial.split("").map((_, i) => {
        const dilated = add(
          mul(sub(at(plain.kernel, 2 + i, "plain kernel axis"), 1), at(attrs.dilation, i, "dilation")),
          1,
        );
        return add(
          add(mul(sub(at(plain.data, 2 + i, "plain data axis"), 1), at(attrs.strides, i, "stride")), dilated),
          at(attrs.output_padding, i, "output_padding") -
            at(padding, i, "padding")[0] -
            at(padding, i, "padding")[1],
        );
      });
      return [
        storedExtents(
          [
            first(plain.data, "plain data axis"),
            mul(at(plain.kernel, 1, "plain kernel axis"), attrs.groups),
            ...sizes,
          ],
          plain.out,
          `NC${spatial}`,
        ),
      ];
    },
  };
}

interface PoolAttrs {
  readonly pool_size: readonly number[];
  readonly strides: readonly number[];
  readonly dilation: readonly number[];
  readonly padding: readonly number[];
  readonly layout: string;
  readonly ceil_mode: boolean;
}

export function poolShape(spatial: string): ShapeFunc<PoolAttrs> {
  return {
    needs: "shape",
    dims: ([data], attrs) => {
      const layout = knownLayout(attrs.layout);
      const padding = paddingPairs(attrs.padding, spatial.length);
      const shape = [...data.dims];
      spatial.split("").forEach((letter, i) => {
        const axis = axisOf(layout, letter);
        shape[axis] = windows(at(shape, axis, "input axis"), {
          size: extent(at(attrs.pool_size, i, "pool_size")),
          stride: at(attrs.strides, i, "stride"),
          dilation: at(attrs.dilation, i, "dilation"),
          padding: at(padding, i, "padding"),
          ceil: attrs.ceil_mode,
        });
      });
      return [shape];
    },
  };
}

interface SomeAttrs {
  readonly [name: string]: unknown;
  readonly layout: string;
}

/**
 * Spatial axes get the extents in the attribute `sizes`, or `sizes` themselves (none keeps them, one serves
 * all); the others stay.
 */
export function spatialShape(spatial: string, sizes: string | readonly number[]): ShapeFunc<SomeAttrs> {
  return {
    needs: "shape",
    dims: ([data], attrs) => {
      const layout = knownLayout(attrs.layout);
      const given = typeof sizes === "string" ? (attrs[sizes] as readonly number[]) : sizes;
      const shape = [...data.dims];
      spatial.split("").forEach((letter, i) => {
        if (given.length > 0)
          shape[axisOf(layout, letter)] = extent(Number(given[i] ?? first(given, "kernel extent given")));
      });
      return [shape];
    },
  };
}

export const layoutTransformShape: ShapeFunc<{ readonly src_layout: string; readonly dst_layout: string }> = {
  needs: "shape",
  dims: ([data], attrs) => {
    const from = knownLayout(attrs.src_layout);
    const plain = from.axes
      .filter((axis) => axis.factor === null)
      .map((axis) => axis.letter)
      .join("");
    return [storedExtents(plainExtents(data.dims, from, plain), knownLayout(attrs.dst_layout), plain)];
  },
};
