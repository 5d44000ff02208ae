// The rules of SimplifyExpr in TVM's order.  TVM: src/relay/transforms/simplify_expr.cc
import { get } from "../../../../support/assert.ts";
import { int32 } from "../../../ir/dtype.ts";
import { decodeBfloat16, decodeFloat16 } from "../../../ir/float16.ts";
import { mergeOrigins } from "../../../ir/origin.ts";
import { OpPattern } from "../../../ir/op.ts";
import { allocateArray, elementCount, tensorData } from "../../../ir/tensor-data.ts";
import { sameType, staticShape, type TensorType } from "../../../ir/type.ts";
import { call as callOf, constant as constantOf, scalar } from "../../build.ts";
import { calledOp, makeCall, type Call, type Constant, type Expr, argOf } from "../../expr.ts";
import type { RelayContext } from "../../op.ts";
import { opSet, type SimplifyRule } from "./rule.ts";
import { simplifyTranspose } from "./transposes.ts";

function tensorOf(expr: Expr): TensorType | null {
  return expr.type?.kind === "tensor-type" ? expr.type : null;
}

type Concrete = (call: Call, shape: readonly number[], dtype: string, cx: RelayContext) => Expr;

/** A `*_like` operator whose result has a static shape takes that shape as an attribute instead. */
function concretize(like: string, target: string, make: Concrete): SimplifyRule {
  return {
    name: `concretize ${like}`,
    roots: opSet(like),
    needs: opSet(like),
    apply: (call, _inner, cx) => {
      const type = tensorOf(call);
      const shape = type === null ? null : staticShape(type);
      return shape === null || !cx.ops.has(target) ? null : make(call, shape, type!.dtype.name, cx);
    },
  };
}

const concretizeRules: readonly SimplifyRule[] = [
  concretize("zeros_like", "zeros", (call, shape, dtype, cx) =>
    callOf(cx, "zeros", [], { shape, dtype }, call.origin),
  ),
  concretize("ones_like", "ones", (call, shape, dtype, cx) =>
    callOf(cx, "ones", [], { shape, dtype }, call.origin),
  ),
  concretize("full_like", "full", (call, shape, dtype, cx) =>
    callOf(cx, "full", [argOf(call, 1)], { shape, dtype }, call.origin),
  ),
  concretize("reshape_like", "reshape", (call, shape, _dtype, cx) =>
    callOf(cx, "reshape", [argOf(call, 0)], { newshape: shape }, call.origin),
  ),
  concretize("collapse_sum_like", "collapse_sum_to", (call, shape, _dtype, cx) => {
    const data = allocateArray(int32, shape.length);
    shape.forEach((dim, i) => (data[i] = dim));
    const target = constantOf(cx, tensorData(int32, [shape.length], data, "folded"), call.origin);
    return callOf(cx, "collapse_sum_to", [argOf(call, 0), target], { shape }, call.origin);
  }),
  concretize("broadcast_to_like", "broadcast_to", (call, shape, _dtype, cx) =>
    callOf(cx, "broadcast_to", [argOf(call, 0)], { shape }, call.origin),
  ),
];

/** The one value that a constant of one element holds, or null. */
function onlyValue(constant: Constant): number | null {
  const { data, dtype, shape } = constant.data;
  if (elementCount(shape) !== 1) return null;
  if (dtype.code === "bfloat") return decodeBfloat16(data[0] as number);
  return dtype.code === "float" && dtype.bits === 16 ? decodeFloat16(data[0] as number) : Number(data[0]);
}

/** Whether `expr` may stand for the neutral element: a filled tensor by name, or any constant (its value is looked at later). */
function standsFor(expr: Expr, fills: ReadonlySet<string>, inner: (arg: Expr) => boolean): boolean {
  return expr.kind === "constant" || (fills.has(calledOp(expr) ?? "") && inner(expr));
}

const zeroFills = opSet("zeros", "zeros_like");
const oneFills = opSet("ones", "ones_like");
interface Neutral {
  readonly fills: ReadonlySet<string>;
  readonly value: number;
  readonly commutes: boolean;
}

