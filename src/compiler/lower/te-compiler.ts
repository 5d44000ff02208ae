// The TE compiler: one PrimFunc a primitive function and target, cached by structure, named and made unique as TVM does.
// TVM: src/relay/backend/te_compiler.cc (TECompilerImpl), te_compiler_cache.cc
// External functions (`Compiler` attribute) are cached and named here too; their own code generators write their C.
import type { Options } from "../options.ts";
import { fail, type Diagnostic } from "../ir/diagnostic.ts";
import type { IdSource } from "../ir/ids.ts";
import type { OpTable } from "../ir/op.ts";
import type { Remark } from "../ir/remark.ts";
import type { Op } from "../ops/define.ts";
import type { Func } from "../relay/expr.ts";
import { copyFunction } from "../relay/on-device.ts";
import { structuralEqual, structuralHash } from "../relay/structural.ts";
import { externalFunction, externalSymbol, type ExternalFunction } from "./external/external-function.ts";
import type { LoweredPrimitive } from "./lowered.ts";
import { candidateName, mangledName, uniqueName, uniqueNames, type UniqueNames } from "./prim-func-name.ts";
import { lowerPrimFunc, schedulePrimitive } from "./prim-func.ts";
import { primitiveParts, type PrimitiveParts } from "./primitive.ts";
import { lowerShapePrimFunc, shapeFuncParts, shapeType, type LoweredShapeFunc } from "./shape-func.ts";

export interface TeCompilerContext {
  readonly ids: IdSource;
  readonly ops: OpTable<Op>;
  readonly options: Options;
  readonly diagnostics: Diagnostic[];
  readonly remarks: Remark[];
  readonly modName: string;
}

export interface TeCompiler {
  readonly cx: TeCompilerContext;
  /**
   * The lowered form of `func` for the target of `device` (the first target's where it is left out); the same object for
   * structurally equal functions on one target. `site` (the call) counts once in callSites however often it is asked for;
   * without one nothing is counted. Throws CompileError (RS41xx).
   */
  readonly lower: (func: Func, site?: object, device?: number) => LoweredPrimitive;
  /** As lower, but with a cache and names of its own: what FoldConstant runs leaves no trace in the module's names. */
  readonly jit: (func: Func) => LoweredPrimitive;
  /**
   * The function that computes the result shapes of `func` when the program runs; the same object for structurally equal functions.
   * `site` counts as in lower. Throws CompileError (RS4115, RS4116).
   */
  readonly lowerShapeFunc: (func: Func, site?: object, device?: number) => LoweredShapeFunc;
  /** In order of first lowering. */
  readonly items: () => readonly LoweredPrimitive[];
  readonly shapeFuncs: () => readonly LoweredShapeFunc[];
  /** Everything in the cache: functions, then shape functions, each with how many call sites use it.  TVM: ListItems */
  readonly listItems: () => readonly CacheItem[];
  /** Cache key of the function lowered last, null after clear. */
  readonly currentKey: () => string | null;
  readonly clear: () => void;
}

export interface CacheItem {
  readonly kind: "function" | "external" | "shape function";
  readonly name: string;
  readonly key: string;
  /** Kind of the target that it was lowered for. */
  readonly target: string;
  readonly useCount: number;
}

interface ShapeEntry {
  readonly func: Func;
  readonly target: string;
  readonly lowered: LoweredShapeFunc;
  readonly sites: Set<object>;
}

interface Entry {
  readonly func: Func;
  /** The target's kind, "ext_dev" for external functions. */
  readonly target: string;
  readonly lowered: LoweredPrimitive;
  readonly sites: Set<object>;
}

interface Cache {
  /** Functions met before, by target and identity: planners ask for each call again. */
  readonly byFunc: Map<string, Map<Func, Entry>>;
  readonly byHash: Map<string, Entry[]>;
  readonly entries: Entry[];
  /** External functions by the symbol that they ask for. */
  readonly externals: Map<string, Func>;
  readonly shapeEntries: ShapeEntry[];
  readonly shapeByFunc: Map<string, Map<Func, ShapeEntry>>;
  readonly shapeByHash: Map<string, ShapeEntry[]>;
  readonly names: UniqueNames;
  /** Names inside the module, TVM's mangling; identity for the JIT. */
  readonly mangle: (name: string) => string;
}

