import { describe, expect, it } from "vitest";
import { diagnosticLines, parseText, typedModule } from "../../../testing/harness/relay-text.ts";
import type { Call, Constant, Expr, Func, Let } from "../expr.ts";
import { printModule } from "./print.ts";
import { structuralEqual } from "../structural.ts";

function main(text: string): Func {
  const { module, diagnostics } = parseText(text);
  expect(diagnosticLines(text, diagnostics)).toEqual([]);
  return module.functions.get("main")!;
}

function errors(text: string): string[] {
  return diagnosticLines(text, parseText(text).diagnostics);
}

function constantOf(expr: Expr): Constant {
  if (expr.kind !== "constant") throw new Error(`a constant was expected, found ${expr.kind}`);
  return expr;
}

const body = (inside: string, params = "%x: Tensor[(2), float32], %y: Tensor[(2), float32]") =>
  `def @main(${params}) {\n  ${inside}\n}\n`;

describe("forms of a program", () => {
  it("takes the version, or none, and a bare function", () => {
    const text = '#[version = "0.0.5"]\ndef @main(%x: float32) { %x }';
    expect(main(text).params.map((p) => p.name)).toEqual(["x"]);
    expect(main("def @main(%x: float32) { %x }").params).toHaveLength(1);
    expect(main("fn (%x: float32) { add(%x, %x) }").params).toHaveLength(1);
  });

  it("makes parameters of free variables, in their order", () => {
    const found = main(
      "free_var %b: Tensor[(2), float32];\nfree_var %a: Tensor[(2), float32];\n%0 = add(%a, %b);\nmultiply(%0, %b)",
    );
    expect(found.params.map((p) => p.name)).toEqual(["b", "a"]);
    expect(main("free_var %w: float32; fn (%x: float32) { add(%x, %w) }").params.map((p) => p.name)).toEqual([
      "w",
      "x",
    ]);
  });

  it("warns of another version and goes on", () => {
    const { diagnostics, hasErrors } = parseText('#[version = "0.0.4"]\ndef @main(%x: float32) { %x }');
    expect(diagnostics.map((d) => [d.code, d.severity])).toEqual([["RS1007", "warning"]]);
    expect(hasErrors).toBe(false);
  });

  it("skips comments, nested ones and type comments too", () => {
    main(
      "// a\n/* b /* c */ d */ def @main(%x: float32 /* e */) { add(%x, 1f /* ty=float32 */) /* ty=float32 */ /* span */ }",
    );
  });

  it("parses infix operators by precedence, left to right", () => {
    const found = main(body("%x - %y * %x - %y")).body as Call;
    const names = (expr: Expr): string =>
      expr.kind === "call"
        ? `(${(expr.callee as { name: string }).name} ${expr.args.map(names).join(" ")})`
        : `%${(expr as { name: string }).name}`;
    expect(names(found)).toBe("(subtract (subtract %x (multiply %y %x)) %y)");
  });

  it("keeps `/` in names and divides by it between blanks", () => {
    const text =
      "def @main(%scope/x: Tensor[(2), float32], %scope/y: Tensor[(2), float32]) { %scope/y / %scope/x }";
    expect(main(text).params.map((p) => p.name)).toEqual(["scope/x", "scope/y"]);
    expect(((main(text).body as Call).callee as { name: string }).name).toBe("divide");
  });

  it("takes names with periods and colons, which importers make, and tells them from projections", () => {
    const text =
      "def @main(%conv1.weight: Tensor[(2), float32], %onnx::Conv_1: Tensor[(2), float32], %x:0: Tensor[(2), float32], %t.a: (float32, float32)) {\n  %0 = (%conv1.weight, %onnx::Conv_1);\n  let %l.1 = add(%0.1, %x:0);\n  (%l.1, %t.a.1, %0.0)\n}\n";
    const found = main(text);
    expect(found.params.map((p) => p.name)).toEqual(["conv1.weight", "onnx::Conv_1", "x:0", "t.a"]);
    const typed = typedModule(text);
    const printed = printModule(typed.module, { ops: typed.cx.ops, showMeta: false }).text;
    expect(printed).toContain("(%l.1, %2, %3)");
    expect(
      structuralEqual(
        typedModule(printed).module.functions.get("main")!,
        typed.module.functions.get("main")!,
      ),
    ).toBe(true);
    expect(errors("def @main(%x:float32) { %x.y }")).toEqual([
      "RS1001 1:28 Expected the number of a tuple field after `.`, found `y`.",
    ]);
  });

  it("binds lets, shadowing outer ones, and turns unused values into lets", () => {
    const found = main(body("let %z = add(%x, %y);\n  let %z = add(%z, %z);\n  %z")).body as Let;
    const inner = found.body as Let;
    expect((inner.value as Call).args[0]).toBe(found.variable);
    expect(inner.body).toBe(inner.variable);
    expect((main(body("add(%x, %y); %x")).body as Let).kind).toBe("let");
  });

  it("reads if, match, references, constructors, type definitions and polymorphic functions", () => {
    const text = `type List[A] {
  Cons(A, List[A]),
  Nil,
}
extern type Handle
def @head[A](%l: List[A], %d: A) -> A {
  match (%l) {
    Cons(%h, _) => { %h },
    Nil => { %d },
  }
}
def @main(%c: bool, %x: float32) -> (float32, ()) {
  let %r = ref(%x);
  let %w = ref_write(%r, add(%x, 1f));
  let %f = fn (%n: float32) -> float32 { if (%c) { %n } else { %f(%n) } };
  %0 = @head(Cons(%x, Nil), %x);
  %1 = (%0,);
  (%f(ref_read(%r)) + %1.0, %w)
}
`;
    const { module } = parseText(text);
    expect(errors(text)).toEqual([]);
    expect([...module.typeDefs.keys()]).toEqual(["List", "Handle"]);
    expect(module.functions.size).toBe(2);
  });

  it("keeps graph numbers across scopes and lets another scope use a number again", () => {
    const text =
      "def @main(%x: float32) { %0 = fn (%p: float32) { %0 = add(%p, 1f); add(%0, %0) }; %0(%x) }\ndef @g(%x: float32) { %0 = add(%x, %x); %0 }";
    expect(errors(text)).toEqual([]);
  });

  it("names source nodes by what they are bound to", () => {
    const { sources } = parseText(body("%4 = add(%x, 2f);\n  let %t = multiply(%4, %y);\n  (%t,).0"));
    expect(sources.nodes.map((n) => `${n.name}:${n.op}`)).toEqual([
      "@main:function",
      "%x:param",
      "%y:param",
      "%4:add",
      ":constant",
      "%t:let",
      "%t:multiply",
      ":tuple",
      ":projection",
    ]);
  });
});

