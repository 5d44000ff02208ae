// The reader on files that are whole, cut short, and damaged.
import { describe, expect, it } from "vitest";
import { fillTensor } from "../fill.ts";
import { CompileError } from "../../ir/diagnostic.ts";
import { float32, int64 } from "../../ir/dtype.ts";
import { tensorData } from "../../ir/tensor-data.ts";
import { tensorType } from "../../ir/type.ts";
import { tensorProto, writeOnnx } from "../../../testing/harness/onnx-writer.ts";
import { decodeModel, decodeTensor } from "./model-proto.ts";
import { readTensor } from "./tensor.ts";

const file = writeOnnx({
  opset: 17,
  producer: "pen",
  inputs: { x: { dtype: float32, shape: ["N", 3, null] } },
  outputs: ["y"],
  initializers: { w: fillTensor("w", tensorType([3, 2], float32)) },
  nodes: [
    {
      op: "MatMul",
      name: "mm",
      in: ["x", "w"],
      out: ["y"],
      attrs: { axis: -1, words: ["a", "b"], list: [1, -2], ratio: { float: 0.5 }, mode: "even" },
    },
  ],
});

describe("reading a model", () => {
  it("finds every field", () => {
    const model = decodeModel(file);
    const { graph } = model;
    expect([model.ir_version, model.producer_name, model.opset_import]).toEqual([
      8,
      "pen",
      [{ domain: "", version: 17 }],
    ]);
    expect(graph!.input[0]!.type!.tensor_type!.shape!.dim).toEqual([
      { dim_param: "N", dim_value: 0 },
      { dim_param: "", dim_value: 3 },
      { dim_param: "", dim_value: 0 },
    ]);
    expect(graph!.initializer.map(({ name, dims }) => [name, dims])).toEqual([["w", [3, 2]]]);
    const [node] = graph!.node;
    expect([node!.op_type, node!.name, node!.input, node!.output]).toEqual([
      "MatMul",
      "mm",
      ["x", "w"],
      ["y"],
    ]);
    const attribute = (name: string) => node!.attribute.find((one) => one.name === name)!;
    expect([attribute("axis").i, attribute("list").ints, attribute("ratio").f]).toEqual([-1, [1, -2], 0.5]);
    expect(attribute("words").strings.map((bytes) => new TextDecoder().decode(bytes))).toEqual(["a", "b"]);
  });

  it("keeps values as views on the file", () => {
    const { raw_data } = decodeModel(file).graph!.initializer[0]!;
    expect(raw_data!.buffer).toBe(file.buffer);
  });

  it("ends with a diagnostic wherever the file is cut, never with another error", () => {
    for (let length = 0; length < file.length; length++) {
      try {
        decodeModel(file.slice(0, length));
      } catch (error) {
        expect(error).toBeInstanceOf(CompileError);
        expect((error as CompileError).diagnostic.code).toBe("RS1820");
      }
    }
  });

  it("ends with a diagnostic whatever byte is wrong, never with another error", () => {
    for (let at = 0; at < file.length; at++) {
      for (const flip of [0x01, 0x80, 0xff]) {
        const damaged = file.slice();
        damaged[at]! ^= flip;
        try {
          decodeModel(damaged);
        } catch (error) {
          expect(error).toBeInstanceOf(CompileError);
        }
      }
    }
  });
});

describe("reading a tensor", () => {
  it("keeps 64-bit integers exact, in raw and in listed form", () => {
    const values = BigInt64Array.of(2n ** 63n - 1n, -(2n ** 63n), -1n, 2n ** 53n + 1n);
    const raw = readTensor(
      decodeTensor(Uint8Array.from(tensorProto("t", tensorData(int64, [4], values)))),
      new Map(),
    );
    expect(raw.data).toEqual(values);
    const varints = [...values].flatMap((value) => {
      let rest = BigInt.asUintN(64, value);
      const bytes: number[] = [];
      for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
      return [...bytes, Number(rest)];
    });
    // dims 4, data_type int64, int64_data packed.
    const listed = Uint8Array.from([8, 4, 16, 7, 58, varints.length, ...varints]);
    expect(readTensor(decodeTensor(listed), new Map()).data).toEqual(values);
  });

  it("takes listed floats packed or one by one", () => {
    const bits = (value: number): number[] => [...new Uint8Array(new Float32Array([value]).buffer)];
    const packed = Uint8Array.from([8, 2, 16, 1, 34, 8, ...bits(1.5), ...bits(-2)]);
    const single = Uint8Array.from([8, 2, 16, 1, 37, ...bits(1.5), 37, ...bits(-2)]);
    for (const bytes of [packed, single])
      expect([...(readTensor(decodeTensor(bytes), new Map()).data as Float32Array)]).toEqual([1.5, -2]);
  });

  it("copies only what lies askew", () => {
    const value = fillTensor("w", tensorType([4], float32));
    const bytes = tensorProto("w", value);
    const at = (offset: number) => {
      const buffer = new Uint8Array(bytes.length + offset);
      buffer.set(bytes, offset);
      return readTensor(decodeTensor(buffer.subarray(offset)), new Map()).data;
    };
    const views = [0, 1, 2, 3].map(at);
    expect(views.map((view) => [...(view as Float32Array)])).toEqual(
      [0, 1, 2, 3].map(() => [...(value.data as Float32Array)]),
    );
    expect(views.filter((view) => view.byteOffset !== 0)).toHaveLength(1);
  });

  it("says which file is missing, and what is too short", () => {
    const away = decodeTensor(
      Uint8Array.from(
        tensorProto("w", fillTensor("w", tensorType([4], float32)), { location: "data/w.bin", offset: 8 }),
      ),
    );
    const codes = [new Map(), new Map([["w.bin", new Uint8Array(20)]])].map((files) => {
      try {
        readTensor(away, files);
        return "read";
      } catch (error) {
        const { code, expected } = (error as CompileError).diagnostic;
        return `${code} ${expected}`;
      }
    });
    expect(codes).toEqual(["RS1822 the file data/w.bin", "RS1822 24 bytes"]);
    expect(readTensor(away, new Map([["w.bin", new Uint8Array(24)]])).data).toHaveLength(4);
  });
});
