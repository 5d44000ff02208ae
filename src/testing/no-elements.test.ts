// Tensors without elements, through what passes and lowerings make of a call: in reshape's attribute 0 copies
// a dimension, so a rewrite to a shape with an extent of 0 must not be written as one.
import { expect, it } from "vitest";
import { compileText, filledInputs } from "../node/engine.ts";
import { defaultOptions } from "../compiler/options.ts";
import { present } from "../support/assert.ts";
import { aotPlan } from "../compiler/compilation.ts";
import { interpretModel } from "../runtime/interp-run.ts";
import { runModel } from "../runtime/run.ts";

const programs: readonly (readonly [string, string])[] = [
  ["%x: Tensor[(0, 4), float32], %y: Tensor[(4, 0), float32]) { exp(reshape_like(%x, %y))", "(4, 0)"],
  [
    "%x: Tensor[(0, 4), float32]) { reshape(reshape(%x, newshape=[0, 2, 2]), newshape=[2, 0, 2, -1])",
    "(2, 2, 2, 0)",
  ],
  ["%x: Tensor[(0, 4), float32]) { reshape(reshape(%x, newshape=[-1]), newshape=[0])", "(0)"],
  [
    "%x: Tensor[(1, 4, 0, 2), float32], %g: Tensor[(4), float32]) { nn.group_norm(%x, %g, %g, num_groups=2)",
    "(1, 4, 0, 2)",
  ],
  [
    `%x: Tensor[(1, 2, 2), int8], %w: Tensor[(1, 0, 2), int8]) {
      qnn.batch_matmul(%x, %w, 1, 2, 1f, 1f, transpose_b=True, out_dtype="int32")`,
    "(1, 2, 0)",
  ],
  [
    '%x: Tensor[(2, 4), int8], %w: Tensor[(0, 4), int8]) { qnn.dense(%x, %w, 1, 2, 1f, 1f, units=0, out_dtype="int32")',
    "(2, 0)",
  ],
];

it.each(programs)("main(%s }", async (text, shape) => {
  for (const optLevel of [1, 3] as const) {
    const { compilation: done } = await compileText(
      `def @main(${text} }`,
      { ...defaultOptions, optLevel },
      "no-elements",
    );
    expect(done.diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
    const plan = present(aotPlan(done), "plan");
    const inputs = filledInputs(done);
    for (const outputs of [runModel(done, inputs).outputs, interpretModel(plan, done.primitives, inputs)])
      expect(outputs.map(({ shape: got }) => `(${got.join(", ")})`)).toEqual([shape]);
  }
});
