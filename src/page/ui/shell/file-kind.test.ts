import { expect, test } from "vitest";
import { lookAt, refusal } from "./file-kind.ts";

const bytes = (text: string): Uint8Array => Uint8Array.from(text, (char) => char.charCodeAt(0));

test("models go by name and magic, other formats by their own name", () => {
  expect(lookAt("a.onnx", bytes("\b\u0008\u0012\u0004")).kind).toBe("onnx");
  expect(lookAt("a.bin", bytes("\u001c\u0000\u0000\u0000TFL3")).kind).toBe("tflite");
  expect(lookAt("a.relay", bytes("def @main")).kind).toBe("text");
  expect(lookAt("a.repro.zip", bytes("PK\u0003\u0004")).kind).toBe("zip");
  expect(lookAt("weights.bin", bytes("ab\u0000c"))).toEqual({ kind: "unknown", format: null });
});

test("a wrong file is told by what it is, whatever its name says", () => {
  expect(refusal("net.onnx", 9, lookAt("net.onnx", bytes("\u0089PNG\r\n")))).toMatch(
    /^net\.onnx is a PNG image\./,
  );
  expect(refusal("net.tflite", 0, lookAt("net.tflite", bytes("")))).toBe(
    "net.tflite is empty: it has 0 bytes.",
  );
  expect(refusal("x.h5", 9, lookAt("x.h5", bytes("\u0089HDF\r\n")))).toMatch(/HDF5/);
  expect(refusal("x.bin", 3, lookAt("x.bin", bytes("a\u0000b")))).toMatch(/neither text nor a model file/);
  expect(refusal("net.onnx", 3, lookAt("net.onnx", bytes("abc")))).toBeNull();
});
