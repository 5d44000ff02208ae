import { describe, expect, it } from "vitest";
import { anyDim, printType, tensorType } from "../../../ir/type.ts";
import { float32 } from "../../../ir/dtype.ts";
import { synthetic } from "../../../ir/origin.ts";
import { ops } from "../../../ops/index.ts";
import {
  diagnosticLines,
  parseText,
  relayContext,
  standInOp,
  typedModule,
} from "../../../../testing/harness/relay-text.ts";
import { makeCall, makeOpRef, makeVar, type Call, type Func } from "../../expr.ts";
import { inferExpr, inferType } from "./infer-type.ts";
import { printModule } from "../../text/print.ts";

function typeOfMain(text: string): string {
  return printType(typedModule(text).module.functions.get("main")!.type!);
}

/** Diagnostics of InferType on a text that parses. */
function mistakes(text: string): string[] {
  const { module, cx, hasErrors, diagnostics } = parseText(text);
  expect(hasErrors, diagnosticLines(text, diagnostics).join("; ")).toBe(false);
  inferType.run(module, cx);
  return diagnosticLines(text, cx.diagnostics);
}

describe("forward", () => {
  it("types functions, tuples, projections, lets and ifs, and fills in annotations", () => {
    const { module, cx } = typedModule(
      "def @main(%c: bool, %x: Tensor[(2, 3), float32]) { let %t = (%x, 1f); %0 = if (%c) { %t.0 } else { nn.relu(%x) }; (add(%0, %t.1),) }",
    );
    expect(printModule(module, { ops: cx.ops, showMeta: false, header: false }).text)
      .toBe(`def @main(%c: bool, %x: Tensor[(2, 3), float32]) -> (Tensor[(2, 3), float32],) {
  let %t: (Tensor[(2, 3), float32], float32) = (%x, 1f /* ty=float32 */);
  %0 = if (%c) {
    %t.0
  } else {
    nn.relu(%x) /* ty=Tensor[(2, 3), float32] */
  };
  %1 = %t.1;
  %2 = add(%0, %1) /* ty=Tensor[(2, 3), float32] */;
  (%2,)
}
`);
  });

  it("keeps what is typed already, object by object", () => {
    const { module, cx } = typedModule(
      "def @f(%x: float32) -> float32 { %x }\ndef @main(%x: Tensor[(2, 3), float32]) { let %a = nn.relu(%x); %0 = fn (%p) { add(%p, %a) }; %0(%a) }",
    );
    expect(inferType.run(module, cx)).toBe(module);
  });

  it("replaces a variable that got its type in all its places", () => {
    const { module } = typedModule(
      "def @main(%x: Tensor[(2), float32]) { let %a = add(%x, %x); add(%a, %a) }",
    );
    const main = module.functions.get("main")!;
    if (main.body.kind !== "let") throw new Error("no let");
    const sum = main.body.body as Call;
    expect(sum.args[0]).toBe(main.body.variable);
    expect(sum.args[1]).toBe(main.body.variable);
    expect(main.body.variable.annotation).toBe(tensorType([2], float32));
  });

  it("keeps `?` where either side has one", () => {
    expect(typeOfMain("def @main(%x: Tensor[(?, 4), float32]) { nn.relu(%x) }")).toBe(
      "fn (Tensor[(?, 4), float32]) -> Tensor[(?, 4), float32]",
    );
    expect(
      typeOfMain("def @main(%x: Tensor[(3, 4), float32]) -> Tensor[(?, 4), float32] { nn.relu(%x) }"),
    ).toContain("-> Tensor[(?, 4), float32]");
    expect(
      typeOfMain(
        "def @main(%c: bool, %x: Tensor[(3, 4), float32], %y: Tensor[(?, 4), float32]) { if (%c) { %x } else { %y } }",
      ),
    ).toContain("-> Tensor[(?, 4), float32]");
  });
});

