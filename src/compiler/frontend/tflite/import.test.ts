// TFLite files, written by the tests: what they become in Relay, and what is refused.
import { describe, expect, it } from "vitest";
import { flatFile, tfliteFile, type TensorSpec } from "../../../testing/harness/tflite-writer.ts";
import { expandOrigin } from "../../ir/origin.ts";
import { calledOp, type Constant, type Expr } from "../../relay/expr.ts";
import { postOrder } from "../../relay/visit.ts";
import {
  codes,
  context,
  f32,
  floats,
  importBytes,
  imported,
  ramp,
  run,
  single,
  relayOf,
} from "../../../testing/harness/tflite-single.ts";
import { defaultOptions } from "../../options.ts";

describe("what becomes of a file", () => {
  const conv = single(
    "CONV_2D",
    [
      f32("image", [1, 5, 5, 2]),
      f32(
        "kernel",
        [3, 3, 3, 2],
        Array.from({ length: 54 }, (_, i) => i),
      ),
      f32("bias", [3], [1, 2, 3]),
    ],
    [f32("out", [1, 3, 3, 3])],
    [{ i8: 0 }, { i32: 2 }, { i32: 2 }, { i8: 1 }],
  );

  it("a convolution: SAME padding, the kernel as HWIO, bias, activation", () => {
    expect(relayOf(conv)).toEqual([
      '%0 = nn.conv2d(%image, meta[relay.Constant][0], strides=[2, 2], padding=[1, 1, 1, 1], channels=3, kernel_size=[3, 3], data_layout="NHWC", kernel_layout="HWIO");',
      "%1 = nn.bias_add(%0, meta[relay.Constant][1], axis=3);",
      "nn.relu(%1)",
    ]);
  });

  it("nodes, their origins, and facts", () => {
    const { module, nodes, facts } = imported(conv);
    expect(nodes).toEqual([
      { name: "image", op: "Input" },
      { name: "out", op: "CONV_2D" },
      { name: "kernel", op: "Constant" },
      { name: "bias", op: "Constant" },
    ]);
    const ids = new Map<string, readonly number[]>();
    postOrder(module.functions.get("main")!, (expr: Expr) =>
      ids.set(
        calledOp(expr) ?? `${expr.kind}${expr.kind === "constant" ? expr.data.shape.length : ""}`,
        expandOrigin(expr.origin),
      ),
    );
    expect(Object.fromEntries(ids)).toMatchObject({
      var: [0],
      "nn.conv2d": [1],
      "nn.bias_add": [1],
      "nn.relu": [1],
      constant4: [2],
      constant1: [3],
    });
    expect(facts).toMatchObject({
      format: "TFLite schema 3",
      producer: "written by a test",
      inputs: [
        {
          name: "image",
          relayName: "image",
          type: "float32[1, 5, 5, 2], 200 bytes",
          dtype: "float32",
          isWhole: false,
          dims: [1, 5, 5, 2].map((extent) => ({ extent, symbol: "" })),
        },
      ],
      operators: [["CONV_2D", 1]],
    });
  });

  it("weights are views on the file where nothing moves", () => {
    const bytes = single(
      "FULLY_CONNECTED",
      [f32("x", [1, 4]), f32("w", [3, 4], Array.from(ramp(12)))],
      [f32("y", [1, 3])],
      [],
    );
    const constants: Constant[] = [];
    postOrder(imported(bytes).module.functions.get("main")!, (expr) => {
      if (expr.kind === "constant") constants.push(expr);
    });
    expect(
      constants.map(({ data }) => [data.data.buffer === bytes.buffer, Array.from(data.data as Float32Array)]),
    ).toEqual([[true, Array.from(ramp(12))]]);
    // A file that begins at an odd byte of its buffer is copied tensor by tensor.
    const shifted = new Uint8Array(bytes.length + 1);
    shifted.set(bytes, 1);
    expect(run(shifted.subarray(1), [floats(1, 0, 0, 0)])).toEqual([[0, 4, 8]]);
  });

  it("quantised layers, as TVM writes them", () => {
    const q = (
      name: string,
      shape: readonly number[],
      scale: readonly number[],
      zero: readonly number[],
    ): TensorSpec => ({ name, shape, type: "int8", scale, zero });
    const bytes = single(
      "DEPTHWISE_CONV_2D",
      [
        q("x", [1, 4, 4, 2], [0.5], [3]),
        {
          ...q("w", [1, 3, 3, 2], [0.1, 0.2], [0, 0]),
          axis: 3,
          data: Int8Array.from({ length: 18 }, (_, i) => i - 9),
        },
        { name: "b", shape: [2], type: "int32", data: Int32Array.of(5, -5) },
      ],
      [q("y", [1, 2, 2, 2], [0.25], [-128])],
      [{ i8: 1 }, { i32: 1 }, { i32: 1 }, { i32: 1 }, { i8: 3 }],
    );
    expect(relayOf(bytes)).toEqual([
      '%0 = qnn.conv2d(%x, meta[relay.Constant][0], 3, 0, 0.5f, meta[relay.Constant][1], padding=[0, 0, 0, 0], groups=2, channels=2, kernel_size=[3, 3], data_layout="NHWC", kernel_layout="HWOI", out_dtype="int32");',
      "%1 = nn.bias_add(%0, meta[relay.Constant][2], axis=3);",
      '%2 = qnn.requantize(%1, meta[relay.Constant][3], 0, 0.25f, -128, axis=3, out_dtype="int8");',
      "clip(%2, a_min=-128f, a_max=-104f)",
    ]);
  });

  it("--shape gives an input another shape", () => {
    const cx = context({ ...defaultOptions, shapes: { image: [1, 9, 9, 2] } });
    const { module } = imported(conv, cx);
    expect(module.functions.get("main")!.body.type).toMatchObject({ shape: [1, 5, 5, 3] });
  });
});

