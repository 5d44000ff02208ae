// Test help: Relay text to a typed module and back, with the real operators or with stand-ins for those that
// do not exist yet.
import type { Diagnostic } from "../../compiler/ir/diagnostic.ts";
import { idSource } from "../../compiler/ir/ids.ts";
import { OpPattern, type OpTable } from "../../compiler/ir/op.ts";
import { inferType } from "../../compiler/relay/passes/infer-type/infer-type.ts";
import type { IRModule } from "../../compiler/relay/module.ts";
import type { RelayContext, RelayOp } from "../../compiler/relay/op.ts";
import { parseRelay, type ParseResult } from "../../compiler/relay/text/parse.ts";
import { ops as realOps } from "../../compiler/ops/index.ts";
import { defaultOptions } from "../../compiler/options.ts";

export interface Parsed extends ParseResult {
  readonly diagnostics: readonly Diagnostic[];
  readonly cx: RelayContext;
}

export function relayContext(ops: OpTable<RelayOp> = realOps): RelayContext {
  return {
    ids: idSource(),
    ops,
    options: defaultOptions,
    verify: "passes",
    diagnostics: [],
    remarks: [],
    evaluate: null,
  };
}

export function parseText(text: string, ops: OpTable<RelayOp> = realOps): Parsed {
  const cx = relayContext(ops);
  const result = parseRelay(text, { ids: cx.ids, ops, diagnostics: cx.diagnostics });
  return { ...result, diagnostics: cx.diagnostics, cx };
}

/** The typed module of a text without mistakes; throws what went wrong. */
export function typedModule(
  text: string,
  ops: OpTable<RelayOp> = realOps,
): { readonly module: IRModule; readonly cx: RelayContext } {
  const { module, cx } = parseText(text, ops);
  // Texts without metadata are what most tests read.
  const wrong = () => cx.diagnostics.filter(({ code }) => code !== "RS1043");
  const typed = wrong().length > 0 ? module : inferType.run(module, cx);
  if (wrong().length > 0)
    throw new Error(
      wrong()
        .slice(0, 5)
        .map((d) => `${d.code} ${d.message} (${d.span?.start ?? "?"})`)
        .join("\n"),
    );
  return { module: typed, cx };
}

/** "RS1020 19:22 message", in order. */
export function diagnosticLines(text: string, found: readonly Diagnostic[]): string[] {
  return found.map((d) => {
    const before = text.slice(0, d.span?.start ?? 0);
    return `${d.code} ${before.split("\n").length}:${before.length - before.lastIndexOf("\n")} ${d.message}`;
  });
}

/**
 * An operator that takes `inputs` arguments and any attributes it is declared with; its type is its first
 * argument's.
 */
export function standInOp(
  name: string,
  inputs: readonly string[],
  attrs: RelayOp["attrs"] = {},
  relation: RelayOp["relation"] = (args) => (args[0]?.kind === "incomplete-type" ? null : (args[0] ?? null)),
): RelayOp {
  return {
    name,
    inputs,
    tupleInput: false,
    attrs,
    attrsKey: null,
    pattern: OpPattern.opaque,
    relation,
    nonComputational: false,
    reshapeOnly: false,
    stateful: false,
    simplify: null,
    legalize: null,
    qnnLegalize: null,
    qnnCanonicalize: null,
    toStatic: null,
    canonicalize: null,
    layout: null,
  };
}
