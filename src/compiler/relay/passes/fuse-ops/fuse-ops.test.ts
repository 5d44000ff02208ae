import { describe, expect, it } from "vitest";
import { differs, runPass, valueGap, type PassRun } from "../../../../testing/harness/pass-run.ts";
import { parseDType } from "../../../ir/dtype.ts";
import { synthetic } from "../../../ir/origin.ts";
import { filled, scalar } from "../../build.ts";
import { isPrimitive } from "../../expr.ts";
import { postOrder } from "../../visit.ts";
import { fuseOps } from "./fuse-ops.ts";
import { isInlineableConstant } from "./indexed-forward-graph.ts";

const fuse = (source: string, optLevel: 0 | 3 = 3, config: Record<string, string> = {}): PassRun =>
  runPass(source, fuseOps, { optLevel, config });

/** Operators of every primitive function in order of execution. */
function kernels(run: PassRun): string[][] {
  const found: string[][] = [];
  postOrder(
    run.after.functions.get("main")!,
    (expr) => {
      if (expr.kind !== "call" || !isPrimitive(expr.callee)) return;
      const ops: string[] = [];
      postOrder(expr.callee.body, (inner) => {
        if (inner.kind === "call" && inner.callee.kind === "op") ops.push(inner.callee.name);
      });
      found.push(ops);
    },
    (expr) => !isPrimitive(expr),
  );
  return found;
}

function whys(run: PassRun): string[] {
  return run.cx.remarks
    .filter((r) => r.kind === "fuse.refused")
    .map((r) => `${r.facts["op"]} -> ${r.facts["into"]}: ${r.facts["why"]}`);
}

const conv = (data: string, weight: string): string =>
  `nn.conv2d(${data}, ${weight}, padding=[0, 0, 0, 0], channels=1, kernel_size=[1, 1])`;

describe("FuseOps", () => {
  it("fuses a convolution through a diamond of elementwise operators into one kernel", () => {
    const run = fuse(`def @main(%x: Tensor[(1, 1, 3, 3), float32], %w: Tensor[(1, 1, 1, 1), float32]) {
      %0 = ${conv("%x", "%w")}; %1 = exp(%0); %2 = subtract(1f, %1); %3 = nn.relu(%2); %4 = multiply(-0.5f, %3); %5 = nn.relu(%0); add(%4, %5) }`);
    expect(kernels(run)).toEqual([["nn.conv2d", "exp", "subtract", "nn.relu", "multiply", "nn.relu", "add"]]);
    expect(whys(run)).toEqual([]);
    expect(valueGap(run)).toBeLessThan(1e-6);
  });

  it("names parameters p0, p1, … in the order in which the calls ask for them", () => {
    const run = fuse(
      "def @main(%a: Tensor[(2), float32], %b: Tensor[(2), float32]) { %0 = add(%b, %a); multiply(%0, %b) }",
    );
    expect(
      differs(
        run,
        `def @main(%a: Tensor[(2), float32], %b: Tensor[(2), float32]) -> Tensor[(2), float32] {
      %1 = fn (%p0: Tensor[(2), float32], %p1: Tensor[(2), float32], Primitive=1) -> Tensor[(2), float32] { %0 = add(%p0, %p1); multiply(%0, %p0) };
      %1(%b, %a) }`,
      ),
    ).toBeNull();
  });

  it("keeps rank-0 constants of exactly five dtypes inside", () => {
    const { cx } = runPass("def @main() { 1f }", []);
    const names = [
      "int8",
      "uint8",
      "int16",
      "int32",
      "int64",
      "uint32",
      "float16",
      "float32",
      "float64",
      "bool",
    ];
    const inside = names.filter((name) =>
      isInlineableConstant(scalar(cx, parseDType(name)!, 1, synthetic("test"))),
    );
    expect(inside).toEqual(["int32", "int64", "float32", "float64", "bool"]);
    expect(isInlineableConstant(filled(cx, parseDType("float32")!, [1], 1, synthetic("test")))).toBe(false);
    expect(fuse("def @main(%x: Tensor[(2), float32]) { add(%x, 1f) }").text).toContain(
      "%p0: Tensor[(2), float32], Primitive=1",
    );
    expect(fuse("def @main(%x: Tensor[(2), float32]) { add(%x, 1f) }", 0).text).toContain(
      "%p1: float32, Primitive=1",
    );
  });

  it("fuses nothing at level 0 but still makes primitive functions", () => {
    const run = fuse("def @main(%x: Tensor[(2), float32]) { exp(tanh(%x)) }", 0);
    expect(kernels(run)).toEqual([["tanh"], ["exp"]]);
    expect(whys(run)).toEqual(["tanh -> exp: fusionOff"]);
  });

  it("marks functions of nothing but reshapes", () => {
    const run = fuse(
      "def @main(%x: Tensor[(2, 3), float32]) { expand_dims(reshape(%x, newshape=[3, 2]), axis=0) }",
    );
    expect(run.text).toContain("relay.reshape_only=1");
    expect(
      fuse("def @main(%x: Tensor[(2, 3), float32]) { exp(reshape(%x, newshape=[3, 2])) }").text,
    ).not.toContain("reshape_only");
  });

  it("does not fuse past stop_fusion, which leaves no call behind", () => {
    const run = fuse("def @main(%x: Tensor[(2), float32]) { exp(annotation.stop_fusion(tanh(%x))) }");
    expect(kernels(run)).toEqual([["tanh"], ["exp"]]);
    expect(run.text).not.toContain("stop_fusion");
    expect(whys(run)).toContain("tanh -> annotation.stop_fusion: sinkOpaque");
  });

  it("keeps two anchors apart and says so", () => {
    const run = fuse(
      `def @main(%x: Tensor[(1, 1, 3, 3), float32], %w: Tensor[(1, 1, 1, 1), float32]) { ${conv(conv("%x", "%w"), "%w")} }`,
    );
    expect(kernels(run)).toHaveLength(2);
    expect(whys(run)).toEqual(["nn.conv2d -> nn.conv2d: twoAnchors"]);
    const both =
      fuse(`def @main(%x: Tensor[(1, 1, 3, 3), float32], %w: Tensor[(1, 1, 1, 1), float32], %v: Tensor[(1, 1, 1, 1), float32]) {
      add(${conv("%x", "%w")}, ${conv("%x", "%v")}) }`);
    expect(kernels(both).map((ops) => ops.join("+"))).toEqual(["nn.conv2d", "nn.conv2d+add"]);
    expect(whys(both)).toEqual(["nn.conv2d -> add: twoAnchors"]);
  });

  it("says that a value with consumers that never meet stays, and that a result stays", () => {
    const run = fuse("def @main(%x: Tensor[(2, 3), float32]) { %0 = exp(%x); (nn.softmax(%0), tanh(%0)) }");
    expect(whys(run)).toContain("exp -> the tuple: tuple");
    const apart = fuse(
      "def @main(%x: Tensor[(2, 3), float32]) { %0 = exp(%x); let %a = nn.softmax(%0); let %b = tanh(%0); add(%a, %b) }",
    );
    expect(whys(apart)).toContain("exp -> nn.softmax: multipleConsumers");
    const returned = fuse("def @main(%x: Tensor[(2, 3), float32]) { let %y = exp(%x); tanh(%y) }");
    expect(kernels(returned)).toEqual([["exp"], ["tanh"]]);
  });

  it("ends a kernel at a reduction but lets elementwise operators in front of it", () => {
    const run = fuse("def @main(%x: Tensor[(2, 3), float32]) { exp(sum(tanh(%x), axis=[1])) }");
    expect(kernels(run)).toEqual([["tanh", "sum"], ["exp"]]);
    expect(whys(run)).toEqual(["sum -> exp: reduction"]);
  });

  it("fuses injective operators into a tuple that a concatenate reads", () => {
    const run =
      fuse(`def @main(%x: Tensor[(2, 3), float32]) { %0 = transpose(%x, axes=[1, 0]); %1 = exp(%0); %2 = tanh(%0);
      %3 = (%1, %2); concatenate(%3, axis=1) }`);
    expect(kernels(run)).toHaveLength(1);
    expect(valueGap(run)).toBeLessThan(1e-6);
  });

  it("leaves a projection of a literal tuple without a function around nothing", () => {
    const run = fuse("def @main() -> int32 { %0 = (4, 9, 16); %0.2 }");
    expect(kernels(run)).toEqual([]);
    expect(run.text).not.toContain("Primitive");
  });

  it("reads a dtype-changing broadcast along the edge that keeps the shape as elementwise", () => {
    const run =
      fuse(`def @main(%x: Tensor[(1, 1, 3, 3), float32], %w: Tensor[(1, 1, 1, 1), float32], %b: Tensor[(1, 1, 1, 1), float32], %y: Tensor[(2, 1, 3, 3), float32]) {
      %0 = ${conv("%x", "%w")}; (add(%0, %b), add(${conv("%x", "%b")}, %y)) }`);
    // The second addition widens what the convolution computes.
    expect(kernels(run).map((ops) => ops.join("+"))).toEqual(["nn.conv2d+add", "nn.conv2d", "add"]);
    expect(whys(run)).toContain("nn.conv2d -> add: edgeNotElementwise");
  });
});

