// Programs that TVM's executors refuse and ours run: branches, functions, data types, references, recursion
// that ends when compiling, tuples as inputs. Each by both executors and the interpreter, with and without
// optimisation.
import { aotPlan, cModule } from "../compiler/compilation.ts";
import { present } from "../support/assert.ts";
import { describe, expect, it } from "vitest";
import { compileText } from "../node/engine.ts";
import { bool, float32, int32 } from "../compiler/ir/dtype.ts";
import { tensorData, type TensorData } from "../compiler/ir/tensor-data.ts";
import { defaultOptions, type Options } from "../compiler/options.ts";
import { interpretModel } from "../runtime/interp-run.ts";
import { runModel } from "../runtime/run.ts";
import { graphView } from "../views/graph-view.ts";
import { memoryView } from "../views/memory-view.ts";
import { summarize } from "../views/summarize.ts";

const vector = "Tensor[(2), float32]";
const x = tensorData(float32, [2], Float32Array.of(1, -2));
const y = tensorData(float32, [2], Float32Array.of(10, 20));
const yes = tensorData(bool, [], Uint8Array.of(1));
const no = tensorData(bool, [], Uint8Array.of(0));

type Inputs = Readonly<Record<string, TensorData>>;

/** Outputs by every way of running, which must all be `want`. */
async function expectRuns(
  text: string,
  runs: readonly (readonly [Inputs, readonly (readonly number[])[]])[],
  options: Partial<Options> = {},
): Promise<void> {
  for (const optLevel of [0, 3] as const) {
    const { compilation: done } = await compileText(
      text,
      { ...defaultOptions, ...options, optLevel },
      "control",
    );
    expect(
      done.diagnostics
        .filter((found) => found.severity === "error")
        .map((found) => `${found.code} ${found.message}`),
    ).toEqual([]);
    const plan = present(aotPlan(done), "AOT plan");
    for (const [given, want] of runs) {
      const inputs = new Map(Object.entries(given));
      const ways = [
        runModel(done, inputs, { executor: "aot" }).outputs,
        runModel(done, inputs, { executor: "graph" }).outputs,
        runModel(done, inputs, { executor: "aot", steps: true }).outputs,
        interpretModel(plan, done.primitives, inputs),
      ];
      for (const outputs of ways) expect(outputs.map(({ data }) => Array.from(data, Number))).toEqual(want);
    }
  }
}

describe("if", () => {
  it("runs the branch that is chosen, in the middle and nested, with tuples as results", async () => {
    const text = `def @main(%c: bool, %d: bool, %x: ${vector}) {
  %0 = negative(%x);
  %1 = if (%c) {
    %2 = add(%0, %0);
    if (%d) { (nn.relu(%2), %x) } else { (%2, %0) }
  } else { (%x, %x) };
  (add(%1.0, %1.1), %0)
}`;
    await expectRuns(text, [
      [
        { c: yes, d: yes, x },
        [
          [1, 2],
          [-1, 2],
        ],
      ],
      [
        { c: yes, d: no, x },
        [
          [-3, 6],
          [-1, 2],
        ],
      ],
      [
        { c: no, d: yes, x },
        [
          [2, -4],
          [-1, 2],
        ],
      ],
    ]);
  });

  it("takes a computed condition", async () => {
    await expectRuns(
      `def @main(%x: ${vector}, %y: ${vector}) { if (greater(sum(%x), 0f)) { %x } else { %y } }`,
      [
        [{ x, y }, [[10, 20]]],
        [{ x: y, y: x }, [[10, 20]]],
      ],
    );
  });

  it("gives one value twice and constants", async () => {
    await expectRuns(
      `def @main(%c: bool, %x: ${vector}) { %0 = if (%c) { %1 = negative(%x); (%1, %1, 3) } else { (%x, negative(%x), 4) }; (%0.2, %0.1, %0.0, %0.0) }`,
      [
        [{ c: yes, x }, [[3], [-1, 2], [-1, 2], [-1, 2]]],
        [{ c: no, x }, [[4], [-1, 2], [1, -2], [1, -2]]],
      ],
    );
  });
});

