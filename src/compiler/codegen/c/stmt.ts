// TIR statements as C lines, each owned by the origin of its statement.  TVM: src/target/source/codegen_c.cc
import { invariant } from "../../../support/assert.ts";
import type { TextWriter } from "../../../support/text-writer.ts";
import { byteSize, isHalf } from "../../ir/dtype.ts";
import { ownedBy, type LineOwner, type Origin } from "../../ir/origin.ts";
import { add, constInt } from "../../tir/build.ts";
import type { Buffer } from "../../tir/expr.ts";
import type { Allocate, Allocation, For, Stmt, Store } from "../../tir/stmt.ts";
import { elementText, exprText, type CScope } from "./expr.ts";
import { nameOf } from "./names.ts";
import { storageType, valueType } from "./types.ts";
import { useHelper } from "./helpers.ts";

export interface StmtContext extends CScope {
  readonly out: TextWriter<LineOwner>;
  /** Index of the primitive that the lines belong to. */
  readonly primitive: number;
  /**
   * Where scratch memory of scope "global" comes from: name of the byte array, and how much is handed out.
   */
  readonly scratch: Scratch;
}

/** Scratch is one static array for all kernels, since they run one after the other. */
export interface Scratch {
  readonly array: string;
  /** Bytes taken at this point of the kernel; grows and shrinks with nesting. */
  taken: number;
  /** Most bytes that any kernel took. */
  most: number;
}

/** Scratch and storage start on multiples of this, TVM's workspace-byte-alignment. */
export const alignmentBytes = 16;

export function emitStmt(cx: StmtContext, stmt: Stmt): void {
  switch (stmt.kind) {
    case "store":
      emitStore(cx, stmt);
      return;
    case "for":
      emitFor(cx, stmt);
      return;
    case "seq":
      for (const part of stmt.body) emitStmt(cx, part);
      return;
    case "if-then-else":
      line(cx, stmt.origin, `if (${exprText(cx, stmt.condition)}) {`);
      cx.out.indent(() => emitStmt(cx, stmt.then));
      if (stmt.otherwise !== null) {
        line(cx, stmt.origin, "} else {");
        cx.out.indent(() => emitStmt(cx, stmt.otherwise!));
      }
      line(cx, stmt.origin, "}");
      return;
    case "while":
      line(cx, stmt.origin, `while (${exprText(cx, stmt.condition)}) {`);
      cx.out.indent(() => emitStmt(cx, stmt.body));
      line(cx, stmt.origin, "}");
      return;
    case "let-stmt":
      line(
        cx,
        stmt.origin,
        `const ${valueType(stmt.variable.dtype)} ${nameOf(cx.names, stmt.variable)} = ${exprText(cx, stmt.value)};`,
      );
      emitStmt(cx, stmt.body);
      return;
    case "allocate":
      emitAllocate(cx, stmt);
      return;
    case "evaluate":
      if (constInt(stmt.value) === null) line(cx, stmt.origin, `(void)${exprText(cx, stmt.value)};`);
      return;
    case "attr-stmt":
      emitStmt(cx, stmt.body);
  }
}

function line(cx: StmtContext, origin: Origin, text: string): void {
  cx.out.line(text, ownedBy({ origin, primitive: cx.primitive }));
}

function emitStore(cx: StmtContext, stmt: Store): void {
  const { buffer, indices, value } = stmt;
  const text = exprText(cx, value);
  const half = isHalf(buffer.dtype)
    ? useHelper(cx.helpers, { kind: "half", what: "store", type: buffer.dtype })
    : null;
  line(
    cx,
    stmt.origin,
    `${elementText(cx, buffer, indices)} = ${half === null ? text : `${half}(${text})`};`,
  );
}

function emitFor(cx: StmtContext, stmt: For): void {
  const name = nameOf(cx.names, stmt.variable);
  const type = valueType(stmt.variable.dtype);
  const end = exprText(cx, add(stmt.min, stmt.extent));
  line(cx, stmt.origin, `for (${type} ${name} = ${exprText(cx, stmt.min)}; ${name} < ${end}; ++${name}) {`);
  cx.out.indent(() => emitStmt(cx, stmt.body));
  line(cx, stmt.origin, "}");
}

function emitAllocate(cx: StmtContext, stmt: Allocate): void {
  const start = cx.scratch.taken;
  for (const allocation of stmt.allocations) emitAllocation(cx, allocation);
  emitStmt(cx, stmt.body);
  cx.scratch.taken = start;
}

/**
 * "local" is an array on the stack; anything else is scratch, so that big tensors do not end a small stack.
 */
function emitAllocation(cx: StmtContext, { buffer, origin }: Allocation): void {
  const elements = elementsOf(buffer);
  const type = storageType(buffer.dtype);
  const name = nameOf(cx.names, buffer);
  if (buffer.scope === "local") {
    line(cx, origin, `${type} ${name}[${Math.max(1, elements)}];`);
    return;
  }
  const { scratch } = cx;
  const start = scratch.taken;
  scratch.taken += Math.ceil((elements * byteSize(buffer.dtype)) / alignmentBytes) * alignmentBytes;
  scratch.most = Math.max(scratch.most, scratch.taken);
  line(cx, origin, `${type}* restrict ${name} = (${type}*)(void*)(${scratch.array} + ${start});`);
}

function elementsOf(buffer: Buffer): number {
  return buffer.shape.reduce((n, dim) => {
    const extent = constInt(dim);
    invariant(extent !== null, `${buffer.name} is sized by a value that is not known when compiling`);
    return n * extent;
  }, 1);
}
