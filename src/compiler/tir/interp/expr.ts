// Expressions of the TIR interpreter, turned into closures once so that loops run at a bearable speed.
// A value is a scalar, an array of scalars (one per lane), or a typed array (the address of a buffer).
import { InvariantError, invariant } from "../../../support/assert.ts";
import { scalarOf, type DType } from "../../ir/dtype.ts";
import type { TensorArray } from "../../ir/tensor-data.ts";
import type { Buffer, BufferLoad, PrimExpr, TirCall, TirVar } from "../expr.ts";
import { scalarIntrinsic } from "./intrinsics.ts";
import { elementCodec, isWide, scalarBinary, scalarCast, type Scalar } from "./scalar.ts";

type Value = Scalar | readonly Scalar[] | TensorArray | string;
type Eval = () => Value;
type EvalScalar = () => Scalar;

/**
 * A function outside: scalars as numbers (int64 as bigint), buffers as typed arrays. Returns the result, or
 * nothing for a call made for effect.
 */
export type ExternFunction = (...args: readonly Value[]) => Scalar | void;
export type Externs = ReadonlyMap<string, ExternFunction>;

/** Memory behind a buffer while it is alive. */
interface Storage {
  data: TensorArray | null;
  /** Extents of the dimensions, evaluated. */
  dims: readonly number[];
}

export interface Scope {
  readonly variables: Map<TirVar, { value: Value }>;
  readonly buffers: Map<Buffer, Storage>;
  readonly externs: Externs;
}

export function cellOf(scope: Scope, variable: TirVar): { value: Value } {
  let cell = scope.variables.get(variable);
  if (cell === undefined) {
    cell = { value: NaN };
    scope.variables.set(variable, cell);
  }
  return cell;
}

export function storageOf(scope: Scope, buffer: Buffer): Storage {
  let storage = scope.buffers.get(buffer);
  if (storage === undefined) {
    storage = { data: null, dims: [] };
    scope.buffers.set(buffer, storage);
  }
  return storage;
}

/** A scalar expression; vectors are an error here. */
function compileScalar(scope: Scope, expr: PrimExpr): EvalScalar {
  invariant(expr.dtype.lanes === 1, `a scalar is needed, got ${expr.dtype.name}`);
  return compileExpr(scope, expr) as EvalScalar;
}

/** As a JavaScript number, for indices, extents and conditions. */
export function compileNumber(scope: Scope, expr: PrimExpr): () => number {
  const value = compileScalar(scope, expr);
  return isWide(expr.dtype) ? () => Number(value()) : (value as () => number);
}

export function compileExpr(scope: Scope, expr: PrimExpr): Eval {
  switch (expr.kind) {
    case "tir-var": {
      const cell = cellOf(scope, expr);
      return () => cell.value;
    }
    case "int": {
      const value = isWide(expr.dtype) ? BigInt(expr.value) : Number(expr.value);
      return () => value;
    }
    case "float": {
      const value = scalarCast(expr.dtype, expr.dtype)(expr.value);
      return () => value;
    }
    case "string":
      return () => expr.value;
    case "binary":
      return lanewise(scope, expr.dtype.lanes, [expr.a, expr.b], binaryLane(expr.op, scalarOf(expr.a.dtype)));
    case "not":
      return lanewise(scope, expr.dtype.lanes, [expr.a], (args) => (args[0] === 0 ? 1 : 0));
    case "select":
      return lanewise(scope, expr.dtype.lanes, [expr.condition, expr.then, expr.otherwise], (args) =>
        args[0] === 0 ? args[2]! : args[1]!,
      );
    case "cast": {
      const convert = scalarCast(scalarOf(expr.value.dtype), scalarOf(expr.dtype));
      return lanewise(scope, expr.dtype.lanes, [expr.value], (args) => convert(args[0]!));
    }
    case "ramp": {
      const base = compileScalar(scope, expr.base);
      const stride = compileScalar(scope, expr.stride);
      const addLane = scalarBinary("add", expr.base.dtype);
      return () => {
        const step = stride();
        const lanes: Scalar[] = [base()];
        while (lanes.length < expr.lanes) lanes.push(addLane(lanes.at(-1)!, step));
        return lanes;
      };
    }
    case "broadcast": {
      const value = compileScalar(scope, expr.value);
      return () => Array.from({ length: expr.lanes }, value);
    }
    case "tir-let": {
      const cell = cellOf(scope, expr.variable);
      const value = compileExpr(scope, expr.value);
      const body = compileExpr(scope, expr.body);
      return () => {
        cell.value = value();
        return body();
      };
    }
    case "tir-call":
      return compileCall(scope, expr);
    case "load":
      return compileLoad(scope, expr);
    case "buffer-ref": {
      const storage = storageOf(scope, expr.buffer);
      return () => alive(storage, expr.buffer);
    }
    case "producer-load":
    case "reduce":
      throw new InvariantError(
        `${expr.kind} is left in TIR: it belongs to te and must be gone after ScheduleOps`,
      );
  }
}

