import { describe, expect, it } from "vitest";
import { synthetic } from "../ir/origin.ts";
import { ops } from "../ops/index.ts";
import { parseText, relayContext, typedModule } from "../../testing/harness/relay-text.ts";
import { makeCall, makeOpRef, makeTuple, type Call, type Func } from "./expr.ts";
import { emptyModule, withFunction } from "./module.ts";
import { verifyModule } from "./verify.ts";

const text = "def @main(%x: float32) { let %a = nn.relu(%x); add(%a, 1f) }";

describe("verifyModule", () => {
  it("finds nothing in a typed module", () => {
    expect(verifyModule(typedModule(text).module, { ops, typed: true })).toEqual([]);
  });
  it("finds missing types", () => {
    expect(verifyModule(parseText(text).module, { ops, typed: true }).length).toBeGreaterThan(0);
    expect(verifyModule(parseText(text).module, { ops, typed: false })).toEqual([]);
  });
  it("finds free and twice-bound variables, unknown operators and functions, wrong arguments and attributes", () => {
    const { ids } = relayContext();
    const origin = synthetic("test");
    const main = parseText("def @main(%x: float32) { nn.relu(%x) }").module.functions.get("main")!;
    const check = (func: Func) =>
      verifyModule(withFunction(emptyModule, "main", func), { ops, typed: false });
    const call = main.body as Call;
    expect(check({ ...main, params: [] })).toEqual(["@main: %x is free"]);
    expect(check({ ...main, params: [main.params[0]!, main.params[0]!] })).toEqual([
      "@main: %x is bound twice",
    ]);
    expect(
      check({ ...main, body: makeCall(ids, makeOpRef(ids, "nope", { origin }), [], {}, { origin }) })[0],
    ).toContain("no such operator");
    expect(check({ ...main, body: { ...call, args: [...call.args, ...call.args] } })[0]).toContain(
      "has 2 arguments, needs 1",
    );
    expect(check({ ...main, body: { ...call, attrs: { alpha: 1 } } })[0]).toContain("attributes [alpha]");
    expect(
      check({
        ...main,
        body: makeTuple(
          ids,
          [{ kind: "global", id: call.id, type: null, span: null, origin, name: "gone" }],
          { origin },
        ),
      })[0],
    ).toContain("@gone is not in the module");
  });
});
