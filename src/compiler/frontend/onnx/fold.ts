// Working out small calls on constants while importing: the arithmetic on shapes that exporters write. Bigger
// constants are left to FoldConstant, which runs them; here a call costs microseconds, not a compiled kernel.
import { at, InvariantError } from "../../../support/assert.ts";
import { arrayOf, elementsOf } from "../values.ts";
import type { DType } from "../../ir/dtype.ts";
import { mergeOrigins } from "../../ir/origin.ts";
import { elementCount, tensorData, type TensorData } from "../../ir/tensor-data.ts";
import { staticShape, type TensorType } from "../../ir/type.ts";
import type { Attrs } from "../../ir/attrs.ts";
import { constant } from "../../relay/build.ts";
import { calledOp, type Call, type Constant, type Expr } from "../../relay/expr.ts";
import type { RelayContext } from "../../relay/op.ts";
import { elementwise, type Fold } from "./fold-scalar.ts";

/** Integers are bigint, floats and booleans (0, 1) numbers. */
type Scalar = number | bigint;

/** A tensor being worked on. */
interface Values {
  readonly shape: readonly number[];
  readonly dtype: DType;
  readonly items: readonly Scalar[];
}

/** More elements than any shape, index list or small table has. */
const limit = 4096;

/**
 * The constant that `call` is, or null where it is not one of the operators here, too large, or not on
 * constants.
 */
export function foldCall(call: Call, cx: RelayContext): Expr | null {
  const name = calledOp(call);
  const type = call.type;
  if (name === null || type?.kind !== "tensor-type") return null;
  const shape = staticShape(type);
  if (name === "shape_of") return foldShape(call, type, cx);
  if (shape === null || elementCount(shape) > limit || !exact(type.dtype)) return null;
  const operands = constantOperands(call.args);
  if (
    operands === null ||
    operands.some(({ data }) => elementCount(data.shape) > limit || !exact(data.dtype))
  )
    return null;
  const items = apply(
    name,
    operands.map(({ data }) => load(data)),
    call.attrs,
    { shape, dtype: type.dtype },
  );
  if (items === null) return null;
  const origin = mergeOrigins([call.origin, ...operands.map((operand) => operand.origin)]);
  return constant(cx, store(type.dtype, shape, items), origin);
}

function foldShape(call: Call, type: TensorType, cx: RelayContext): Expr | null {
  const of = call.args[0]?.type;
  const shape = of?.kind === "tensor-type" ? staticShape(of) : null;
  if (shape === null) return null;
  return constant(cx, store(type.dtype, [shape.length], shape.map(BigInt)), call.origin);
}

/** Float16 and bfloat16 are left to the compiled kernels. */
function exact(type: DType): boolean {
  return (
    type.code === "bool" ||
    type.code === "int" ||
    type.code === "uint" ||
    (type.code === "float" && type.bits >= 32)
  );
}

function constantOperands(args: readonly Expr[]): readonly Constant[] | null {
  const found: Constant[] = [];
  for (const arg of args) {
    if (arg.kind === "constant") found.push(arg);
    else if (arg.kind === "tuple") {
      const constants = arg.fields.filter((field) => field.kind === "constant");
      if (constants.length < arg.fields.length) return null;
      found.push(...constants);
    } else return null;
  }
  return found.length === 0 && args.length > 0 ? null : found;
}

function load(data: TensorData): Values {
  const integer = data.dtype.code === "int" || data.dtype.code === "uint";
  return {
    shape: data.shape,
    dtype: data.dtype,
    items: Array.from(elementsOf(data), (value) => (integer ? BigInt(value) : Number(value))),
  };
}

function store(dtype: DType, shape: readonly number[], items: readonly Scalar[]): TensorData {
  return tensorData(dtype, shape, arrayOf(dtype, items), "folded");
}

interface Out {
  readonly shape: readonly number[];
  readonly dtype: DType;
}

function apply(name: string, args: readonly Values[], attrs: Attrs, out: Out): readonly Scalar[] | null {
  const [first, second, third] = args;
  if (first === undefined) return null;
  switch (name) {
    case "reshape":
    case "squeeze":
    case "expand_dims":
    case "nn.batch_flatten":
      return first.items;
    case "cast":
      return first.items.map((value) => convert(value, out.dtype));
    case "full": {
      const value = convert(at(first.items, 0, "element of a scalar"), out.dtype);
      return Array.from({ length: elementCount(out.shape) }, () => value);
    }
    case "broadcast_to":
      return gatherBy(out.shape, (index) => broadcastItem(first, index));
    case "transpose":
      return transposed(first, attrs, out);
    case "concatenate":
      return concatenated(args, Number(attrs["axis"] ?? 0), out);
    case "stack":
      return args.every(({ shape }) => shape.length === 0) ? args.flatMap(({ items }) => items) : null;
    case "take":
      return second === undefined ? null : taken(first, second, attrs);
    case "strided_slice":
      return sliced(first, attrs, out);
    case "sum":
    case "prod":
    case "max":
    case "min":
      return reduced(name, first, attrs);
    case "where":
      return second === undefined || third === undefined
        ? null
        : gatherBy(out.shape, (index) =>
            broadcastItem(Number(broadcastItem(first, index)) !== 0 ? second : third, index),
          );
    default:
      return pointwise(elementwise(name), args, out);
  }
}

