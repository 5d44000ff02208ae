import { describe, expect, it } from "vitest";
import { expandOrigin, type LineOwner } from "../../ir/origin.ts";
import { float32, float64, int64, int8, parseDType } from "../../ir/dtype.ts";
import { allocateArray, tensorData, type TensorData } from "../../ir/tensor-data.ts";
import { ops } from "../../ops/index.ts";
import { parseText, typedModule } from "../../../testing/harness/relay-text.ts";
import { printAttr, scalarLiteral, streamFloat } from "./print-literal.ts";
import { printExpr, printModule, type PrintOptions } from "./print.ts";

const bare: PrintOptions = { ops, showMeta: false, header: false };

/** Printed and parsed and printed: the text that both agree on. */
function stable(text: string): string {
  const first = printModule(typedModule(text).module, bare).text;
  expect(printModule(typedModule(first).module, bare).text).toBe(first);
  return first;
}

describe("numbers as a C++ stream writes them", () => {
  it("has six digits, no trailing zeros, two digits of exponent", () => {
    expect(
      [
        0.1,
        1e-5,
        2,
        -128,
        0.58470292,
        1e6,
        999999,
        123456789,
        1.5e-10,
        0.0001,
        0.00001234,
        1e100,
        0,
        -0,
        Infinity,
        -Infinity,
        NaN,
      ].map((v) => streamFloat(v)),
    ).toEqual([
      "0.1",
      "1e-05",
      "2",
      "-128",
      "0.584703",
      "1e+06",
      "999999",
      "1.23457e+08",
      "1.5e-10",
      "0.0001",
      "1.234e-05",
      "1e+100",
      "0",
      "-0",
      "inf",
      "-inf",
      "nan",
    ]);
  });
  it("rounds ties to even, unlike JavaScript", () => {
    expect([100000.5, 100001.5, 12345.25, 12345.75, 999999.5].map((v) => streamFloat(v))).toEqual([
      "100000",
      "100002",
      "12345.2",
      "12345.8",
      "1e+06",
    ]);
  });
});

describe("scalars", () => {
  const scalar = (type: string, value: number | bigint): TensorData => {
    const dtype = parseDType(type)!;
    const data = allocateArray(dtype, 1);
    data[0] = value as never;
    return tensorData(dtype, [], data);
  };
  it("are inline for five dtypes and in the metadata for others", () => {
    expect(
      [
        scalar("float32", 2),
        scalar("float64", 0.1),
        scalar("int32", -3),
        scalar("int64", 2n ** 60n),
        scalar("bool", 1),
      ].map((d) => scalarLiteral(d)),
    ).toEqual(["2f", "0.1f64", "-3", "1152921504606846976", "True"]);
    expect(scalarLiteral(scalar("int8", 3))).toBeNull();
    expect(scalarLiteral(scalar("float16", 3))).toBeNull();
    expect(scalarLiteral(tensorData(float32, [1], Float32Array.of(1)))).toBeNull();
  });
  it("keep every bit", () => {
    for (const value of [1 / 3, 0.1, 16777217, 1e-45, 3.4e38]) {
      const exact = scalarLiteral(scalar("float32", value))!;
      expect(Math.fround(Number(exact.slice(0, -1)))).toBe(Math.fround(value));
      expect(Number(scalarLiteral(scalar("float64", value))!.slice(0, -3))).toBe(value);
    }
    expect(scalarLiteral(scalar("float32", 0.1))).toBe("0.1f");
  });
  it("as attributes, too", () => {
    expect(
      [1e-5, Math.fround(1e-5), 1 / 3, Math.fround(1 / 3), 2].map((value) => printAttr(value, "float")),
    ).toEqual(["1e-05f", "1e-05f", "0.3333333333333333f", "0.33333334f", "2f"]);
  });
  it("show the sign of a NaN", () => {
    const bits = new Float32Array(Uint32Array.of(0xffc00000).buffer);
    expect(scalarLiteral(tensorData(float32, [], bits))).toBe("-nanf");
    expect(scalarLiteral(tensorData(float64, [], Float64Array.of(NaN)))).toBe("nanf64");
  });
  it("say an int64 that the comment does not", () => {
    const { module } = parseText("def @main(%x: Tensor[(2), int64]) { add(%x, 1i64) }");
    expect(printModule(module, bare).text).toContain("add(%x, 1 /* ty=int64 */)");
    expect([int64.name, int8.name]).toEqual(["int64", "int8"]);
  });
});

