import { describe, expect, it } from "vitest";
import { runPass, valueGap, type PassRun } from "../../../../testing/harness/pass-run.ts";
import { calledOp } from "../../expr.ts";
import { postOrder } from "../../visit.ts";
import { combineParallelBatchMatmul } from "./batch-matmul.ts";
import { combineParallelConv2d } from "./conv2d.ts";
import { combineParallelDense } from "./dense.ts";

function count(run: PassRun, op: string): number {
  let found = 0;
  postOrder(run.after.functions.get("main")!, (expr) => {
    if (calledOp(expr) === op) found++;
  });
  return found;
}

const conv = (weight: string, channels: number, data = "%x"): string =>
  `nn.conv2d(${data}, ${weight}, padding=[1, 1, 1, 1], channels=${channels}, kernel_size=[3, 3])`;
const convHead =
  "%x: Tensor[(1, 2, 4, 4), float32], %a: Tensor[(2, 2, 3, 3), float32], %b: Tensor[(3, 2, 3, 3), float32], %c: Tensor[(4, 2, 3, 3), float32], %p: Tensor[(2, 1, 1), float32], %q: Tensor[(3, 1, 1), float32], %r: Tensor[(4, 1, 1), float32]";

describe("CombineParallelConv2d", () => {
  it("makes one convolution of three and what follows them, and cuts the results out", () => {
    const run = runPass(
      `def @main(${convHead}) {
      (nn.relu(add(${conv("%a", 2)}, %p)), nn.relu(add(${conv("%b", 3)}, %q)), nn.relu(add(${conv("%c", 4)}, %r))) }`,
      combineParallelConv2d,
    );
    expect([count(run, "nn.conv2d"), count(run, "nn.relu"), count(run, "strided_slice")]).toEqual([1, 1, 3]);
    expect(valueGap(run)).toBeLessThan(1e-5);
  });

  it("stops where the chains differ", () => {
    const run = runPass(
      `def @main(${convHead}) { (nn.relu(${conv("%a", 2)}), nn.relu(${conv("%b", 3)}), exp(${conv("%c", 4)})) }`,
      combineParallelConv2d,
    );
    expect([count(run, "nn.conv2d"), count(run, "nn.relu"), count(run, "exp")]).toEqual([1, 2, 1]);
    expect(valueGap(run)).toBeLessThan(1e-5);
  });

  it("leaves two, and convolutions of other strides", () => {
    const two = runPass(
      `def @main(${convHead}) { (${conv("%a", 2)}, ${conv("%b", 3)}) }`,
      combineParallelConv2d,
    );
    expect(two.after).toBe(two.before);
    const strides = runPass(
      `def @main(${convHead}) {
      (${conv("%a", 2)}, ${conv("%b", 3)}, nn.conv2d(%x, %c, strides=[2, 2], padding=[1, 1, 1, 1], channels=4, kernel_size=[3, 3])) }`,
      combineParallelConv2d,
    );
    expect(strides.after).toBe(strides.before);
  });

  it("leaves branches of which one needs another one's value", () => {
    const run = runPass(
      `def @main(%x: Tensor[(1, 1, 3, 3), float32], %a: Tensor[(1, 1, 3, 3), float32]) {
      %0 = ${conv("%a", 1)}; %1 = ${conv("%0", 1)}; %2 = ${conv("%1", 1)}; (%0, %1, %2) }`,
      combineParallelConv2d,
    );
    expect(run.after).toBe(run.before);
  });

  it("does nothing by default below level 4", () => {
    expect(combineParallelConv2d.optLevel).toBe(4);
    expect(combineParallelConv2d.name).toBe("CombineParallelConv2d");
  });
});

describe("CombineParallelDense", () => {
  const head =
    "%x: Tensor[(2, 4), float32], %a: Tensor[(3, 4), float32], %b: Tensor[(3, 4), float32], %c: Tensor[(3, 4), float32], %p: Tensor[(3), float32], %q: Tensor[(2, 3), float32]";

  it("makes one batch_matmul of three and the additions after them", () => {
    const run = runPass(
      `def @main(${head}) {
      (add(nn.dense(%x, %a, units=3), %p), add(nn.dense(%x, %b, units=3), %p), add(nn.dense(%x, %c, units=3), %p)) }`,
      combineParallelDense,
    );
    expect([
      count(run, "nn.dense"),
      count(run, "nn.batch_matmul"),
      count(run, "add"),
      count(run, "split"),
    ]).toEqual([0, 1, 1, 1]);
    expect(valueGap(run)).toBeLessThan(1e-5);
  });

  it("joins following operands of full rank too, and leaves other shapes apart", () => {
    const run = runPass(
      `def @main(${head}) {
      (add(nn.dense(%x, %a, units=3), %q), add(nn.dense(%x, %b, units=3), %q), add(nn.dense(%x, %c, units=3), %q)) }`,
      combineParallelDense,
    );
    expect(count(run, "add")).toBe(1);
    expect(valueGap(run)).toBeLessThan(1e-5);
    const mixed = runPass(
      `def @main(${head}, %d: Tensor[(5, 4), float32]) {
      (nn.dense(%x, %a, units=3), nn.dense(%x, %b, units=3), nn.dense(%x, %d, units=5)) }`,
      combineParallelDense,
    );
    expect(mixed.after).toBe(mixed.before);
  });
});

describe("CombineParallelBatchMatmul", () => {
  const head =
    "%x: Tensor[(2, 3, 4), float32], %a: Tensor[(2, 2, 4), float32], %b: Tensor[(2, 3, 4), float32], %c: Tensor[(2, 5, 4), float32]";
  const product = (weight: string): string => `nn.batch_matmul(%x, ${weight}, transpose_b=True)`;

  it("makes one of three", () => {
    const run = runPass(
      `def @main(${head}) { (nn.relu(${product("%a")}), nn.relu(${product("%b")}), nn.relu(${product("%c")})) }`,
      combineParallelBatchMatmul,
    );
    expect([count(run, "nn.batch_matmul"), count(run, "nn.relu"), count(run, "strided_slice")]).toEqual([
      1, 1, 3,
    ]);
    expect(valueGap(run)).toBeLessThan(1e-5);
  });

  it("does not join operands that do not run over the columns (TVM does, wrongly)", () => {
    const run = runPass(
      `def @main(${head}, %u: Tensor[(2, 3, 1), float32]) {
      (add(${product("%a")}, %u), add(${product("%b")}, %u), add(${product("%c")}, %u)) }`,
      combineParallelBatchMatmul,
    );
    expect([count(run, "nn.batch_matmul"), count(run, "add")]).toEqual([1, 3]);
    expect(valueGap(run)).toBeLessThan(1e-5);
  });
});
