// What TVM does for processors without fast int8 products: zero points are subtracted first, in int16, and
// the core operator gets int16 tensors. It is what targets c and llvm get, and WebAssembly with them.
// TVM: python/tvm/relay/qnn/op/legalizations.py (helper_no_fast_int8_hw_legalization)
import type { RelayContext } from "../../relay/op.ts";
import { tuple, last, first, type Tuple } from "../../../support/assert.ts";
import type { Options } from "../../options.ts";
import type { Attrs } from "../../ir/attrs.ts";
import { int16, int32 } from "../../ir/dtype.ts";
import { tensorData } from "../../ir/tensor-data.ts";
import { constant } from "../../relay/build.ts";
import type { Call, Expr } from "../../relay/expr.ts";
import { isScalarType, lowering, type Lowering, type QuantisedProduct } from "./lowering.ts";

/**
 * Legalization is by target; with several of them TVM has no current one, and the operators go on to
 * canonicalization.
 */
function compilesForCpu(options: Options): boolean {
  return options.targets.length === 1 && options.targets.every(({ kind }) => kind !== "opencl");
}

/**
 * The core operator that a quantised one becomes, and the axis of the weight along which its zero points lie.
 */
interface CoreProduct {
  readonly op: string;
  readonly attrs: Attrs;
  readonly weightAxis: number;
}

/** Data minus its zero point and weight minus its own, both in int16, to the core operator. */
export function shiftedProduct(
  l: Lowering,
  { data, weight, input_zero_point: dataZero, weight_zero_point: weightZero }: QuantisedProduct,
  spec: CoreProduct,
): Call {
  const shiftedData = l.make("subtract", [l.cast(data, int16), l.cast(dataZero, int16)]);
  const wide = l.cast(weight, int16);
  const shiftedWeight = isScalarType(weightZero.type)
    ? l.make("subtract", [wide, l.cast(weightZero, int16)])
    : l.make("nn.bias_add", [wide, l.cast(negated(l, weightZero), int16)], { axis: spec.weightAxis });
  return l.make(spec.op, [shiftedData, shiftedWeight], spec.attrs);
}

/** TVM adds a vector of zero points where it has to subtract; the shape of the program is its own. */
function negated(l: Lowering, vector: Expr): Expr {
  if (vector.kind !== "constant") return l.make("negative", [vector]);
  return constant(
    l.cx,
    tensorData(
      int32,
      vector.data.shape,
      Int32Array.from<number | bigint>(vector.data.data, (value) => -Number(value)),
      "folded",
    ),
    vector.origin,
  );
}

export function legalizeToInt16(
  node: Call,
  cx: RelayContext,
  args: QuantisedProduct,
  spec: CoreProduct,
): Call | null {
  return compilesForCpu(cx.options) ? shiftedProduct(lowering(node, cx), args, spec) : null;
}

/** A padding attribute as the four numbers that TVM's builders write: top, left, bottom, right. */
export function fourPads(padding: readonly number[]): Tuple<number, 4> {
  const pads = padding.map(Number);
  if (pads.length === 4) return tuple(pads, 4, "padding");
  const vertical = first(pads, "padding");
  const horizontal = pads.length === 2 ? last(pads, "padding") : vertical;
  return [vertical, horizontal, vertical, horizontal];
}
