// `compile --json`: one object, a contract with whoever reads it. Change its shape only with its version.
import { type Compilation, cModule, metadataOf } from "../compiler/compilation.ts";
import { argName } from "../compiler/executor/arg-name.ts";
import { graphJson } from "../compiler/executor/graph-json.ts";
import type { GraphPlan } from "../compiler/executor/graph-plan.ts";
import type { AotPlan, Outcome } from "../compiler/executor/plan.ts";
import { lineStarts, positionAt } from "../compiler/ir/span.ts";
import { diagnosticNotes, type Diagnostic } from "../compiler/ir/diagnostic.ts";
import { ops } from "../compiler/ops/index.ts";
import type { IRModule } from "../compiler/relay/module.ts";
import type { Options } from "../compiler/options.ts";
import { printPrimFunc } from "../compiler/tir/print.ts";
import { printModule } from "../compiler/relay/text/print.ts";

const jsonVersion = 1;

/** Relay after LabelOps, null where fusing was not reached or refused. */
export function fusedText(done: Compilation): string | null {
  const isFused = done.trace.steps.some((step) => step.pass === "FuseOps") && done.stoppedAt !== "fuse";
  return isFused ? printRelay(done.module) : null;
}

export function printRelay(module: IRModule): string {
  return printModule(module, { ops, showMeta: false }).text;
}

/**
 * The program after InferType, null where it has mistakes. A model file is typed and printed when it is
 * imported.
 */
export function typedText(done: Compilation): string | null {
  const typed = done.trace.steps.find((step) => step.pass === "InferType");
  if (typed === undefined) return null;
  return done.source.kind !== "relay" && !typed.changed ? done.text : printRelay(typed.after);
}

export function diagnosticJson(found: Diagnostic, starts: Uint32Array) {
  const place = found.span === null ? { line: 0, column: 0 } : positionAt(starts, found.span.start);
  const parts = [
    ["expected", found.expected],
    ["got", found.got],
    ["because", found.because],
    ["hint", found.hint],
  ] as const;
  const notes = parts.filter(([, text]) => text !== null).map(([label, text]) => `${label}: ${text}`);
  return {
    code: found.code,
    severity: found.severity,
    message: found.message,
    ...place,
    notes: [...notes, ...diagnosticNotes(found, starts)],
  };
}

export function compileJson(done: Compilation, version: string, withPasses: boolean) {
  const starts = lineStarts(done.text);
  const { steps } = done.trace;
  const fuse = steps.findIndex((step) => step.pass === "FuseOps");
  const c = cModule(done);
  return {
    version: `${jsonVersion} (relayscope ${version})`,
    options: done.options,
    diagnostics: done.diagnostics.map((found) => diagnosticJson(found, starts)),
    stages: steps.map((step) => ({ name: step.pass, ms: step.ms, changed: step.changed })),
    relay: {
      typed: typedText(done),
      optimized: fuse < 0 ? null : printRelay(steps[fuse]!.before),
      fused: fusedText(done),
    },
    primitives: done.primitives.map((primitive) => ({
      name: primitive.name,
      symbol: primitive.symbol,
      ops: primitive.ops.map((op) => op.name),
      callSites: primitive.callSites,
      workspaceBytes: c?.workspaceBytes.get(primitive.symbol) ?? 0,
    })),
    ...(done.reached === "dynamic" ? { shapeFunctions: shapeFunctions(done) } : {}),
    graph: "graph" in done ? graphOrError(done.graph) : null,
    aot: "aot" in done ? aotJson(done.aot, done.options) : null,
    memory: metadataOf(done),
    symbols:
      c !== null
        ? [...c.symbols]
        : done.reached === "dynamic"
          ? done.teCompiler.listItems().map((item) => item.name)
          : [],
    ...(withPasses
      ? {
          passes: steps
            .filter((step) => step.stage !== "types")
            .map((step) => [step.pass, step.changed ? printRelay(step.after) : null]),
        }
      : {}),
  };
}

/**
 * Shape functions of a program whose shapes are known only when it runs; needs: one word a parameter of the
 * primitive.
 */
function shapeFunctions(done: Compilation) {
  return done.teCompiler
    .shapeFuncs()
    .map((shapeFunc) => ({
      name: shapeFunc.symbol,
      ops: shapeFunc.ops.map((op) => op.name),
      needs: shapeFunc.needs,
      callSites: shapeFunc.callSites,
      text: printPrimFunc(shapeFunc.forC).text,
    }));
}

function graphOrError(graph: Outcome<GraphPlan>) {
  return graph.ok ? graphJson(graph.value) : { error: graph.diagnostic.code };
}

function aotJson(aot: Outcome<AotPlan>, options: Options) {
  if (!aot.ok) return { error: aot.diagnostic.code };
  const plan = aot.value;
  const sid = ([number, bytes]: readonly [number, number]) => [`sid_${number}`, bytes] as const;
  return {
    entry: plan.entry,
    parameters: plan.parameters,
    onDemand: plan.onDemand.map(sid),
    allocs: plan.allocs.map((alloc) =>
      options.targets.length > 1 ? [...sid(alloc), plan.devices.storage.get(alloc[0])!] : sid(alloc),
    ),
    // An if is ["if", condition], the rows of its first branch, ["else"], the rows of its second, ["end"];
    // ifs nest.
    calls: plan.calls.map((call) => {
      const args = call.args.map((arg) => argName(arg, plan));
      return call.kind === "copy" && call.primitive < 0
        ? ["copy", ...args, call.bytes]
        : [call.symbol, ...args];
    }),
  };
}