describe("literals", () => {
  const value = (text: string) => {
    const { data } = constantOf((main(body(`add(%x, ${text})`)).body as Call).args[1]!);
    return `${data.dtype.name} ${String(data.data[0])}`;
  };
  it("reads widths, exponents and special floats", () => {
    expect(
      [
        "1",
        "-3",
        "1f",
        "0.5f",
        "1e-05f",
        "0.1f64",
        "inff",
        "-inff",
        "nanf",
        "1i64",
        "-3000000001i64",
        "7u8",
        "1.5f16",
      ].map(value),
    ).toEqual([
      "int32 1",
      "int32 -3",
      "float32 1",
      "float32 0.5",
      "float32 0.000009999999747378752",
      "float64 0.1",
      "float32 Infinity",
      "float32 -Infinity",
      "float32 NaN",
      "int64 1",
      "int64 -3000000001",
      "uint8 7",
      "float16 15872",
    ]);
  });
  it("keeps every bit of a wide integer and takes the dtype of a comment", () => {
    expect(value("9007199254740993")).toBe("int64 9007199254740993");
    expect(value("-9223372036854775808")).toBe("int64 -9223372036854775808");
    expect(value("1 /* ty=int64 */")).toBe("int64 1");
    expect(value("-128 /* ty=int8 */")).toBe("int8 -128");
    expect(value("True")).toBe("bool 1");
  });
  it("says what does not fit", () => {
    expect(errors(body("add(%x, 300i8)"))[0]).toMatch(/^RS1060 2:11 .*300 does not fit int8/);
    expect(errors(body("add(%x, 99999999999999999999)"))[0]).toMatch(/^RS1060/);
    expect(errors(body("add(%x, 1abc)"))[0]).toMatch(/^RS1060 2:11/);
  });
});

