import { describe, expect, it } from "vitest";
import { defaultOptions, type Options } from "../options.ts";
import { fusedMain } from "../../testing/harness/fused.ts";
import { printPrimFunc } from "../tir/print.ts";
import { planAot } from "./aot-main.ts";
import { argName } from "./arg-name.ts";
import { graphJson } from "./graph-json.ts";
import { planGraph } from "./graph-plan.ts";
import { buildGraphMetadata, buildMetadata } from "./metadata.ts";
import type { AotPlan } from "./plan.ts";

const type = "Tensor[(2), float32]";

function primitive(name: string, body: string, params = 1): string {
  const list = Array.from({ length: params }, (_, i) => `%p${i}: ${type}`).join(", ");
  return `  ${name} = fn (${list}, Primitive=1) -> ${type} { ${body} };\n`;
}

function aot(text: string, options: Options = defaultOptions): AotPlan {
  const { reading, te } = fusedMain(text, options);
  const outcome = planAot(reading, te, options);
  if (!outcome.ok) throw new Error(`${outcome.diagnostic.code}: ${outcome.diagnostic.message}`);
  return outcome.value;
}

function rows(plan: AotPlan): (readonly (string | number)[])[] {
  return plan.calls.map((call) =>
    call.kind === "copy"
      ? ["copy", ...call.args.map((arg) => argName(arg, plan)), call.bytes]
      : [call.symbol.replace("tvmgen_default_", ""), ...call.args.map((arg) => argName(arg, plan))],
  );
}

function refusal(text: string, options: Options = defaultOptions) {
  const { reading, te } = fusedMain(text, options);
  return [planAot(reading, te, options), planGraph(reading, te)].map((outcome) =>
    outcome.ok ? "ok" : outcome.diagnostic.code,
  );
}

