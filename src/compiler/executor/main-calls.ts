// The statements of the AOT main, made and read: calls of primitives, copies, branches. The main exists once,
// as TIR: the back ends walk it, and the rows that the page, the command line and the runtime count by
// (AotCall) are a view of it.
// TVM: src/relay/backend/aot_executor_codegen.cc (CreateFuncCall, CopyToOutput); tir.lookup_param,
// tir.tvm_call_cpacked
import { InvariantError, at, invariant } from "../../support/assert.ts";
import { bool, handle, int32 } from "../ir/dtype.ts";
import type { Origin } from "../ir/origin.ts";
import {
  bufferRef,
  callExtern,
  constInt,
  evaluate,
  intImm,
  load,
  makeBinary,
  stringImm,
  tirCall,
} from "../tir/build.ts";
import type { Buffer, PrimExpr, Storage } from "../tir/expr.ts";
import type { PrimFunc } from "../tir/prim-func.ts";
import type { Evaluate, IfThenElse, Stmt } from "../tir/stmt.ts";
import type { AotArg, AotCall } from "./plan.ts";

/** A primitive as main calls it. */
interface Callee {
  readonly index: number;
  readonly symbol: string;
}

const memcpy = "memcpy";

/** How main hands over a tensor: its buffer, or a linked parameter by name. */
function argument(of: Buffer): PrimExpr {
  return of.scope === "constant" ? tirCall("tir.lookup_param", handle, [stringImm(of.name)]) : bufferRef(of);
}

/** A call of a kernel or an external function: by plain pointers, or packed. */
export function primitiveCall(
  { index, symbol }: Callee,
  buffers: readonly Buffer[],
  packed: boolean,
  origin: Origin,
): Stmt {
  const op = packed ? "tir.tvm_call_cpacked" : "tir.call_extern";
  return evaluate(tirCall(op, int32, [stringImm(symbol), ...buffers.map(argument)], index), origin);
}

/** Moves a tensor to another device. */
export function deviceCopy(
  { index, symbol }: Callee,
  [from, into]: readonly [Buffer, Buffer],
  bytes: number,
  origin: Origin,
): Stmt {
  const args = [stringImm(symbol), argument(from), argument(into), intImm(bytes)];
  return evaluate(tirCall("tir.call_extern", int32, args, index), origin);
}

/** Moves bytes on one device. */
export function memoryCopy([from, into]: readonly [Buffer, Buffer], bytes: number, origin: Origin): Stmt {
  return evaluate(callExtern(int32, memcpy, [argument(into), argument(from), intImm(bytes)]), origin);
}

/** Whether the bool that `of` holds is true; storage is bytes. */
export function conditionOf(of: Buffer): PrimExpr {
  const zeros = of.shape.map(() => intImm(0));
  const value = load(of, zeros);
  return value.dtype === bool ? value : makeBinary("ne", value, 0);
}

/** A call of main, taken apart. Its arguments are buffers and looked up parameters. */
export type MainCall =
  | {
      readonly kind: "call";
      readonly symbol: string;
      readonly primitive: number;
      readonly packed: boolean;
      readonly args: readonly MainArg[];
    }
  | {
      readonly kind: "copy";
      readonly symbol: string;
      /** -1 for memcpy. */
      readonly primitive: number;
      readonly source: MainArg;
      readonly destination: MainArg;
      readonly bytes: number;
    };

/** What an argument is: a parameter of main, storage, or a linked parameter by its name. */
export type MainArg =
  | { readonly kind: "buffer"; readonly buffer: Buffer }
  | { readonly kind: "linked"; readonly name: string };

/** Reads what primitiveCall, deviceCopy and memoryCopy make. */
export function readCall(stmt: Evaluate): MainCall {
  const { value } = stmt;
  invariant(value.kind === "tir-call", "main holds calls and branches only");
  const [name, ...rest] = value.args;
  invariant(name?.kind === "string", `${value.op} in main names no function`);
  const { primitive } = value;
  const symbol = name.value;
  const size = rest[2];
  if (size?.kind === "int") {
    // C's memcpy has its destination first.
    const [a, b] = [readArg(at(rest, 0, "argument")), readArg(at(rest, 1, "argument"))];
    const [source, destination] = symbol === memcpy ? [b, a] : [a, b];
    return { kind: "copy", symbol, primitive, source, destination, bytes: Number(size.value) };
  }
  const packed = value.op === "tir.tvm_call_cpacked";
  return { kind: "call", symbol, primitive, packed, args: rest.map(readArg) };
}