describe("constants of the metadata", () => {
  it("seeds what print(mod) leaves out, by the documented recipe", () => {
    const text = body(
      "%0 = add(%x, meta[relay.Constant][1] /* ty=Tensor[(2), float32] */);\n  add(%0, meta[relay.Constant][1])",
    );
    const { module, seededConstants } = parseText(text);
    const call = module.functions.get("main")!.body as Call;
    const data = constantOf(call.args[1]!).data;
    expect(seededConstants).toBe(1);
    expect((call.args[0] as Call).args[1]).toBe(call.args[1]);
    expect([data.provenance, data.dtype.name, data.shape]).toEqual(["seeded", "float32", [2]]);
    // h = FNV-1a of "meta[relay.Constant][1]", scale 0.5 for rank 1.
    expect([...(data.data as Float32Array)].every((v) => Math.abs(v) <= 0.5)).toBe(true);
  });
  it("refuses a constant that nothing describes", () => {
    expect(errors(body("add(%x, meta[relay.Constant][0])"))).toEqual([
      "RS1040 2:11 Nothing says what `meta[relay.Constant][0]` is.",
    ]);
  });
  it("says once that values are made up", () => {
    const made = (index: number) => `meta[relay.Constant][${index}] /* ty=Tensor[(2), float32] */`;
    const text = body(`%0 = add(%x, ${made(0)});\n  %1 = add(%0, ${made(1)});\n  add(%1, ${made(0)})`);
    const { diagnostics, hasErrors, seededConstants } = parseText(text);
    expect([hasErrors, seededConstants]).toEqual([false, 2]);
    expect(diagnosticLines(text, diagnostics)).toEqual([
      "RS1043 2:16 2 constants have no values in the text: they are seeded by rule.",
    ]);
    expect(diagnostics[0]).toMatchObject({
      severity: "warning",
      hint: "In Python, print the module with mod.astext(show_meta_data=True), and paste all of it.",
    });
  });
  it("refuses broken metadata", () => {
    expect(errors(`${body("%x")}#[metadata]\n{"root": 1,`)[0]).toMatch(/^RS1041 4:1/);
    expect(
      errors(
        `${body("add(%x, meta[relay.Constant][0])")}#[metadata]\n{"root": 1, "nodes": [{}, {"keys": [], "data": []}]}`,
      )[0],
    ).toMatch(/^RS1042/);
  });
  it("round-trips arrays through the metadata section, bit for bit", () => {
    const { module, cx } = typedModule(
      body("add(%x, meta[relay.Constant][0] /* ty=Tensor[(2), float32] */)"),
    );
    const text = printModule(module, { ops: cx.ops, showMeta: true }).text;
    const again = typedModule(text);
    expect(structuralEqual(module.functions.get("main")!, again.module.functions.get("main")!)).toBe(true);
    expect(printModule(again.module, { ops: cx.ops, showMeta: true }).text).toBe(text);
  });
});

