// A WebAssembly function while it is made: an instruction list and its locals. Encoded by encode.ts, printed
// by wat.ts.
import type { Origin } from "../../ir/origin.ts";
import { opcode, type Opcode } from "./opcodes.ts";

export type ValType = "i32" | "i64" | "f32" | "f64" | "v128";

/** One instruction. What `a`, `b` and `wide` mean is said by op.immediate. */
export interface Instr {
  readonly op: Opcode;
  /**
   * Local, global, function, label depth, lane, constant, memory offset; a block's result type as index in
   * valTypes, -1 = none.
   */
  readonly a: number;
  /** Lane of "memarg-lane". */
  readonly b: number;
  readonly wide: bigint | Uint8Array | null;
  readonly origin: Origin | null;
}

export const valTypes: readonly ValType[] = ["i32", "i64", "f32", "f64", "v128"];

export interface WasmFunction {
  readonly name: string;
  readonly params: readonly ValType[];
  readonly results: readonly ValType[];
  /** Names of the parameters, for the WAT listing. */
  readonly paramNames: readonly string[];
  /** Without the parameters. */
  locals: readonly ValType[];
  body: readonly Instr[];
  /** Null: not exported. */
  readonly exportName: string | null;
  /** Runner only: the call that each instruction of body belongs to. */
  readonly calls: readonly number[] | null;
  /** Index of the primitive it came from, -1 for helpers and the runner. */
  readonly primitive: number;
  readonly origin: Origin | null;
}

/** Instructions of one straight piece of code, appended in place. */
export type Code = Instr[];

export function instr(
  name: string,
  a = 0,
  b = 0,
  wide: bigint | Uint8Array | null = null,
  origin: Origin | null = null,
): Instr {
  return { op: opcode(name), a, b, wide, origin };
}

/** Drops tees and sets that nobody reads, and renumbers locals by first use: lowering makes locals freely. */
export function tidyLocals(
  params: number,
  locals: readonly ValType[],
  body: readonly Instr[],
): { readonly locals: readonly ValType[]; readonly body: readonly Instr[] } {
  const reads = new Int32Array(params + locals.length);
  for (const one of body) if (one.op.name === "local.get") reads[one.a]!++;
  const kept: Instr[] = [];
  for (const one of body) {
    const { name } = one.op;
    if (name === "local.tee" && reads[one.a] === 0) continue;
    if (name === "local.set" && reads[one.a] === 0) {
      kept.push({ ...one, op: opcode("drop"), a: 0 });
      continue;
    }
    const last = kept[kept.length - 1];
    if (name === "local.get" && last !== undefined && last.op.name === "local.set" && last.a === one.a) {
      kept[kept.length - 1] = { ...last, op: opcode("local.tee") };
      continue;
    }
    kept.push(one);
  }
  return renumber(params, locals, dropUnreadTees(params + locals.length, kept));
}

function dropUnreadTees(count: number, body: readonly Instr[]): readonly Instr[] {
  const reads = new Int32Array(count);
  for (const one of body) if (one.op.name === "local.get") reads[one.a]!++;
  return body.filter((one) => !(one.op.name === "local.tee" && reads[one.a] === 0));
}

function renumber(
  params: number,
  locals: readonly ValType[],
  body: readonly Instr[],
): { readonly locals: readonly ValType[]; readonly body: readonly Instr[] } {
  const order: number[] = [];
  const seen = new Set<number>();
  for (const one of body) {
    if (one.op.immediate === "local" && one.a >= params && !seen.has(one.a)) {
      seen.add(one.a);
      order.push(one.a);
    }
  }
  // Locals of one type stand together: the binary format counts runs.
  order.sort(
    (x, y) => valTypes.indexOf(locals[x - params]!) - valTypes.indexOf(locals[y - params]!) || x - y,
  );
  const place = new Map(order.map((old, i) => [old, params + i]));
  return {
    locals: order.map((old) => locals[old - params]!),
    body: body.map((one) =>
      one.op.immediate === "local" && one.a >= params ? { ...one, a: place.get(one.a)! } : one,
    ),
  };
}
