// A chain of 10,000 calls passes both executors and every planner, in time that is near linear.
import { at } from "../../support/assert.ts";
import { expect, it } from "vitest";
import { defaultOptions } from "../options.ts";
import { idSource } from "../ir/ids.ts";
import { synthetic } from "../ir/origin.ts";
import { float32 } from "../ir/dtype.ts";
import { funcType, tensorType } from "../ir/type.ts";
import { createTeCompiler } from "../lower/te-compiler.ts";
import { ops } from "../ops/index.ts";
import { call } from "../relay/build.ts";
import { makeCall, makeFunction, makeVar, type Expr, type Func } from "../relay/expr.ts";
import { planGreedy, planHillClimb } from "../memory/arena.ts";
import { planAssigned, planOnDemand } from "../memory/assigned.ts";
import { planLowerBound } from "../memory/lives.ts";
import { planAot } from "./aot-main.ts";
import { planGraph } from "./graph-plan.ts";
import { readMain } from "./main-flow.ts";
import { aotEvents, graphEvents } from "./memory-events.ts";

const origin = synthetic("test");
const count = 10_000;

/**
 * add(tanh(x), x), `count` primitives deep; every hundredth result is read again at the end of its hundred.
 */
function chain(): {
  readonly main: Func;
  readonly cx: Parameters<typeof createTeCompiler>[0] & { readonly evaluate: null };
} {
  const cx = {
    ids: idSource(),
    ops,
    options: defaultOptions,
    verify: "passes" as const,
    diagnostics: [],
    remarks: [],
    modName: "default",
    evaluate: null,
  };
  const type = tensorType([4, 16], float32);
  const input = makeVar(cx.ids, "x", type, { origin });
  const primitive = (names: 1 | 2): Func => {
    const params = Array.from({ length: names }, (_, i) => makeVar(cx.ids, `p${i}`, type, { origin }));
    const body = names === 1 ? call(cx, "tanh", params, {}, origin) : call(cx, "add", params, {}, origin);
    return makeFunction(cx.ids, params, body, {
      origin,
      type: funcType(
        params.map(() => type),
        type,
      ),
      resultType: type,
      attrs: { Primitive: 1 },
    });
  };
  let value: Expr = input;
  let kept: Expr = input;
  for (let i = 0; i < count; i++) {
    const again = i % 100 === 99;
    value = makeCall(cx.ids, primitive(again ? 2 : 1), again ? [value, kept] : [value], {}, { origin, type });
    if (again) kept = value;
  }
  return {
    main: makeFunction(cx.ids, [input], value, {
      origin,
      type: funcType([type], type),
      resultType: type,
      attrs: {},
    }),
    cx,
  };
}

it("10,000 calls", () => {
  const { main, cx } = chain();
  const te = createTeCompiler(cx);
  const reading = readMain(main);
  const aot = planAot(reading, te, defaultOptions);
  const graph = planGraph(reading, te);
  if (!aot.ok || !graph.ok) throw new Error("refused");
  expect(te.items().map((item) => item.callSites)).toEqual([count - count / 100, count / 100]);
  expect(aot.value.calls.length).toBe(count);
  expect(aot.value.onDemand.length).toBe(count - 1);
  expect(aot.value.allocs.length).toBe(3);
  const events = aotEvents(aot.value);
  const bound = planLowerBound(events).totalBytes;
  expect(bound).toBe(3 * 256);
  expect(planOnDemand(events).totalBytes).toBe((count - 1) * 256);
  const rewritten = aot.value.storageOf;
  expect(planAssigned("storage-rewrite", events, (sid) => rewritten.get(sid)!).totalBytes).toBe(bound);
  expect(planGreedy(events).totalBytes).toBe(bound);
  expect(planHillClimb(events).totalBytes).toBe(bound);
  const { entries } = graph.value;
  const graphPlan = planAssigned(
    "graph-plan",
    graphEvents(graph.value),
    (entry) => at(entries, entry, "graph entry").storage,
  );
  expect(graphPlan.totalBytes).toBe(bound);
}, 20_000);
