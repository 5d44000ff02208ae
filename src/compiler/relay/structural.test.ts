import { describe, expect, it } from "vitest";
import { parseText } from "../../testing/harness/relay-text.ts";
import type { Func } from "./expr.ts";
import { structuralEqual, structuralHash } from "./structural.ts";

const main = (text: string): Func => parseText(text).module.functions.get("main")!;
const f = (body: string, params = "%x: Tensor[(2), float32], %y: Tensor[(2), float32]") =>
  main(`def @main(${params}) { ${body} }`);

function differ(a: Func, b: Func): void {
  expect(structuralEqual(a, b)).toBe(false);
  expect(structuralEqual(b, a)).toBe(false);
  expect(structuralHash(a)).not.toBe(structuralHash(b));
}

describe("structural equality and hash", () => {
  it("map bound variables by position", () => {
    const a = f("let %t = add(%x, %y); multiply(%t, %x)");
    const b = f(
      "let %u = add(%p, %q); multiply(%u, %p)",
      "%p: Tensor[(2), float32], %q: Tensor[(2), float32]",
    );
    expect(structuralEqual(a, b)).toBe(true);
    expect(structuralHash(a)).toBe(structuralHash(b));
    differ(a, f("let %t = add(%y, %x); multiply(%t, %x)"));
    differ(a, f("let %t = add(%x, %y); multiply(%t, %y)"));
  });

  it("see operators, attributes, types, constants and function attributes", () => {
    differ(f("add(%x, %y)"), f("subtract(%x, %y)"));
    differ(f("nn.softmax(%x, axis=0)"), f("nn.softmax(%x, axis=-1)"));
    differ(f("add(%x, %y)"), f("add(%x, %y)", "%x: Tensor[(3), float32], %y: Tensor[(3), float32]"));
    differ(f("add(%x, 1f)"), f("add(%x, 2f)"));
    differ(f("add(%x, 1)"), f("add(%x, 1i64)"));
    differ(f("add(%x, 0f)"), f("add(%x, -0f)"));
    differ(f("(%x, %y).0"), f("(%x, %y).1"));
    differ(f("(%x, %y)"), f("(%x, (%y,))"));
    differ(
      main("def @main(%x: float32, Primitive=1) { %x }"),
      main("def @main(%x: float32, Primitive=0) { %x }"),
    );
    expect(
      structuralEqual(
        main("def @main(%x: float32, a=1, b=2) { %x }"),
        main("def @main(%x: float32, b=2, a=1) { %x }"),
      ),
    ).toBe(true);
    expect(structuralHash(main("def @main(%x: float32, a=1, b=2) { %x }"))).toBe(
      structuralHash(main("def @main(%x: float32, b=2, a=1) { %x }")),
    );
  });

  it("tell a shared node from two equal ones", () => {
    const shared = f("%0 = nn.relu(%x); add(%0, %0)");
    const twice = f("%0 = nn.relu(%x); %1 = nn.relu(%x); add(%0, %1)");
    expect(structuralEqual(shared, twice)).toBe(false);
    expect(structuralEqual(twice, shared)).toBe(false);
    // Literals have no identity.
    expect(structuralEqual(f("add(add(%x, 1f), 1f)"), f("add(add(%x, 1f), 1f)"))).toBe(true);
  });

  it("hold free variables equal only to themselves", () => {
    const { body, params } = f("add(%x, %y)");
    expect(structuralEqual(body, body)).toBe(true);
    expect(structuralEqual(body, f("add(%x, %y)").body)).toBe(false);
    expect(structuralEqual(params[0]!, params[1]!)).toBe(false);
  });

  it("cover control flow, matches and polymorphic functions", () => {
    const list = "type List[A] {\n Cons(A, List[A]),\n Nil,\n}\n";
    const head = (a: string, v: string) =>
      main(
        `${list}def @main[${a}](%l: List[${a}], %d: ${a}) -> ${a} { match (%l) { Cons(%${v}, _) => { %${v} }, Nil => { %d }, } }`,
      );
    expect(structuralEqual(head("A", "h"), head("B", "k"))).toBe(true);
    expect(structuralHash(head("A", "h"))).toBe(structuralHash(head("B", "k")));
    differ(
      f("if (%c) { %x } else { %y }", "%c: bool, %x: float32, %y: float32"),
      f("if (%c) { %y } else { %x }", "%c: bool, %x: float32, %y: float32"),
    );
    differ(f("let %r = ref(%x); ref_read(%r)"), f("let %r = ref(%y); ref_read(%r)"));
  });

  it("are stable and survive chains of 10,000", () => {
    // Pinned: the hash is shown to users and kept in links.
    expect(structuralHash(f("add(%x, %y)"))).toMatch(/^[0-9a-f]{16}$/);
    expect(structuralHash(f("add(%x, %y)"))).toBe(structuralHash(f("add(%x, %y)")));
    const chain = () =>
      f(
        `${Array.from({ length: 10_000 }, (_, i) => `%${i} = nn.relu(${i === 0 ? "%x" : `%${i - 1}`});`).join("\n")} %9999`,
      );
    const [a, b] = [chain(), chain()];
    expect(structuralEqual(a, b)).toBe(true);
    expect(structuralHash(a)).toBe(structuralHash(b));
  });
});