describe("AOT main", () => {
  it("copies inputs, parameters and constants that are returned", () => {
    const plan = aot(
      `def @main(%x: ${type}, %unused: ${type}) { (%x, meta[relay.Constant][0] /* ty=${type} */, 7) }`,
    );
    expect(rows(plan)).toEqual([
      ["copy", "input", "output", 8],
      ["copy", "__tvm_param__p0", "output1", 8],
      ["copy", "__tvm_param__p1", "output2", 4],
    ]);
    expect(plan.parameters).toEqual(["input", "input1", "output", "output1", "output2"]);
    expect(plan.outputs.map(({ name }) => name)).toEqual(["output0", "output1", "output2"]);
  });

  it("fills every output of a value that is returned twice", () => {
    const plan = aot(
      `def @main(%x: ${type}) {\n${primitive("%0", "exp(%p0)")}  %1 = %0(%x);\n  (%1, %x, %1, %x)\n}`,
    );
    expect(rows(plan)).toEqual([
      ["copy", "input", "output1", 8],
      ["copy", "input", "output3", 8],
      ["fused_exp", "input", "output"],
      ["copy", "output", "output2", 8],
    ]);
    expect(plan.allocs).toEqual([]);
  });

  it("finds fields of nested tuples by their place", () => {
    const plan = aot(
      `def @main(%x: ${type}) {\n${primitive("%0", "exp(%p0)")}${primitive("%1", "tanh(%p0)")}  %2 = %0(%x);\n  %3 = %1(%x);\n  %4 = (%2, %x);\n  %5 = (%4, %3);\n  %5.1\n}`,
    );
    expect(rows(plan)).toEqual([
      ["fused_exp", "input", "sid_1"],
      ["fused_tanh", "input", "output"],
    ]);
  });

  it("hands inputs and parameters inside a tuple argument over themselves", () => {
    const plan = aot(
      `def @main(%x: ${type}) {\n  %0 = (%x, meta[relay.Constant][0] /* ty=${type} */);\n  %1 = fn (%p0: (${type}, ${type}), Primitive=1) -> Tensor[(4), float32] { concatenate(%p0) };\n  %1(%0)\n}`,
    );
    expect(rows(plan)).toEqual([["fused_concatenate", "input", "__tvm_param__p0", "output"]]);
  });

  it("looks through let", () => {
    const plan = aot(
      `def @main(%x: ${type}) {\n${primitive("%0", "exp(%p0)")}  let %a = %0(%x);\n  let %b = (%a, %x);\n${primitive("%1", "add(%p0, %p1)", 2)}  %1(%b.0, %b.1)\n}`,
    );
    expect(rows(plan)).toEqual([
      ["fused_exp", "input", "sid_1"],
      ["fused_add", "sid_1", "input", "output"],
    ]);
  });

  it("returns nothing for the empty tuple", () => {
    const plan = aot(`def @main(%x: Tensor[(16), float32]) -> () { () }`);
    expect([plan.calls, plan.outputs, plan.parameters]).toEqual([[], [], ["input"]]);
    expect(buildMetadata(plan, [], defaultOptions).functions.main).toEqual([
      { device: 1, workspace_size_bytes: 0, constants_size_bytes: 0, io_size_bytes: 64 },
    ]);
  });

  it("shares storage of an empty tensor with nothing else", () => {
    const text = `def @main(%e: Tensor[(0, 3), float32], %x: Tensor[(2, 3), float32]) {
  %0 = fn (%p0: Tensor[(0, 3), float32], Primitive=1) -> Tensor[(0, 3), float32] { negative(%p0) };
  %1 = %0(%e);
  %2 = fn (%p0: Tensor[(0, 3), float32], %p1: Tensor[(2, 3), float32], Primitive=1) -> Tensor[(2, 3), float32] { %3 = (%p0, %p1); concatenate(%3) };
  (%1, %2(%1, %x))
}`;
    expect(rows(aot(text))).toEqual([
      ["fused_negative", "input", "output"],
      ["fused_concatenate", "output", "input1", "output1"],
    ]);
  });

  it("prints main with its storage and calls", () => {
    const plan = aot(
      `def @main(%x: ${type}) {\n${primitive("%0", "exp(%p0)")}${primitive("%1", "tanh(%p0)")}  %1(%0(%x))\n}`,
    );
    expect(printPrimFunc(plan.main).text).toContain('sid_2 = T.allocate([8], "int8", "global")');
    expect(plan.main.name).toBe("tvmgen_default_run_model");
  });

  it("calls as TVM's main does: packed or by pointers, parameters looked up by name", () => {
    const text = `def @main(%x: ${type}) {\n${primitive("%0", "exp(%p0)")}  %0(%x)\n}`;
    const listing = (options: Options): string => printPrimFunc(aot(text, options).main).text;
    expect(listing(defaultOptions)).toContain('T.call_extern("tvmgen_default_fused_exp", input.data, ');
    const packed = { ...defaultOptions, unpackedApi: false, interfaceApi: "packed" } as const;
    expect(listing(packed)).toContain('T.tvm_call_cpacked("tvmgen_default_fused_exp", input.data, ');
    const plan = aot(`def @main(%x: ${type}) { 2f }`);
    expect(printPrimFunc(plan.main).text).toContain(
      'T.call_extern("memcpy", output.data, T.lookup_param("p0"), 4)',
    );
    expect(rows(plan)).toEqual([["copy", "__tvm_param__p0", "output", 4]]);
  });

  it("says how storage was found", () => {
    const chain = Array.from(
      { length: 3 },
      (_, i) =>
        primitive(`%${2 * i}`, ["exp", "tanh", "sigmoid"][i]! + "(%p0)") +
        `  %${2 * i + 1} = %${2 * i}(${i === 0 ? "%x" : `%${2 * i - 1}`});\n`,
    ).join("");
    const { reading, te, remarks } = fusedMain(
      `def @main(%x: ${type}) {\n${chain}${primitive("%8", "exp(%p0)")}  %8(%5)\n}`,
    );
    planAot(reading, te, defaultOptions);
    expect(
      remarks.map((found) => [found.pass, found.kind, found.facts["name"], found.facts["storage"] ?? null]),
    ).toEqual([
      ["StorageRewrite", "memory.new", "sid_4", null],
      ["StorageRewrite", "memory.new", "sid_3", null],
      ["StorageRewrite", "memory.reused", "sid_2", "sid_4"],
    ]);
  });
});

