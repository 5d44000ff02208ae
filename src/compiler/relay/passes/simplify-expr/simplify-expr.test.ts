import { describe, expect, it } from "vitest";
import { differs, runPass, valueGap, type PassRun } from "../../../../testing/harness/pass-run.ts";
import { simplifyExpr } from "./simplify-expr.ts";

const simplify = (source: string): PassRun => runPass(source, simplifyExpr);
const x = "%x: Tensor[(2, 3), float32]";
const main = (body: string, params = x): string => `def @main(${params}) { ${body} }`;

function rules(run: PassRun): string[] {
  return run.cx.remarks.filter((r) => r.kind === "simplify.hit").map((r) => String(r.facts["rule"]));
}

describe("SimplifyExpr", () => {
  it.each([
    [
      "reshape(reshape(reshape(%x, newshape=[6]), newshape=[3, 2]), newshape=[1, 6])",
      "reshape(%x, newshape=[1, 6])",
    ],
    ["transpose(transpose(%x, axes=[1, 0]), axes=[1, 0])", "%x"],
    [
      "transpose(transpose(reshape(%x, newshape=[1, 2, 3]), axes=[2, 0, 1]), axes=[2, 0, 1])",
      "transpose(reshape(%x, newshape=[1, 2, 3]), axes=[1, 2, 0])",
    ],
    ["transpose(transpose(%x))", "%x"],
    ['cast(%x, dtype="float32")', "%x"],
    ["add(%x, 0f)", "%x"],
    ["add(0f, %x)", "%x"],
    ["multiply(1f, divide(subtract(%x, 0f), 1f))", "%x"],
    ['add(%x, zeros(shape=[2, 3], dtype="float32"))', "%x"],
    ['maximum(%x, zeros(shape=[2, 3], dtype="float32"))', "maximum(%x, 0f)"],
    ["add(ones_like(%x), %x)", "add(1f, %x)"],
    ['power(%x, full(2f, shape=[2, 3], dtype="float32"))', "power(%x, 2f)"],
    ["zeros_like(%x)", 'zeros(shape=[2, 3], dtype="float32")'],
    ['reshape_like(%x, zeros(shape=[3, 2], dtype="float32"))', "reshape(%x, newshape=[3, 2])"],
  ])("%s", (before, after) => {
    const run = simplify(main(before));
    expect(differs(run, main(after))).toBeNull();
    expect(valueGap(run)).toBe(0);
    expect(rules(run).length).toBeGreaterThan(0);
  });

  it.each([
    "subtract(0f, %x)",
    "divide(1f, %x)",
    "add(%x, 1f)",
    "multiply(%x, 0f)",
    'cast(cast(%x, dtype="bool"), dtype="float32")',
    "transpose(reshape(%x, newshape=[3, 2]), axes=[1, 0])",
    'greater(%x, zeros(shape=[2, 3], dtype="float32"))',
  ])("leaves %s, the same object", (body) => {
    const run = simplify(main(body));
    expect(run.after).toBe(run.before);
  });

  it("does not drop a neutral operand that widens the shape", () => {
    const run = simplify(main('add(%x, zeros(shape=[4, 2, 3], dtype="float32"))'));
    expect(run.after).toBe(run.before);
  });

  it("leaves a value that others read too", () => {
    const shared = simplify(main("%0 = reshape(%x, newshape=[3, 2]); (reshape(%0, newshape=[6]), %0)"));
    expect(shared.after).toBe(shared.before);
    const full = simplify(
      main('%0 = zeros(shape=[2, 3], dtype="float32"); (maximum(%x, %0), minimum(%x, %0))'),
    );
    expect(full.after).toBe(full.before);
  });

  it("keeps dynamic shapes as they are", () => {
    const run = simplify(main("zeros_like(%x)", "%x: Tensor[(?, 3), float32]"));
    expect(run.after).toBe(run.before);
  });
});
