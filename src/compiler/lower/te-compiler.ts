// The TE compiler: one PrimFunc a primitive function and target, cached by structure, named and made unique
// as TVM does.
// TVM: src/relay/backend/te_compiler.cc (TECompilerImpl), te_compiler_cache.cc
// External functions (`Compiler` attribute) are cached and named here too; their own code generators write
// their C.
import type { Options } from "../options.ts";
import { fail, type Diagnostic } from "../ir/diagnostic.ts";
import type { IdSource } from "../ir/ids.ts";
import type { OpTable } from "../ir/op.ts";
import type { VerifyAt } from "../ir/pass.ts";
import type { Remark } from "../ir/remark.ts";
import type { Op } from "../ops/define.ts";
import type { Func } from "../relay/expr.ts";
import { copyFunction } from "../relay/on-device.ts";
import type { PrimFunc } from "../tir/prim-func.ts";
import { compileCache, type CacheEntry, type CompileCache, type NewEntry } from "./compile-cache.ts";
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
  readonly verify: VerifyAt;
  readonly diagnostics: Diagnostic[];
  readonly remarks: Remark[];
  readonly modName: string;
}

export interface TeCompiler {
  readonly cx: TeCompilerContext;
  /**
   * The lowered form of `func` for the target of `device` (the first target's where it is left out); the same
   * object for structurally equal functions on one target. `site` (the call) counts once in callSites however
   * often it is asked for; without one nothing is counted. Throws CompileError (RS41xx).
   */
  readonly lower: (func: Func, site?: object, device?: number) => LoweredPrimitive;
  /**
   * As lower, but with a cache and names of its own: what FoldConstant runs leaves no trace in the module's
   * names.
   */
  readonly jit: (func: Func) => LoweredPrimitive;
  /**
   * The function that computes the result shapes of `func` when the program runs; the same object for
   * structurally equal functions. `site` counts as in lower. Throws CompileError (RS4115, RS4116).
   */
  readonly lowerShapeFunc: (func: Func, site?: object, device?: number) => LoweredShapeFunc;
  /** In order of first lowering. */
  readonly items: () => readonly LoweredPrimitive[];
  readonly shapeFuncs: () => readonly LoweredShapeFunc[];
  /**
   * Everything in the cache: functions, then shape functions, each with how many call sites use it.
   * TVM: ListItems
   */
  readonly listItems: () => readonly CacheItem[];
  /** Cache key of the function lowered last, null after clear. */
  readonly currentKey: () => string | null;
  readonly clear: () => void;
}

interface CacheItem {
  readonly kind: "function" | "external" | "shape function";
  readonly name: string;
  readonly key: string;
  /** Kind of the target that it was lowered for. */
  readonly target: string;
  readonly useCount: number;
}

/** Names of one set of functions that end up in one module. */
interface Namespace {
  readonly names: UniqueNames;
  /** External functions by the symbol that they ask for. */
  readonly externals: Map<string, Func>;
  /** Names inside the module, TVM's mangling; identity for the JIT. */
  readonly mangle: (name: string) => string;
}

export function createTeCompiler(cx: TeCompilerContext): TeCompiler {
  const module = namespace((name) => mangledName(cx.modName, name));
  const functions = compileCache<LoweredPrimitive>();
  const shapes = compileCache<LoweredShapeFunc>();
  const jitNames = namespace((name) => name);
  const jitted = compileCache<LoweredPrimitive>();
  let current: string | null = null;
  const placeOf = (func: Func, device = firstDevice(cx.options)): Place => ({
    target: targetOf(cx.options, func, device),
    device,
  });
  const met = <L extends LoweredPrimitive>({ lowered, sites }: CacheEntry<L>, site?: object): L => {
    if (site !== undefined) sites.add(site);
    current = lowered.cacheKey;
    return lowered;
  };
  const lowerIn = (cache: CompileCache<LoweredPrimitive>, space: Namespace, func: Func, place: Place) =>
    cache.entryOf(func, place.target, (entry) => lowerFunction(cx, space, func, place, entry));
  return {
    cx,
    lower: (func, site, device) => met(lowerIn(functions, module, func, placeOf(func, device)), site),
    jit: (func) => met(lowerIn(jitted, jitNames, func, placeOf(func))),
    lowerShapeFunc: (func, site, device) => {
      const place = placeOf(func, device);
      return met(
        shapes.entryOf(func, place.target, (entry) => lowerShape(cx, module.names, func, place, entry)),
        site,
      );
    },
    items: () => functions.entries.map((entry) => entry.lowered),
    shapeFuncs: () => shapes.entries.map((entry) => entry.lowered),
    listItems: () => [
      ...functions.entries.map((entry) =>
        cacheItem(entry, entry.lowered.external === null ? "function" : "external"),
      ),
      ...shapes.entries.map((entry) => cacheItem(entry, "shape function")),
    ],
    currentKey: () => current,
    clear: () => {
      for (const cache of [functions, shapes, jitted]) cache.clear();
      for (const { names, externals } of [module, jitNames]) {
        names.next.clear();
        externals.clear();
      }
      current = null;
    },
  };
}

