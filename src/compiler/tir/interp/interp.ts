// The TIR interpreter: slow and obvious, the oracle that checks the code generators. Works before and after
// FlattenBuffer and VectorizeLoop. Every access is checked; memory that was never written reads as NaN
// (floats) or an odd pattern (integers). It shares nothing with codegen.  TVM has no counterpart.
import { invariant } from "../../../support/assert.ts";
import { allocateArray, type TensorArray } from "../../ir/tensor-data.ts";
import { byteSize } from "../../ir/dtype.ts";
import type { Buffer } from "../expr.ts";
import {
  alive,
  cellOf,
  compileExpr,
  compileNumber,
  compileOffset,
  compileOffsets,
  storageOf,
  type Externs,
  type Scope,
} from "./expr.ts";
import { elementCodec, type Scalar } from "./scalar.ts";
import type { PrimFunc } from "../prim-func.ts";
import type { Allocate, For, Stmt, Store } from "../stmt.ts";

export type { ExternFunction, Externs } from "./expr.ts";

type Run = () => void;

/**
 * Runs `f` on `buffers` (one per parameter, in order: inputs, then outputs, which are written). A vector
 * whose extent is a variable is as long as its buffer.
 * Throws InvariantError on an access out of bounds (naming buffer and index), a missing extern, or TIR that
 * breaks its rules.
 */
export function interpret(f: PrimFunc, buffers: readonly TensorArray[], externs: Externs = new Map()): void {
  invariant(
    buffers.length === f.params.length,
    `${f.name} has ${f.params.length} parameters, got ${buffers.length} buffers`,
  );
  const scope: Scope = { variables: new Map(), buffers: new Map(), externs };
  f.params.forEach((param, i) => {
    const storage = storageOf(scope, param);
    const [extent] = param.shape;
    if (param.shape.length === 1 && extent?.kind === "tir-var")
      cellOf(scope, extent).value = buffers[i]!.length;
    storage.dims = dimsOf(scope, param);
    storage.data = buffers[i]!;
    const size = storage.dims.reduce((a, b) => a * b, 1);
    invariant(
      buffers[i]!.length === size,
      `parameter ${param.name} of ${f.name} has ${size} elements, got ${buffers[i]!.length}`,
    );
  });
  for (const buffer of f.allocations) {
    const storage = storageOf(scope, buffer);
    storage.dims = dimsOf(scope, buffer);
    storage.data = freshMemory(buffer, storage.dims);
  }
  compileStmt(scope, f.body)();
}

function dimsOf(scope: Scope, buffer: Buffer): readonly number[] {
  return buffer.shape.map((dim) => compileNumber(scope, dim)());
}

function freshMemory(buffer: Buffer, dims: readonly number[]): TensorArray {
  const data = allocateArray(buffer.dtype, dims.reduce((a, b) => a * b, 1) * buffer.dtype.lanes);
  // All bytes 0xff is NaN in every float format, -1 or the greatest value in integers: a read before a write
  // shows.
  new Uint8Array(data.buffer, data.byteOffset, data.length * byteSize(buffer.dtype)).fill(0xff);
  return data;
}

function compileStmt(scope: Scope, stmt: Stmt): Run {
  switch (stmt.kind) {
    case "store":
      return compileStore(scope, stmt);
    case "for":
      return compileFor(scope, stmt);
    case "seq": {
      const parts = stmt.body.map((part) => compileStmt(scope, part));
      return () => {
        for (const part of parts) part();
      };
    }
    case "if-then-else": {
      const condition = compileNumber(scope, stmt.condition);
      const then = compileStmt(scope, stmt.then);
      const otherwise = stmt.otherwise === null ? null : compileStmt(scope, stmt.otherwise);
      return () => {
        if (condition() !== 0) then();
        else otherwise?.();
      };
    }
    case "while": {
      const condition = compileNumber(scope, stmt.condition);
      const body = compileStmt(scope, stmt.body);
      return () => {
        while (condition() !== 0) body();
      };
    }
    case "let-stmt": {
      const cell = cellOf(scope, stmt.variable);
      const value = compileExpr(scope, stmt.value);
      const body = compileStmt(scope, stmt.body);
      return () => {
        cell.value = value();
        body();
      };
    }
    case "allocate":
      return compileAllocate(scope, stmt);
    case "evaluate":
      return compileExpr(scope, stmt.value);
    case "attr-stmt":
      return compileStmt(scope, stmt.body);
  }
}

function compileStore(scope: Scope, stmt: Store): Run {
  const storage = storageOf(scope, stmt.buffer);
  const codec = elementCodec(stmt.buffer.dtype);
  const value = compileExpr(scope, stmt.value);
  const lanes = stmt.value.dtype.lanes;
  if (lanes === 1) {
    const offset = compileOffset(scope, stmt.buffer, stmt.indices);
    return () => {
      const at = offset();
      (alive(storage, stmt.buffer) as { [i: number]: Scalar })[at] = codec.write(value() as Scalar);
    };
  }
  const offsets = compileOffsets(scope, stmt.buffer, stmt.indices, lanes);
  return () => {
    const at = offsets();
    const values = value() as readonly Scalar[];
    const data = alive(storage, stmt.buffer) as { [i: number]: Scalar };
    at.forEach((offset, lane) => {
      data[offset] = codec.write(values[lane]!);
    });
  };
}

/** Vectorized, parallel and unrolled loops mean the same as serial ones. */
function compileFor(scope: Scope, stmt: For): Run {
  const cell = cellOf(scope, stmt.variable);
  const min = compileNumber(scope, stmt.min);
  const extent = compileNumber(scope, stmt.extent);
  const body = compileStmt(scope, stmt.body);
  const wide = stmt.variable.dtype.bits > 32;
  return () => {
    const first = min();
    const end = first + extent();
    for (let i = first; i < end; i++) {
      cell.value = wide ? BigInt(i) : i;
      body();
    }
  };
}

function compileAllocate(scope: Scope, stmt: Allocate): Run {
  const buffers = stmt.allocations.map(({ buffer }) => ({
    buffer,
    storage: storageOf(scope, buffer),
    dims: buffer.shape.map((dim) => compileNumber(scope, dim)),
  }));
  const body = compileStmt(scope, stmt.body);
  return () => {
    for (const { buffer, storage, dims } of buffers) {
      storage.dims = dims.map((dim) => dim());
      storage.data = freshMemory(buffer, storage.dims);
    }
    body();
    for (const { storage } of buffers) storage.data = null;
  };
}
