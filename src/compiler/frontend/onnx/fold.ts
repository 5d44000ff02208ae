// Working out small calls on constants while importing: the arithmetic on shapes that exporters write. Bigger constants are
// left to FoldConstant, which runs them; here a call costs microseconds, not a compiled kernel.
import type { DType } from "../../ir/dtype.ts";
import { mergeOrigins } from "../../ir/origin.ts";
import { allocateArray, elementCount, tensorData, type TensorData } from "../../ir/tensor-data.ts";
import { staticShape, type TensorType } from "../../ir/type.ts";
import type { Attrs } from "../../ir/attrs.ts";
import { constant } from "../../relay/build.ts";
import { calledOp, type Call, type Constant, type Expr } from "../../relay/expr.ts";
import type { RelayContext } from "../../relay/op.ts";
import { elementwise } from "./fold-scalar.ts";

/** Integers are bigint, floats and booleans (0, 1) numbers. */
export type Scalar = number | bigint;

/** A tensor being worked on. */
export interface Values {
  readonly shape: readonly number[];
  readonly dtype: DType;
  readonly items: readonly Scalar[];
}

/** More elements than any shape, index list or small table has. */
const limit = 4096;

/** The constant that `call` is, or null where it is not one of the operators here, too large, or not on constants. */
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
  const of = call.args[0]!.type;
  const shape = of?.kind === "tensor-type" ? staticShape(of) : null;
  return shape === null
    ? null
    : constant(cx, store(type.dtype, [shape.length], shape.map(BigInt)), call.origin);
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
    else if (arg.kind === "tuple" && arg.fields.every((field) => field.kind === "constant"))
      found.push(...(arg.fields as Constant[]));
    else return null;
  }
  return found.length === 0 && args.length > 0 ? null : found;
}

function load(data: TensorData): Values {
  const integer = data.dtype.code === "int" || data.dtype.code === "uint";
  const list = data.data as ArrayLike<number | bigint>;
  return {
    shape: data.shape,
    dtype: data.dtype,
    items: Array.from(list, (value) => (integer ? BigInt(value) : Number(value))),
  };
}

function store(dtype: DType, shape: readonly number[], items: readonly Scalar[]): TensorData {
  const data = allocateArray(dtype, items.length);
  const wide = data instanceof BigInt64Array || data instanceof BigUint64Array;
  items.forEach((item, i) => {
    // Narrow integers wrap, as they do in a kernel.
    (data as { [index: number]: Scalar })[i] = wide
      ? BigInt(item)
      : typeof item === "bigint"
        ? Number(BigInt.asIntN(54, item))
        : item;
  });
  return tensorData(dtype, shape, data, "folded");
}

interface Out {
  readonly shape: readonly number[];
  readonly dtype: DType;
}

function apply(name: string, args: readonly Values[], attrs: Attrs, out: Out): readonly Scalar[] | null {
  switch (name) {
    case "reshape":
    case "squeeze":
    case "expand_dims":
    case "nn.batch_flatten":
      return args[0]!.items;
    case "cast":
      return args[0]!.items.map((value) => convert(value, out.dtype));
    case "full":
      return Array.from({ length: elementCount(out.shape) }, () => convert(args[0]!.items[0]!, out.dtype));
    case "broadcast_to":
      return gatherBy(out.shape, (index) => args[0]!.items[broadcastOffset(args[0]!.shape, index)]!);
    case "transpose":
      return transposed(args[0]!, attrs, out);
    case "concatenate":
      return concatenated(args, Number(attrs["axis"] ?? 0), out);
    case "stack":
      return args.every(({ shape }) => shape.length === 0) ? args.map(({ items }) => items[0]!) : null;
    case "take":
      return taken(args[0]!, args[1]!, attrs);
    case "strided_slice":
      return sliced(args[0]!, attrs, out);
    case "sum":
    case "prod":
    case "max":
    case "min":
      return reduced(name, args[0]!, attrs);
    case "where":
      return gatherBy(out.shape, (index) => {
        const [condition, x, y] = args.map(({ items, shape }) => items[broadcastOffset(shape, index)]!);
        return Number(condition) !== 0 ? x! : y!;
      });
    default:
      return pointwise(name, args, out);
  }
}

