// The command line's contract: words, .npy files, what --emit writes.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unpackTar } from "modern-tar";
import { afterEach, describe, expect, it, vi } from "vitest";
import { defaultOptions, type Options } from "../compiler/options.ts";
import type * as PassList from "../compiler/relay/pass-list.ts";
import { parseInvocation } from "./args.ts";
import { mergeOrigins } from "../compiler/ir/origin.ts";
import { withFunction } from "../compiler/relay/module.ts";
import type { RelayPass } from "../compiler/relay/passes/function-pass.ts";
import { get } from "../support/assert.ts";
import { UsageError } from "../node/usage-error.ts";
import { emitFiles, withEmitErrors } from "./emit.ts";
import { compileText } from "../node/engine.ts";
import { readNpy } from "../node/npy.ts";

const parse = (line: string) => parseInvocation(line.split(" "));

describe("words", () => {
  it("reads every option", () => {
    const { options, emit, out } = parse(
      "compile m.relay --target 1=c --target 4=opencl --opt-level 2 --required-pass AlterOpLayout --disable-pass FoldConstant --config tir.disable_vectorize=1 --unpacked-api 0 --interface-api packed --link-params 0 --mod-name m --partition ccompiler --tflite-rounding --shape x=2x3 --shape s=4 --bind-fill a,b --bind-fill c --emit c,header --emit wat --out o",
    );
    expect(options).toEqual({
      executor: "aot",
      targets: [
        { device: 1, kind: "c" },
        { device: 4, kind: "opencl" },
      ],
      optLevel: 2,
      disabledPasses: ["FoldConstant"],
      requiredPasses: ["AlterOpLayout"],
      config: { "tir.disable_vectorize": "1" },
      unpackedApi: false,
      interfaceApi: "packed",
      linkParams: false,
      modName: "m",
      partition: ["ccompiler"],
      tfliteRounding: true,
      shapes: { x: [2, 3], s: [4] },
      bindFill: ["a", "b", "c"],
      bindValues: {},
    });
    expect([emit, out]).toEqual([["c", "header", "wat"], "o"]);
    expect(parse("compile m.relay").options).toEqual(defaultOptions);
    expect(
      parse("compile m.relay --disable-pass AlterOpLayout --disable-pass AlterOpLayout").options,
    ).toEqual(defaultOptions);
    expect(parse("run - --fill --backend interp --input x=a=b.npy")).toMatchObject({
      model: "-",
      fill: true,
      backend: "interp",
      inputs: new Map([["x", "a=b.npy"]]),
    });
  });

  it.each([
    ["frob m.relay", "the command takes compile or run or bench"],
    ["compile m.relay n.relay", 'unexpected "n.relay"'],
    ["compile m.relay --nosuch", "--nosuch"],
    ["compile m.relay --opt-level 5", "--opt-level takes 0 or 1"],
    ["compile m.relay --emit frob", "--emit takes typed or optimized"],
    ["compile m.relay --shape x=2x", '--shape takes NAME=2x3x4, got "2x"'],
    ["compile m.relay --shape x=", "--shape takes NAME=2x3x4"],
    ["compile m.relay --shape x=1e3", "--shape takes NAME=2x3x4"],
    ["compile m.relay --target cuda", "--target takes c or wasm"],
    ["compile m.relay --target c --target 1=wasm", "--target gives device 1 twice"],
    ["compile m.relay --target 0=c", "--target takes DLDeviceType=TARGET"],
    ["compile m.relay --input x=a.npy", "--input goes with run or bench, not with compile"],
    ["run m.relay --emit c", "--emit goes with compile, not with run"],
    ["compile m.relay --json --emit c", "--json and --emit both write to standard output"],
    ["bench m.relay --verify", "--verify goes with compile or run, not with bench"],
    ["bench m.relay --backend c", "--backend goes with run, not with bench"],
  ])("%s", (line, message) => {
    expect(() => parse(line)).toThrow(UsageError);
    expect(() => parse(line)).toThrow(message);
  });
});

describe("--verify", () => {
  const file = join(mkdtempSync(join(tmpdir(), "verify-")), "m.relay");
  writeFileSync(file, "def @main(%x: Tensor[(2, 3), float32]) { nn.relu(%x) }");
  const { argv, exitCode } = process;

  afterEach(() => {
    process.argv = argv;
    process.exitCode = exitCode;
    vi.doUnmock("../compiler/relay/pass-list.ts");
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
    vi.resetModules();
  });

  /**
   * Exit code and standard error of the built command line, with a pass at the end that forgets where main's
   * body is from.
   */
  async function ran(...words: readonly string[]): Promise<readonly [number | string | undefined, string]> {
    vi.resetModules();
    vi.stubEnv("DEV", false);
    vi.doMock("../compiler/relay/pass-list.ts", async (original) => {
      const actual = await original<typeof PassList>();
      return { ...actual, relayPrefix: (options: Options) => [...actual.relayPrefix(options), forgetful] };
    });
    let said = "";
    vi.spyOn(process.stdout, "write").mockReturnValue(true);
    vi.spyOn(process.stderr, "write").mockImplementation((text) => {
      said += String(text);
      return true;
    });
    process.argv = ["node", "relayscope", ...words];
    await import("./relayscope.ts");
    return [process.exitCode ?? undefined, said];
  }

  const forgetful: RelayPass = {
    name: "ForgetOrigin",
    optLevel: 0,
    requires: [],
    run: (module) => {
      const main = get(module.functions, "main", "function");
      const body = { ...main.body, origin: mergeOrigins([]) };
      return withFunction(module, "main", { ...main, body });
    },
  };

  it.each(["compile", "run"])("%s ends with 70 and names the pass that broke a rule", async (command) => {
    const [code, said] = await ran(command, file, "--verify");
    expect(code).toBe(70);
    expect(said).toMatch(
      /ForgetOrigin \(step \d+\) broke the rules of Relay: @main: call \(node \d+\) has no origin/,
    );
  });

  it("is off without the flag", async () => {
    expect(await ran("compile", file)).toEqual([0, ""]);
  });
});

