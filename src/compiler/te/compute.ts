// placeholder, compute, extern, reduction axes and reducers.  TVM: python/tvm/te/operation.py,
// src/te/operation/*.cc
import { first, invariant } from "../../support/assert.ts";
import { bool, float16, int32, isFloat, type DType } from "../ir/dtype.ts";
import { synthetic, type Origin } from "../ir/origin.ts";
import { buffer, imm, intImm, makeBinary, producerLoad, reduceNode, tirVar, trueImm } from "../tir/build.ts";
import type { BinaryOp, Buffer, Combiner, IterVar, PrimExpr } from "../tir/expr.ts";
import type { Stmt } from "../tir/stmt.ts";
import type { ComputeOp, ExternOp, Operation, PlaceholderOp, Tensor } from "./tensor.ts";

export type Extent = PrimExpr | number;

interface ComputeParts {
  readonly name?: string;
  readonly tag?: string;
  readonly origin?: Origin;
  readonly attrs?: Readonly<Record<string, unknown>>;
  /** Names of the data axes, for loops that people read; i0, i1, … where left out. */
  readonly axes?: readonly string[];
}

function asExpr(value: Extent): PrimExpr {
  return typeof value === "number" ? intImm(value) : value;
}

function makeTensor(
  op: Operation,
  name: string,
  dtype: DType,
  shape: readonly PrimExpr[],
  valueIndex: number,
): Tensor {
  const tensor: Tensor = {
    kind: "tensor",
    name,
    dtype,
    shape,
    op,
    valueIndex,
    at: (...indices) =>
      producerLoad(
        tensor,
        indices.map((index) => asExpr(index)),
      ),
  };
  return tensor;
}

export function placeholder(shape: readonly Extent[], dtype: DType, parts: ComputeParts = {}): Tensor {
  const name = parts.name ?? "placeholder";
  const outputs: Tensor[] = [];
  const op: PlaceholderOp = {
    kind: "placeholder",
    name,
    tag: parts.tag ?? "",
    origin: parts.origin ?? synthetic("te"),
    attrs: parts.attrs ?? {},
    outputs,
  };
  const tensor = makeTensor(op, name, dtype, shape.map(asExpr), 0);
  outputs.push(tensor);
  return tensor;
}

const axisNames = ["i0", "i1", "i2", "i3", "i4", "i5", "i6", "i7", "i8", "i9"];

/** One expression a dimension: a tuple where the shape is one. */
export type Indices<Shape extends readonly Extent[]> = { readonly [Axis in keyof Shape]: PrimExpr };

/** One tensor: `body` gets the index variables, one per dimension. */
export function compute<const Shape extends readonly Extent[]>(
  shape: Shape,
  body: (indices: Indices<Shape>) => PrimExpr,
  parts: ComputeParts = {},
): Tensor {
  return first(
    computeMany(shape, (indices) => [body(indices)], parts),
    "output",
  );
}

/** Several tensors of one shape computed together (argmax's pair). */
export function computeMany<const Shape extends readonly Extent[], const Bodies extends readonly PrimExpr[]>(
  shape: Shape,
  body: (indices: Indices<Shape>) => Bodies,
  parts: ComputeParts = {},
): { readonly [Output in keyof Bodies]: Tensor } {
  const name = parts.name ?? "compute";
  const dims = shape.map(asExpr);
  const axis: IterVar[] = dims.map((extent, i) => ({
    kind: "data-par",
    variable: tirVar(parts.axes?.[i] ?? axisNames[i] ?? `i${i}`, int32),
    min: intImm(0),
    extent,
  }));
  const bodies = body(
    sameLength(
      shape,
      axis.map((iter) => iter.variable),
    ),
  );
  const outputs: Tensor[] = [];
  const op: ComputeOp = {
    kind: "compute",
    name,
    tag: parts.tag ?? "",
    origin: parts.origin ?? synthetic("te"),
    attrs: parts.attrs ?? {},
    outputs,
    axis,
    reduceAxis: reduceAxesOf(bodies),
    body: bodies,
  };
  bodies.forEach((expr, i) =>
    outputs.push(makeTensor(op, bodies.length > 1 ? `${name}.v${i}` : name, expr.dtype, dims, i)),
  );
  return sameLength(bodies, outputs);
}

/** The reduction axes of an operation with these bodies, which share them. */
function reduceAxesOf(bodies: readonly PrimExpr[]): readonly IterVar[] {
  const body = first(bodies, "body");
  return body.kind === "reduce" ? body.axes : [];
}

/**
 * `list`, which has an element for each of `pattern`, with the pattern's length as type: what map() on a
 * tuple forgets.
 */
export function sameLength<T, Pattern extends readonly unknown[]>(
  pattern: Pattern,
  list: readonly T[],
): { readonly [K in keyof Pattern]: T } {
  invariant(list.length === pattern.length, `${list.length} elements for ${pattern.length}`);
  return list as { readonly [K in keyof Pattern]: T };
}

/**
 * The operation with other bodies (and, for a cached copy, other axes and name): what schedule rewrites make.
 * Its outputs are new tensors.
 */