describe("attributes", () => {
  it("print by kind", () => {
    expect([
      printAttr(1e-5, "float"),
      printAttr(true, "bool"),
      printAttr("NCHW", "string"),
      printAttr(null, "array"),
      printAttr(null, "dtype"),
      printAttr(
        [
          [0, 0],
          [1, 1],
        ],
        "array",
      ),
      printAttr(3n, "int"),
      printAttr([0.5, 1], "float-array"),
    ]).toEqual(["1e-05f", "True", '"NCHW"', "None", '""', "[[0, 0], [1, 1]]", "3", "[0.5f, 1f]"]);
  });
  it("are left out where they are the default, and in schema order", () => {
    expect(
      stable(
        'def @main(%x: Tensor[(1, 8, 4, 4), float32], %w: Tensor[(8, 8, 3, 3), float32]) { nn.conv2d(%x, %w, kernel_size=[3, 3], groups=1, channels=8, padding=[1, 1], data_layout="NCHW") }',
      ),
    ).toContain("nn.conv2d(%x, %w, padding=[1, 1], channels=8, kernel_size=[3, 3]) /* ty=");
  });
});

describe("structure", () => {
  it("inlines what ends a scope and is used once, names the rest in order of visiting", () => {
    expect(stable("def @main(%x: Tensor[(2), float32]) { %0 = nn.relu(%x); %1 = add(%0, %0); (%1, (%0,)) }"))
      .toBe(`def @main(%x: Tensor[(2), float32]) -> (Tensor[(2), float32], (Tensor[(2), float32],)) {
  %0 = nn.relu(%x) /* ty=Tensor[(2), float32] */;
  %1 = add(%0, %0) /* ty=Tensor[(2), float32] */;
  %2 = (%0,);
  (%1, %2)
}
`);
  });

  it("prints functions, attributes and calls of functions", () => {
    expect(
      stable(
        'def @main(%x: float32) { %0 = fn (%p: float32, Primitive=1, hash="ab", Compiler="c", l=[1, 2]) { add(%p, 1f) }; %1 = %0(%x); %0(%1) }',
      ),
    ).toBe(`def @main(%x: float32) -> float32 {
  %0 = fn (%p: float32, Primitive=1, hash="ab", Compiler="c", l=[1, 2]) -> float32 {
    add(%p, 1f /* ty=float32 */) /* ty=float32 */
  };
  %1 = %0(%x) /* ty=float32 */;
  %0(%1) /* ty=float32 */
}
`);
  });

  it("prints type definitions, match, references, ifs and lets", () => {
    const text = `type List[A] {
  Cons(A, List[A]),
  Nil,
}

def @head[A](%l: List[A], %d: A) -> A {
  match (%l) {
    Cons(%h: A, _) => {
      %h
    },
    Nil => {
      %d
    },
  }
}

def @main(%c: bool, %x: float32) -> (float32, ref(float32)) {
  let %r: ref(float32) = ref(%x);
  let %u: () = ref_write(%r, 1f /* ty=float32 */);
  %0 = if (%c) {
    %1 = Nil /* ty=List[float32] */;
    %2 = Cons(%x, %1) /* ty=List[float32] */;
    @head(%2, %x) /* ty=float32 */
  } else {
    ref_read(%r)
  };
  (%0, %r)
}
`;
    // Names of bindings follow the order of visiting: the branch's bindings come first.
    const renumbered = text.replace(
      /%([012])\b/g,
      (_, n: string) => ({ "0": "%2", "1": "%0", "2": "%1" })[n]!,
    );
    expect(stable(text)).toBe(renumbered);
  });

  it("wraps a let that is no scope's value", () => {
    const text = printModule(
      typedModule("def @main(%x: float32) { add((let %a = nn.relu(%x); %a), %x) }").module,
      bare,
    ).text;
    expect(text).toContain("  %0 = (\n    let %a: float32 = nn.relu(%x) /* ty=float32 */;\n    %a\n  );\n");
    expect(stable("def @main(%x: float32) { add((let %a = nn.relu(%x); %a), %x) }")).toBe(text);
  });

  it("makes names unique over the module and starts them with a letter", () => {
    expect(
      stable("def @main(%_x: float32, %v_x: float32) { let %t = add(%_x, %v_x); let %t = add(%t, %t); %t }"),
    ).toContain("def @main(%v_x: float32, %v_x1: float32)");
  });

  it("declares free variables ahead of an expression", () => {
    const { module } = parseText("def @main(%x: float32) { add(%x, %x) }");
    expect(printExpr(module.functions.get("main")!.body, { ops })).toBe("free_var %x: float32;\nadd(%x, %x)");
  });

  it("puts the version first and the remark about metadata last", () => {
    const { module } = typedModule("def @main() { meta[relay.Constant][7] /* ty=Tensor[(2), float32] */ }");
    expect(printModule(module, { ops, showMeta: false }).text).toBe(`#[version = "0.0.5"]
def @main() -> Tensor[(2), float32] {
  meta[relay.Constant][0] /* ty=Tensor[(2), float32] */
}

/* For debugging purposes the metadata section has been omitted.
 * If you would like to see the full metadata section you can set the 
 * option to \`True\` when invoking \`astext\`. 
 */`);
  });
});

