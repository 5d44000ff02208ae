import { describe, expect, it } from "vitest";
import { differs, runPass, valueGap } from "../../../testing/harness/pass-run.ts";
import { expandOrigin } from "../../ir/origin.ts";
import { calledOp, type Func } from "../expr.ts";
import { postOrder } from "../visit.ts";
import { alterOpLayout } from "./alter-op-layout.ts";
import { canonicalizeCast } from "./canonicalize-cast.ts";
import { canonicalizeOps } from "./canonicalize-ops.ts";
import { dynamicToStatic } from "./dynamic-to-static.ts";
import { eliminateCommonSubexpr } from "./eliminate-common-subexpr.ts";
import { fastMath } from "./fast-math.ts";
import { foldConstant } from "./fold-constant.ts";
import { inlineGlobals } from "./inline-globals.ts";
import { labelOps } from "./label-ops.ts";
import { planDevices } from "./plan-devices/plan-devices.ts";
import { removeUnusedFunctions } from "./remove-unused-functions.ts";
import { simplifyInference } from "./simplify-inference.ts";
import { splitConcatenate } from "./split-args.ts";

const x = "%x: Tensor[(2, 3), float32]";

function count(func: Func | undefined, op: string): number {
  let found = 0;
  postOrder(func!, (expr) => {
    if (calledOp(expr) === op) found++;
  });
  return found;
}

describe("RemoveUnusedFunctions", () => {
  it("keeps what main reaches, through others too", () => {
    const run = runPass(
      `def @a(%x: int32) -> int32 { @b(%x) } def @b(%x: int32) -> int32 { %x } def @c(%x: int32) -> int32 { @c(%x) }
      def @main(%x: int32) -> int32 { @a(%x) }`,
      removeUnusedFunctions,
    );
    expect([...run.after.functions.keys()]).toEqual(["a", "b", "main"]);
    expect(removeUnusedFunctions.run(run.after, run.cx)).toBe(run.after);
  });
});

describe("SimplifyInference", () => {
  const head = `%x: Tensor[(1, 2, 3, 3), float32], %g: Tensor[(2), float32], %b: Tensor[(2), float32], %m: Tensor[(2), float32], %v: Tensor[(2), float32]`;

  it("writes batch_norm out where its first result is taken, and leaves it where more is", () => {
    const first = runPass(
      `def @main(${head}) { %0 = nn.batch_norm(%x, %g, %b, %m, %v); nn.relu(%0.0) }`,
      simplifyInference,
    );
    expect(count(first.after.functions.get("main"), "nn.batch_norm")).toBe(0);
    const all = runPass(`def @main(${head}) { nn.batch_norm(%x, %g, %b, %m, %v) }`, simplifyInference);
    expect(all.after).toBe(all.before);
  });

  it("drops dropout", () => {
    const run = runPass(`def @main(${x}) { %0 = nn.dropout(%x); exp(%0.0) }`, simplifyInference);
    expect(differs(run, `def @main(${x}) { exp(%x) }`)).toBeNull();
  });
});

describe("EliminateCommonSubexpr", () => {
  it("shares equal calls on the same operands, chains of them, and equal scalars", () => {
    const run = runPass(
      `def @main(${x}) { add(tanh(add(%x, 1f)), tanh(add(%x, 1f))) }`,
      eliminateCommonSubexpr,
    );
    expect(differs(run, `def @main(${x}) { %0 = tanh(add(%x, 1f)); add(%0, %0) }`)).toBeNull();
  });

  it("keeps calls of other attributes, other scalars and without operands apart", () => {
    for (const body of [
      "add(clip(%x, a_min=0f, a_max=1f), clip(%x, a_min=0f, a_max=2f))",
      "multiply(add(%x, 1f), add(%x, 2f))",
      'add(zeros(shape=[2, 3], dtype="float32"), zeros(shape=[2, 3], dtype="float32"))',
    ]) {
      const run = runPass(`def @main(${x}) { ${body} }`, eliminateCommonSubexpr);
      expect(run.after).toBe(run.before);
    }
  });

  it("does not reuse in one branch what only the other one computes", () => {
    const run = runPass(
      "def @main(%c: bool, %x: float32) { if (%c) { exp(%x) } else { add(exp(%x), 1f) } }",
      eliminateCommonSubexpr,
    );
    expect(run.after).toBe(run.before);
    const outside = runPass(
      "def @main(%c: bool, %x: float32) { %0 = exp(%x); let %y = %0; if (%c) { exp(%x) } else { %y } }",
      eliminateCommonSubexpr,
    );
    expect(count(outside.after.functions.get("main"), "exp")).toBe(1);
  });

  it("shares projections", () => {
    const run = runPass(
      `def @main(${x}) { %0 = split(%x, indices_or_sections=3, axis=1); add(%0.1, %0.1) }`,
      eliminateCommonSubexpr,
    );
    const main = run.after.functions.get("main")!;
    expect(main.body.kind === "call" && main.body.args[0] === main.body.args[1]).toBe(true);
  });
});