describe("mistakes", () => {
  it("gives many in one go, each with its place", () => {
    expect(
      errors(`def @main(%x: Tensor[(2), float23], %y: float32) {
  %0 = nn.conv2(%x, %y);
  %1 = add(%x);
  %2 = nn.softmax(%1, axs=1);
  %3 = add(%z, %7);
  %3 = add(%9, %x);
  %9 = add(%x, %x);
  @foo(%3)
}
`),
    ).toEqual(["RS1030 1:27 There is no data type `float23`."]);
    expect(
      errors(`def @main(%xx: Tensor[(2), float32]) {
  %0 = nn.conv2(%xx, %y1);
  %1 = add(%xx);
  %2 = nn.softmax(%1, axs=1);
  %3 = add(%xy, %7);
  %3 = add(%9, %xx);
  %9 = add(%xx, %xx);
  @mian(%3)
}
`),
    ).toEqual([
      "RS1020 2:8 There is no operator `nn.conv2`.",
      "RS1010 2:22 `%y1` is not defined here.",
      "RS1021 3:8 add takes 2 arguments, 1 given.",
      "RS1022 4:23 nn.softmax has no attribute `axs`.",
      "RS1010 5:12 `%xy` is not defined here.",
      "RS1011 5:17 `%7` is not defined.",
      "RS1013 6:3 `%3` is defined twice.",
      "RS1012 6:12 `%9` is used before it is defined.",
      "RS1014 8:3 The function `@mian` is not defined.",
    ]);
  });

  it("names what is near", () => {
    const { diagnostics } = parseText(body("nn.conv2(%x, %y)"));
    expect(diagnostics[0]!.hint).toContain("`nn.conv2d`");
    expect(parseText(body("nn.softmax(%x, axs=1)")).diagnostics[0]!.hint).toContain("`axis`");
    expect(parseText(body("nn.bias_add(%x, %yy)")).diagnostics[0]!.hint).toContain("`%y`");
  });

  it("goes on behind a broken statement", () => {
    expect(
      errors(
        "def @main(%x: float32) {\n  %0 = add(%x, ;\n  %1 = add(%0 %x);\n  let = 3;\n  %2 = add(%1, %q);\n  %2\n}\ndef @g(%x) { %y }\n",
      ).map((e) => e.slice(0, 11).trim()),
    ).toEqual(["RS1001 2:16", "RS1001 3:15", "RS1001 4:7", "RS1010 5:16", "RS1010 8:14"]);
  });

  it("reports a forgotten semicolon once", () => {
    expect(errors(body("%0 = add(%x, %y)\n  %1 = add(%0, %0);\n  %1"))).toEqual([
      "RS1001 3:3 Expected `;` after the binding, found `%1`.",
    ]);
  });

  it("knows cyclic and self-referring names", () => {
    expect(errors(body("%0 = add(%0, %x);\n  %0"))[0]).toMatch(/^RS1012 2:12/);
    expect(errors(body("let %a = add(%a, %x);\n  %a"))[0]).toMatch(/^RS1010 2:16/);
  });

  it("reports a name without let", () => {
    expect(errors(body("%a = add(%x, %y);\n  %a"))[0]).toMatch(/^RS1001 2:3 .*needs `let`/);
  });

  it("refuses a shape of 2^40 elements with the number", () => {
    const { diagnostics } = parseText("def @main(%x: Tensor[(1048576, 1048576), float32]) { %x }");
    expect(diagnostics[0]!.code).toBe("RS1031");
    expect(diagnostics[0]!.got).toContain("1,099,511,627,776 elements");
    expect(errors("def @main(%x: Tensor[(99999999999999999999), int8]) { %x }")[0]).toMatch(/^RS1032 1:23/);
    expect(errors("def @main(%x: Tensor[(-1), int8]) { %x }")[0]).toMatch(/^RS1032/);
  });

  it("types attributes by the schema", () => {
    expect(errors(body("nn.softmax(%x, axis=0.5f)"))[0]).toMatch(
      /^RS1023 2:23 nn.softmax: `axis` cannot be 0.5f/,
    );
    expect(
      errors(body('nn.conv2d(%x, %y, padding=1, out_dtype="float33", strides=[1, "a"])')).map((e) =>
        e.slice(0, 6),
      ),
    ).toEqual(["RS1023", "RS1023", "RS1023"]);
    expect(errors(body("nn.conv2d(%x, %y, padding=None)"))[0]).toMatch(/`padding` cannot be None/);
    expect(errors(body("nn.softmax(%x, axis=1, axis=1)"))[0]).toMatch(/^RS1013/);
    const call = main(body("nn.softmax(%x)")).body as Call;
    expect(call.attrs).toEqual({ axis: -1 });
  });

  it("says where a text is cut off", () => {
    const whole =
      "def @main(%x: Tensor[(2, 3), float32]) {\n  %0 = add(%x, 1f) /* ty=Tensor[(2, 3), float32] */;\n  nn.relu(%0)\n}";
    for (let cut = 1; cut < whole.length - 1; cut++) {
      const { hasErrors, diagnostics } = parseText(whole.slice(0, cut));
      expect(hasErrors, whole.slice(0, cut)).toBe(true);
      expect(diagnostics.every((d) => d.span !== null && d.span.end <= cut)).toBe(true);
    }
  });

  it("refuses too deep nesting, but not long chains", () => {
    const deep = body(`${"(".repeat(100_000)}%x${")".repeat(100_000)}`);
    expect(errors(deep)[0]).toMatch(/^RS1005/);
    expect(errors(body(`${"add(".repeat(5000)}%x`))[0]).toMatch(/^RS1005/);
    expect(errors(`def @main(%x: ${"(".repeat(5000)}`)[0]).toMatch(/^RS1005/);
    expect(errors(body(`nn.softmax(%x, axis=${"[".repeat(5000)}`))[0]).toMatch(/^RS1005/);
    expect(errors(body(`${"%x + ".repeat(20_000)}%x`))).toEqual([]);
  });

  it("stops after a hundred mistakes", () => {
    const text = body(`${"nope(%x);\n".repeat(1000)}%x`);
    const { diagnostics } = parseText(text);
    expect(diagnostics).toHaveLength(101);
    expect(diagnostics.some((d) => d.code === "RS1006")).toBe(true);
  });

  it("answers to 50 MB of nonsense, and to large texts of one thing", () => {
    expect(errors("x y ".repeat(12_500_000))[0]).toMatch(/^RS1004 1:1/);
    for (const unit of ["(", "/*", "#[", "meta[", "%0=", '"\n', "def ", "{", "x y ", "/* */", "9"]) {
      expect(parseText(unit.repeat(1_000_000 / unit.length)).hasErrors, unit).toBe(true);
    }
    expect(parseText(`def @main() {${"/* ".repeat(100_000)}${"*/ ".repeat(100_000)}1 }`).hasErrors).toBe(
      false,
    );
  });

  it("survives nonsense", () => {
    for (const text of [
      "",
      " ",
      "}",
      "def",
      "def @",
      "def @main",
      "@main(%x)",
      "%",
      '"',
      "/*",
      "#[",
      "#",
      "\0\u{1f600}",
      "meta[",
      "meta[relay.Constant][0]",
      "let",
      "%0 = %0;",
      "fn",
      "{",
      "%0 = ",
      "1 2 3",
      "type",
      "type X { A(",
      "x.y.z",
      "fn (%x) { %x } fn",
    ]) {
      expect(parseText(text).hasErrors, text).toBe(true);
    }
  });
});