function readArg(expr: PrimExpr): MainArg {
  if (expr.kind === "buffer-ref") return { kind: "buffer", buffer: expr.buffer };
  const name = expr.kind === "tir-call" && expr.op === "tir.lookup_param" ? expr.args[0] : undefined;
  invariant(name?.kind === "string", `main hands over a ${expr.kind}`);
  return { kind: "linked", name: name.value };
}

/** The tensor of one bool that decides a branch: reads what conditionOf makes. */
function readCondition({ condition }: IfThenElse): MainArg {
  const value = condition.kind === "binary" ? condition.a : condition;
  invariant(value.kind === "load", "a branch of main asks for a tensor");
  const { buffer } = value;
  return buffer.scope === "constant" ? { kind: "linked", name: buffer.name } : { kind: "buffer", buffer };
}

/**
 * What a walk of main meets, in the order in which it runs; `row` counts the meetings. An else or end is that
 * of the last open if.
 */
interface MainVisitor {
  readonly call: (call: MainCall, origin: Origin, row: number) => void;
  readonly branch: (condition: MainArg, origin: Origin, row: number) => void;
  readonly otherwise: (origin: Origin, row: number) => void;
  readonly end: (origin: Origin, row: number) => void;
}

type Step = Stmt | { readonly kind: "otherwise" | "end"; readonly origin: Origin };

/** Walks the body of main, before StorageRewrite (where branches allocate) and after. */
export function walkMain(main: PrimFunc, visitor: MainVisitor): void {
  const left: Step[] = [main.body];
  let row = 0;
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { origin } = next;
    switch (next.kind) {
      case "seq":
        for (let i = next.body.length - 1; i >= 0; i--) left.push(at(next.body, i, "statement"));
        break;
      case "allocate":
        left.push(next.body);
        break;
      case "evaluate":
        visitor.call(readCall(next), origin, row++);
        break;
      case "if-then-else":
        invariant(next.otherwise !== null, "a branch of main has gone");
        visitor.branch(readCondition(next), origin, row++);
        left.push({ kind: "end", origin }, next.otherwise, { kind: "otherwise", origin }, next.then);
        break;
      case "otherwise":
      case "end":
        visitor[next.kind](origin, row++);
        break;
      case "store":
      case "for":
      case "while":
      case "let-stmt":
      case "attr-stmt":
        throw new InvariantError(`main has a ${next.kind} statement`);
    }
  }
}

/** The rows of main. A copy's arguments are source and destination. */
export function mainRows(main: PrimFunc): readonly AotCall[] {
  const of = aotArgs(main);
  const rows: AotCall[] = [];
  const mark = (kind: "if" | "else" | "end", args: readonly AotArg[], origin: Origin): void => {
    rows.push({ kind, primitive: -1, symbol: kind, args, bytes: 0, origin });
  };
  walkMain(main, {
    call: (call, origin) => {
      const { kind, primitive, symbol } = call;
      const copies = call.kind === "copy";
      const args = (copies ? [call.source, call.destination] : call.args).map(of);
      rows.push({ kind, primitive, symbol, args, bytes: copies ? call.bytes : 0, origin });
    },
    branch: (condition, origin) => mark("if", [of(condition)], origin),
    otherwise: (origin) => mark("else", [], origin),
    end: (origin) => mark("end", [], origin),
  });
  return rows;
}

/** Arguments of main's calls as the rows have them. */
export function aotArgs(main: PrimFunc): (arg: MainArg) => AotArg {
  const places = new Map(
    main.params.map((param, i): readonly [Buffer, AotArg] => [
      param,
      i < main.inputCount ? { kind: "input", index: i } : { kind: "output", index: i - main.inputCount },
    ]),
  );
  return (arg) => {
    if (arg.kind === "linked") return { kind: "param", name: arg.name };
    const { storage, name } = arg.buffer;
    const place = storage === null ? places.get(arg.buffer) : ({ kind: "sid", sid: storage.sid } as const);
    invariant(place !== undefined, `main uses ${name}, which is no parameter of it`);
    return place;
  };
}

/** What an allocation of main is, by its planner. */
export function storageIn(of: Buffer): Storage {
  invariant(of.storage !== null, `${of.name} is not storage of main`);
  return of.storage;
}

/** [sid, bytes] of each. */
export function storageSizes(allocations: readonly Buffer[]): readonly (readonly [number, number])[] {
  return allocations.map((of) => [storageIn(of).sid, storageBytes(of)]);
}

/** Storage is a vector of bytes. */
export function storageBytes(of: Buffer): number {
  const bytes = constInt(at(of.shape, 0, "extent"));
  invariant(bytes !== null, `the size of ${of.name} is not known`);
  return bytes;
}