describe("FoldConstant", () => {
  it("computes what depends on constants alone, keeps origins, and leaves calls without operands", () => {
    const run = runPass("def @main(%x: float32) { add(%x, exp(multiply(2f, 3f))) }", foldConstant);
    const { body } = run.after.functions.get("main")!;
    const folded = body.kind === "call" ? body.args[1]! : body;
    expect(folded.kind === "constant" && [...(folded.data.data as Float32Array)]).toEqual([
      Math.fround(Math.exp(6)),
    ]);
    expect(expandOrigin(folded.origin).length).toBeGreaterThan(2);
    const zeros = runPass('def @main() { zeros(shape=[2], dtype="float32") }', foldConstant);
    expect(zeros.after).toBe(zeros.before);
  });

  it("resolves projections of tuples, branches and lets on constants", () => {
    const run = runPass(
      "def @main(%x: float32) { %0 = (%x, 2f); let %t = add(1f, 1f); if (greater(3f, 1f)) { multiply(%0.1, %t) } else { %x } }",
      foldConstant,
    );
    expect(differs(run, "def @main(%x: float32) -> float32 { 4f }")).toBeNull();
  });

  it("gives tuples of constants for operators with several results", () => {
    const run = runPass(
      "def @main() { %0 = split(expand_dims(expand_dims(2f, axis=0), axis=0), indices_or_sections=1, axis=1); %0.0 }",
      foldConstant,
    );
    expect(run.after.functions.get("main")!.body.kind).toBe("constant");
  });

  it("does not look into primitive functions", () => {
    const run = runPass(
      "def @main(%x: float32) { %0 = fn (%p0: float32, Primitive=1) -> float32 { add(%p0, add(1f, 2f)) }; %0(%x) }",
      foldConstant,
    );
    expect(run.after).toBe(run.before);
  });

  it("folds nothing without an evaluator", () => {
    const run = runPass("def @main() { add(1f, 2f) }", []);
    expect(foldConstant.run(run.before, { ...run.cx, evaluate: null })).toBe(run.before);
  });

  it("reads sizes off static types", () => {
    const run = runPass(`def @main(${x}) { ndarray_size(%x) }`, dynamicToStatic);
    expect(differs(run, `def @main(${x}) { 6 }`)).toBeNull();
    const half = runPass(`def @main(${x}) { ndarray_size(%x, dtype="float16") }`, dynamicToStatic);
    const { body } = half.after.functions.get("main")!;
    expect(body.kind === "constant" ? [...body.data.data] : body.kind).toEqual([0x4600]);
  });
});

describe("CanonicalizeCast", () => {
  const widen = "%x: Tensor[(4), int8]";

  it("gives every elementwise reader of a widening cast its own", () => {
    const run = runPass(
      `def @main(${widen}) { %0 = cast(%x, dtype="float32"); (exp(%0), tanh(%0), sigmoid(%0)) }`,
      canonicalizeCast,
    );
    expect(count(run.after.functions.get("main"), "cast")).toBe(3);
    expect(valueGap(run)).toBeLessThan(1e-6);
  });

  it("leaves narrowing casts and single readers", () => {
    for (const source of [
      `def @main(${x}) { %0 = cast(%x, dtype="int8"); add(%0, multiply(%0, %0)) }`,
      `def @main(${widen}) { exp(cast(%x, dtype="float32")) }`,
    ]) {
      const run = runPass(source, canonicalizeCast);
      expect(run.after).toBe(run.before);
    }
  });

  it("gives the original to the reader that TVM counts first", () => {
    const run = runPass(
      `def @main(${widen}) { %0 = cast(%x, dtype="float32"); add(%0, exp(%0)) }`,
      canonicalizeCast,
    );
    const { body } = run.after.functions.get("main")!;
    const before = run.before.functions.get("main")!.body;
    expect(body.kind === "call" && before.kind === "call" && body.args[0] === before.args[0]).toBe(true);
  });
});

