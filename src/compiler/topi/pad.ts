// Padding with a constant, the edge or a mirror image.  TVM: include/tvm/topi/nn.h (pad),
// python/tvm/topi/nn/pad.py
import { at } from "../../support/assert.ts";
import type { Origin } from "../ir/origin.ts";
import { add, all, ge, ifThenElse, lt, max, min, select, sub } from "../tir/build.ts";
import type { PrimExpr } from "../tir/expr.ts";
import { compute } from "../te/compute.ts";
import type { Tensor } from "../te/tensor.ts";

interface Padding {
  /** Elements added before and after, one entry a dimension. */
  readonly before: readonly number[];
  readonly after: readonly number[];
}

function paddedShape(shape: readonly PrimExpr[], padding: Padding): PrimExpr[] {
  return shape.map((extent, i) =>
    add(extent, at(padding.before, i, "padding before") + at(padding.after, i, "padding after")),
  );
}

function isPadded(padding: Padding, axis: number): boolean {
  return padding.before[axis] !== 0 || padding.after[axis] !== 0;
}

/** `x` surrounded by `value`; where nothing is padded, `x` itself. */
export function pad(
  x: Tensor,
  padding: Padding,
  value: PrimExpr,
  parts: { readonly name: string; readonly origin: Origin },
): Tensor {
  if (!padding.before.some((_, axis) => isPadded(padding, axis))) return x;
  return compute(
    paddedShape(x.shape, padding),
    (indices) => {
      const inside: PrimExpr[] = [];
      const source = indices.map((index, axis) => {
        const before = at(padding.before, axis, "padding before");
        if (before !== 0) inside.push(ge(index, before));
        if (padding.after[axis] !== 0) inside.push(lt(index, add(at(x.shape, axis, "input axis"), before)));
        return sub(index, before);
      });
      return ifThenElse(all(inside), x.at(...source), value);
    },
    { ...parts, tag: "injective,pad" },
  );
}

/** `x` continued by its edge elements, or by its mirror image about them. */
export function padByCopy(
  x: Tensor,
  padding: Padding,
  mode: "edge" | "reflect" | "symmetric",
  parts: { readonly name: string; readonly origin: Origin },
): Tensor {
  return compute(
    paddedShape(x.shape, padding),
    (indices) =>
      x.at(
        ...indices.map((index, axis) => {
          if (!isPadded(padding, axis)) return index;
          const extent = at(x.shape, axis, "input axis");
          const inner = sub(index, at(padding.before, axis, "padding before"));
          if (mode === "edge") return max(min(inner, sub(extent, 1)), 0);
          // reflect leaves the edge element out of the image, symmetric repeats it
          const shift = mode === "reflect" ? 0 : 1;
          const low = sub(-shift, inner);
          const high = sub(sub(add(extent, extent), 2 - shift), inner);
          return select(lt(inner, 0), low, select(ge(inner, extent), high, inner));
        }),
      ),
    { ...parts, tag: "injective,pad" },
  );
}

/** Constant padding amounts as Padding: pairs [before, after], one per dimension. */
export function paddingOf(pairs: readonly (readonly [number, number])[]): Padding {
  return { before: pairs.map((pair) => pair[0]), after: pairs.map((pair) => pair[1]) };
}