function pointwise(f: Fold | null, args: readonly Values[], out: Out): readonly Scalar[] | null {
  const [a, b] = args;
  if (f === null || a === undefined || args.length !== f.arity) return null;
  let broken = false;
  const items = gatherBy(out.shape, (index) => {
    const left = broadcastItem(a, index);
    const value =
      f.arity === 1 ? f.apply(left) : b === undefined ? null : f.apply(left, broadcastItem(b, index));
    broken ||= value === null;
    return value === null ? 0 : convert(value, out.dtype);
  });
  return broken ? null : items;
}

/** `value` as an element of `to`, wrapped or rounded as a kernel's cast does it; NaN becomes 0. */
function convert(value: Scalar, to: DType): Scalar {
  if (to.code === "bool") return Number(value) !== 0 ? 1 : 0;
  if (to.code === "float") return to.bits === 32 ? Math.fround(Number(value)) : Number(value);
  const whole = typeof value === "bigint" ? value : Number.isFinite(value) ? BigInt(Math.trunc(value)) : 0n;
  return to.code === "uint" ? BigInt.asUintN(to.bits, whole) : BigInt.asIntN(to.bits, whole);
}

/** Row-major items of `shape`, each from its index. */
function gatherBy(shape: readonly number[], itemAt: (index: readonly number[]) => Scalar): Scalar[] {
  const strides = shape.map((_, axis) => elementCount(shape.slice(axis + 1)));
  return Array.from({ length: elementCount(shape) }, (_, i) =>
    itemAt(shape.map((dim, axis) => Math.floor(i / at(strides, axis, "stride")) % dim)),
  );
}

function itemOf(data: Values, index: readonly number[]): Scalar {
  const offset = data.shape.reduce((sum, dim, axis) => sum * dim + at(index, axis, "index"), 0);
  return at(data.items, offset, "element");
}

/** The element that `index` of the broadcast result sees. */
function broadcastItem(data: Values, index: readonly number[]): Scalar {
  const skip = index.length - data.shape.length;
  return itemOf(
    data,
    data.shape.map((dim, axis) => (dim === 1 ? 0 : at(index, axis + skip, "index"))),
  );
}

/** An attribute that holds integers; null where it is left out. */
function integers(attrs: Attrs, name: string): readonly number[] | null {
  const value = attrs[name];
  return Array.isArray(value) ? value.map(Number) : null;
}

function transposed(data: Values, attrs: Attrs, out: Out): Scalar[] {
  const rank = data.shape.length;
  const axes = (integers(attrs, "axes") ?? data.shape.map((_, i) => rank - 1 - i)).map((axis) =>
    axis < 0 ? axis + rank : axis,
  );
  return gatherBy(out.shape, (index) =>
    itemOf(
      data,
      data.shape.map((_, axis) => at(index, axes.indexOf(axis), "index")),
    ),
  );
}

function concatenated(args: readonly Values[], given: number, out: Out): Scalar[] {
  const axis = given < 0 ? given + out.shape.length : given;
  return gatherBy(out.shape, (index) => {
    let place = at(index, axis, "index");
    for (const part of args) {
      const extent = at(part.shape, axis, "extent");
      if (place < extent)
        return itemOf(
          part,
          index.map((value, i) => (i === axis ? place : value)),
        );
      place -= extent;
    }
    throw new InvariantError("concatenate gives more elements than its parts have");
  });
}

/** take along the first axis of a vector, or of a flattened tensor: what shape arithmetic needs. */
function taken(data: Values, indices: Values, attrs: Attrs): Scalar[] | null {
  const axis = attrs["axis"];
  if (data.shape.length !== 1 && axis !== null) return null;
  const last = data.items.length - 1;
  return last < 0
    ? null
    : indices.items.map((index) => at(data.items, Math.min(Math.max(Number(index), 0), last), "element"));
}

function sliced(data: Values, attrs: Attrs, out: Out): Scalar[] | null {
  if (data.shape.length !== 1 || attrs["slice_mode"] !== "end") return null;
  const [extent = 0] = data.shape;
  const stride = integers(attrs, "strides")?.[0] ?? 1;
  const begin = integers(attrs, "begin")?.[0] ?? 0;
  const from = Math.min(Math.max(begin < 0 ? begin + extent : begin, 0), stride < 0 ? extent - 1 : extent);
  return Array.from({ length: elementCount(out.shape) }, (_, i) =>
    at(data.items, from + i * stride, "element"),
  );
}

/** A reduction over everything. */
function reduced(name: string, data: Values, attrs: Attrs): Scalar[] | null {
  const axes = integers(attrs, "axis");
  if (attrs["exclude"] === true || (axes !== null && new Set(axes).size !== data.shape.length)) return null;
  const f = elementwise(
    name === "sum" ? "add" : name === "prod" ? "multiply" : name === "max" ? "maximum" : "minimum",
  );
  const [first, ...rest] = data.items;
  if (first === undefined || f?.arity !== 2) return null;
  return [rest.reduce((a, b) => convert(f.apply(a, b) ?? a, data.dtype), first)];
}
