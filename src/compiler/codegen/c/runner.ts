// The AOT runner: main's TIR as a C function, its storage in one static array. In both calling conventions.
// TVM: src/target/source/codegen_c_host.cc (tir.tvm_call_cpacked)
import type { TextWriter } from "../../../support/text-writer.ts";
import {
  readCall,
  storageBytes,
  storageIn,
  walkMain,
  type MainArg,
  type MainCall,
} from "../../executor/main-calls.ts";
import { ownedBy, type LineOwner } from "../../ir/origin.ts";
import type { PrimFunc } from "../../tir/prim-func.ts";
import { visitStmt } from "../../tir/visit.ts";
import { ignorePacked, packedParameters, usedBuffers } from "./kernel.ts";
import { paramSymbol } from "./params.ts";
import { alignmentBytes } from "./stmt.ts";
import { useHelper, type HelperSet } from "./helpers.ts";

interface RunnerContext {
  readonly out: TextWriter<LineOwner>;
  readonly helpers: HelperSet;
  readonly main: PrimFunc;
  readonly modName: string;
  readonly unpacked: boolean;
  /** Name of the array that all storage lies in. */
  readonly workspace: string;
  /** Symbols of external functions, whose arguments are `void*`. */
  readonly external: ReadonlySet<string>;
}

/** Bytes of the workspace array: each storage on its own, aligned. */
export function workspaceArrayBytes(main: PrimFunc): number {
  return main.allocations.reduce((sum, of) => sum + aligned(storageBytes(of)), 0);
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / alignmentBytes) * alignmentBytes;
}

/** Emits the runner; returns first and last line of each row of main, counted from 0 in `out`. */
export function emitRunner(cx: RunnerContext): readonly (readonly [number, number])[] {
  const { out, main } = cx;
  const parameters = main.params.map((param) => `void* ${param.name}`).join(", ");
  out.line(`TVM_DLL int32_t ${main.name}(${cx.unpacked ? parameters || "void" : packedParameters}) {`);
  let lines: readonly (readonly [number, number])[] = [];
  out.indent(() => {
    if (cx.unpacked) ignoreUnused(cx);
    else emitPackedPrologue(cx);
    emitStorage(cx);
    lines = emitRows(cx);
    out.line("return 0;");
  });
  out.line("}");
  return lines;
}

function emitRows(cx: RunnerContext): readonly (readonly [number, number])[] {
  const { out, main } = cx;
  const lines: (readonly [number, number])[] = [];
  let depth = 0;
  const row = (owner: Partial<LineOwner>, emit: () => void): void => {
    const first = out.lineCount;
    out.indent(() => out.withOwner(ownedBy({ ...owner, call: lines.length }), emit), 2 * depth);
    lines.push([first, out.lineCount - 1]);
  };
  walkMain(main, {
    call: (call, origin) =>
      row({ origin, primitive: call.primitive, storage: writtenStorage(call) }, () => emitCall(cx, call)),
    branch: (condition, origin) => {
      row({ origin }, () => out.line(`if (*(const uint8_t*)${pointer(cx, condition)} != 0) {`));
      depth++;
    },
    otherwise: (origin) => {
      depth--;
      row({ origin }, () => out.line("} else {"));
      depth++;
    },
    end: (origin) => {
      depth--;
      row({ origin }, () => out.line("}"));
    },
  });
  return lines;
}

function ignoreUnused(cx: RunnerContext): void {
  const used = usedBuffers(cx.main);
  for (const param of cx.main.params) if (!used.has(param)) cx.out.line(`(void)${param.name};`);
}

/** The storage that a call writes: its last argument, if that is one. */
function writtenStorage(call: MainCall): number {
  const last = call.kind === "copy" ? call.destination : call.args[call.args.length - 1];
  return last?.kind === "buffer" && last.buffer.storage !== null ? last.buffer.storage.sid : -1;
}

