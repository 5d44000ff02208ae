// Test help for passes: Relay text in, the text after a pass out, and values before and after.
import type { TensorData } from "../../compiler/ir/tensor-data.ts";
import { fillTensor } from "../../compiler/ir/fill-rule.ts";
import { ops } from "../../compiler/ops/index.ts";
import { defaultOptions, type Options } from "../../compiler/options.ts";
import { compareRelay } from "./relay-compare.ts";
import { runRelay, withJit } from "./relay-run.ts";
import { typedModule } from "./relay-text.ts";
import type { IRModule } from "../../compiler/relay/module.ts";
import type { RelayContext } from "../../compiler/relay/op.ts";
import { printModule } from "../../compiler/relay/text/print.ts";
import type { RelayPass } from "../../compiler/relay/passes/function-pass.ts";

export interface PassRun {
  readonly before: IRModule;
  readonly after: IRModule;
  readonly cx: RelayContext;
  /** The module after, printed. */
  readonly text: string;
}

export function runPass(
  source: string,
  passes: RelayPass | readonly RelayPass[],
  options: Partial<Options> = {},
): PassRun {
  const { module, cx: plain } = typedModule(source);
  const cx = withJit({ ...plain, options: { ...defaultOptions, ...options } });
  const list = Array.isArray(passes) ? (passes as readonly RelayPass[]) : [passes as RelayPass];
  const after = list.reduce((unit, pass) => pass.run(unit, cx), module);
  return {
    before: module,
    after,
    cx,
    text: printModule(after, { ops, showMeta: false, header: false }).text,
  };
}

/** Null if `run` ended in the module that `expected` describes, else where they part. */
export function differs(run: PassRun, expected: string): ReturnType<typeof compareRelay> {
  const wanted = printModule(typedModule(expected).module, { ops, showMeta: false, header: false }).text;
  return compareRelay(wanted, run.text, { types: true });
}

/** Largest difference of main's results before and after, on inputs by the fill rule (scale 1). */
export function valueGap(run: PassRun): number {
  const main = run.before.functions.get("main")!;
  const inputs: TensorData[] = main.params.map((param) => {
    if (param.type?.kind !== "tensor-type") throw new Error("parameters must be tensors");
    return fillTensor(param.name, param.type, 1, "given");
  });
  const [a, b] = [runRelay(main, inputs, run.cx), runRelay(run.after.functions.get("main")!, inputs, run.cx)];
  if (a.length !== b.length) return Infinity;
  let gap = 0;
  a.forEach((tensor, i) => {
    for (let k = 0; k < tensor.data.length; k++)
      gap = Math.max(gap, Math.abs(Number(tensor.data[k]) - Number(b[i]!.data[k])));
  });
  return gap;
}