describe("an if on the page", () => {
  const text = `def @main(%c: bool, %x: ${vector}) {\n  %0 = negative(%x);\n  %1 = if (%c) { nn.softmax(%0) } else { %x };\n  add(%1, %0)\n}`;

  it("is rows of the runner with their lines in C, a node of the graph, and steps of the memory map", async () => {
    const { compilation: done } = await compileText(text, defaultOptions, "page");
    const summary = summarize(done, new Map());
    const rows = summary.calls.map((call) => call.symbol.replace(/^tvmgen_default_fused_/, ""));
    expect(rows).toEqual(["negative", "if", "nn_softmax", "else", "memcpy", "end", "add"]);
    expect(summary.calls.every((call) => call.cLines[0] > 0 && call.sources.length > 0)).toBe(true);
    const lines = cModule(done)!.files.get("default_lib1.c")!.text.split("\n");
    expect(
      summary.calls.slice(1, 6).map((call) => lines[call.cLines[0] - 1]!.trim().replace(/\(.*/, "")),
    ).toEqual(["if ", "", "} else {", "memcpy", "}"]);
    const graph = graphView(done, summary, new Map())!;
    const branch = graph.nodes.find((node) => node.label === "if")!;
    expect(branch).toMatchObject({ kind: "call", call: 5 });
    expect(graph.edges.filter((edge) => edge.to === branch.id)).toHaveLength(3);
    const memory = memoryView(done, summary)!;
    expect(memory.steps).toBe(7);
    for (const plan of memory.plans) for (const block of plan.blocks) expect(block.to).toBeLessThan(7);
  });
});

describe("functions", () => {
  it("of the module, closures, functions handed around", async () => {
    const text = `def @twice(%f: fn (${vector}) -> ${vector}, %v: ${vector}) { %f(%f(%v)) }
def @main(%x: ${vector}, %y: ${vector}) {
  let %g = fn (%a: ${vector}) -> ${vector} { add(%a, %y) };
  @twice(%g, @twice(fn (%b: ${vector}) -> ${vector} { negative(%b) }, %x))
}`;
    await expectRuns(text, [[{ x, y }, [[21, 38]]]]);
  });

  it("chosen by a condition", async () => {
    await expectRuns(
      `def @main(%c: bool, %x: ${vector}) {
  let %f = if (%c) { fn (%a: ${vector}) -> ${vector} { negative(%a) } } else { fn (%a: ${vector}) -> ${vector} { add(%a, %a) } };
  %f(%f(%x))
}`,
      [
        [{ c: yes, x }, [[1, -2]]],
        [{ c: no, x }, [[4, -8]]],
      ],
    );
  });

  it("that call themselves a number of times known when compiling", async () => {
    await expectRuns(
      `def @power(%n: int32, %v: ${vector}) -> ${vector} { if (equal(%n, 0)) { %v } else { @power(subtract(%n, 1), add(%v, %v)) } }
def @main(%x: ${vector}) { @power(5, %x) }`,
      [[{ x }, [[32, -64]]]],
    );
  });

  it("with a type parameter", async () => {
    await expectRuns(
      `def @main(%x: ${vector}, %y: ${vector}) {
  let %swap = fn [A, B](%a: A, %b: B) { (%b, %a) };
  %swap(%x, %y)
}`,
      [
        [
          { x, y },
          [
            [10, 20],
            [1, -2],
          ],
        ],
      ],
    );
  });
});

describe("data types and references", () => {
  const list = `type List[A] {
  Cons(A, List[A]),
  Nil,
}
`;
  it("lists are folded when compiling", async () => {
    await expectRuns(
      `${list}def @sum(%l: List[${vector}], %start: ${vector}) -> ${vector} {
  match (%l) {
    Cons(%head: ${vector}, %tail: List[${vector}]) => { add(%head, @sum(%tail, %start)) },
    Nil => { %start },
  }
}
def @main(%x: ${vector}, %y: ${vector}) { @sum(Cons(%x, Cons(%y, Cons(%x, Nil))), %y) }`,
      [[{ x, y }, [[22, 36]]]],
    );
  });

  it("a value chosen by a condition is matched on both sides", async () => {
    await expectRuns(
      `${list}def @main(%c: bool, %x: ${vector}, %y: ${vector}) {
  let %l = if (%c) { Cons(%x, Nil) } else { Nil };
  match (%l) { Cons(%h, _) => { negative(%h) }, Nil => { %y } }
}`,
      [
        [{ c: yes, x, y }, [[-1, 2]]],
        [{ c: no, x, y }, [[10, 20]]],
      ],
    );
  });

  it("references are followed in the order of the program", async () => {
    await expectRuns(
      `def @main(%x: ${vector}) {
  let %r = ref(%x);
  let %before = ref_read(%r);
  let %u = ref_write(%r, add(%before, %before));
  let %w = ref_write(%r, negative(ref_read(%r)));
  (%before, ref_read(%r))
}`,
      [
        [
          { x },
          [
            [1, -2],
            [-2, 4],
          ],
        ],
      ],
    );
  });
});

describe("with an external code generator", () => {
  it("functions with match, references and recursion are partitioned too", async () => {
    const text = `type List[A] {
  Cons(A, List[A]),
  Nil,
}
def @fold(%l: List[${vector}], %start: ${vector}) -> ${vector} {
  match (%l) {
    Cons(%head: ${vector}, %tail: List[${vector}]) => { add(%head, @fold(%tail, %start)) },
    Nil => { %start },
  }
}
def @twice(%n: int32, %v: ${vector}) -> ${vector} { if (equal(%n, 0)) { %v } else { @twice(subtract(%n, 1), add(%v, %v)) } }
def @main(%x: ${vector}, %y: ${vector}) {
  %0 = add(%x, %y);
  let %r = ref(%x);
  let %u = ref_write(%r, subtract(abs(%0), %y));
  let %v = ref_read(%r);
  @twice(2, add(@fold(Cons(%v, Cons(%0, Nil)), %y), %v))
}`;
    for (const partition of [[], ["ccompiler"]]) {
      const { compilation: done } = await compileText(text, { ...defaultOptions, partition }, "partition");
      expect(done.diagnostics.map((found) => `${found.code} ${found.message}`)).toEqual([]);
      const [out] = runModel(done, new Map(Object.entries({ x, y }))).outputs;
      expect(Array.from(out!.data, Number)).toEqual([4 * (1 + 11 + 10 + 1), 4 * (-2 + 18 + 20 - 2)]);
    }
  });
});

describe("inputs and outputs", () => {
  it("a tuple of inputs is a parameter a tensor", async () => {
    const text = `def @main(%t: (${vector}, (${vector}, int32)), %t.0: ${vector}) { %1 = %t.1; (add(%t.0, %1.0), %1.1, %t) }`;
    const { compilation } = await compileText(text, defaultOptions, "tuple");
    expect(compilation.diagnostics.map((found) => found.code)).not.toContain("RS5003");
    const plain = `def @main(%t: (${vector}, (${vector}, int32)), %k: ${vector}) { %0 = %t.0; %1 = %t.1; (add(%0, %1.0), %1.1, %k, %t) }`;
    const seven = tensorData(int32, [], Int32Array.of(7));
    await expectRuns(plain, [
      [{ "t.0": x, "t.1.0": y, "t.1.1": seven, k: y }, [[11, 18], [7], [10, 20], [1, -2], [10, 20], [7]]],
    ]);
  });

  it("the same output several times", async () => {
    await expectRuns(`def @main(%x: ${vector}) { %0 = negative(%x); (%0, %0, (%x, %x)) }`, [
      [
        { x },
        [
          [-1, 2],
          [-1, 2],
          [1, -2],
          [1, -2],
        ],
      ],
    ]);
  });
});

it("a chain of 4,000 calls inside a function does not recurse", async () => {
  const lines = Array.from({ length: 4000 }, (_, i) => `    let %v${i + 1} = add(%v${i}, 1f);\n`).join("");
  const text = `def @main(%x: ${vector}) {\n  let %f = fn (%v0: ${vector}) -> ${vector} {\n${lines}    %v4000\n  };\n  %f(%x)\n}`;
  const { compilation: done } = await compileText(text, { ...defaultOptions, optLevel: 0 }, "deep");
  expect(done.diagnostics.map((found) => found.message)).toEqual([]);
  expect(Array.from(runModel(done, new Map([["x", x]])).outputs[0]!.data, Number)).toEqual([4001, 3998]);
}, 60_000);

describe("external regions", () => {
  const partition = ["ccompiler"];
  it("end in the branches of a match, and a recursion goes on behind them", () =>
    expectRuns(
      `type L { Cons(${vector}, L), Nil, }
def @fold(%l: L, %a: ${vector}) -> ${vector} {
  match (%l) {
    Cons(%h, %t) => { %0 = multiply(add(%a, %h), %h); @fold(%t, subtract(%0, %a)) },
    Nil => { add(%a, %a) },
  }
}
def @main(%x: ${vector}) { @fold(Cons(%x, Cons(add(%x, %x), Nil)), %x) }`,
      // x: a = (x + x) * x - x, then (a + 2x) * 2x - a, then doubled.
      [[{ x }, [[10, -68]]]],
      { partition },
    ));
  it("leave references to the host", () =>
    expectRuns(
      `def @main(%x: ${vector}) {
  let %r = ref(add(%x, %x));
  let %w = ref_write(%r, subtract(negative(%x), %x));
  let %v = ref_read(%r);
  add(%v, multiply(%v, %x))
}`,
      [[{ x }, [[-4, -4]]]],
      { partition },
    ));
  it("may decide a recursion that ends when compiling", () =>
    expectRuns(
      `def @loop(%i: int32, %a: ${vector}) -> ${vector} {
  if (less(%i, 2)) { @loop(add(%i, 1), add(%a, multiply(%a, %a))) } else { subtract(%a, 1f) }
}
def @main(%x: ${vector}) { @loop(0, %x) }`,
      // a + a * a, twice, less 1.
      [[{ x }, [[5, 5]]]],
      { partition },
    ));
});