describe("owners", () => {
  it("are the printed node's origin, line by line, also inside function values", () => {
    const text =
      "def @main(%x: float32) {\n%0 = fn (%p: float32, Primitive=1) {\n%1 = nn.relu(%p);\nadd(%1, %1)\n};\n%0(%x)\n}";
    const { module, sources } = parseText(text);
    const primitives: (string | null)[] = [];
    const listing = printModule(module, {
      ...bare,
      owner: (expr, primitive): LineOwner => {
        primitives.push(primitive === null ? null : String(primitive.attrs["Primitive"]));
        return { origin: expr.origin, primitive: primitive === null ? -1 : 0, call: -1, storage: -1 };
      },
    });
    const lines = listing.text.trimEnd().split("\n");
    expect(listing.owners).toHaveLength(lines.length);
    const owned = listing.owners.map(
      (owner, i) =>
        `${lines[i]!.trim()} <- ${
          owner === null
            ? ""
            : `${expandOrigin(owner.origin!)
                .map((id) => sources.nodes[id]!.op)
                .join()} ${owner.primitive}`
        }`,
    );
    expect(owned).toEqual([
      "def @main(%x: float32) { <- function -1",
      "%1 = fn (%p: float32, Primitive=1) { <- function -1",
      "%0 = nn.relu(%p); <- nn.relu 0",
      "add(%0, %0) <- add 0",
      "}; <- function 0",
      "%1(%x) <- call -1",
      "} <- function -1",
    ]);
  });
});

describe("names", () => {
  it("stand beside the line that binds them, also inside function values; a let binds none", () => {
    const { module } = parseText(
      "def @main(%x: float32) {\n%0 = fn (%p: float32) {\n%1 = nn.relu(%p);\nadd(%1, %1)\n};\nlet %y = %0(%x);\n%y\n}",
    );
    const { text, owners } = printModule(module, bare);
    expect(
      text
        .trimEnd()
        .split("\n")
        .map((line, i) => [line.trim(), owners[i]?.binds ?? null]),
    ).toEqual([
      ["def @main(%x: float32) {", null],
      ["%1 = fn (%p: float32) {", "%1"],
      ["%0 = nn.relu(%p);", "%0"],
      ["add(%0, %0)", null],
      ["};", null],
      ["let %y = %1(%x);", null],
      ["%y", null],
      ["}", null],
    ]);
  });
});

describe("scale", () => {
  it("prints chains of 10,000 calls and of 10,000 lets", () => {
    const calls = Array.from(
      { length: 10_000 },
      (_, i) => `%${i} = nn.relu(${i === 0 ? "%x" : `%${i - 1}`});`,
    ).join("\n");
    const lets = Array.from(
      { length: 10_000 },
      (_, i) => `let %a${i} = nn.relu(${i === 0 ? "%x" : `%a${i - 1}`});`,
    ).join("\n");
    for (const body of [`${calls}\n%9999`, `${lets}\n%a9999`]) {
      const { module } = parseText(`def @main(%x: Tensor[(4), float32]) {\n${body}\n}`);
      const { text, owners } = printModule(module, bare);
      expect(text.trimEnd().split("\n").length).toBeGreaterThanOrEqual(10_002);
      expect(owners).toHaveLength(text.trimEnd().split("\n").length);
    }
  });
});
