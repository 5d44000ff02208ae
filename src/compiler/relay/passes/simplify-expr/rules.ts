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

type Concrete = (call: Call, shape: readonly number[], dtype: string, cx: RelayContext) => Expr | null;

/** A `*_like` operator whose result has a static shape takes that shape as an attribute instead. */
function concretize(like: string, target: string, make: Concrete): SimplifyRule {
  return {
    name: `concretize ${like}`,
    roots: opSet(like),
    needs: opSet(like),
    match: (_call, cx) => ({
      inner: null,
      replace: (call) => {
        const type = tensorOf(call);
        const shape = type === null ? null : staticShape(type);
        return shape === null || !cx.ops.has(target) ? null : make(call, shape, type!.dtype.name, cx);
      },
    }),
  };
}

/** An extent of 0 cannot stand in reshape's attribute, where 0 copies a dimension. */
const hasNoElements = (shape: readonly number[]): boolean => shape.includes(0);

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
    hasNoElements(shape) ? null : callOf(cx, "reshape", [argOf(call, 0)], { newshape: shape }, call.origin),
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

/**
 * Whether `expr` may stand for the neutral element: a filled tensor by name, or any constant (its value is
 * looked at later).
 */
function standsFor(expr: Expr, names: ReadonlySet<string>): boolean {
  return expr.kind === "constant" || names.has(calledOp(expr) ?? "");
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
  match: (call) => {
    const rule = get(neutral, calledOp(call)!, "neutral element");
    // The right operand is looked at first; only if it cannot be neutral by its form is the left one.
    const right = standsFor(argOf(call, 1), rule.fills);
    if (!right && !(rule.commutes && standsFor(argOf(call, 0), rule.fills))) return null;
    const kept = right ? 0 : 1;
    const unit = argOf(call, 1 - kept);
    return {
      inner: unit.kind === "constant" || unit === argOf(call, kept) ? null : unit,
      replace: (post) => {
        const x = argOf(post, kept);
        if (post.type === null || x.type === null) return null;
        if (unit.kind === "constant" && onlyValue(unit) !== rule.value) return null;
        return sameType(x.type, post.type) ? x : null;
      },
    };
  },
};

const reshapes = opSet("reshape", "contrib_reverse_reshape");

/** A reshape of a reshape is one. */
const simplifyReshape: SimplifyRule = {
  name: "reshape of reshape",
  roots: reshapes,
  needs: reshapes,
  match: (call, cx) => {
    const inner = argOf(call, 0);
    if (!reshapes.has(calledOp(inner) ?? "")) return null;
    return {
      inner,
      replace: (post) => {
        const first = argOf(post, 0);
        const type = tensorOf(post);
        const newshape = type === null ? null : staticShape(type);
        if (first.kind !== "call" || newshape === null || hasNoElements(newshape)) return null;
        const origin = mergeOrigins([post.origin, first.origin]);
        return callOf(cx, "reshape", [argOf(first, 0)], { newshape }, origin);
      },
    };
  },
};

const casts = opSet("cast", "cast_like");

/** A cast to the dtype that the value has. */
const simplifyCast: SimplifyRule = {
  name: "cast to the same dtype",
  roots: casts,
  needs: casts,
  match: () => ({
    inner: null,
    replace: (call) => {
      const data = argOf(call, 0);
      const [from, to] = [tensorOf(data), tensorOf(call)];
      return from !== null && to !== null && from.dtype === to.dtype ? data : null;
    },
  }),
};

const fills = opSet("full", "full_like", "ones", "ones_like", "zeros", "zeros_like");

/** Whether `expr` is a call that fills a tensor with a value that is known. */
function isFill(expr: Expr): expr is Call {
  const op = calledOp(expr) ?? "";
  if (expr.kind !== "call" || !fills.has(op)) return false;
  return !op.startsWith("full") || argOf(expr, expr.args.length - 1).kind === "constant";
}

/** The scalar that a filled tensor holds everywhere, or null. */
function fillValue(fill: Call, result: TensorType, cx: RelayContext): Expr | null {
  const op = calledOp(fill)!;
  if (!op.startsWith("full")) return scalar(cx, result.dtype, op.startsWith("ones") ? 1 : 0, fill.origin);
  const value = argOf(fill, fill.args.length - 1);
  return value.kind === "constant" && value.data.shape.length === 0 && value.data.dtype === result.dtype
    ? value
    : null;
}

/**
 * A filled tensor as operand of a broadcast operator becomes a scalar where the other operand gives the
 * shape.
 */
const fullElementwise: SimplifyRule = {
  name: "filled operand to scalar",
  roots: null,
  needs: fills,
  match: (call, cx) => {
    if (call.args.length !== 2 || cx.ops.get(calledOp(call)!)?.pattern !== OpPattern.broadcast) return null;
    const index = call.args.findIndex(isFill);
    const fill = call.args[index];
    if (fill === undefined || !isFill(fill)) return null;
    return {
      inner: fill === argOf(call, 1 - index) ? null : fill,
      replace: (post) => {
        const type = tensorOf(post);
        const other = argOf(post, 1 - index);
        if (type === null || other.type === null || !sameType(other.type, type)) return null;
        const value = fillValue(fill, type, cx);
        if (value === null) return null;
        const args = index === 0 ? [value, other] : [other, value];
        return makeCall(cx.ids, post.callee, args, post.attrs, post);
      },
    };
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
