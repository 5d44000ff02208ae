import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Options } from "../../../options.ts";
import { differs, runPass } from "../../../../testing/harness/pass-run.ts";
import { compareRelay } from "../../../../testing/harness/relay-compare.ts";
import { CompileError } from "../../../ir/diagnostic.ts";
import { expandOrigin } from "../../../ir/origin.ts";
import { printType } from "../../../ir/type.ts";
import type { Func } from "../../expr.ts";
import { typeOf } from "../../op.ts";
import { annotateTarget } from "./annotate-target.ts";
import { mergeCompilerRegions } from "./merge-compiler-regions.ts";
import { partitionGraph } from "./partition-graph.ts";

const passes = [annotateTarget, mergeCompilerRegions, partitionGraph];

function partitioned(source: string, partition: readonly string[], options: Partial<Options> = {}) {
  return runPass(source, passes, { partition, ...options });
}

function externals(run: ReturnType<typeof partitioned>): readonly (readonly [string, Func])[] {
  return [...run.after.functions].filter(([, func]) => func.attrs["Compiler"] !== undefined);
}

function refused(source: string, partition: readonly string[], list = passes): string {
  try {
    runPass(source, list, { partition });
  } catch (error) {
    if (error instanceof CompileError) return `${error.diagnostic.code} ${error.diagnostic.message}`;
    throw error;
  }
  return "accepted";
}

const x = "%x: Tensor[(8, 8), float32]";
const y = "%y: Tensor[(8, 8), float32]";
const type = "Tensor[(8, 8), float32]";

describe("the three passes together", () => {
  it("make of TVM's program what TVM made of it: names, parameters, attributes", () => {
    const record = JSON.parse(
      readFileSync(
        new URL("../../../../testing/golden/programs/byoc_partition.json", import.meta.url),
        "utf8",
      ),
    ) as { readonly input: string };
    const run = partitioned(
      `def @main(${x}, ${y}) -> ${type} { %0 = add(%x, %y); %1 = subtract(%0, %y); exp(%1) }`,
      ["ccompiler"],
    );
    expect(compareRelay(record.input, run.text, { types: false })).toBeNull();
    expect([...run.after.functions.keys()]).toEqual(["main", "tvmgen_default_ccompiler_main_0"]);
    expect(run.text).toContain("%ccompiler_0_i1");
  });

  it("keep a cycle apart: a region cannot wait for a value computed from its own", () => {
    const run = partitioned(`def @main(${x}) { %0 = add(%x, %x); %1 = exp(%0); multiply(%1, %0) }`, [
      "ccompiler",
    ]);
    expect(externals(run).map(([name]) => name)).toEqual([
      "tvmgen_default_ccompiler_main_0",
      "tvmgen_default_ccompiler_main_2",
    ]);
    expect(run.cx.remarks.map((found) => found.kind)).toContain("partition.apart");
    const through = partitioned(
      `def @main(${x}) { %0 = add(%x, %x); %1 = exp(%0); %2 = tanh(%1); %3 = subtract(%x, %x); %4 = multiply(%3, %2); multiply(%4, %0) }`,
      ["ccompiler"],
    );
    expect(externals(through)).toHaveLength(2);
  });

  it("return a flat tuple where a region has several results, and each once", () => {
    const run = partitioned(
      `def @main(%a: Tensor[(4, 3), float32]) {
      %0 = split(%a, indices_or_sections=2, axis=0); %1 = %0.1; %2 = negative(%1); %3 = concatenate(%0, axis=1); %4 = subtract(%2, 1f); (%3, %4) }`,
      ["test_target=split,negative"],
    );
    const found = externals(run);
    expect(found).toHaveLength(1);
    expect(printType(typeOf(found[0]![1].body))).toBe(
      "(Tensor[(2, 3), float32], Tensor[(2, 3), float32], Tensor[(2, 3), float32])",
    );
    const twice = partitioned(`def @main(${x}) { %0 = add(%x, %x); (exp(%0), tanh(%0), %0) }`, ["ccompiler"]);
    expect(printType(typeOf(externals(twice)[0]![1].body))).toBe(type);
  });

  it("bind constants inside, so that they are no parameters", () => {
    const run = partitioned(
      `def @main(${x}) { %0 = add(%x, meta[relay.Constant][0] /* ty=${type} */); %1 = multiply(%0, 2f); exp(%1) }`,
      ["ccompiler"],
    );
    expect(externals(run)[0]![1].params.map(({ name }) => name)).toEqual(["ccompiler_0_i0"]);
    expect(externals(run)[0]![1].body).toMatchObject({
      args: [{ kind: "call", args: [{ kind: "var" }, { kind: "constant" }] }, { kind: "constant" }],
    });
  });

  it("respect the module's name, several targets by priority, and functions that are external already", () => {
    expect(
      externals(partitioned(`def @main(${x}) { add(%x, %x) }`, ["ccompiler"], { modName: "net" }))[0]![0],
    ).toBe("tvmgen_net_ccompiler_main_0");
    const two = partitioned(`def @main(${x}) { exp(add(%x, %x)) }`, ["one=add", "two=exp,add"]);
    expect(externals(two).map(([, func]) => func.attrs["Compiler"])).toEqual(["one", "two"]);
    const outside = `def @main(${x}) { %0 = fn (%a: ${type}, Primitive=1, Compiler="ccompiler", global_symbol="own") -> ${type} { add(%a, %a) }; exp(%0(%x)) }`;
    expect(differs(partitioned(outside, ["ccompiler"]), outside)).toBeNull();
  });

  it("go through lets, branches and functions matched as a whole", () => {
    const lets = partitioned(`def @main(${x}) { let %a = add(%x, %x); let %b = multiply(%a, %x); exp(%b) }`, [
      "ccompiler",
    ]);
    expect(externals(lets)).toHaveLength(2);
    expect(lets.text).not.toContain("free_var");
    const branch = partitioned(`def @main(${x}, %c: bool) { if (%c) { add(%x, %x) } else { exp(%x) } }`, [
      "ccompiler",
    ]);
    expect(externals(branch)).toHaveLength(1);
    const composite = partitioned(
      `def @main(${x}) { %0 = fn (%a: ${type}, Composite="dnnl.exp_relu") -> ${type} { nn.relu(exp(%a)) }; %0(%x) }`,
      ["dnnl=tanh"],
    );
    expect(externals(composite)[0]![1].attrs["Compiler"]).toBe("dnnl");
  });

  it("keep origins: a region knows the calls that it came from", () => {
    const run = partitioned(`def @main(${x}, ${y}) { %0 = add(%x, %y); %1 = subtract(%0, %y); exp(%1) }`, [
      "ccompiler",
    ]);
    expect(expandOrigin(externals(run)[0]![1].origin)).toHaveLength(2);
    expect(run.cx.remarks.find((found) => found.kind === "partition.region")?.text).toBe(
      "add, subtract go to ccompiler as @tvmgen_default_ccompiler_main_0",
    );
  });

  it("partition a chain of 10,000 calls that changes sides all the time", { timeout: 60_000 }, () => {
    const lines = Array.from(
      { length: 10_000 },
      (_, i) => `%${i} = ${i % 4 < 2 ? `add(${i === 0 ? "%x" : `%${i - 1}`}, %x)` : `exp(%${i - 1})`};`,
    );
    const run = partitioned(`def @main(${x}) { ${lines.join("\n")} tanh(%9999) }`, ["ccompiler"]);
    expect(externals(run)).toHaveLength(2500);
  });
});