type Lane = (args: readonly Scalar[]) => Scalar;

function binaryLane(op: Parameters<typeof scalarBinary>[0], operand: DType): Lane {
  const f = scalarBinary(op, operand);
  return (args) => f(args[0]!, args[1]!);
}

/** Applies `f` to scalars, or lane by lane where `lanes` > 1 (a scalar operand serves every lane). */
function lanewise(scope: Scope, lanes: number, operands: readonly PrimExpr[], f: Lane): Eval {
  const parts = operands.map((operand) => compileExpr(scope, operand));
  if (lanes === 1) {
    if (parts.length === 1) {
      const one = parts[0]! as EvalScalar;
      return () => f([one()]);
    }
    if (parts.length === 2) {
      const [left, right] = parts as [EvalScalar, EvalScalar];
      return () => f([left(), right()]);
    }
    return () => f(parts.map((part) => part() as Scalar));
  }
  return () => {
    const values = parts.map((part) => part());
    const out: Scalar[] = [];
    for (let lane = 0; lane < lanes; lane++)
      out.push(
        f(values.map((value) => (Array.isArray(value) ? (value as Scalar[])[lane]! : (value as Scalar)))),
      );
    return out;
  };
}

function compileCall(scope: Scope, expr: TirCall): Eval {
  if (expr.op === "tir.if_then_else") {
    const [condition, then, otherwise] = expr.args;
    const test = compileNumber(scope, condition!);
    const yes = compileExpr(scope, then!);
    const no = compileExpr(scope, otherwise!);
    return () => (test() !== 0 ? yes() : no());
  }
  if (
    expr.op === "tir.call_extern" ||
    expr.op === "tir.call_pure_extern" ||
    expr.op === "tir.call_packed" ||
    expr.op === "tir.tvm_call_cpacked"
  ) {
    const [name, ...rest] = expr.args;
    invariant(name?.kind === "string", `${expr.op} needs a name as its first argument`);
    const args = rest.map((arg) => compileExpr(scope, arg));
    const f = scope.externs.get(name.value);
    return () => {
      invariant(f !== undefined, `extern function ${name.value} was not given to the interpreter`);
      return f(...args.map((arg) => arg())) ?? 0;
    };
  }
  if (expr.op === "tir.reinterpret") return compileReinterpret(scope, expr);
  const first = expr.args[0];
  const lane = scalarIntrinsic(expr.op, scalarOf(first?.dtype ?? expr.dtype), scalarOf(expr.dtype));
  invariant(
    lane !== null,
    `the interpreter has no intrinsic ${expr.op} of ${first?.dtype.name ?? "nothing"}`,
  );
  return lanewise(scope, expr.dtype.lanes, expr.args, lane);
}

