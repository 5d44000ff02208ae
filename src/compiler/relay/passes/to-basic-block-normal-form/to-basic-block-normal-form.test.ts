import { describe, expect, it } from "vitest";
import { differs, runPass, type PassRun } from "../../../../testing/harness/pass-run.ts";
import { inferType } from "../infer-type/infer-type.ts";
import { toBasicBlockNormalForm } from "./to-basic-block-normal-form.ts";

const normal = (body: string): PassRun =>
  runPass(`def @main(%c: bool, %x: float32) { ${body} }`, [toBasicBlockNormalForm, inferType]);
const becomes = (before: string, after: string): void => {
  const run = normal(before);
  expect(differs(run, `def @main(%c: bool, %x: float32) -> float32 { ${after} }`)).toBeNull();
  // What is in normal form stays the same object.
  expect(toBasicBlockNormalForm.run(run.after, run.cx)).toBe(run.after);
};

describe("ToBasicBlockNormalForm", () => {
  it("leaves plain dataflow, lets and branches that share nothing, the same object", () => {
    for (const body of [
      "%0 = exp(%x); add(%0, %0)",
      "let %a = exp(%x); let %b = add(%a, %a); multiply(%a, %b)",
      "if (%c) { exp(%x) } else { tanh(%x) }",
      "%0 = exp(%x); let %a = nn.relu(%0); add(%a, %a)",
    ]) {
      const run = normal(body);
      expect(run.after).toBe(run.before);
    }
  });

  it("binds a value that both branches share around the conditional", () => {
    becomes(
      "%0 = exp(%x); if (%c) { add(%0, 1f) } else { multiply(%0, 2f) }",
      "let %v = exp(%x); if (%c) { add(%v, 1f) } else { multiply(%v, 2f) }",
    );
  });

  it("leaves a value that is first used outside, as TVM does", () => {
    const run = normal("%0 = exp(%x); %1 = tanh(%0); %2 = if (%c) { nn.relu(%0) } else { %x }; add(%1, %2)");
    expect(run.after).toBe(run.before);
    becomes(
      "%0 = exp(%x); %1 = if (%c) { tanh(%0) } else { %x }; add(%0, %1)",
      "let %v = exp(%x); %1 = if (%c) { tanh(%v) } else { %x }; add(%v, %1)",
    );
  });

  it("binds in the innermost scope that encloses the uses", () => {
    becomes(
      "if (%c) { %0 = exp(%x); if (%c) { add(%0, 1f) } else { multiply(%0, 2f) } } else { %x }",
      "if (%c) { let %v = exp(%x); if (%c) { add(%v, 1f) } else { multiply(%v, 2f) } } else { %x }",
    );
  });

  it("types the new variables", () => {
    const run = normal("%0 = exp(%x); if (%c) { add(%0, 1f) } else { multiply(%0, 2f) }");
    const { body } = run.after.functions.get("main")!;
    expect(body.kind === "let" ? body.variable.type : null).toBe(
      run.before.functions.get("main")!.params[1]!.type,
    );
  });
});
