// The AOT runner: storage of the plan in one static array, and the calls in order. In both calling conventions.
import { invariant } from "../../../support/assert.ts";
import type { TextWriter } from "../../../support/text-writer.ts";
import { argName } from "../../executor/arg-name.ts";
import type { AotArg, AotCall, AotPlan } from "../../executor/plan.ts";
import { ownedBy, type LineOwner } from "../../ir/origin.ts";
import { ignorePacked, packedParameters } from "./kernel.ts";
import { paramSymbol } from "./params.ts";
import { alignmentBytes } from "./stmt.ts";

export interface RunnerContext {
  readonly out: TextWriter<LineOwner>;
  readonly helpers: Set<string>;
  readonly plan: AotPlan;
  readonly modName: string;
  readonly unpacked: boolean;
  /** Name of the array that all storage lies in. */
  readonly workspace: string;
}

/** Bytes of the workspace array: each storage on its own, aligned. */
export function workspaceArrayBytes(plan: AotPlan): number {
  return plan.allocs.reduce((sum, [, bytes]) => sum + aligned(bytes), 0);
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / alignmentBytes) * alignmentBytes;
}

/** Emits the runner; returns first and last line of each call, counted from 0 in `out`. */
export function emitRunner(cx: RunnerContext): readonly (readonly [number, number])[] {
  const { out, plan } = cx;
  const lines: (readonly [number, number])[] = [];
  const parameters = plan.parameters.map((name) => `void* ${name}`).join(", ");
  out.line(`TVM_DLL int32_t ${plan.entry}(${cx.unpacked ? parameters || "void" : packedParameters}) {`);
  out.indent(() => {
    if (!cx.unpacked) emitPackedPrologue(cx);
    else for (const name of unusedParameters(plan)) out.line(`(void)${name};`);
    emitStorage(cx);
    let depth = 0;
    plan.calls.forEach((call, index) => {
      if (call.kind === "else" || call.kind === "end") depth--;
      const first = out.lineCount;
      const owner = ownedBy({
        origin: call.origin,
        primitive: call.primitive,
        call: index,
        storage: writtenStorage(call),
      });
      out.indent(() => out.withOwner(owner, () => emitCall(cx, call)), 2 * depth);
      lines.push([first, out.lineCount - 1]);
      if (call.kind === "if" || call.kind === "else") depth++;
    });
    out.line("return 0;");
  });
  out.line("}");
  return lines;
}

function unusedParameters(plan: AotPlan): readonly string[] {
  const used = new Set(plan.calls.flatMap((call) => call.args.map((arg) => argName(arg, plan))));
  return plan.parameters.filter((name) => !used.has(name));
}

/** The storage that a call writes: its last argument, if that is one. */
function writtenStorage(call: AotCall): number {
  if (call.kind === "if") return -1;
  const last = call.args[call.args.length - 1];
  return last?.kind === "sid" ? last.sid : -1;
}

function emitStorage(cx: RunnerContext): void {
  let offset = 0;
  for (const [sid, bytes] of cx.plan.allocs) {
    const place = `${cx.workspace} + ${offset}`;
    const text = cx.unpacked
      ? `void* sid_${sid} = (void*)(${place});`
      : `DLTensor sid_${sid} = rs_tensor((void*)(${place}));`;
    cx.out.line(`${text} /* ${bytes} bytes */`, ownedBy({ storage: sid }));
    offset += aligned(bytes);
  }
}

function emitCall(cx: RunnerContext, call: AotCall): void {
  const { out, plan } = cx;
  if (call.kind === "if" || call.kind === "else" || call.kind === "end") {
    out.line(
      call.kind === "if"
        ? `if (*(const uint8_t*)${pointer(cx, call.args[0]!)} != 0) {`
        : call.kind === "else"
          ? "} else {"
          : "}",
    );
    return;
  }
  if (call.kind === "copy") {
    const [from, to] = call.args;
    invariant(from !== undefined && to !== undefined, "a copy has a source and a destination");
    out.line(`memcpy(${pointer(cx, to)}, ${pointer(cx, from)}, ${call.bytes});`);
    return;
  }
  if (cx.unpacked) {
    out.line(`(void)${call.symbol}(${call.args.map((arg) => pointer(cx, arg)).join(", ")});`);
    return;
  }
  call.args.forEach((arg, i) => {
    const name = argName(arg, plan);
    out.line(
      `call_args[${i}].v_handle = ${arg.kind === "input" || arg.kind === "output" ? name : `&${arg.kind === "param" ? paramTensor(arg.name) : name}`};`,
    );
  });
  out.line(
    `if (${call.symbol}(call_args, call_types, ${call.args.length}, &ret_value, &ret_type, NULL) != 0) return -1;`,
  );
}

/** Plain address of an argument's bytes. */
function pointer(cx: RunnerContext, arg: AotArg): string {
  if (arg.kind === "param") return paramSymbol(cx.modName, arg.name);
  const name = argName(arg, cx.plan);
  if (cx.unpacked) return name;
  return arg.kind === "sid" ? `${name}.data` : `((uint8_t*)${name}->data + ${name}->byte_offset)`;
}

function paramTensor(name: string): string {
  return `param_${name}`;
}

function emitPackedPrologue(cx: RunnerContext): void {
  const { out, plan } = cx;
  const calls = plan.calls.filter((call) => call.kind === "call");
  out.line(ignorePacked);
  out.line(`if (num_args != ${plan.parameters.length}) return -1;`);
  out.line("const TVMValue* values = (const TVMValue*)args;");
  if (plan.parameters.length === 0) out.line("(void)values;");
  plan.parameters.forEach((name, i) => out.line(`DLTensor* ${name} = (DLTensor*)values[${i}].v_handle;`));
  for (const name of unusedParameters(plan)) out.line(`(void)${name};`);
  const params = new Set(
    calls.flatMap((call) => call.args.flatMap((arg) => (arg.kind === "param" ? [arg.name] : []))),
  );
  if (plan.allocs.length > 0 || params.size > 0) cx.helpers.add("rs_tensor");
  for (const name of params)
    out.line(`DLTensor ${paramTensor(name)} = rs_tensor((void*)${paramSymbol(cx.modName, name)});`);
  if (calls.length === 0) return;
  const most = calls.reduce((n, call) => Math.max(n, call.args.length), 1);
  out.line(`TVMValue call_args[${most}], ret_value;`);
  out.line(`int32_t call_types[${most}], ret_type;`);
  out.line(`for (int32_t i = 0; i < ${most}; ++i) call_types[i] = kTVMDLTensorHandle;`);
}