describe("AnnotateTarget", () => {
  it("gives ccompiler what it can compile: not other operators, other dtypes or shapes that are not known", () => {
    const marks = (source: string): number =>
      (
        runPass(source, annotateTarget, { partition: ["ccompiler"] }).text.match(/compiler="ccompiler"/g) ??
        []
      ).length;
    expect(marks(`def @main(${x}) { add(%x, %x) }`)).toBe(3);
    expect(marks(`def @main(${x}) { divide(%x, %x) }`)).toBe(0);
    expect(marks("def @main(%x: Tensor[(2), float16]) { add(%x, %x) }")).toBe(0);
    expect(marks("def @main(%x: Tensor[(?), float32]) { add(%x, %x) }")).toBe(0);
  });

  it("warns where nothing goes to the target, and leaves the program", () => {
    const run = partitioned(`def @main(${x}) { exp(%x) }`, ["ccompiler"]);
    expect(run.cx.diagnostics).toMatchObject([
      { code: "RS3010", severity: "warning", message: "no operator goes to ccompiler" },
    ]);
    expect(run.after).toBe(run.before);
  });
});

describe("refusals", () => {
  it("name what is wrong", () => {
    expect(refused(`def @main(${x}) { add(%x, %x) }`, ["dnnl"])).toBe(
      "RS3011 nothing says which operators the target dnnl takes",
    );
    expect(
      refused(
        `def @main(${x}) { annotation.compiler_end(exp(%x), compiler="ccompiler") }`,
        [],
        [mergeCompilerRegions],
      ),
    ).toBe("RS3012 compiler_end for ccompiler closes no region of it");
    expect(
      refused(
        `def @main(${x}) { add(annotation.compiler_begin(%x, compiler="ccompiler"), %x) }`,
        [],
        [partitionGraph],
      ),
    ).toBe("RS3012 an operator has operands inside and outside of a region");
    expect(
      refused(
        `def @tvmgen_default_ccompiler_main_0(${x}) { exp(%x) } def @main(${x}) { add(%x, @tvmgen_default_ccompiler_main_0(%x)) }`,
        ["ccompiler"],
      ),
    ).toBe("RS3013 there is a function @tvmgen_default_ccompiler_main_0 already");
  });
});
