// IRModule: global functions and type definitions, immutable.  TVM: include/tvm/ir/module.h
import type { Span } from "../ir/span.ts";
import type { TypeVar } from "../ir/type.ts";
import type { Constructor, Func } from "./expr.ts";

export interface TypeData {
  readonly name: string;
  readonly typeParams: readonly TypeVar[];
  readonly constructors: readonly Constructor[];
  readonly extern: boolean;
  readonly span: Span | null;
}

export interface IRModule {
  /** In order of definition. */
  readonly functions: ReadonlyMap<string, Func>;
  readonly typeDefs: ReadonlyMap<string, TypeData>;
}

export const emptyModule: IRModule = { functions: new Map(), typeDefs: new Map() };

export function withFunction(module: IRModule, name: string, func: Func): IRModule {
  if (module.functions.get(name) === func) return module;
  return { ...module, functions: new Map(module.functions).set(name, func) };
}

/** Applies `f` to every function; the same module comes back if nothing changed. */
export function mapFunctions(module: IRModule, f: (func: Func, name: string) => Func): IRModule {
  let changed = false;
  const functions = new Map<string, Func>();
  for (const [name, func] of module.functions) {
    const next = f(func, name);
    changed ||= next !== func;
    functions.set(name, next);
  }
  return changed ? { ...module, functions } : module;
}
