// The parser's small parts: base64, NDArrays, nearest names, metadata of TVM.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bool, float32, int64 } from "../../ir/dtype.ts";
import { tensorData } from "../../ir/tensor-data.ts";
import { standInOp, parseText } from "../../../testing/harness/relay-text.ts";
import { int, flag, optionalInt } from "../../ir/attrs.ts";
import type { Call } from "../expr.ts";
import { decodeBase64, encodeBase64 } from "./base64.ts";
import { decodeNDArray, encodeNDArray } from "./ndarray.ts";
import { didYouMean, editDistance, nearestNames } from "./nearest.ts";

describe("base64", () => {
  it("agrees with Node's", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        const text = Buffer.from(bytes).toString("base64");
        expect(encodeBase64(bytes)).toBe(text);
        expect([...decodeBase64(text)!]).toEqual([...bytes]);
      }),
    );
    expect(decodeBase64("ab$d")).toBeNull();
    const large = Uint8Array.from({ length: 100_001 }, (_, i) => i * 7);
    expect([...decodeBase64(encodeBase64(large))!]).toEqual([...large]);
  });
});

describe("NDArrays", () => {
  it("read what TVM wrote", () => {
    // scalar_const_kinds: an int8 scalar 3.
    const data = decodeNDArray(decodeBase64("P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAAAAAAAIAQABAAAAAAAAAAM=")!);
    expect(data).toMatchObject({ shape: [], dtype: { name: "int8" }, provenance: "given" });
  });
  it("write what they read", () => {
    for (const data of [
      tensorData(float32, [2, 3], Float32Array.of(1, 2, 3, 4, 5, 6)),
      tensorData(int64, [], BigInt64Array.of(-5n)),
      tensorData(bool, [2], Uint8Array.of(1, 0)),
      tensorData(float32, [0, 4], new Float32Array(0)),
    ]) {
      expect(decodeNDArray(encodeNDArray(data))).toEqual(data);
    }
  });
  it("say what is wrong, whatever the bytes", () => {
    const good = encodeNDArray(tensorData(float32, [2], Float32Array.of(1, 2)));
    for (let length = 0; length < good.length; length++)
      expect(typeof decodeNDArray(good.slice(0, length))).toBe("string");
    for (let place = 0; place < good.length; place++)
      for (let value = 0; value < 256; value++) {
        const broken = good.slice();
        broken[place] = value;
        decodeNDArray(broken);
      }
    const pointers = encodeNDArray(tensorData(int64, [2], BigInt64Array.of(1n, 2n)));
    pointers[28] = 3;
    expect(decodeNDArray(pointers)).toBe("its data type (code 3, 64 bits) is not known");
    const huge = good.slice();
    new DataView(huge.buffer).setBigInt64(32, 1n << 40n, true);
    expect(decodeNDArray(huge)).toMatch(/bytes, more than/);
  });
});

describe("nearest names", () => {
  it("counts edits, swaps as one", () => {
    expect([
      editDistance("relu", "relu", 3),
      editDistance("relu", "reul", 3),
      editDistance("relu", "elu", 3),
      editDistance("abc", "xyz", 2),
    ]).toEqual([0, 1, 1, 3]);
  });
  it("finds names by edits and by their last part", () => {
    const known = ["nn.conv2d", "nn.conv1d", "nn.conv2d_transpose", "add", "nn.relu", "abs"];
    expect(nearestNames("conv2d", known)).toEqual(["nn.conv2d", "nn.conv1d"]);
    expect(nearestNames("nn.covn2d", known)[0]).toBe("nn.conv2d");
    expect(nearestNames("relu", known)).toEqual(["nn.relu"]);
    expect(nearestNames("completely_else", known)).toEqual([]);
    expect(didYouMean("ad", ["add", "abd"])).toBe("Did you mean `abd` or `add`?");
  });
});

describe("attributes in the metadata", () => {
  it("are read by the operator's schema", () => {
    const text = `def @main(%x: float32) { my.op(%x, meta[relay.attrs.MyAttrs][0]) }
#[metadata]
{"root": 1, "nodes": [{"type_key": ""}, {"type_key": "Map", "keys": ["relay.attrs.MyAttrs"], "data": [2]}, {"type_key": "Array", "data": [3]},
{"type_key": "relay.attrs.MyAttrs", "attrs": {"axis": "3", "flag": "1", "units": "4", "shape": "0"}}, {"type_key": "IntImm", "attrs": {"dtype": "int32", "value": "7"}}], "b64ndarrays": []}`;
    const op = standInOp("my.op", ["x"], {
      axis: int({ default: 0, doc: "" }),
      flag: flag({ default: false, doc: "" }),
      units: optionalInt({ doc: "" }),
    });
    const { module, diagnostics } = parseText(text, new Map([["my.op", op]]));
    expect(diagnostics).toEqual([]);
    expect((module.functions.get("main")!.body as Call).attrs).toEqual({ axis: 3, flag: true, units: 7 });
  });
});