function emitStorage(cx: RunnerContext): void {
  let offset = 0;
  for (const of of cx.main.allocations) {
    const bytes = storageBytes(of);
    const place = `${cx.workspace} + ${offset}`;
    const text = cx.unpacked
      ? `void* ${of.name} = (void*)(${place});`
      : `DLTensor ${of.name} = rs_tensor((void*)(${place}));`;
    cx.out.line(`${text} /* ${bytes} bytes */`, ownedBy({ storage: storageIn(of).sid }));
    offset += aligned(bytes);
  }
}

function emitCall(cx: RunnerContext, call: MainCall): void {
  const { out } = cx;
  if (call.kind === "copy") {
    out.line(`memcpy(${pointer(cx, call.destination)}, ${pointer(cx, call.source)}, ${call.bytes});`);
    return;
  }
  if (!call.packed) {
    // A linked parameter is a constant array; an external function promises nothing of the kind.
    const plain = (arg: MainArg): string =>
      `${arg.kind === "linked" && cx.external.has(call.symbol) ? "(void*)" : ""}${pointer(cx, arg)}`;
    out.line(`(void)${call.symbol}(${call.args.map(plain).join(", ")});`);
    return;
  }
  call.args.forEach((arg, i) => out.line(`call_args[${i}].v_handle = ${tensor(arg)};`));
  out.line(
    `if (${call.symbol}(call_args, call_types, ${call.args.length}, &ret_value, &ret_type, NULL) != 0) return -1;`,
  );
}

/** Plain address of an argument's bytes. */
function pointer(cx: RunnerContext, arg: MainArg): string {
  if (arg.kind === "linked") return paramSymbol(cx.modName, arg.name);
  const { name, storage } = arg.buffer;
  if (cx.unpacked) return name;
  return storage !== null ? `${name}.data` : `((uint8_t*)${name}->data + ${name}->byte_offset)`;
}

/** Address of an argument's DLTensor. */
function tensor(arg: MainArg): string {
  if (arg.kind === "linked") return `&${paramTensor(arg.name)}`;
  return arg.buffer.storage !== null ? `&${arg.buffer.name}` : arg.buffer.name;
}

function paramTensor(name: string): string {
  return `param_${name}`;
}

function emitPackedPrologue(cx: RunnerContext): void {
  const { out, main } = cx;
  const { params } = main;
  out.line(ignorePacked);
  out.line(`if (num_args != ${params.length}) return -1;`);
  out.line("const TVMValue* values = (const TVMValue*)args;");
  if (params.length === 0) out.line("(void)values;");
  params.forEach(({ name }, i) => out.line(`DLTensor* ${name} = (DLTensor*)values[${i}].v_handle;`));
  ignoreUnused(cx);
  const { most, linked } = packedNeeds(main);
  if (main.allocations.length > 0 || linked.size > 0)
    useHelper(cx.helpers, { kind: "fixed", name: "rs_tensor" });
  for (const name of linked)
    out.line(`DLTensor ${paramTensor(name)} = rs_tensor((void*)${paramSymbol(cx.modName, name)});`);
  if (most === 0) return;
  out.line(`TVMValue call_args[${most}], ret_value;`);
  out.line(`int32_t call_types[${most}], ret_type;`);
  out.line(`for (int32_t i = 0; i < ${most}; ++i) call_types[i] = kTVMDLTensorHandle;`);
}

/**
 * Most arguments of a packed call (0: there is no call), and the linked parameters that such calls take, by
 * first use.
 */
function packedNeeds(main: PrimFunc): { readonly most: number; readonly linked: ReadonlySet<string> } {
  let most = 0;
  const linked = new Set<string>();
  visitStmt(main.body, (stmt) => {
    const call = stmt.kind === "evaluate" ? readCall(stmt) : null;
    if (call?.kind !== "call") return;
    most = Math.max(most, call.args.length, 1);
    for (const arg of call.args) if (arg.kind === "linked") linked.add(arg.name);
  });
  return { most, linked };
}
