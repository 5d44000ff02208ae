// Whole networks through importer, compiler and WebAssembly equal ONNX Runtime.
import { describe, expect, it } from "vitest";
import { dscnn, mobilenet, resnet8, squeeze, transformer } from "./harness/onnx-networks.ts";
import type { OnnxFile } from "./harness/onnx-writer.ts";
import { compileOnnx, firstDifference, inputsOf, runOnnxRuntime, runOurs } from "./harness/onnx-runtime.ts";

describe("networks as ONNX files", () => {
  it.each([
    ["resnet8", resnet8()],
    ["dscnn", dscnn()],
    ["fire modules", squeeze()],
    ["inverted bottlenecks", mobilenet()],
    ["transformer", transformer()],
  ] as const)(
    "%s equals ONNX Runtime",
    async (_name, file) => {
      const inputs = inputsOf(file);
      expect(firstDifference(await runOurs(file, inputs), await runOnnxRuntime(file, inputs))).toBeNull();
    },
    120_000,
  );

  it.each([
    ["resnet8", resnet8(), ["N", 3, "H", "W"]],
    ["inverted bottlenecks", mobilenet(), ["N", 3, null, null]],
  ] as const)(
    "%s with dynamic dimensions equals ONNX Runtime on two batches",
    async (_name, file, shape) => {
      const dynamic: OnnxFile = { ...file, inputs: { input: { ...file.inputs["input"]!, shape } } };
      const inputs = inputsOf({
        ...file,
        inputs: { input: { ...file.inputs["input"]!, shape: [2, 3, 24, 40] } },
      });
      expect(
        firstDifference(await runOurs(dynamic, inputs), await runOnnxRuntime(dynamic, inputs)),
      ).toBeNull();
    },
    120_000,
  );

  it("fuse as their Relay does", async () => {
    const { primitives } = await compileOnnx(dscnn());
    expect(primitives.map(({ name }) => name)).toContain("fused_nn_conv2d_add_nn_relu");
  }, 60_000);
});
