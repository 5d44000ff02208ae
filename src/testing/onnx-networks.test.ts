// Whole networks through importer, compiler and WebAssembly equal ONNX Runtime.
import { describe, expect, it } from "vitest";
import { dscnn, mobilenet, resnet8, squeeze, transformer } from "./onnx-networks.ts";
import { compileOnnx, firstDifference, inputsOf, runOnnxRuntime, runOurs } from "./onnx-runtime.ts";

describe("networks as ONNX files", () => {
  it.each([["resnet8", resnet8()], ["dscnn", dscnn()], ["fire modules", squeeze()], ["inverted bottlenecks", mobilenet()], ["transformer", transformer()]] as const)("%s equals ONNX Runtime", async (_name, file) => {
    const inputs = inputsOf(file);
    expect(firstDifference(await runOurs(file, inputs), await runOnnxRuntime(file, inputs))).toBeNull();
  }, 120_000);

  it("fuse as their Relay does", async () => {
    const { primitives } = await compileOnnx(dscnn());
    expect(primitives.map(({ name }) => name)).toContain("fused_nn_conv2d_add_nn_relu");
  }, 60_000);
});
