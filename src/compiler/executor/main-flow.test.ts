import { describe, expect, it } from "vitest";
import { fusedMain } from "../../testing/harness/fused.ts";
import { planAot } from "./aot-main.ts";
import { planDynamic } from "./dynamic-plan.ts";
import { planGraph } from "./graph-plan.ts";
import { defaultOptions } from "../options.ts";

const type = "Tensor[(2), float32]";

function primitive(name: string, body: string): string {
  return `  ${name} = fn (%p0: ${type}, Primitive=1) -> ${type} { ${body} };\n`;
}

describe("reading main", () => {
  it("has the calls of an if in the order of lowering, and what both branches need before it in the flow", () => {
    const { reading, te } = fusedMain(`def @main(%c: bool, %x: ${type}) {
${primitive("%0", "exp(%p0)")}${primitive("%1", "tanh(%p0)")}${primitive("%2", "negative(%p0)")}
  %3 = %2(%x);
  if (%c) { (%0(%x), %3) } else { (%1(%3), %x) }
}`);
    const names = reading.sites.map(({ func, call }) => te.lower(func, call).name);
    expect(names).toEqual(["fused_exp", "fused_negative", "fused_tanh"]);
    const inFlow = reading.flow?.left.flatMap((one) =>
      one.kind === "call" ? [reading.sites.findIndex(({ call }) => call === one)] : [],
    );
    expect(inFlow).toEqual([1, 0, 2]);
    expect(reading.isDynamic).toBe(false);
  });

  it("keeps the first dynamic dimension apart from what no executor can run", () => {
    const { reading, te } = fusedMain(`def @main(%x: Tensor[(?, 4), float32]) { exp(%x) }`);
    expect([reading.isDynamic, reading.flow]).toEqual([true, null]);
    const told = [planAot(reading, te, defaultOptions), planGraph(reading, te), planDynamic(reading, te)].map(
      (outcome) => (outcome.ok ? "ok" : `${outcome.diagnostic.code} ${outcome.diagnostic.message}`),
    );
    expect(told).toEqual([
      "RS5002 parameter %x has a dynamic dimension",
      "RS5002 parameter %x has a dynamic dimension",
      "RS5006 the dynamic executor meets a call of operator exp",
    ]);
  });
});