/** Same bits, other dtype, of one scalar. */
function compileReinterpret(scope: Scope, expr: TirCall): Eval {
  const from = expr.args[0]!.dtype;
  const to = expr.dtype;
  invariant(
    from.lanes === 1 && from.bits === to.bits && from.bits >= 32,
    `reinterpret of ${from.name} as ${to.name}`,
  );
  const value = compileScalar(scope, expr.args[0]!);
  const view = new DataView(new ArrayBuffer(8));
  const wide = from.bits === 64;
  return () => {
    const x = value();
    if (from.code === "float" && wide) view.setFloat64(0, Number(x));
    else if (from.code === "float") view.setFloat32(0, Number(x));
    else if (wide) view.setBigInt64(0, BigInt(x));
    else view.setInt32(0, Number(x));
    if (to.code === "float") return wide ? view.getFloat64(0) : view.getFloat32(0);
    if (to.code === "int") return wide ? view.getBigInt64(0) : view.getInt32(0);
    return wide ? view.getBigUint64(0) : view.getUint32(0);
  };
}

export function alive(storage: Storage, buffer: Buffer): TensorArray {
  if (storage.data === null)
    throw new InvariantError(`buffer ${buffer.name} is used where it is not allocated`);
  return storage.data;
}

/**
 * Element offset of n-d indices (row-major), checked a dimension at a time; one index into an n-d buffer is a
 * flat one.
 */
export function compileOffset(scope: Scope, buffer: Buffer, indices: readonly PrimExpr[]): () => number {
  const storage = storageOf(scope, buffer);
  const parts = indices.map((index) => compileNumber(scope, index));
  if (indices.length === 1 && buffer.shape.length !== 1) {
    return () => {
      const index = parts[0]!();
      const size = storage.dims.reduce((a, b) => a * b, 1);
      if (!(index >= 0 && index < size)) outOfBounds(buffer, [index], [size]);
      return index;
    };
  }
  invariant(
    indices.length === buffer.shape.length,
    `buffer ${buffer.name} has ${buffer.shape.length} dimensions, got ${indices.length} indices`,
  );
  return () => {
    let offset = 0;
    const { dims } = storage;
    for (let i = 0; i < parts.length; i++) {
      const index = parts[i]!();
      if (!(index >= 0 && index < dims[i]!))
        outOfBounds(
          buffer,
          parts.map((part) => part()),
          dims,
        );
      offset = offset * dims[i]! + index;
    }
    return offset;
  };
}

function outOfBounds(buffer: Buffer, indices: readonly number[], dims: readonly number[]): never {
  throw new InvariantError(
    `${buffer.name}[${indices.join(", ")}] is outside of its shape (${dims.join(", ")})`,
  );
}

function compileLoad(scope: Scope, expr: BufferLoad): Eval {
  const storage = storageOf(scope, expr.buffer);
  const codec = elementCodec(expr.buffer.dtype);
  if (expr.dtype.lanes === 1) {
    const offset = compileOffset(scope, expr.buffer, expr.indices);
    return () => codec.read(alive(storage, expr.buffer)[offset()]!);
  }
  const offsets = compileOffsets(scope, expr.buffer, expr.indices, expr.dtype.lanes);
  return () => {
    const data = alive(storage, expr.buffer);
    return offsets().map((offset) => codec.read(data[offset]!));
  };
}

/** Element offsets of vector indices, one per lane. */
export function compileOffsets(
  scope: Scope,
  buffer: Buffer,
  indices: readonly PrimExpr[],
  lanes: number,
): () => readonly number[] {
  const storage = storageOf(scope, buffer);
  const parts = indices.map((index) => compileExpr(scope, index));
  const flat = indices.length === 1 && buffer.shape.length !== 1;
  return () => {
    const values = parts.map((part) => part());
    const dims = flat ? [storage.dims.reduce((a, b) => a * b, 1)] : storage.dims;
    return Array.from({ length: lanes }, (_, lane) => {
      let offset = 0;
      values.forEach((value, i) => {
        const index = Number(Array.isArray(value) ? (value as Scalar[])[lane] : value);
        if (!(index >= 0 && index < dims[i]!)) outOfBounds(buffer, [index], [dims[i]!]);
        offset = offset * dims[i]! + index;
      });
      return offset;
    });
  };
}