describe("CanonicalizeOps and FastMath", () => {
  it("writes bias_add out", () => {
    const run = runPass(
      "def @main(%x: Tensor[(1, 2, 3, 3), float32], %b: Tensor[(2), float32]) { nn.bias_add(%x, %b) }",
      canonicalizeOps,
    );
    expect(
      differs(
        run,
        "def @main(%x: Tensor[(1, 2, 3, 3), float32], %b: Tensor[(2), float32]) { add(%x, expand_dims(%b, axis=1, num_newaxis=2)) }",
      ),
    ).toBeNull();
  });

  it("either has the fast twin of an operator or says that there is none", () => {
    const run = runPass(`def @main(${x}) { exp(%x) }`, fastMath, { optLevel: 4 });
    const fast = count(run.after.functions.get("main"), "fast_exp");
    expect(fast + run.cx.remarks.filter((r) => r.kind === "fast-math.unavailable").length).toBe(1);
  });
});

describe("AlterOpLayout", () => {
  it("says that layouts stay as they are where that concerns the program", () => {
    const conv = runPass(
      "def @main(%x: Tensor[(1, 1, 2, 2), float32], %w: Tensor[(1, 1, 1, 1), float32]) { nn.conv2d(%x, %w, channels=1, kernel_size=[1, 1]) }",
      alterOpLayout,
    );
    expect(conv.after).toBe(conv.before);
    expect(conv.cx.diagnostics.map((d) => `${d.severity} ${d.code}`)).toEqual(["warning RS3004"]);
    expect(runPass(`def @main(${x}) { exp(%x) }`, alterOpLayout).cx.diagnostics).toEqual([]);
  });
});

describe("SplitArgs", () => {
  it("splits a concatenate of too many operands", () => {
    const run = runPass(`def @main(${x}) { %0 = (%x, %x, %x, %x, %x); concatenate(%0, axis=0) }`, []);
    const call = run.before.functions.get("main")!.body;
    const split = call.kind === "call" ? splitConcatenate(call, run.cx, 3) : null;
    expect(count(split as unknown as Func, "concatenate")).toBe(4);
    expect(split?.type).toEqual(call.type);
    expect(call.kind === "call" ? splitConcatenate(call, run.cx, 31) : 1).toBeNull();
  });
});

describe("PlanDevices and LabelOps", () => {
  it("write headers of all functions but primitive ones, and are idle the second time", () => {
    const run = runPass(
      `def @main(${x}) { let %f = fn (%y: float32) -> float32 { exp(%y) }; %0 = fn (%p0: Tensor[(2, 3), float32], Primitive=1) { exp(%p0) }; %0(%x) }`,
      planDevices,
    );
    expect(run.text.match(/param_device_types=\[1\], result_device_type=1/g)).toHaveLength(2);
    expect(planDevices.run(run.after, run.cx)).toBe(run.after);
    const labelled = labelOps.run(run.after, run.cx);
    expect(labelled.functions.get("main")!.attrs["hash"]).toMatch(/^[0-9a-f]{16}$/);
  });
});

describe("InlineGlobals", () => {
  it("takes marked functions in, callees first, with variables of their own", () => {
    const run = runPass(
      `def @inner(%a: float32, Inline=1) -> float32 { let %t = exp(%a); add(%t, %t) }
      def @outer(%a: float32, Inline=1) -> float32 { @inner(multiply(%a, 2f)) }
      def @main(%x: float32) -> float32 { add(@outer(%x), @inner(%x)) }`,
      inlineGlobals,
    );
    expect([...run.after.functions.keys()]).toEqual(["main"]);
    const lets = new Set<unknown>();
    postOrder(run.after.functions.get("main")!, (expr) => {
      if (expr.kind === "let") lets.add(expr.variable);
    });
    expect(lets.size).toBe(2);
  });

  it("leaves unmarked and recursive functions", () => {
    const run = runPass(
      "def @f(%a: float32) -> float32 { exp(%a) } def @main(%x: float32) -> float32 { @f(%x) }",
      inlineGlobals,
    );
    expect(run.after).toBe(run.before);
    const recursive = runPass(
      "def @f(%a: float32, Inline=1) -> float32 { @f(%a) } def @main(%x: float32) -> float32 { @f(%x) }",
      inlineGlobals,
    );
    expect([...recursive.after.functions.keys()]).toEqual(["f", "main"]);
  });
});