describe("if", () => {
  const nested = `def @main(%c: bool, %d: bool, %x: ${type}) {
${primitive("%0", "exp(%p0)")}${primitive("%1", "tanh(%p0)")}${primitive("%2", "negative(%p0)")}${primitive("%3", "add(%p0, %p1)", 2)}
  %4 = %0(%x);
  %9 = if (%c) {
    let %t = %1(%4);
    if (%d) { (%2(%t), %x) } else { (%t, %4) }
  } else { (%1(%x), %2(%4)) };
  %3(%9.0, %9.1)
}`;

  it("is a branch whose results are written in place where only the branch uses them", () => {
    expect(rows(aot(nested))).toEqual([
      ["fused_exp", "input2", "sid_6"],
      ["if", "input"],
      ["fused_tanh", "sid_6", "sid_7"],
      ["if", "input1"],
      ["fused_negative", "sid_7", "sid_4"],
      ["copy", "input2", "sid_5", 8],
      ["else"],
      ["copy", "sid_7", "sid_4", 8],
      ["copy", "sid_6", "sid_5", 8],
      ["end"],
      ["else"],
      ["fused_tanh", "input2", "sid_4"],
      ["fused_negative", "sid_6", "sid_5"],
      ["end"],
      ["fused_add", "sid_4", "sid_5", "output"],
    ]);
  });

  it("computes what both branches need before it, and what one needs inside", () => {
    const plan = aot(`def @main(%c: bool, %x: ${type}) {
${primitive("%0", "exp(%p0)")}${primitive("%1", "tanh(%p0)")}  %2 = %0(%x);
  %3 = %1(%x);
  if (%c) { %0(%2) } else { %1(%0(%3)) }
}`);
    expect(rows(plan).map(([what]) => what)).toEqual([
      "if",
      "fused_exp",
      "fused_exp",
      "else",
      "fused_tanh",
      "fused_exp",
      "fused_tanh",
      "end",
    ]);
    const shared = aot(`def @main(%c: bool, %x: ${type}) {
${primitive("%0", "exp(%p0)")}${primitive("%1", "tanh(%p0)")}  %2 = %0(%x);
  if (%c) { %0(%2) } else { %1(%2) }
}`);
    expect(rows(shared).map(([what]) => what)).toEqual([
      "fused_exp",
      "if",
      "fused_exp",
      "else",
      "fused_tanh",
      "end",
    ]);
  });

  it("shares storage between its branches", () => {
    const side = (name: string): string => `${name}(${name}(%x))`;
    const plan = aot(`def @main(%c: bool, %x: ${type}) {
${primitive("%0", "exp(%p0)")}${primitive("%1", "tanh(%p0)")}  if (%c) { ${side("%0")} } else { ${side("%1")} }
}`);
    expect(plan.onDemand).toHaveLength(2);
    expect(plan.allocs).toHaveLength(1);
    expect(printPrimFunc(plan.main).text).toMatch(/if input\[\]:/);
  });

  it("is a node behind its branches in the graph JSON", () => {
    const { reading, te } = fusedMain(nested);
    const graph = planGraph(reading, te);
    if (!graph.ok) throw new Error(graph.diagnostic.message);
    const nodes = graphJson(graph.value).nodes.flatMap((node, i) =>
      node.attrs?.["func_name"] === "__if"
        ? [[i, node.attrs["then_begin"], node.attrs["else_begin"], node.inputs.map(([from]) => from)]]
        : [],
    );
    expect(nodes).toEqual([
      [6, "5", "6", [1, 5, 2, 4, 3]],
      [9, "4", "7", [0, 6, 6, 7, 8]],
    ]);
  });
});

describe("refusals", () => {
  const call = `def @main(%x: ${type}) {\n${primitive("%0", "exp(%p0)")}  %0(%x)\n}`;
  it("of options that no usable code follows from", () => {
    expect(refusal(call, { ...defaultOptions, linkParams: false })).toEqual(["RS5007", "ok"]);
    expect(refusal(call, { ...defaultOptions, unpackedApi: false })).toEqual(["RS5008", "ok"]);
  });

  it("of operators outside of primitive functions, and dynamic dimensions", () => {
    expect(refusal(`def @main(%x: ${type}) { exp(%x) }`)).toEqual(["RS5006", "RS5006"]);
    const { reading, te } = fusedMain(
      `def @main(%x: Tensor[(?, 4), float32]) {\n  %0 = fn (%p0: Tensor[(?, 4), float32], Primitive=1) -> Tensor[(?, 4), float32] { exp(%p0) };\n  %0(%x)\n}`,
    );
    expect(planAot(reading, te, defaultOptions)).toMatchObject({
      ok: false,
      diagnostic: {
        code: "RS5002",
        message: expect.stringContaining("%x") as string,
        got: "Tensor[(?, 4), float32]",
      },
    });
  });
});

describe("metadata", () => {
  it("of the graph executor binds storage to names", () => {
    const text = `def @main(%a: Tensor[(1, 3), uint8], %b: Tensor[(1, 3), float32]) {
  %0 = fn (%p0: Tensor[(1, 3), float32], %p1: Tensor[(1, 3), float32], %p2: Tensor[(1, 3), uint8], Primitive=1) -> Tensor[(1, 3), float32] {
    %1 = multiply(%p0, %p1); %2 = cast(%p2, dtype="float32"); subtract(%1, %2)
  };
  %0(%b, meta[relay.Constant][0] /* ty=Tensor[(1, 3), float32] */, %a)
}`;
    const options = { ...defaultOptions, modName: "net" };
    const { reading, te } = fusedMain(text, options);
    const graph = planGraph(reading, te);
    const plan = planAot(reading, te, options);
    if (!graph.ok || !plan.ok) throw new Error("refused");
    const memory = buildGraphMetadata(graph.value, te.items(), options);
    expect(memory.sids).toEqual([
      { storage_id: 0, size_bytes: 3, input_binding: "a" },
      { storage_id: 1, size_bytes: 12, input_binding: "b" },
      { storage_id: 2, size_bytes: 12, input_binding: "p0" },
      { storage_id: 3, size_bytes: 12 },
    ]);
    const main_ = [{ device: 1, workspace_size_bytes: 0, constants_size_bytes: 12, io_size_bytes: 27 }];
    expect(memory.functions.main).toEqual(main_);
    expect(buildMetadata(plan.value, te.items(), options).functions).toEqual({
      main: main_,
      operator_functions: [
        {
          function_name: "tvmgen_net_fused_multiply_cast_subtract",
          workspace: [{ device: 1, workspace_size_bytes: 0 }],
        },
      ],
    });
  });
});