export function remakeCompute(
  op: ComputeOp,
  changes: {
    readonly body: readonly PrimExpr[];
    readonly axis?: readonly IterVar[];
    readonly name?: string;
    readonly origin?: Origin;
  },
): ComputeOp {
  const name = changes.name ?? op.name;
  const axis = changes.axis ?? op.axis;
  const outputs: Tensor[] = [];
  const made: ComputeOp = {
    kind: "compute",
    name,
    tag: op.tag,
    origin: changes.origin ?? op.origin,
    attrs: op.attrs,
    outputs,
    axis,
    reduceAxis: reduceAxesOf(changes.body),
    body: changes.body,
  };
  const shape = axis.map((iter) => iter.extent);
  changes.body.forEach((expr, i) =>
    outputs.push(makeTensor(made, changes.body.length > 1 ? `${name}.v${i}` : name, expr.dtype, shape, i)),
  );
  return made;
}

/** The extern operation reading other tensors. */
export function remakeExtern(op: ExternOp, inputs: readonly Tensor[]): ExternOp {
  const outputs: Tensor[] = [];
  const made: ExternOp = { ...op, inputs, outputs };
  for (const old of op.outputs)
    outputs.push(makeTensor(made, old.name, old.dtype, old.shape, old.valueIndex));
  return made;
}

interface ExternOutput {
  readonly shape: readonly Extent[];
  readonly dtype: DType;
}

/** A computation given as TIR over buffers of its inputs and outputs. */
export function extern<const Ins extends readonly Tensor[], const Outs extends readonly ExternOutput[]>(
  inputs: Ins,
  outputs: Outs,
  body: (ins: { readonly [I in keyof Ins]: Buffer }, outs: { readonly [O in keyof Outs]: Buffer }) => Stmt,
  parts: ComputeParts = {},
): { readonly [O in keyof Outs]: Tensor } {
  const name = parts.name ?? "extern";
  const ins = inputs.map((tensor) => buffer(tensor.name, tensor.dtype, tensor.shape, "global"));
  const outs = outputs.map((spec, i) =>
    buffer(outputs.length > 1 ? `${name}.v${i}` : name, spec.dtype, spec.shape, "global"),
  );
  const tensors: Tensor[] = [];
  const op: ExternOp = {
    kind: "extern",
    name,
    tag: parts.tag ?? "extern",
    origin: parts.origin ?? synthetic("te"),
    attrs: parts.attrs ?? {},
    outputs: tensors,
    inputs,
    inputBuffers: ins,
    outputBuffers: outs,
    body: body(sameLength(inputs, ins), sameLength(outputs, outs)),
  };
  outs.forEach((out, i) => tensors.push(makeTensor(op, out.name, out.dtype, out.shape, i)));
  return sameLength(outputs, tensors);
}

export function reduceAxis(extent: Extent, name = "k"): IterVar {
  return { kind: "reduce", variable: tirVar(name, int32), min: intImm(0), extent: asExpr(extent) };
}

function simpleCombiner(name: string, op: BinaryOp, dtype: DType, identity: PrimExpr): Combiner {
  const x = tirVar("x", dtype);
  const y = tirVar("y", dtype);
  return { name, lhs: [x], rhs: [y], result: [makeBinary(op, x, y)], identity: [identity] };
}

function reduceWith(combiner: Combiner, source: PrimExpr, axes: readonly IterVar[]): PrimExpr {
  return reduceNode(combiner, [source], axes, trueImm, 0);
}

export function sum(source: PrimExpr, axes: readonly IterVar[]): PrimExpr {
  return reduceWith(simpleCombiner("sum", "add", source.dtype, imm(0, source.dtype)), source, axes);
}

export function prod(source: PrimExpr, axes: readonly IterVar[]): PrimExpr {
  return reduceWith(simpleCombiner("prod", "mul", source.dtype, imm(1, source.dtype)), source, axes);
}

export function maxReduce(source: PrimExpr, axes: readonly IterVar[]): PrimExpr {
  return reduceWith(simpleCombiner("max", "max", source.dtype, minValue(source.dtype)), source, axes);
}

export function minReduce(source: PrimExpr, axes: readonly IterVar[]): PrimExpr {
  return reduceWith(simpleCombiner("min", "min", source.dtype, maxValue(source.dtype)), source, axes);
}

export function allReduce(source: PrimExpr, axes: readonly IterVar[]): PrimExpr {
  return reduceWith(simpleCombiner("all", "and", bool, trueImm), source, axes);
}

export function anyReduce(source: PrimExpr, axes: readonly IterVar[]): PrimExpr {
  return reduceWith(simpleCombiner("any", "or", bool, imm(0, bool)), source, axes);
}

/** Least finite value, as TVM's tvm::min_value. */
export function minValue(dtype: DType): PrimExpr {
  return limit(dtype, -1);
}

/** Greatest finite value, as TVM's tvm::max_value. */
export function maxValue(dtype: DType): PrimExpr {
  return limit(dtype, 1);
}

function limit(dtype: DType, sign: 1 | -1): PrimExpr {
  if (isFloat(dtype)) {
    const greatest =
      dtype === float16
        ? 65504
        : dtype.bits === 64
          ? Number.MAX_VALUE
          : dtype.code === "bfloat"
            ? 3.3895313892515355e38
            : 3.4028234663852886e38;
    return imm(sign * greatest, dtype);
  }
  if (dtype.code === "bool") return imm(sign < 0 ? 0 : 1, dtype);
  if (dtype.code === "uint") return intImm(sign < 0 ? 0n : (1n << BigInt(dtype.bits)) - 1n, dtype);
  const half = 1n << BigInt(dtype.bits - 1);
  return intImm(sign < 0 ? -half : half - 1n, dtype);
}