describe("holes", () => {
  it("fills parameters from relations and calls", () => {
    expect(typeOfMain("def @main(%x: Tensor[(1, 8, 4, 4), float32], %b) { nn.bias_add(%x, %b) }")).toBe(
      "fn (Tensor[(1, 8, 4, 4), float32], Tensor[(8), float32]) -> Tensor[(1, 8, 4, 4), float32]",
    );
    expect(typeOfMain("def @f(%x: float32) -> float32 { %x }\ndef @main(%a) { @f(%a) }")).toBe(
      "fn (float32) -> float32",
    );
    expect(
      typeOfMain("def @main(%x: Tensor[(2), float32]) { %0 = fn (%p, %q: _) { (%p, %q) }; %0(%x, 1).1 }"),
    ).toBe("fn (Tensor[(2), float32]) -> int32");
  });

  it("waits for what comes later", () => {
    // %p is known only when the function is called, after its body was walked.
    expect(
      typeOfMain(
        "def @main(%x: Tensor[(2, 3), float32]) { %0 = fn (%p) { nn.relu(add(%p.0, %p.1)) }; %0((%x, %x)) }",
      ),
    ).toContain("-> Tensor[(2, 3), float32]");
  });

  it("infers functions before their callers, whatever the order, and recursive ones", () => {
    expect(
      typeOfMain(
        "def @main(%x: float32) { @g(%x).0 }\ndef @g(%x: float32) { (%x, @h(%x)) }\ndef @h(%x: float32) { add(%x, 1f) }",
      ),
    ).toBe("fn (float32) -> float32");
    expect(
      typeOfMain("def @main(%c: bool, %x: float32) -> float32 { if (%c) { %x } else { @main(%c, %x) } }"),
    ).toBe("fn (bool, float32) -> float32");
    expect(
      typeOfMain(
        "def @main(%c: bool, %x: float32) { let %f = fn (%n: float32) { if (%c) { %n } else { %f(add(%n, 1f)) } }; %f(%x) }",
      ),
    ).toBe("fn (bool, float32) -> float32");
  });

  it("instantiates polymorphic functions and data types", () => {
    const list = "type List[A] {\n  Cons(A, List[A]),\n  Nil,\n}\n";
    expect(
      typeOfMain(
        `${list}def @head[A](%l: List[A], %d: A) -> A { match (%l) { Cons(%h, _) => { %h }, Nil => { %d }, } }\ndef @main(%x: Tensor[(2), float32]) { @head(Cons(%x, Nil), %x) }`,
      ),
    ).toBe("fn (Tensor[(2), float32]) -> Tensor[(2), float32]");
    expect(typeOfMain(`${list}def @main(%x: float32) { (Cons(%x, Nil), 1).0 }`)).toBe(
      "fn (float32) -> List[float32]",
    );
    expect(typeOfMain("def @id[A](%x: A) -> A { %x }\ndef @main(%x: float32) { (@id(%x), @id(1)) }")).toBe(
      "fn (float32) -> (float32, int32)",
    );
  });

  it("types references", () => {
    expect(
      typeOfMain(
        "def @main(%x: float32) { let %r = ref(%x); let %u = ref_write(%r, add(%x, 1f)); (%u, ref_read(%r), %r) }",
      ),
    ).toBe("fn (float32) -> ((), float32, ref(float32))");
  });

  it("types symbolic dimensions", () => {
    expect(typeOfMain("def @main(%x: Tensor[(n, 4), float32]) { nn.relu(%x) }")).toBe(
      "fn (Tensor[(n, 4), float32]) -> Tensor[(n, 4), float32]",
    );
  });
});

