// Every limit (compiler/limits.ts): its message with the way round, before the work is done, and that what is
// just within it works. Those of model files are in frontend/onnx/import.test.ts, that of a link in
// page/store/permalink.test.ts, those of scopes in depth.test.ts.
import { strToU8, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { float32 } from "../compiler/ir/dtype.ts";
import type { Diagnostic } from "../compiler/ir/diagnostic.ts";
import { tensorData } from "../compiler/ir/tensor-data.ts";
import {
  maxExtent,
  maxNodes,
  maxProgramLength,
  maxRank,
  maxRunBytes,
  maxTensorBytes,
  maxTextDepth,
  maxTupleDepth,
  maxTupleFields,
  maxUnfoldedCalls,
  maxWasmTensors,
  mostModelBytes,
  mostTextBytes,
  mostZipBytes,
} from "../compiler/limits.ts";
import { defaultOptions, type Options } from "../compiler/options.ts";
import { compileText } from "../node/engine.ts";
import { runC } from "../node/run-c.ts";
import { unpackRepro } from "../page/store/repro-zip.ts";
import { openFiles } from "../page/ui/shell/open-file.ts";
import type { App } from "../page/store/app.ts";
import { benchModel } from "../cli/run-model.ts";
import { UsageError } from "../node/usage-error.ts";
import { parseText } from "./harness/relay-text.ts";

const main = (body: string, params = "%x: Tensor[(2), float32]"): string =>
  `def @main(${params}) {\n  ${body}\n}`;

const read = (text: string): readonly Diagnostic[] => parseText(text).diagnostics;

async function compiled(text: string, options: Partial<Options> = {}) {
  const { compilation } = await compileText(text, { ...defaultOptions, ...options }, "limit");
  return compilation;
}

function expectTold(found: readonly Diagnostic[], code: string, expected: string): void {
  expect(found.map((one) => one.code)).toEqual([code]);
  expect(found[0]?.expected).toContain(expected);
  expect(found[0]?.because).not.toBeNull();
  expect(found[0]?.hint).not.toBeNull();
}

const nest = (levels: number, open: string, inner: string, close: string): string =>
  `${open.repeat(levels)}${inner}${close.repeat(levels)}`;

/** `levels` lines, each a tuple of the one before taken twice; then `body` of the last. */
const doubling = (levels: number, body: (last: string) => string): string =>
  main(
    `%0 = (%x, %x);\n${Array.from({ length: levels - 1 }, (_, i) => `  %${i + 1} = (%${i}, %${i});\n`).join("")}  ${body(`%${levels - 1}`)}`,
  );

describe("limits of a text", () => {
  it("characters", () => {
    const text = main("%x");
    expectTold(read(text.padEnd(maxProgramLength + 1)), "RS1004", `at most ${maxProgramLength}`);
    expect(read(text.padEnd(maxProgramLength))).toEqual([]);
  });

  it("nodes", () => {
    const ones = (count: number): string => main(`(${"1,".repeat(count)})`);
    const found = read(ones(maxNodes));
    expect(found[0]).toMatchObject({
      code: "RS1004",
      expected: expect.stringContaining(`at most ${maxNodes}`),
    });
    expect(found[0]?.hint).not.toBeNull();
    expect(read(ones(maxNodes / 2))).toEqual([]);
  });

  it("levels of calls", () => {
    expectTold(read(main(nest(maxTextDepth, "exp(", "%x", ")"))), "RS1005", `at most ${maxTextDepth} levels`);
    expect(read(main(nest(maxTextDepth - 2, "exp(", "%x", ")")))).toEqual([]);
  });

  it("levels of tuples", () => {
    expectTold(read(main(nest(maxTupleDepth + 1, "(", "%x", ",)"))), "RS1005", `at most ${maxTupleDepth}`);
    expect(read(main(nest(maxTupleDepth - 1, "(", "%x", ",)")))).toEqual([]);
  });

  it("tensors of a value", async () => {
    const levels = Math.log2(maxTupleFields);
    for (const deep of [levels + 1, 40]) {
      const { diagnostics, stoppedAt } = await compiled(doubling(deep, (last) => last));
      expectTold(diagnostics, "RS2023", `at most ${maxTupleFields} tensors`);
      expect(stoppedAt).toBe("types");
    }
    expect((await compiled(doubling(8, (last) => last))).diagnostics).toEqual([]);
    // What is only taken apart again is counted once, however often it is shared.
    expect((await compiled(doubling(40, (last) => `${last}${".0".repeat(40)}`))).diagnostics).toEqual([]);
  });

  it("calls that functions unfold into", async () => {
    const endless =
      "def @f(%x: float32) -> float32 { @f(exp(%x)) }\ndef @main(%x: float32) -> float32 { @f(%x) }";
    expectTold((await compiled(endless)).diagnostics, "RS5009", `at most ${maxUnfoldedCalls} calls`);
  });
});

describe("limits of a tensor", () => {
  it("bytes", () => {
    const of = (bytes: number): string => main("%x", `%x: Tensor[(${bytes}), int8]`);
    expectTold(read(of(maxTensorBytes + 1)), "RS1031", "at most 2,147,483,648 bytes");
    expect(read(of(maxTensorBytes))).toEqual([]);
  });

  it("dimensions", () => {
    const of = (rank: number): string => main("%x", `%x: Tensor[(${"1, ".repeat(rank)}), int8]`);
    expectTold(read(of(maxRank + 1)), "RS1034", `at most ${maxRank} dimensions`);
    expect(read(of(maxRank))).toEqual([]);
  });

  it("extents of a kernel, and bytes of a run", async () => {
    const of = (extent: number): string => main("negative(%x)", `%x: Tensor[(${extent}), int8]`);
    expectTold((await compiled(of(maxExtent + 1))).diagnostics, "RS4110", `at most ${maxExtent}`);
    const three = main("add(%x, %y)", `%x: Tensor[(${maxExtent}), int8], %y: Tensor[(${maxExtent}), int8]`);
    const wasm = await compiled(three, { targets: [{ device: 1, kind: "wasm" }] });
    expectTold(wasm.diagnostics, "RS6104", `at most ${maxRunBytes} bytes`);
    expect(wasm.stoppedAt).toBe("wasm");
    expect((await compiled(main("negative(%x)", `%x: Tensor[(${2 ** 29}), int8]`))).reached).toBe("wasm");
    // C has room: a warning, and all of its files.
    const c = await compiled(three);
    expect([c.reached, c.stoppedAt, c.diagnostics[0]?.severity]).toEqual(["c", null, "warning"]);
  });
});

it("tensors of a kernel in WebAssembly; C takes more", async () => {
  const many = (count: number): string =>
    main(`concatenate((${Array.from({ length: count }, () => "%x").join(", ")}))`);
  const done = await compiled(many(maxWasmTensors), { optLevel: 0 });
  expectTold(done.diagnostics, "RS6106", `at most ${maxWasmTensors} inputs and outputs`);
  expect([done.reached, done.stoppedAt, done.diagnostics[0]?.severity]).toEqual(["c", null, "warning"]);
  const x = new Map([["x", tensorData(float32, [2], new Float32Array([1, 2]))]]);
  const [joined] = runC(done, x);
  expect(joined?.data).toEqual(Float32Array.from({ length: 2 * maxWasmTensors }, (_, i) => 1 + (i % 2)));
  expect(() => benchModel(done, x)).toThrow(UsageError);
  expect((await compiled(many(maxWasmTensors - 1), { optLevel: 0 })).diagnostics).toEqual([]);
}, 60_000);

describe("limits of what the page opens", () => {
  /** What is said when a file of `size` bytes that begins with `head` is opened. */
  async function said(name: string, head: Uint8Array, size: number): Promise<string> {
    const notes: string[] = [];
    const actions = {
      setNote: ({ text }: { readonly text: string }) => notes.push(text),
      replaceSource: () => notes.push("opened"),
    };
    const file = {
      name,
      size,
      slice: () => ({ arrayBuffer: () => Promise.resolve(head.buffer) }),
      text: () => Promise.resolve(""),
    };
    const store = {
      getState: () => ({ source: { file: null }, compile: { phase: "done", diagnostics: [] } }),
    };
    await openFiles([file as unknown as File], { actions, store } as unknown as App, "Open");
    return notes.join();
  }

  it("bytes of a text", async () => {
    const text = strToU8("def @main(%x: float32) { %x }");
    expect(await said("m.relay", text, mostTextBytes + 1)).toContain("text of up to 50 MB can be opened");
    expect(await said("m.relay", text, mostTextBytes)).toBe("opened");
  });

  it("bytes of a model", async () => {
    const onnx = Uint8Array.of(8, 7, 18, 1, 65, 58, 2, 18, 0);
    expect(await said("m.onnx", onnx, mostModelBytes + 1)).toContain("model files of up to 2,000 MB");
    expect(await said("m.onnx", onnx, mostModelBytes)).toBe("opened");
  });

  it("bytes that a zip says it unpacks to", () => {
    const zip = zipSync({ "model/m.relay": strToU8("%x"), "relayscope.json": strToU8("{}") });
    // The size stands in the directory at the end of the zip.
    const directory = zip.findIndex((_, i) => zip[i] === 0x50 && zip[i + 1] === 0x4b && zip[i + 2] === 1);
    const view = new DataView(zip.buffer, zip.byteOffset);
    view.setUint32(directory + 24, mostZipBytes, true);
    expect(unpackRepro(zip)).toEqual({
      status: "unreadable",
      why: "it holds more than 1 GB; open the model that is in it",
    });
    view.setUint32(directory + 24, 2, true);
    expect(unpackRepro(zip)).toEqual({ status: "unreadable", why: "its relayscope.json is not one" });
  });
});