describe("refusals", () => {
  const refusal = (bytes: Uint8Array): readonly string[] => {
    const cx = context();
    expect(importBytes(bytes, cx)).toBeNull();
    return cx.diagnostics.map(({ code, message }) => `${code} ${message}`);
  };

  it("operators that are not known, all at once", () => {
    const bytes = tfliteFile({
      tensors: [f32("x", [1]), f32("a", [1]), f32("b", [1]), f32("", [1])],
      inputs: [0],
      outputs: [3],
      operators: [
        { code: codes.LSTM, inputs: [0], outputs: [1] },
        { code: "MyOwn", inputs: [1], outputs: [2] },
        { code: codes.LSTM, inputs: [2], outputs: [3] },
      ],
    });
    expect(refusal(bytes)).toEqual([
      "RS1841 The model uses LSTM, which this compiler does not import.",
      "RS1841 The model uses MyOwn, which this compiler does not import.",
    ]);
    const cx = context();
    importBytes(bytes, cx);
    expect(cx.diagnostics[0]!.notes).toEqual(['it makes "a"', "operator 2 of the file"]);
  });

  it("uses that are not known, each with its place; what follows from them is not reported", () => {
    const bytes = tfliteFile({
      tensors: [f32("x", [1, 2]), f32("w", [1, 2, 3], Array.from(ramp(6))), f32("a", [1]), f32("b", [1])],
      inputs: [0],
      outputs: [3],
      operators: [
        { code: codes.FULLY_CONNECTED, inputs: [0, 1], outputs: [2], options: [] },
        { code: codes.RELU, inputs: [2], outputs: [3] },
      ],
    });
    expect(refusal(bytes)).toEqual(['RS1842 FULLY_CONNECTED that makes "a": its weight must have rank 2']);
  });

  it("a window that does not fit, where the file's extent is dynamic", () => {
    const open: TensorSpec = { name: "x:0", shape: [1, 1, 1, 1], type: "float32", signature: [1, -1, 1, 1] };
    const bytes = single(
      "CONV_2D",
      [open, f32("w", [1, 2, 1, 1], [1, 1])],
      [f32("y", [1, 1, 1, 1])],
      [{ i8: 1 }, { i32: 1 }, { i32: 1 }],
    );
    const cx = context();
    importBytes(bytes, cx);
    expect(cx.diagnostics.map(({ code, hint }) => [code, hint])).toEqual([
      ["RS1842", "use a smaller window or more padding"],
      ["RS1844", "give it a shape, as in --shape x:0=1x1x1x1"],
    ]);
    expect(run(bytes, [floats(1, 2, 4)], { "x:0": [1, 3, 1, 1] })).toEqual([[3, 6]]);
  });

  it("files that are none, or damaged at any byte", () => {
    expect(refusal(new Uint8Array(3))).toEqual(["RS1840 The TFLite file is damaged: it is too short."]);
    expect(refusal(flatFile([], "ELSE"))).toEqual(["RS1840 The file is no TFLite model."]);
    expect(refusal(flatFile([]))).toEqual(["RS1840 The TFLite file holds no graph."]);
    const good = single(
      "CONCATENATION",
      [f32("a", [1, 2]), f32("b", [1, 1], [9])],
      [f32("y", [1, 3])],
      [{ i32: 1 }, { i8: 0 }],
    );
    for (let at = 0; at < good.length; at++) {
      for (const value of [0x00, 0x7f, 0xff]) {
        const bad = good.slice();
        bad[at] = value;
        const cx = context();
        expect(importBytes(bad, cx) === null).toBe(
          cx.diagnostics.some(({ severity }) => severity === "error"),
        );
      }
      const cx = context();
      importBytes(good.subarray(0, at), cx);
    }
  });
});