export function createTeCompiler(cx: TeCompilerContext): TeCompiler {
  const module = emptyCache((name) => mangledName(cx.modName, name));
  const jitted = emptyCache((name) => name);
  let current: string | null = null;
  const lowerIn = (cache: Cache, func: Func, device: number): Entry => {
    const target = targetOf(cx.options, func, device);
    const known = cache.byFunc.get(target) ?? new Map<Func, Entry>();
    cache.byFunc.set(target, known);
    const entry = known.get(func) ?? find(cache, func, target) ?? add(cx, cache, func, { target, device });
    known.set(func, entry);
    current = entry.lowered.cacheKey;
    return entry;
  };
  return {
    cx,
    lower: (func, site, device) => {
      const entry = lowerIn(module, func, device ?? firstDevice(cx.options));
      if (site !== undefined) entry.sites.add(site);
      return entry.lowered;
    },
    jit: (func) => lowerIn(jitted, func, firstDevice(cx.options)).lowered,
    lowerShapeFunc: (func, site, device) => {
      const place: Place = {
        target: targetOf(cx.options, func, device ?? firstDevice(cx.options)),
        device: device ?? firstDevice(cx.options),
      };
      const entry = shapeEntry(cx, module, func, place);
      if (site !== undefined) entry.sites.add(site);
      current = entry.lowered.cacheKey;
      return entry.lowered;
    },
    items: () => module.entries.map((entry) => entry.lowered),
    shapeFuncs: () => module.shapeEntries.map((entry) => entry.lowered),
    listItems: () => [
      ...module.entries.map((entry) =>
        cacheItem(entry, entry.lowered.external === null ? "function" : "external"),
      ),
      ...module.shapeEntries.map((entry) => cacheItem(entry, "shape function")),
    ],
    currentKey: () => current,
    clear: () => {
      for (const cache of [module, jitted]) {
        cache.byFunc.clear();
        cache.byHash.clear();
        cache.names.next.clear();
        cache.entries.length = 0;
        cache.externals.clear();
        cache.shapeEntries.length = 0;
        cache.shapeByFunc.clear();
        cache.shapeByHash.clear();
      }
      current = null;
    },
  };
}

function cacheItem({ lowered, target, sites }: Entry | ShapeEntry, kind: CacheItem["kind"]): CacheItem {
  return { kind, name: lowered.symbol, key: lowered.cacheKey, target, useCount: sites.size };
}

function emptyCache(mangle: (name: string) => string): Cache {
  return {
    byFunc: new Map(),
    byHash: new Map(),
    entries: [],
    externals: new Map(),
    shapeEntries: [],
    shapeByFunc: new Map(),
    shapeByHash: new Map(),
    names: uniqueNames(),
    mangle,
  };
}

function firstDevice(options: Options): number {
  return options.targets[0]?.device ?? 1;
}

/** With one target everything is compiled for it, whatever the device, as TVM does. */
function targetOf(options: Options, func: Func, device: number): string {
  if (func.attrs["Compiler"] !== undefined) return "ext_dev";
  const { targets } = options;
  const target = targets.length === 1 ? targets[0] : targets.find((one) => one.device === device);
  return target?.kind ?? "c";
}

function find(cache: Cache, func: Func, target: string): Entry | null {
  return (
    cache.byHash
      .get(structuralHash(func))
      ?.find((entry) => entry.target === target && structuralEqual(entry.func, func)) ?? null
  );
}

function shapeEntry(cx: TeCompilerContext, cache: Cache, func: Func, place: Place): ShapeEntry {
  const known = cache.shapeByFunc.get(place.target) ?? new Map<Func, ShapeEntry>();
  cache.shapeByFunc.set(place.target, known);
  const hash = structuralHash(func);
  const alike = cache.shapeByHash.get(hash) ?? [];
  const entry =
    known.get(func) ??
    alike.find((one) => one.target === place.target && structuralEqual(one.func, func)) ??
    addShapeFunc(cx, cache, func, place);
  if (!alike.includes(entry)) cache.shapeByHash.set(hash, [...alike, entry]);
  known.set(func, entry);
  return entry;
}

/** Shape functions share the map of names with the rest and are not mangled, as in TVM. */
function addShapeFunc(
  cx: TeCompilerContext,
  cache: Cache,
  func: Func,
  { target, device }: Place,
): ShapeEntry {
  const parts = primitiveParts(func, cx.ops);
  const shape = shapeFuncParts(func, parts);
  const symbol = uniqueName(
    cache.names,
    candidateName(
      parts.calls.map(({ op }) => op.name),
      "shape_func",
    ),
  );
  const sites = new Set<object>();
  const made = new Map<"c" | "wasm", LoweredPrimitive["forC"]>();
  const primFunc = (to: "c" | "wasm"): LoweredPrimitive["forC"] => {
    const found = made.get(to) ?? lowerShapePrimFunc(cx, func, shape, symbol, to);
    made.set(to, found);
    return found;
  };
  const lowered: LoweredShapeFunc = {
    index: cache.shapeEntries.length,
    name: symbol,
    symbol,
    ops: parts.calls.map(({ call, op }) => ({ name: op.name, pattern: op.pattern, origin: call.origin })),
    inputTypes: shape.inputs.map(({ type }) => type),
    outputTypes: parts.outputTypes.map((type) => shapeType(type.shape.length)),
    get forC() {
      return primFunc("c");
    },
    get forWasm() {
      return primFunc("wasm");
    },
    get callSites() {
      return sites.size;
    },
    device,
    external: null,
    isCopy: false,
    cacheKey: `${structuralHash(func)} shape`,
    origin: func.body.origin,
    needs: shape.needs,
    inputs: shape.inputs,
    func,
  };
  const entry: ShapeEntry = { func, target, lowered, sites };
  cache.shapeEntries.push(entry);
  return entry;
}

