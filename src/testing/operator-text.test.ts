// Every example of every operator as Relay text: what is printed is read back, with the metadata and without.
import { describe, expect, test } from "vitest";
import { completeAttrs } from "../compiler/ir/attrs.ts";
import { idSource } from "../compiler/ir/ids.ts";
import { synthetic } from "../compiler/ir/origin.ts";
import { ops } from "../compiler/ops/index.ts";
import { call } from "../compiler/relay/build.ts";
import { makeFunction, makeVar, type Func } from "../compiler/relay/expr.ts";
import { emptyModule, withFunction } from "../compiler/relay/module.ts";
import { printModule } from "../compiler/relay/text/print.ts";
import { structuralEqual } from "../compiler/relay/structural.ts";
import type { Example, Op } from "../compiler/ops/define.ts";
import { defaultOptions } from "../compiler/options.ts";
import { parseTypeText } from "./harness/op-runner.ts";
import { diagnosticLines, parseText } from "./harness/relay-text.ts";

const origin = synthetic("test");

function mainOf(op: Op, example: Example): Func {
  const cx = {
    ids: idSource(),
    ops,
    options: defaultOptions,
    verify: "passes" as const,
    diagnostics: [],
    remarks: [],
    evaluate: null,
  };
  // Attributes as a text gives them: what a maker leaves unset prints, and is read as its default.
  const attrs = completeAttrs(op.attrs, example.attrs ?? {});
  const params = example.args.map((type, i) => makeVar(cx.ids, `p${i}`, parseTypeText(type), { origin }));
  return makeFunction(cx.ids, params, call(cx, op.name, params, attrs, origin), {
    origin,
    resultType: null,
    attrs: {},
  });
}

describe.each([...ops.values()].map((op) => [op.name, op] as const))("%s", (_, op) => {
  test.each(op.examples.map((example) => [example.name, example] as const))("%s", (__, example) => {
    const func = mainOf(op, example);
    for (const showMeta of [true, false]) {
      const { text } = printModule(withFunction(emptyModule, "main", func), { ops, showMeta });
      const read = parseText(text);
      expect(diagnosticLines(text, read.diagnostics)).toEqual([]);
      expect(structuralEqual(read.module.functions.get("main")!, func), text).toBe(true);
    }
  });
});
