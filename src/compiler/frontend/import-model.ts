// What importing an ONNX and a TFLite file have in common around the nodes: reports, names and shapes of
// inputs, the module.
import { isOfLength } from "./import-node.ts";
import { noAttrs } from "../ir/attrs.ts";
import { CompileError, diagnostic, type Diagnostic } from "../ir/diagnostic.ts";
import { sourceOrigin } from "../ir/origin.ts";
import { tuple } from "../relay/build.ts";
import { makeFunction, type Expr, type Var } from "../relay/expr.ts";
import { checkScopes } from "../relay/nesting.ts";
import { emptyModule, withFunction, type IRModule } from "../relay/module.ts";
import type { RelayContext } from "../relay/op.ts";
import { inputNames } from "./input-names.ts";
import type { Imported } from "./model-file.ts";

/** More than this many reports of one file help nobody. */
export const mostReports = 20;

/** Runs an import; null after giving `cx` the reasons why there is nothing. */
export function reported(cx: RelayContext, run: (found: Diagnostic[]) => Imported | null): Imported | null {
  const found: Diagnostic[] = [];
  try {
    const imported = run(found);
    cx.diagnostics.push(...found);
    return found.some(({ severity }) => severity === "error") ? null : imported;
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    cx.diagnostics.push(...found, error.diagnostic);
    return null;
  }
}

/** How the nodes of one format are imported. */
interface NodeImport<T> {
  /** False where an input's node had failed. */
  readonly importNode: (node: T) => boolean;
  /** Marks what the node makes: what needs it is left out without another report. */
  readonly lose: (node: T) => void;
  /** Says that `count` more could not be imported. */
  readonly more: (count: number) => Diagnostic;
}

/** Imports nodes in order, reporting each that cannot be; true if all could. */
export function importAll<T>(nodes: readonly T[], how: NodeImport<T>, found: Diagnostic[]): boolean {
  let failures = 0;
  for (const node of nodes) {
    try {
      if (!how.importNode(node)) how.lose(node);
    } catch (error) {
      if (!(error instanceof CompileError)) throw error;
      how.lose(node);
      if (++failures <= mostReports) found.push(error.diagnostic);
    }
  }
  if (failures > mostReports) found.push(how.more(failures - mostReports));
  return failures === 0;
}

/** Names given by options that are no input of the model are mistakes worth telling. */
export function reportUnknownNames(
  given: readonly string[],
  inputs: readonly string[],
  found: Diagnostic[],
): void {
  const known = inputNames(inputs);
  for (const name of new Set(given)) {
    if (known.find(name) >= 0) continue;
    found.push(
      diagnostic("RS1801", `The model has no input ${name}.`, {
        expected: [...new Set(inputs)].join(", "),
        got: name,
      }),
    );
  }
}

/**
 * The module whose main gives `outputs`; `nodes` counts the nodes of the file, the last of which main comes
 * from.
 */
export function moduleOf(
  cx: RelayContext,
  params: readonly Var[],
  outputs: readonly Expr[],
  nodes: number,
): IRModule {
  const origin = sourceOrigin(Math.max(nodes - 1, 0));
  const body = isOfLength(outputs, 1) ? outputs[0] : tuple(cx, outputs, origin);
  const main = makeFunction(cx.ids, params, body, { origin, resultType: null, attrs: noAttrs });
  checkScopes(main);
  return withFunction(emptyModule, "main", main);
}