interface Place {
  readonly target: string;
  readonly device: number;
}

function add(cx: TeCompilerContext, cache: Cache, func: Func, { target, device }: Place): Entry {
  const external = func.attrs["Compiler"] === undefined ? null : newExternal(cx, cache, func);
  const parts = primitiveParts(external?.lifted ?? func, cx.ops);
  const hash = structuralHash(func);
  const sites = new Set<object>();
  const symbol = symbolOf(cache, func, parts);
  const cacheKey = cx.options.targets.length > 1 || external !== null ? `${hash} ${target}` : hash;
  const id: Identity = {
    index: cache.entries.length,
    symbol,
    cacheKey,
    sites,
    modName: cache.mangle(""),
    device,
    external,
  };
  const entry: Entry = { func, target, sites, lowered: loweredPrimitive(cx, func, parts, id) };
  cache.entries.push(entry);
  cache.byHash.set(hash, [...(cache.byHash.get(hash) ?? []), entry]);
  return entry;
}

/** Copies between devices are all called __copy; external functions keep their symbols; both share the map of names with the rest. */
function symbolOf(cache: Cache, func: Func, parts: PrimitiveParts): string {
  if (func.attrs["Compiler"] !== undefined) return uniqueName(cache.names, externalSymbol(func));
  if (copyFunction(func) !== null) return copySymbol;
  return uniqueName(cache.names, cache.mangle(candidateName(parts.calls.map(({ op }) => op.name))));
}

function newExternal(cx: TeCompilerContext, cache: Cache, func: Func): ExternalFunction {
  const symbol = externalSymbol(func);
  const other = cache.externals.get(symbol);
  if (other !== undefined) {
    fail("RS4113", `two external functions are called ${symbol}`, {
      span: func.span,
      origin: func.origin,
      expected: "a symbol of its own for each external function",
      got: `global_symbol="${symbol}" on two different functions`,
      because: "both would be defined under that name in the generated code",
      hint: `call this one ${symbol}_1`,
      related: other.span === null ? [] : [{ span: other.span, text: `the first ${symbol}` }],
    });
  }
  cache.externals.set(symbol, func);
  return externalFunction(func, cx.ids);
}

/** What TVM's graph runtime knows as a copy between devices. */
const copySymbol = "__copy";

interface Identity {
  readonly index: number;
  readonly symbol: string;
  readonly cacheKey: string;
  readonly device: number;
  readonly external: ExternalFunction | null;
  readonly sites: ReadonlySet<object>;
  /** What mangling put before the name. */
  readonly modName: string;
}

/** PrimFuncs are made when first asked for: planning needs names only, and one target is often enough. */
function loweredPrimitive(
  cx: TeCompilerContext,
  func: Func,
  parts: PrimitiveParts,
  id: Identity,
): LoweredPrimitive {
  const made = new Map<"c" | "wasm", LoweredPrimitive["forC"]>();
  const primFunc = (target: "c" | "wasm"): LoweredPrimitive["forC"] => {
    const found =
      made.get(target) ?? lowerPrimFunc(cx, id.external?.lifted ?? func, parts, id.symbol, target);
    made.set(target, found);
    return found;
  };
  return {
    index: id.index,
    name: id.symbol.startsWith(id.modName) ? id.symbol.slice(id.modName.length) : id.symbol,
    symbol: id.symbol,
    ops: parts.calls.map(({ call, op }) => ({ name: op.name, pattern: op.pattern, origin: call.origin })),
    inputTypes: parts.inputTypes.slice(0, parts.inputTypes.length - (id.external?.constants.length ?? 0)),
    outputTypes: parts.outputTypes,
    get forC() {
      return primFunc("c");
    },
    get forWasm() {
      return primFunc("wasm");
    },
    scheduleTrace: (target) => schedulePrimitive(id.external?.lifted ?? func, parts, target).schedule.trace,
    get callSites() {
      return id.sites.size;
    },
    device: id.device,
    external: id.external,
    isCopy: id.symbol === copySymbol,
    cacheKey: id.cacheKey,
    origin: func.body.origin,
  };
}