function cacheItem(
  { lowered, target, sites }: CacheEntry<LoweredPrimitive>,
  kind: CacheItem["kind"],
): CacheItem {
  return { kind, name: lowered.symbol, key: lowered.cacheKey, target, useCount: sites.size };
}

function namespace(mangle: (name: string) => string): Namespace {
  return { names: uniqueNames(), externals: new Map(), mangle };
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

interface Place {
  readonly target: string;
  readonly device: number;
}

/** PrimFuncs are made when first asked for: planning needs names only, and one target is often enough. */
function madeOnce(lower: (to: "c" | "wasm") => PrimFunc): (to: "c" | "wasm") => PrimFunc {
  const made = new Map<"c" | "wasm", PrimFunc>();
  return (to) => {
    const found = made.get(to) ?? lower(to);
    made.set(to, found);
    return found;
  };
}

/** Shape functions share the map of names with the rest and are not mangled, as in TVM. */
function lowerShape(
  cx: TeCompilerContext,
  names: UniqueNames,
  func: Func,
  { device }: Place,
  { index, hash, sites }: NewEntry,
): LoweredShapeFunc {
  const parts = primitiveParts(func, cx.ops);
  const shape = shapeFuncParts(func, parts);
  const symbol = uniqueName(
    names,
    candidateName(
      parts.calls.map(({ op }) => op.name),
      "shape_func",
    ),
  );
  const primFunc = madeOnce((to) => lowerShapePrimFunc(cx, func, shape, symbol, to));
  return {
    index,
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
    cacheKey: `${hash} shape`,
    origin: func.body.origin,
    needs: shape.needs,
    inputs: shape.inputs,
    func,
  };
}

function lowerFunction(
  cx: TeCompilerContext,
  space: Namespace,
  func: Func,
  { target, device }: Place,
  { index, hash, sites }: NewEntry,
): LoweredPrimitive {
  const external = func.attrs["Compiler"] === undefined ? null : newExternal(cx, space, func);
  const lifted = external?.lifted ?? func;
  const parts = primitiveParts(lifted, cx.ops);
  const symbol = symbolOf(space, func, parts);
  const prefix = space.mangle("");
  const primFunc = madeOnce((to) => lowerPrimFunc(cx, lifted, parts, symbol, to));
  return {
    index,
    name: symbol.startsWith(prefix) ? symbol.slice(prefix.length) : symbol,
    symbol,
    ops: parts.calls.map(({ call, op }) => ({ name: op.name, pattern: op.pattern, origin: call.origin })),
    inputTypes: parts.inputTypes.slice(0, parts.inputTypes.length - (external?.constants.length ?? 0)),
    outputTypes: parts.outputTypes,
    get forC() {
      return primFunc("c");
    },
    get forWasm() {
      return primFunc("wasm");
    },
    scheduleTrace: (to) => schedulePrimitive(lifted, parts, to).schedule.trace,
    get callSites() {
      return sites.size;
    },
    device,
    external,
    isCopy: symbol === copySymbol,
    cacheKey: cx.options.targets.length > 1 || external !== null ? `${hash} ${target}` : hash,
    origin: func.body.origin,
  };
}

/**
 * Copies between devices are all called __copy; external functions keep their symbols; both share the map of
 * names with the rest.
 */
function symbolOf(space: Namespace, func: Func, parts: PrimitiveParts): string {
  if (func.attrs["Compiler"] !== undefined) return uniqueName(space.names, externalSymbol(func));
  if (copyFunction(func) !== null) return copySymbol;
  return uniqueName(space.names, space.mangle(candidateName(parts.calls.map(({ op }) => op.name))));
}

function newExternal(cx: TeCompilerContext, space: Namespace, func: Func): ExternalFunction {
  const symbol = externalSymbol(func);
  const other = space.externals.get(symbol);
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
  space.externals.set(symbol, func);
  return externalFunction(func, cx.ids);
}

/** What TVM's graph runtime knows as a copy between devices. */
const copySymbol = "__copy";