/** A version 1 file of `shape` float32 values. */
function npy(shape: string, values: readonly number[], descr = "<f4"): Uint8Array {
  const header = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${shape}), }`.padEnd(117) + "\n";
  return Uint8Array.from([
    0x93,
    ...Buffer.from("NUMPY"),
    1,
    0,
    header.length & 255,
    header.length >> 8,
    ...Buffer.from(header),
    ...new Uint8Array(new Float32Array(values).buffer),
  ]);
}

describe(".npy files", () => {
  it("reads shape and values", () => {
    expect(readNpy(npy("2, 1", [1.5, -2]), "x.npy")).toMatchObject({
      shape: [2, 1],
      data: new Float32Array([1.5, -2]),
    });
    expect(readNpy(npy("", [3]), "x.npy")).toMatchObject({ shape: [], data: new Float32Array([3]) });
  });

  it("refuses a file cut off anywhere, by name", () => {
    const whole = npy("2, 1", [1.5, -2]);
    for (let length = 0; length < whole.length; length++)
      expect(() => readNpy(whole.subarray(0, length), "x.npy")).toThrow(UsageError);
    expect(() => readNpy(whole.subarray(0, whole.length - 1), "x.npy")).toThrow(
      "x.npy: cut off: 8 bytes of values are said, 7 are there",
    );
  });

  it.each([
    ["-2, 1", "<f4"],
    ["a, 1", "<f4"],
    ["2.5, 1", "<f4"],
    ["2, 1", ">f4"],
    ["2, 1", "<c8"],
    ["2, 1", "|O"],
  ])("refuses shape (%s) of %s", (shape, descr) => {
    expect(() => readNpy(npy(shape, [1, 2], descr), "x.npy")).toThrow(UsageError);
  });
});

describe("--emit", () => {
  const text = "def @main(%x: Tensor[(2, 3), float32]) { nn.relu(%x) }";

  it("writes the fused form of a main that calls nothing", async () => {
    const { compilation } = await compileText("def @main(%x: float32) { %x }", defaultOptions, "m");
    let written = "";
    const missing = await emitFiles(compilation, ["fused"], "m.relay", (_, content) => {
      written = String(content);
    });
    expect(missing).toEqual([]);
    expect(written).toContain("%x");
  });

  it("writes a Model Library Format archive with the entries that TVM's has, and our runtime header", async () => {
    const { compilation } = await compileText(text, defaultOptions, "m");
    let archive = new Uint8Array();
    expect(
      await emitFiles(
        compilation,
        ["mlf"],
        "m.tar",
        (_, content) => void (archive = content as Uint8Array<ArrayBuffer>),
      ),
    ).toEqual([]);
    const names = (await unpackTar(archive)).map(({ header }) => header.name.replace(/\/$/, ""));
    expect(names.toSorted()).toEqual([
      ".",
      "./codegen",
      "./codegen/host",
      "./codegen/host/include",
      "./codegen/host/include/relayscope_runtime.h",
      "./codegen/host/include/tvmgen_default.h",
      "./codegen/host/src",
      "./codegen/host/src/default_lib0.c",
      "./codegen/host/src/default_lib1.c",
      "./metadata.json",
      "./parameters",
      "./parameters/default.params",
      "./src",
      "./src/relay.txt",
    ]);
    for (const name of names.slice(1))
      expect(names.indexOf(name.slice(0, name.lastIndexOf("/")))).toBeLessThan(names.indexOf(name));
  });

  it("tells what was not made, and a place that cannot be written", async () => {
    const folder = mkdtempSync(join(tmpdir(), "emit-"));
    try {
      const { compilation } = await compileText(text, { ...defaultOptions, linkParams: false }, "m");
      expect(await emitFiles(compilation, ["shape", "aot"], join(folder, "none"), writeFileSync)).toEqual([
        "shape",
        "aot",
      ]);
      expect(readdirSync(folder)).toEqual([]);
      writeFileSync(join(folder, "file"), "");
      await expect(
        emitFiles(compilation, ["typed", "wat"], join(folder, "file"), writeFileSync),
      ).rejects.toThrow(UsageError);
      await expect(
        emitFiles(compilation, ["typed"], join(folder, "no", "folder"), writeFileSync),
      ).rejects.toThrow(UsageError);
      expect(await emitFiles(compilation, ["typed", "wat"], join(folder, "both"), writeFileSync)).toEqual([]);
      expect(readdirSync(join(folder, "both")).toSorted()).toEqual(["model.wat", "typed.relay"]);
      // Kernels without their runner are not what was asked for, unless the graph executor calls them.
      expect(await emitFiles(compilation, ["c", "header"], join(folder, "d"), writeFileSync)).toEqual([
        "c",
        "header",
      ]);
      expect(withEmitErrors(compilation, ["c"]).diagnostics).toMatchObject([
        { code: "RS5007", severity: "error", hint: "turn link-params on, or use the graph executor" },
      ]);
      expect(withEmitErrors(compilation, ["wat"])).toBe(compilation);
      const byGraph: Options = { ...defaultOptions, linkParams: false, executor: "graph" };
      const graph = (await compileText(text, byGraph, "m")).compilation;
      expect(withEmitErrors(graph, ["c"])).toBe(graph);
      expect(await emitFiles(graph, ["c"], join(folder, "c"), writeFileSync)).toEqual([]);
      expect(readdirSync(join(folder, "c"))).toEqual(["default_lib1.c"]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
