// A module as C files: lib0 (parameters and the entry point), lib1 (kernels and the runner), a file an
// external function (lib2, …), the model's header, the runtime's.
// TVM: src/target/source/codegen_c_host.cc, source_module.cc (CSourceCrtMetadataModule),
// python/tvm/micro/model_library_format.py
// Known differences: memory is static arrays instead of TVMBackendAllocWorkspace (nothing but libc and libm
// is needed; a model is not reentrant; external functions take theirs from the heap); kernels take typed
// restrict pointers in the unpacked convention; linked parameters stand in lib0.
import type { Options } from "../../options.ts";
import { invariant } from "../../../support/assert.ts";
import { TextWriter, type Listing } from "../../../support/text-writer.ts";
import type { AotPlan, LoweredPrimitive } from "../../executor/plan.ts";
import { workspaceBytes } from "../../tir/workspace.ts";
import type { LineOwner } from "../../ir/origin.ts";
import { mangledName, safeModName } from "../../lower/prim-func-name.ts";
import { emitEntry, emitHeader } from "./entry.ts";
import { helperTexts, type HelperSet } from "./helpers.ts";
import type { ExternalSource } from "./external/external-source.ts";
import { externalSources } from "./external/external-sources.ts";
import { externalPrototype } from "./external/prototype.ts";
import { emitKernel } from "./kernel.ts";
import { lazyListing, paramDeclaration, writeParam } from "./params.ts";
import { runtimeHeader, runtimeHeaderName } from "./runtime-header.ts";
import { emitRunner, workspaceArrayBytes } from "./runner.ts";
import type { Scratch } from "./stmt.ts";

interface CInput {
  readonly primitives: readonly LoweredPrimitive[];
  /** null: kernels only, for the graph executor. */
  readonly aot: AotPlan | null;
  readonly options: Options;
}

/**
 * What a file is: library `number` (0: parameters and entry point, 1: kernels and runner, from 2 on external
 * functions), the header, the runtime's.
 */
export type CFileRole =
  | { readonly kind: "library"; readonly number: number }
  | { readonly kind: "header" | "runtime" };

export interface CModule {
  /** By file name; lib0's text (all parameters) is made when it is read. */
  readonly files: ReadonlyMap<string, Listing<LineOwner>>;
  /** What each file is, by its name. */
  readonly roles: ReadonlyMap<string, CFileRole>;
  /**
   * 1-based first and last line of each primitive in lib1, by symbol; of an external function, in its own
   * file.
   */
  readonly primitiveLines: ReadonlyMap<string, readonly [number, number]>;
  /** Number of the library that holds each external function, by symbol: 2, 3, … in call order. */
  readonly externalLibraries: ReadonlyMap<string, number>;
  /** 1-based first and last line of each call in lib1, by index in the plan's calls. */
  readonly callLines: readonly (readonly [number, number])[];
  /** Scratch bytes of one call, by symbol; of an external function, what it takes from the heap. */
  readonly workspaceBytes: ReadonlyMap<string, number>;
  /** Functions of lib1: kernels in call order, then the runner. */
  readonly symbols: readonly string[];
}

/** Library of the first external function. */
const firstExternal = 2;

/** Writes the module. Under packed options kernels and runner take TVMValue arrays, else plain pointers. */
export function emitC(input: CInput): CModule {
  const { primitives, aot, options } = input;
  const helpers: HelperSet = new Map();
  const scratch: Scratch = { array: mangledName(options.modName, "scratch"), taken: 0, most: 0 };
  const body = new TextWriter<LineOwner>();
  const kernels = primitives.filter((primitive) => !primitive.isCopy && primitive.external === null);
  const ranges = kernels.map((primitive): readonly [string, number, number] => {
    const first = body.lineCount;
    emitKernel({ out: body, helpers, scratch, unpacked: options.unpackedApi }, primitive);
    const last = body.lineCount - 1;
    body.line("");
    return [primitive.symbol, first, last];
  });
  const workspace = mangledName(options.modName, "workspace");
  const calls =
    aot === null
      ? []
      : emitRunner({
          out: body,
          helpers,
          main: aot.main,
          modName: options.modName,
          unpacked: options.unpackedApi,
          workspace,
          external: new Set(
            primitives.filter(({ external }) => external !== null).map(({ symbol }) => symbol),
          ),
        });
  const head = lib1Head(input, helpers, scratch, workspace);
  const shift = head.owners.length;
  const files = new Map<string, Listing<LineOwner>>();
  const roles = new Map<string, CFileRole>();
  const add = (name: string, role: CFileRole, listing: Listing<LineOwner>): void => {
    files.set(name, listing);
    roles.set(name, role);
  };
  const addLibrary = (number: number, listing: Listing<LineOwner>): void =>
    add(`${safeModName(options.modName)}_lib${number}.c`, { kind: "library", number }, listing);
  if (aot !== null)
    addLibrary(
      0,
      lazyListing(() => lib0(aot, options, true)),
    );
  addLibrary(1, joined(head, body.finish()));
  const external = primitives.flatMap((primitive) => externalFile(primitive, options));
  external.forEach(({ source }, i) => addLibrary(firstExternal + i, source.listing));
  if (aot !== null && options.interfaceApi === "c")
    add(headerName(options), { kind: "header" }, emitHeader(aot, options));
  add(runtimeHeaderName, { kind: "runtime" }, plain(runtimeHeader));
  return {
    files,
    roles,
    primitiveLines: new Map([
      ...ranges.map(([symbol, first, last]) => [symbol, [first + shift + 1, last + shift + 1]] as const),
      ...external.map(({ symbol, source }) => [symbol, source.lines] as const),
    ]),
    externalLibraries: new Map(external.map(({ symbol }, i) => [symbol, firstExternal + i])),
    callLines: calls.map(([first, last]) => [first + shift + 1, last + shift + 1] as const),
    workspaceBytes: new Map([
      ...kernels.map((primitive) => [primitive.symbol, workspaceBytes(primitive.forC)] as const),
      ...external.map(({ symbol, source }) => [symbol, source.heapBytes] as const),
    ]),
    symbols: [
      ...primitives.filter((primitive) => !primitive.isCopy).map((primitive) => primitive.symbol),
      ...(aot === null ? [] : [aot.entry]),
    ],
  };
}

