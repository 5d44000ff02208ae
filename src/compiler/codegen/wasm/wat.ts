// The text listing of a module, printed from the same instructions that are encoded, with the owner of every
// line. The form is WebAssembly's own text format (flat instructions); long data strings are cut short, with
// their length beside.
import { TextWriter, type Listing } from "../../../support/text-writer.ts";
import { freshName, nameSupply } from "../../../support/name-supply.ts";
import { ownedBy, type LineOwner } from "../../ir/origin.ts";
import type { WasmModuleParts } from "./encode.ts";
import { valTypes, type Instr, type ValType, type WasmFunction } from "./function.ts";

/** Data longer than this is shown by its first bytes only. */
const shownData = 64;

export function printWat(parts: WasmModuleParts): Listing<LineOwner> {
  const out = new TextWriter<LineOwner>();
  const functionNames = [
    ...parts.imports.map((one) => `$${one.module}.${one.name}`),
    ...parts.functions.map((fn) => `$${fn.name}`),
  ];
  const globalNames = parts.globals.map((one) => `$${one.name}`);
  out.line("(module");
  out.indent(() => {
    parts.imports.forEach((one, i) => {
      out.line(
        `(import "${one.module}" "${one.name}" (func ${functionNames[i]!}${types("param", one.params)}${types("result", one.results)}))`,
      );
    });
    out.line(`(memory (export "memory") ${parts.pages})`);
    for (const one of parts.globals)
      out.line(`(global $${one.name} (export "${one.name}") i32 (i32.const ${one.value}))`);
    for (const fn of parts.functions) printFunction(out, fn, { functionNames, globalNames });
    for (const one of parts.data) printData(out, one.offset, one.bytes);
  });
  out.line(")");
  return out.finish();
}

function types(keyword: string, list: readonly ValType[]): string {
  return list.length === 0 ? "" : ` (${keyword} ${list.join(" ")})`;
}

interface Names {
  readonly functionNames: readonly string[];
  readonly globalNames: readonly string[];
}

function printFunction(out: TextWriter<LineOwner>, fn: WasmFunction, names: Names): void {
  const supply = nameSupply();
  const params = fn.paramNames.map(
    (name) => `$${freshName(supply, name.replaceAll(/[^A-Za-z0-9_.]/g, "_"), "_")}`,
  );
  const locals = [...params, ...fn.locals.map((_, i) => String(params.length + i))];
  const owner = ownedBy({ origin: fn.origin, primitive: fn.primitive });
  const exported = fn.exportName === null ? "" : ` (export "${fn.exportName}")`;
  const header = fn.params.map((type, i) => ` (param ${params[i]!} ${type})`).join("");
  out.line(`(func $${fn.name}${exported}${header}${types("result", fn.results)}`, owner);
  out.indent(() => {
    if (fn.locals.length > 0) out.line(`(local ${fn.locals.join(" ")})`, owner);
    printBody(out, fn, locals, names);
  });
  out.line(")", owner);
}

function printBody(
  out: TextWriter<LineOwner>,
  fn: WasmFunction,
  locals: readonly string[],
  names: Names,
): void {
  let depth = 0;
  fn.body.forEach((one, i) => {
    const { name } = one.op;
    if (name === "end" || name === "else") depth--;
    const owner = ownedBy({
      origin: one.origin ?? fn.origin,
      primitive: fn.primitive,
      call: fn.calls?.[i] ?? -1,
    });
    out.line("  ".repeat(Math.max(0, depth)) + name + immediate(one, locals, names), owner);
    if (name === "block" || name === "loop" || name === "if" || name === "else") depth++;
  });
}

function immediate(one: Instr, locals: readonly string[], names: Names): string {
  switch (one.op.immediate) {
    case "none":
    case "copy":
    case "fill":
      return "";
    case "local":
      return ` ${locals[one.a]!}`;
    case "global":
      return ` ${names.globalNames[one.a]!}`;
    case "func":
      return ` ${names.functionNames[one.a]!}`;
    case "label":
    case "lane":
    case "i32":
      return ` ${one.a}`;
    case "i64":
      return ` ${one.wide as bigint}`;
    case "f32":
    case "f64":
      return ` ${floatText(one.a)}`;
    case "block":
      return one.a < 0 ? "" : ` (result ${valTypes[one.a]!})`;
    case "memarg":
      return one.a === 0 ? "" : ` offset=${one.a}`;
    case "memarg-lane":
      return `${one.a === 0 ? "" : ` offset=${one.a}`} ${one.b}`;
    case "v128":
      return ` i32x4 ${words(one.wide as Uint8Array)}`;
    case "shuffle":
      return ` ${[...(one.wide as Uint8Array)].join(" ")}`;
  }
}

function floatText(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (value === Infinity) return "inf";
  if (value === -Infinity) return "-inf";
  return Object.is(value, -0) ? "-0" : String(value);
}

function words(bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, 16);
  return [0, 4, 8, 12].map((at) => `0x${view.getUint32(at, true).toString(16).padStart(8, "0")}`).join(" ");
}

function printData(out: TextWriter<LineOwner>, offset: number, bytes: Uint8Array): void {
  const shown = bytes.subarray(0, shownData);
  const text = [...shown].map((byte) => `\\${byte.toString(16).padStart(2, "0")}`).join("");
  const rest = bytes.length > shownData ? ` ;; … ${bytes.length} bytes in all` : "";
  out.line(`(data (i32.const ${offset}) "${text}")${rest}`);
}
