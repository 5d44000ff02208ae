import { describe, expect, it } from "vitest";
import { runPass, valueGap, type PassRun } from "../../../../testing/harness/pass-run.ts";
import { calledOp } from "../../expr.ts";
import { postOrder } from "../../visit.ts";
import { foldScaleAxis } from "./fold-scale-axis.ts";

const options = { optLevel: 3 } as const;
const fold = (source: string): PassRun => runPass(source, foldScaleAxis, options);

function count(run: PassRun, op: string): number {
  let found = 0;
  postOrder(run.after.functions.get("main")!, (expr) => {
    if (calledOp(expr) === op) found++;
  });
  return found;
}

/** Multiplications that are not part of computing weights: those on a rank-4 value of the data's shape. */
function scalesLeft(run: PassRun): number {
  let found = 0;
  postOrder(run.after.functions.get("main")!, (expr) => {
    if (calledOp(expr) === "multiply" && expr.type?.kind === "tensor-type" && expr.type.shape[2] === 6)
      found++;
  });
  return found;
}

const params =
  "%x: Tensor[(1, 4, 6, 6), float32], %w: Tensor[(4, 4, 3, 3), float32], %s: Tensor[(4, 1, 1), float32], %b: Tensor[(4, 1, 1), float32]";
const conv = (data: string, weight = "%w", more = ""): string =>
  `nn.conv2d(${data}, ${weight}, padding=[1, 1, 1, 1], channels=4, kernel_size=[3, 3]${more})`;
const main = (body: string, head = params): string => `def @main(${head}) { ${body} }`;

describe("FoldScaleAxis backward", () => {
  it.each([
    ["right after the convolution", `multiply(${conv("%x")}, %s)`],
    ["the scale on the left", `multiply(%s, ${conv("%x")})`],
    ["through a bias", `multiply(add(${conv("%x")}, %b), %s)`],
    ["through a bias on the left, subtracted", `multiply(subtract(%b, ${conv("%x")}), %s)`],
    ["through a sum of two convolutions", `multiply(add(${conv("%x")}, ${conv("%x", "%w")}), %s)`],
    ["through relu, by the absolute value folded in", `multiply(nn.relu(${conv("%x")}), abs(%s))`],
    [
      "depthwise",
      `multiply(nn.conv2d(%x, %d, padding=[1, 1, 1, 1], groups=4, channels=4, kernel_size=[3, 3]), %s)`,
    ],
    [
      "NHWC",
      `multiply(nn.conv2d(%n, %h, padding=[1, 1, 1, 1], channels=4, kernel_size=[3, 3], data_layout="NHWC", kernel_layout="HWIO"), %c)`,
    ],
  ])("%s", (name, body) => {
    const head = `${params}, %d: Tensor[(4, 1, 3, 3), float32], %n: Tensor[(1, 6, 6, 4), float32], %h: Tensor[(3, 3, 4, 4), float32], %c: Tensor[(4), float32]`;
    const run = fold(main(body, head));
    expect(valueGap(run)).toBeLessThan(1e-4);
    // Behind relu only constants known not to be negative may move, and %s is a parameter.
    if (name.includes("relu")) expect(run.after).toBe(run.before);
    else expect(scalesLeft(run)).toBe(0);
  });

  it("moves a positive constant back through relu, and leaves a negative one with the reason", () => {
    const scaledRelu = (factor: string): PassRun =>
      fold(`def @main(%x: Tensor[(1, 1, 2, 2), float32], %w: Tensor[(1, 1, 1, 1), float32]) {
      multiply(nn.relu(nn.conv2d(%x, %w, padding=[0, 0, 0, 0], channels=1, kernel_size=[1, 1])), reshape(${factor}, newshape=[1, 1, 1])) }`);
    const positive = scaledRelu("2f");
    expect(valueGap(positive)).toBeLessThan(1e-5);
    expect(calledOp(positive.after.functions.get("main")!.body)).toBe("nn.relu");
    const negative = scaledRelu("-2f");
    expect(valueGap(negative)).toBeLessThan(1e-5);
    expect(count(negative, "multiply")).toBe(1);
    expect(negative.cx.remarks.map((r) => r.facts["why"])).toContain("notPositive");
  });

  it("leaves a value that two consumers read", () => {
    const run = fold(main(`%0 = ${conv("%x")}; (multiply(%0, %s), nn.relu(%0))`));
    expect(run.after).toBe(run.before);
  });

  it("leaves a grouped convolution", () => {
    const head =
      "%x: Tensor[(1, 4, 6, 6), float32], %w: Tensor[(4, 2, 3, 3), float32], %s: Tensor[(4, 1, 1), float32]";
    const run = fold(main(`multiply(${conv("%x", "%w", ", groups=2")}, %s)`, head));
    expect(run.after).toBe(run.before);
  });

  it("leaves a scale along another axis", () => {
    const run = fold(main(`multiply(${conv("%x")}, %r)`, `${params}, %r: Tensor[(6), float32]`));
    expect(run.after).toBe(run.before);
  });
});

describe("FoldScaleAxis forward", () => {
  it.each([
    ["right before the convolution", conv("multiply(%x, %s)")],
    ["through an addition", conv("add(multiply(%x, %s), %b)")],
    [
      "depthwise",
      "nn.conv2d(multiply(%x, %s), %d, padding=[1, 1, 1, 1], groups=4, channels=4, kernel_size=[3, 3])",
    ],
  ])("%s", (_name, body) => {
    const run = fold(main(body, `${params}, %d: Tensor[(4, 1, 3, 3), float32]`));
    expect(valueGap(run)).toBeLessThan(1e-4);
    expect(scalesLeft(run)).toBe(0);
  });

  it("leaves the scale where another consumer needs the scaled value", () => {
    const run = fold(main(`%0 = multiply(%x, %s); (${conv("%0")}, exp(%0))`));
    expect(run.after).toBe(run.before);
  });

  it("leaves a scale before relu that may be negative", () => {
    const run = fold(main(conv("nn.relu(multiply(%x, %s))")));
    expect(run.after).toBe(run.before);
  });
});

describe("FoldScaleAxis as a sequence", () => {
  it("obeys level and names of its parts", () => {
    const source = main(`multiply(${conv("%x")}, %s)`);
    expect(runPass(source, foldScaleAxis, { optLevel: 2 }).text).toContain("multiply(%0, %s)");
    const off = runPass(source, foldScaleAxis, { ...options, disabledPasses: ["BackwardFoldScaleAxis"] });
    expect(off.after).toBe(off.before);
    expect(
      scalesLeft(runPass(source, foldScaleAxis, { optLevel: 0, requiredPasses: ["BackwardFoldScaleAxis"] })),
    ).toBe(0);
  });
});
