// The TE compiler: one PrimFunc a primitive function and target, cached by structure, named and made unique as TVM does.
// TVM: src/relay/backend/te_compiler.cc (TECompilerImpl), te_compiler_cache.cc
// External functions (`Compiler` attribute) need a code generator of that name; none is registered, so they are refused.
import type { Options } from "../../protocol/compile.ts";
import { fail, type Diagnostic } from "../ir/diagnostic.ts";
import type { IdSource } from "../ir/ids.ts";
import type { OpTable } from "../ir/op.ts";
import type { Remark } from "../ir/remark.ts";
import type { Op } from "../ops/define.ts";
import type { Func } from "../relay/expr.ts";
import { structuralEqual, structuralHash } from "../relay/structural.ts";
import type { LoweredPrimitive } from "./lowered.ts";
import { candidateName, mangledName, uniqueName, uniqueNames, type UniqueNames } from "./prim-func-name.ts";
import { lowerPrimFunc } from "./prim-func.ts";
import { primitiveParts, type PrimitiveParts } from "./primitive.ts";

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
   * The lowered form of `func`; the same object for structurally equal functions. `site` (the call) counts once in
   * callSites however often it is asked for; without one nothing is counted. Throws CompileError (RS41xx).
   */
  readonly lower: (func: Func, site?: object) => LoweredPrimitive;
  /** As lower, but with a cache and names of its own: what FoldConstant runs leaves no trace in the module's names. */
  readonly jit: (func: Func) => LoweredPrimitive;
  /** In order of first lowering. */
  readonly items: () => readonly LoweredPrimitive[];
  /** Cache key of the function lowered last, null after clear. */
  readonly currentKey: () => string | null;
  readonly clear: () => void;
}

interface Entry {
  readonly func: Func;
  readonly lowered: LoweredPrimitive;
  readonly sites: Set<object>;
}

interface Cache {
  /** Functions met before, by identity: planners ask for each call again. */
  readonly byFunc: Map<Func, Entry>;
  readonly byHash: Map<string, Entry[]>;
  readonly entries: Entry[];
  readonly names: UniqueNames;
  /** Names inside the module, TVM's mangling; identity for the JIT. */
  readonly mangle: (name: string) => string;
}

export function createTeCompiler(cx: TeCompilerContext): TeCompiler {
  const module = emptyCache((name) => mangledName(cx.modName, name));
  const jitted = emptyCache((name) => name);
  let current: string | null = null;
  const lowerIn = (cache: Cache, func: Func): Entry => {
    const entry = cache.byFunc.get(func) ?? find(cache, func) ?? add(cx, cache, func);
    cache.byFunc.set(func, entry);
    current = entry.lowered.cacheKey;
    return entry;
  };
  return {
    cx,
    lower: (func, site) => {
      const entry = lowerIn(module, func);
      if (site !== undefined) entry.sites.add(site);
      return entry.lowered;
    },
    jit: (func) => lowerIn(jitted, func).lowered,
    items: () => module.entries.map((entry) => entry.lowered),
    currentKey: () => current,
    clear: () => {
      for (const cache of [module, jitted]) {
        cache.byFunc.clear();
        cache.byHash.clear();
        cache.names.next.clear();
        cache.entries.length = 0;
      }
      current = null;
    },
  };
}

function emptyCache(mangle: (name: string) => string): Cache {
  return { byFunc: new Map(), byHash: new Map(), entries: [], names: uniqueNames(), mangle };
}

function find(cache: Cache, func: Func): Entry | null {
  return cache.byHash.get(structuralHash(func))?.find((entry) => structuralEqual(entry.func, func)) ?? null;
}

function add(cx: TeCompilerContext, cache: Cache, func: Func): Entry {
  const external = func.attrs["Compiler"];
  if (typeof external === "string") {
    fail("RS4111", `there is no code generator for external functions of "${external}"`, {
      span: func.span, origin: func.origin, expected: "functions that Relayscope lowers itself", got: `Compiler="${external}"`,
      because: "an external function is opaque: its code comes from the generator it names", hint: "remove the partition",
    });
  }
  const parts = primitiveParts(func, cx.ops);
  const hash = structuralHash(func);
  const sites = new Set<object>();
  const name = candidateName(parts.calls.map(({ op }) => op.name));
  const symbol = uniqueName(cache.names, cache.mangle(name));
  const entry: Entry = { func, sites, lowered: loweredPrimitive(cx, func, parts, { index: cache.entries.length, symbol, hash, sites, modName: cache.mangle("") }) };
  cache.entries.push(entry);
  cache.byHash.set(hash, [...(cache.byHash.get(hash) ?? []), entry]);
  return entry;
}

interface Identity {
  readonly index: number;
  readonly symbol: string;
  readonly hash: string;
  readonly sites: ReadonlySet<object>;
  /** What mangling put before the name. */
  readonly modName: string;
}

/** PrimFuncs are made when first asked for: planning needs names only, and one target is often enough. */
function loweredPrimitive(cx: TeCompilerContext, func: Func, parts: PrimitiveParts, id: Identity): LoweredPrimitive {
  const made = new Map<"c" | "wasm", LoweredPrimitive["forC"]>();
  const primFunc = (target: "c" | "wasm"): LoweredPrimitive["forC"] => {
    const found = made.get(target) ?? lowerPrimFunc(cx, func, parts, id.symbol, target);
    made.set(target, found);
    return found;
  };
  return {
    index: id.index,
    name: id.symbol.slice(id.modName.length),
    symbol: id.symbol,
    ops: parts.calls.map(({ call, op }) => ({ name: op.name, pattern: op.pattern, origin: call.origin })),
    inputTypes: parts.inputTypes,
    outputTypes: parts.outputTypes,
    get forC() {
      return primFunc("c");
    },
    get forWasm() {
      return primFunc("wasm");
    },
    get callSites() {
      return id.sites.size;
    },
    cacheKey: id.hash,
    origin: func.body.origin,
  };
}