describe("mistakes", () => {
  it("name operator, argument, expected and got, at the call", () => {
    const text =
      "def @main(%data: Tensor[(1, 6, 14, 14), float32], %c2w: Tensor[(16, 8, 5, 5), float32]) {\n  %0 = nn.relu(%data);\n  %1 = nn.conv2d(%0, %c2w);\n  nn.relu(%1)\n}";
    const { module, cx } = parseText(text);
    inferType.run(module, cx);
    expect(cx.diagnostics).toHaveLength(1);
    const [found] = cx.diagnostics;
    expect(diagnosticLines(text, cx.diagnostics)[0]).toMatch(/^RS2\d{3} 3:8 nn\.conv2d/);
    expect(found!.notes).toContain("`weight` is %c2w: Tensor[(16, 8, 5, 5), float32]");
    expect([found!.expected, found!.got].every((side) => side !== null)).toBe(true);
  });

  it("are told once for each cause", () => {
    expect(
      mistakes(
        "def @main(%x: Tensor[(2), float32], %y: Tensor[(3), float32]) {\n  %0 = add(%x, %y);\n  %1 = nn.relu(%0);\n  %2 = add(%1, %0);\n  %3 = add(%y, %x);\n  (%2, %3)\n}",
      ).map((line) => line.slice(0, 10)),
    ).toEqual(["RS2103 2:8", "RS2103 5:8"]);
    expect(mistakes("def @main(%x) { %0 = nn.relu(%x); %1 = nn.relu(%0); add(%1, %0) }")).toEqual([
      "RS2000 1:11 The type of `%x` cannot be inferred.",
    ]);
  });

  it("cover calls, lets, conditions, branches, results, projections, references and matches", () => {
    const codes = (text: string) => mistakes(text).map((line) => line.slice(0, 6));
    expect(codes("def @f(%x: float32) -> float32 { %x }\ndef @main(%x: int32) { @f(%x) }")).toEqual([
      "RS2008",
    ]);
    expect(codes("def @f(%x: float32) -> float32 { %x }\ndef @main(%x: float32) { @f(%x, %x) }")).toEqual([
      "RS2005",
    ]);
    expect(codes("def @main(%x: float32) { %x(%x) }")).toEqual(["RS2006"]);
    expect(codes("def @main(%x: float32) { let %a: int32 = %x; %a }")).toEqual(["RS2010"]);
    expect(codes("def @main(%x: float32) { if (%x) { %x } else { %x } }")).toEqual(["RS2011"]);
    expect(codes("def @main(%c: bool, %x: float32) { if (%c) { %x } else { (%x, %x) } }")).toEqual([
      "RS2012",
    ]);
    expect(codes("def @main(%x: float32) -> int32 { %x }")).toEqual(["RS2015"]);
    expect(codes("def @main(%x: float32) { (%x, %x).2 }")).toEqual(["RS2018"]);
    expect(codes("def @main(%x: float32) { %x.0 }")).toEqual(["RS2017"]);
    expect(codes("def @main(%x: float32) { ref_read(%x) }")).toEqual(["RS2013"]);
    expect(codes("def @main(%x: float32) { let %r = ref(%x); ref_write(%r, 1) }")).toEqual(["RS2014"]);
    expect(
      codes("def @main(%x: Tensor[(65536, 1), float32], %y: Tensor[(1, 65536), float32]) { add(%x, %y) }"),
    ).toEqual(["RS2016"]);
  });

  it("says what a match leaves out", () => {
    const text =
      "type T {\n  A(T, T),\n  B,\n}\ndef @main(%t: T) { match (%t) { A(B, _) => { 1 }, B => { 2 }, } }";
    const { module, cx } = parseText(text);
    inferType.run(module, cx);
    expect(cx.diagnostics.map((d) => [d.code, d.notes])).toEqual([["RS2020", ["no case for A(A(_, _), _)"]]]);
    expect(mistakes(text.replace("match (", "match? ("))).toEqual([]);
    expect(mistakes(text.replace("A(B, _)", "A(_, _)"))).toEqual([]);
  });

  it("does not crash on a type that would contain itself", () => {
    expect(mistakes("def @main(%x: float32) { let %f = fn (%g) { %g(%g) }; %x }").length).toBeGreaterThan(0);
  });
});

describe("scale", () => {
  it("types a chain of 10,000 calls, and one of untyped lets", () => {
    const calls = Array.from(
      { length: 10_000 },
      (_, i) => `%${i} = nn.relu(${i === 0 ? "%x" : `%${i - 1}`});`,
    ).join("\n");
    expect(typeOfMain(`def @main(%x: Tensor[(4), float32]) {\n${calls}\n%9999\n}`)).toContain(
      "-> Tensor[(4), float32]",
    );
    const lets = Array.from(
      { length: 10_000 },
      (_, i) => `let %a${i} = nn.relu(${i === 0 ? "%x" : `%a${i - 1}`});`,
    ).join("\n");
    expect(typeOfMain(`def @main(%x: Tensor[(4), float32]) {\n${lets}\n%a9999\n}`)).toContain(
      "-> Tensor[(4), float32]",
    );
    // Nothing is known until the call at the very end.
    expect(
      typeOfMain(
        `def @main(%x: Tensor[(4), float32]) {\nlet %f = fn (%p) {\n${calls.replace("%x", "%p")}\n%9999\n};\n%f(%x)\n}`,
      ),
    ).toContain("-> Tensor[(4), float32]");
  });
});

describe("inferExpr", () => {
  it("types an expression that a pass built, over typed variables", () => {
    const cx = relayContext();
    const origin = synthetic("test");
    const x = makeVar(cx.ids, "x", tensorType([2, anyDim], float32), { origin });
    const call = makeCall(cx.ids, makeOpRef(cx.ids, "nn.relu", { origin }), [x], {}, { origin });
    const typed = inferExpr(call, cx) as Call;
    expect(printType(typed.type!)).toBe("Tensor[(2, ?), float32]");
    expect(typed.args[0]).toBe(x);
    expect(inferExpr(typed, cx)).toBe(typed);
  });

  it("works with relations that answer late or refuse early", () => {
    // Refuses what it does not know yet; the driver must not take that for a mistake.
    const strict = standInOp("strict", ["x"], {}, ([x], _, t) =>
      x!.kind === "tensor-type" ? x! : t.error("RS2101", "strict: argument must be a tensor"),
    );
    const table = new Map([...ops, ["strict", strict] as const]);
    const text = "def @main(%x: float32) { %0 = fn (%p) { strict(%p) }; %0(%x) }";
    expect(printType((typedModule(text, table).module.functions.get("main") as Func).type!)).toBe(
      "fn (float32) -> float32",
    );
  });
});