const neutral: ReadonlyMap<string, Neutral> = new Map([
  ["add", { fills: zeroFills, value: 0, commutes: true }],
  ["multiply", { fills: oneFills, value: 1, commutes: true }],
  ["subtract", { fills: zeroFills, value: 0, commutes: false }],
  ["divide", { fills: oneFills, value: 1, commutes: false }],
]);

/** x + 0, x * 1, x - 0, x / 1 where the neutral operand does not widen the shape. */
const eliminateIdentity: SimplifyRule = {
  name: "eliminate identity",
  roots: new Set(neutral.keys()),
  needs: null,
  apply: (call, inner) => {
    const rule = get(neutral, calledOp(call)!, "neutral");
    const [lhs, rhs] = [argOf(call, 0), argOf(call, 1)];
    // The right operand is looked at first; only if it cannot be neutral by its form is the left one.
    const right = standsFor(rhs, rule.fills, inner);
    if (!right && !(rule.commutes && standsFor(lhs, rule.fills, inner))) return null;
    const [x, unit] = right ? [lhs, rhs] : [rhs, lhs];
    if (call.type === null || x.type === null || (unit.kind === "constant" && onlyValue(unit) !== rule.value))
      return null;
    return sameType(x.type, call.type) ? x : null;
  },
};

const reshapes = opSet("reshape", "contrib_reverse_reshape");

/** A reshape of a reshape is one. */
const simplifyReshape: SimplifyRule = {
  name: "reshape of reshape",
  roots: reshapes,
  needs: reshapes,
  apply: (call, inner, cx) => {
    const first = argOf(call, 0);
    const type = tensorOf(call);
    const shape = type === null ? null : staticShape(type);
    if (first.kind !== "call" || !reshapes.has(calledOp(first) ?? "") || !inner(first) || shape === null)
      return null;
    return callOf(
      cx,
      "reshape",
      [argOf(first, 0)],
      { newshape: shape },
      mergeOrigins([call.origin, first.origin]),
    );
  },
};

const casts = opSet("cast", "cast_like");

/** A cast to the dtype that the value has. */
const simplifyCast: SimplifyRule = {
  name: "cast to the same dtype",
  roots: casts,
  needs: casts,
  apply: (call) => {
    const data = argOf(call, 0);
    const [from, to] = [tensorOf(data), tensorOf(call)];
    return from !== null && to !== null && from.dtype === to.dtype ? data : null;
  },
};

const fills = opSet("full", "full_like", "ones", "ones_like", "zeros", "zeros_like");

/** The scalar that a filled tensor holds everywhere, or null. */
function fillValue(expr: Expr, result: TensorType, cx: RelayContext): Expr | null {
  if (expr.kind !== "call") return null;
  switch (calledOp(expr) ?? "") {
    case "full":
    case "full_like": {
      const value = argOf(expr, expr.args.length - 1);
      return value.kind === "constant" && value.data.shape.length === 0 && value.data.dtype === result.dtype
        ? value
        : null;
    }
    case "ones":
    case "ones_like":
      return scalar(cx, result.dtype, 1, expr.origin);
    case "zeros":
    case "zeros_like":
      return scalar(cx, result.dtype, 0, expr.origin);
    default:
      return null;
  }
}

/** A filled tensor as operand of a broadcast operator becomes a scalar where the other operand gives the shape. */
const fullElementwise: SimplifyRule = {
  name: "filled operand to scalar",
  roots: null,
  needs: fills,
  apply: (call, inner, cx) => {
    const type = tensorOf(call);
    if (
      type === null ||
      call.args.length !== 2 ||
      cx.ops.get(calledOp(call)!)?.pattern !== OpPattern.broadcast
    )
      return null;
    const index = call.args.findIndex((arg) => fills.has(calledOp(arg) ?? "") && inner(arg));
    const other = index < 0 ? null : argOf(call, 1 - index);
    if (other === null || other.type === null || !sameType(other.type, type)) return null;
    const value = fillValue(argOf(call, index), type, cx);
    if (value === null) return null;
    const args = index === 0 ? [value, other] : [other, value];
    return makeCall(cx.ids, call.callee, args, call.attrs, call, call.typeArgs);
  },
};

export const simplifyRules: readonly SimplifyRule[] = [
  ...concretizeRules,
  eliminateIdentity,
  simplifyReshape,
  simplifyTranspose,
  simplifyCast,
  fullElementwise,
];
