// The compiler in Node: a host with a clock and the JIT, and the text that conformance and the command line
// compare.
import { type Compilation, mainOf, wasmModule } from "../compiler/compilation.ts";
import { version as packageVersion } from "../../package.json";
import { compile, type CompileHost } from "../compiler/compile.ts";
import type { Diagnostic } from "../compiler/ir/diagnostic.ts";
import { fillTensor } from "../compiler/frontend/fill.ts";
import type { TensorData } from "../compiler/ir/tensor-data.ts";
import { staticShape } from "../compiler/ir/type.ts";
import type { WasmModule } from "../compiler/codegen/wasm/module.ts";
import type { Options } from "../compiler/options.ts";
import { runPrimitive } from "../runtime/jit.ts";
import { runModel } from "../runtime/run.ts";
import { compileJson, printRelay } from "./compile-json.ts";
import { flatValues, type OutputJson } from "./values.ts";

export const nodeHost: CompileHost = {
  now: () => performance.now(),
  pause: () => Promise.resolve(),
  execute: (primitive, args) => runPrimitive(primitive, args),
  // Every test runs the verifiers; of what is built, those under --verify do.
  verify: import.meta.env.DEV ? "passes" : "never",
};

const unverifiedHost: CompileHost = { ...nodeHost, verify: "never" };

/** Text of more characters is a large network: verified where --verify asks for it, not in every test. */
const largeText = 100_000;

/** What --verify asks for. */
export const verifyingHost: CompileHost = { ...nodeHost, verify: "passes" };

export function version(): string {
  return packageVersion;
}

export interface CompiledText {
  readonly compilation: Compilation;
  readonly diagnostics: readonly Diagnostic[];
  readonly json: ReturnType<typeof compileJson>;
  /** Relay after LabelOps, or null where it did not get there. */
  readonly fused: string | null;
  readonly wasm: WasmModule | null;
}

/** Compiles `text` in this process. */
export async function compileText(
  text: string,
  options: Options,
  name: string,
  binds: ReadonlyMap<string, TensorData> = new Map(),
  host: CompileHost = text.length > largeText ? unverifiedHost : nodeHost,
): Promise<CompiledText> {
  const compilation = await compile({ kind: "relay", text, name }, options, host, binds);
  const json = compileJson(compilation, version(), false);
  return {
    compilation,
    diagnostics: compilation.diagnostics,
    json,
    fused: json.relay.fused,
    wasm: wasmModule(compilation),
  };
}

/** Values for the inputs of main that `given` lacks, by the fill rule. */
export function filledInputs(
  compilation: Compilation,
  given: ReadonlyMap<string, TensorData> = new Map(),
): ReadonlyMap<string, TensorData> {
  const main = mainOf(compilation);
  const all = new Map(given);
  for (const param of main?.params ?? []) {
    const type = param.annotation ?? param.type;
    if (!all.has(param.name) && type?.kind === "tensor-type" && staticShape(type) !== null)
      all.set(param.name, fillTensor(param.name, type));
  }
  return all;
}

/**
 * Runs on WASM by the AOT runner (the graph executor where AOT refused), inputs by the fill rule where not
 * given.
 */
export function runCompiled(
  done: CompiledText,
  given: ReadonlyMap<string, TensorData> = new Map(),
): readonly OutputJson[] {
  return runModel(done.compilation, filledInputs(done.compilation, given)).outputs.map(flatValues);
}

export { printRelay };
