import { describe, expect, it } from "vitest";
import { defaultOptions, switchablePasses, type Options } from "../options.ts";
import { typedModule } from "../../testing/harness/relay-text.ts";
import { withJit } from "../../testing/harness/relay-run.ts";
import { relayPassList, relayPrefix, runRelayPrefix } from "./pass-list.ts";
import { passEnabled } from "./passes/sequential.ts";
import { expandOrigin } from "../ir/origin.ts";
import { postOrder } from "./visit.ts";

const names = (options: Partial<Options>): string[] =>
  relayPrefix({ ...defaultOptions, ...options }).map((pass) => pass.name);

describe("switchablePasses", () => {
  it("has every pass of the list that may be left out: a new one is a line of compiler/options.ts too", () => {
    const needed = ["InferType", "PlanDevices"];
    const listed = relayPassList(defaultOptions).flatMap(({ pass, always }) =>
      always || needed.includes(pass.name) ? [] : [pass.name],
    );
    expect([...switchablePasses]).toEqual([...new Set(listed)]);
  });
});

describe("relayPrefix", () => {
  it("runs nothing above the level, and always what comes after FuseOps", () => {
    expect(names({ optLevel: 0 })).toEqual([
      "InferType",
      "SimplifyInference",
      "InferType",
      "SimplifyExpr",
      "FoldScaleAxis",
      "InferType",
      "PlanDevices",
      "InferType",
      "FuseOps",
      "InferType",
      "InlineGlobals",
      "InferType",
      "LabelOps",
    ]);
  });

  it("adds combining, AlterOpLayout and FastMath at level 4 with everything enabled", () => {
    const all = names({ optLevel: 4, disabledPasses: [] });
    for (const name of [
      "CombineParallelConv2d",
      "CombineParallelDense",
      "CombineParallelBatchMatmul",
      "AlterOpLayout",
      "FastMath",
    ])
      expect(all).toContain(name);
  });

  it("leaves out what only one target allows", () => {
    const targets = [
      { device: 1, kind: "c" },
      { device: 4, kind: "opencl" },
    ] as const;
    const list = relayPassList({ ...defaultOptions, targets }).map(({ pass }) => pass.name);
    expect(list.filter((name) => name === "Legalize")).toHaveLength(2);
    expect(list).not.toContain("SplitArgs");
    expect(list).not.toContain("AlterOpLayout");
  });

  it("lets disabled win over required, and required over the level", () => {
    const pass = { name: "FastMath", optLevel: 4 } as const;
    expect(passEnabled(pass, defaultOptions)).toBe(false);
    expect(passEnabled(pass, { ...defaultOptions, requiredPasses: ["FastMath"] })).toBe(true);
    expect(
      passEnabled(pass, { ...defaultOptions, requiredPasses: ["FastMath"], disabledPasses: ["FastMath"] }),
    ).toBe(false);
    expect(names({ disabledPasses: ["FuseOps", "LabelOps", "AlterOpLayout"] })).toContain("LabelOps");
  });
});

/** A main of `count` calls, each on the one before. */
function chain(count: number, step: (previous: string, i: number) => string): string {
  const lines: string[] = [];
  for (let i = 0; i < count; i++) lines.push(`  %${i} = ${step(i === 0 ? "%x" : `%${i - 1}`, i)};`);
  return `def @main(%x: Tensor[(2, 3), float32], %y: Tensor[(2, 3), float32]) {\n${lines.join("\n")}\n  nn.relu(%${count - 1})\n}\n`;
}

describe("a chain of 10,000 calls", () => {
  const steps: Readonly<Record<string, (previous: string, i: number) => string>> = {
    elementwise: (previous) => `nn.relu(${previous})`,
    mixed: (previous, i) =>
      ["add(", "exp(", "multiply("][i % 3]! + previous + [", 1f)", ")", ", %y)"][i % 3]!,
    reshapes: (previous, i) => `reshape(${previous}, newshape=[${i % 2 === 0 ? "3, 2" : "2, 3"}])`,
    opaque: (previous) => `nn.softmax(${previous})`,
  };

  it.each(Object.keys(steps))("passes every pass without recursion: %s", { timeout: 60_000 }, (name) => {
    const { module, cx } = typedModule(chain(10_000, steps[name]!));
    for (const optLevel of [0, 3] as const) {
      const after = runRelayPrefix(module, { ...withJit(cx), options: { ...defaultOptions, optLevel } });
      expect(after.functions.get("main")!.attrs["hash"]).toBeDefined();
    }
  });

  it("folds a chain of constants", { timeout: 60_000 }, () => {
    const { module, cx } = typedModule(
      chain(10_000, (previous, i) => `add(${i === 0 ? "1f" : previous}, 1f)`).replace(
        "nn.relu(%9999)",
        "add(%x, %9999)",
      ),
    );
    const main = runRelayPrefix(module, withJit(cx)).functions.get("main")!;
    expect(main.body.kind === "call" && main.body.args.some((arg) => arg.kind === "constant")).toBe(false);
    let scalar: number | bigint | null = null;
    postOrder(main, (expr) => {
      if (expr.kind === "constant") scalar = expr.data.data[0]!;
    });
    expect(scalar).toBe(10_001);
  });
});

describe("origins", () => {
  it("every node that the passes make leads back to the source", () => {
    const { module, cx } =
      typedModule(`def @main(%x: Tensor[(1, 2, 6, 6), float32], %w: Tensor[(2, 2, 3, 3), float32], %g: Tensor[(2), float32], %b: Tensor[(2), float32], %m: Tensor[(2), float32], %v: Tensor[(2), float32]) {
      %0 = nn.conv2d(%x, %w, padding=[1, 1, 1, 1], channels=2, kernel_size=[3, 3]); %1 = nn.bias_add(%0, %b); %2 = nn.batch_norm(%1, %g, %b, %m, %v); nn.relu(%2.0) }`);
    const after = runRelayPrefix(module, { ...withJit(cx), options: { ...defaultOptions, optLevel: 3 } });
    const strays: string[] = [];
    postOrder(after.functions.get("main")!, (expr) => {
      if (expr.kind !== "op" && expr.kind !== "function" && expandOrigin(expr.origin).length === 0)
        strays.push(expr.kind);
    });
    expect(strays).toEqual([]);
  });
});