/** What the code generator of an external function writes; nothing for other primitives. */
function externalFile(
  primitive: LoweredPrimitive,
  options: Options,
): readonly { readonly symbol: string; readonly source: ExternalSource }[] {
  const { external, symbol } = primitive;
  if (external === null) return [];
  const generate = externalSources.get(external.compiler);
  invariant(generate !== undefined, `relay.ext.${external.compiler} writes no C`);
  return [
    {
      symbol,
      source: generate({ primitive, external, modName: options.modName, unpacked: options.unpackedApi }),
    },
  ];
}

export function headerName(options: Options): string {
  return `${mangledName(options.modName, "").slice(0, -1)}.h`;
}

function lib1Head(
  input: CInput,
  helpers: HelperSet,
  scratch: Scratch,
  workspace: string,
): Listing<LineOwner> {
  const out = new TextWriter<LineOwner>();
  const { aot, options } = input;
  out.line("/* Kernels and runner, generated by Relayscope. Compiles with -std=c99 and needs libm. */");
  out.line("#include <math.h>");
  out.line("#include <stdint.h>");
  out.line("#include <string.h>");
  out.line(`#include "${runtimeHeaderName}"`);
  out.line("");
  for (const text of helperTexts(helpers)) out.line(text);
  if (aot !== null)
    for (const [name, data] of aot.params)
      out.line(`extern ${paramDeclaration(options.modName, name, data)};`);
  for (const primitive of input.primitives)
    if (primitive.external !== null) out.line(`${externalPrototype(primitive, options.unpackedApi)};`);
  // Tensors without elements have a place too.
  const storage =
    aot === null || aot.main.allocations.length === 0 ? 0 : Math.max(workspaceArrayBytes(aot.main), 1);
  if (storage > 0)
    out.line(`static uint8_t ${workspace}[${storage}] RELAYSCOPE_ALIGNED; /* tensors between calls */`);
  if (scratch.most > 0)
    out.line(`static uint8_t ${scratch.array}[${scratch.most}] RELAYSCOPE_ALIGNED; /* inside one call */`);
  out.line("");
  return out.finish();
}

/** lib0 without the parameters' values: for programs that link them in another way (node/run-c.ts). */
export function entryFile(aot: AotPlan, options: Options): Listing<LineOwner> {
  return lib0(aot, options, false);
}

function lib0(aot: AotPlan, options: Options, parameters: boolean): Listing<LineOwner> {
  const out = new TextWriter<LineOwner>();
  out.line("/* Parameters and entry point, generated by Relayscope. */");
  out.line("#include <math.h>");
  out.line("#include <stdint.h>");
  out.line(`#include "${runtimeHeaderName}"`);
  if (options.interfaceApi === "c") out.line(`#include "${headerName(options)}"`);
  out.line("");
  for (const [name, data] of parameters ? aot.params : []) {
    out.line(`extern ${paramDeclaration(options.modName, name, data)};`);
    writeParam(out, options.modName, name, data);
    out.line("");
  }
  emitEntry(out, aot, options);
  return out.finish();
}

function joined<O>(head: Listing<O>, body: Listing<O>): Listing<O> {
  return { text: head.text + body.text, owners: [...head.owners, ...body.owners] };
}

function plain(text: string): Listing<LineOwner> {
  const out = new TextWriter<LineOwner>();
  out.line(text.trimEnd());
  return out.finish();
}
