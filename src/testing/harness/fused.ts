// Tests of the executors and of C start from fused text: main with its primitive functions written out.
import type { Options } from "../../compiler/options.ts";
import { defaultOptions } from "../../compiler/options.ts";
import { readMain, type MainReading } from "../../compiler/executor/main-flow.ts";
import type { Diagnostic } from "../../compiler/ir/diagnostic.ts";
import { idSource } from "../../compiler/ir/ids.ts";
import type { Remark } from "../../compiler/ir/remark.ts";
import { createTeCompiler, type TeCompiler } from "../../compiler/lower/te-compiler.ts";
import { ops } from "../../compiler/ops/index.ts";
import type { Func } from "../../compiler/relay/expr.ts";
import { inferType } from "../../compiler/relay/passes/infer-type/infer-type.ts";
import { parseRelay } from "../../compiler/relay/text/parse.ts";

export interface FusedMain {
  readonly main: Func;
  readonly reading: MainReading;
  readonly te: TeCompiler;
  readonly remarks: readonly Remark[];
}

/** Parses and types `text`; throws with the first error's words. */
export function fusedMain(text: string, options: Options = defaultOptions): FusedMain {
  const diagnostics: Diagnostic[] = [];
  const remarks: Remark[] = [];
  const cx = {
    ids: idSource(),
    ops,
    options,
    verify: "passes" as const,
    diagnostics,
    remarks,
    evaluate: null,
  };
  const parsed = parseRelay(text, cx);
  const main = inferType.run(parsed.module, cx).functions.get("main");
  const wrong = diagnostics.find((found) => found.severity === "error");
  if (wrong !== undefined || main === undefined)
    throw new Error(`${wrong?.code ?? "no main"}: ${wrong?.message ?? ""}`);
  const reading = readMain(main, options.targets[0]?.device);
  return { main, reading, te: createTeCompiler({ ...cx, modName: options.modName }), remarks };
}