describe("relay.FuseOps.max_depth", () => {
  const sums = `def @main(%x0: Tensor[(2, 2), float32], %x1: Tensor[(2, 2), float32], %x2: Tensor[(2, 2), float32], %x3: Tensor[(2, 2), float32], %x4: Tensor[(2, 2), float32]) {
    %0 = multiply(%x0, 2f); %1 = multiply(%x1, 2f); %2 = add(%0, %1); %3 = multiply(%x2, 2f); %4 = add(%2, %3);
    %5 = multiply(%x3, 2f); %6 = add(%4, %5); %7 = multiply(%x4, 2f); add(%6, %7) }`;

  it("counts nodes as TVM does, inlined constants included", () => {
    const run = fuse(sums, 3, { "relay.FuseOps.max_depth": "4" });
    expect(
      kernels(run)
        .map((ops) => ops.length)
        .sort((a, b) => b - a),
    ).toEqual([3, 3, 1, 1, 1]);
    expect(whys(run).some((why) => why.endsWith("maxDepth"))).toBe(true);
    expect(valueGap(run)).toBeLessThan(1e-5);
  });

  it("is 256 by default and unlimited where negative", () => {
    const chain = (length: number): string => {
      const lines = Array.from({ length }, (_, i) => `%${i} = exp(${i === 0 ? "%x" : `%${i - 1}`});`);
      return `def @main(%x: float32) { ${lines.join("\n")} nn.relu(%${length - 1}) }`;
    };
    expect(kernels(fuse(chain(255))).map((ops) => ops.length)).toEqual([256]);
    expect(kernels(fuse(chain(256))).map((ops) => ops.length)).toEqual([256, 1]);
    expect(
      kernels(fuse(chain(300), 3, { "relay.FuseOps.max_depth": "-1" })).map((ops) => ops.length),
    ).toEqual([301]);
  });

  it("refuses what is no integer", () => {
    expect(() => fuse(sums, 3, { "relay.FuseOps.max_depth": "many" })).toThrow(/RS3001/);
  });
});