function pointwise(name: string, args: readonly Values[], out: Out): readonly Scalar[] | null {
  const f = elementwise(name, args[0]?.dtype);
  if (f === null || args.length !== f.length) return null;
  let broken = false;
  const items = gatherBy(out.shape, (index) => {
    const value = f(...args.map(({ items: from, shape }) => from[broadcastOffset(shape, index)]!));
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
function gatherBy(shape: readonly number[], at: (index: readonly number[]) => Scalar): Scalar[] {
  const count = elementCount(shape);
  const index = shape.map(() => 0);
  const items: Scalar[] = [];
  for (let i = 0; i < count; i++) {
    items.push(at(index));
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      index[axis]!++;
      if (index[axis]! < shape[axis]!) break;
      index[axis] = 0;
    }
  }
  return items;
}

function offsetIn(shape: readonly number[], index: readonly number[]): number {
  return shape.reduce((offset, dim, i) => offset * dim + index[i]!, 0);
}

/** Offset in a tensor of `shape` of the element that `index` of the broadcast result sees. */
function broadcastOffset(shape: readonly number[], index: readonly number[]): number {
  const skip = index.length - shape.length;
  return shape.reduce((offset, dim, i) => offset * dim + (dim === 1 ? 0 : index[i + skip]!), 0);
}

function transposed(data: Values, attrs: Attrs, out: Out): Scalar[] {
  const rank = data.shape.length;
  const axes = (attrs["axes"] as readonly number[] | null) ?? data.shape.map((_, i) => rank - 1 - i);
  return gatherBy(out.shape, (index) => {
    const from: number[] = [];
    axes.forEach((axis, i) => (from[axis < 0 ? axis + rank : axis] = index[i]!));
    return data.items[offsetIn(data.shape, from)]!;
  });
}

function concatenated(args: readonly Values[], given: number, out: Out): Scalar[] {
  const axis = given < 0 ? given + out.shape.length : given;
  return gatherBy(out.shape, (index) => {
    let at = index[axis]!;
    let part = 0;
    while (at >= args[part]!.shape[axis]!) at -= args[part++]!.shape[axis]!;
    return args[part]!.items[
      offsetIn(
        args[part]!.shape,
        index.map((value, i) => (i === axis ? at : value)),
      )
    ]!;
  });
}

/** take along the first axis of a vector, or of a flattened tensor: what shape arithmetic needs. */
function taken(data: Values, indices: Values, attrs: Attrs): Scalar[] | null {
  const axis = attrs["axis"];
  if (data.shape.length !== 1 && axis !== null) return null;
  const last = data.items.length - 1;
  return last < 0
    ? null
    : indices.items.map((index) => data.items[Math.min(Math.max(Number(index), 0), last)]!);
}

function sliced(data: Values, attrs: Attrs, out: Out): Scalar[] | null {
  if (data.shape.length !== 1 || attrs["slice_mode"] !== "end") return null;
  const extent = data.shape[0]!;
  const stride = Number((attrs["strides"] as readonly number[] | null)?.[0] ?? 1);
  const begin = Number((attrs["begin"] as readonly number[])[0] ?? 0);
  const from = Math.min(Math.max(begin < 0 ? begin + extent : begin, 0), stride < 0 ? extent - 1 : extent);
  return Array.from({ length: out.shape[0]! }, (_, i) => data.items[from + i * stride]!);
}

/** A reduction over everything. */
function reduced(name: string, data: Values, attrs: Attrs): Scalar[] | null {
  const axes = attrs["axis"] as readonly number[] | null;
  if (
    attrs["exclude"] === true ||
    data.items.length === 0 ||
    (axes !== null && new Set(axes).size !== data.shape.length)
  )
    return null;
  const f = elementwise(
    name === "sum" ? "add" : name === "prod" ? "multiply" : name === "max" ? "maximum" : "minimum",
    data.dtype,
  )!;
  return [data.items.reduce((a, b) => convert(f(a, b)!, data.dtype))];
}
