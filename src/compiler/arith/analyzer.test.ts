// Simplification under ranges, stated as text; and every rewrite checked against plain evaluation on random
// expressions.
import { describe, expect, test } from "vitest";
import { int32 } from "../ir/dtype.ts";
import {
  add,
  and,
  binary,
  eq,
  floorDiv,
  floorMod,
  foldInt,
  ge,
  gt,
  intImm,
  le,
  lt,
  max,
  min,
  mul,
  ne,
  not,
  or,
  select,
  sub,
  tirVar,
} from "../tir/build.ts";
import type { PrimExpr, TirVar } from "../tir/expr.ts";
import { exprText } from "../tir/print.ts";
import { children, mapChildren } from "../tir/visit.ts";
import { createAnalyzer } from "./analyzer.ts";
import { toExpr } from "./linear.ts";

const x = tirVar("x");
const y = tirVar("y");
const z = tirVar("z");
const n = tirVar("n");

function simple(expr: PrimExpr): string {
  const analyzer = createAnalyzer();
  analyzer.bind(x, 0, 8);
  analyzer.bind(y, 0, 4);
  analyzer.bind(z, 0, 100);
  analyzer.bind(n, 1, 1000);
  return exprText(analyzer.simplify(expr));
}

describe("simplify", () => {
  test.each<[string, PrimExpr, string]>([
    ["sums collect", sub(add(mul(x, 3), y), mul(x, 2)), "x + y"],
    ["multiples leave a division", floorDiv(add(mul(x, 12), 7), 4), "x * 3 + 1"],
    ["low part of a division goes", floorDiv(add(mul(x, 4), y), 28), "x // 7"],
    ["low part of a remainder stays", floorMod(add(mul(x, 4), y), 12), "x % 3 * 4 + y"],
    ["in one quotient", floorMod(add(x, 16), 16), "x"],
    ["quotient and remainder meet", add(mul(floorDiv(z, 7), 7), floorMod(z, 7)), "z"],
    [
      "three levels meet",
      add(add(mul(floorDiv(z, 12), 12), mul(floorMod(floorDiv(z, 4), 3), 4)), floorMod(z, 4)),
      "z",
    ],
    ["nested divisions", floorDiv(floorDiv(z, 3), 5), "z // 15"],
    ["min by bounds", min(x, 9), "x"],
    ["max of close sums", max(add(z, 1), add(z, 3)), "z + 3"],
    ["nested limits", min(min(z, 50), 20), "T.min(z, 20)"],
    ["comparison divides", lt(mul(z, 4), 10), "z < 3"],
    ["low part of a comparison", lt(add(mul(z, 4), y), 40), "z < 10"],
    ["comparison by bounds", lt(x, 8), "True"],
    ["equal never", eq(mul(z, 2), 5), "False"],
    ["right side knows the left", and(lt(z, 10), lt(z, 20)), "z < 10"],
    ["not of a comparison", not(lt(z, 10)), "z >= 10"],
    ["branches know the condition", select(lt(z, 4), floorDiv(z, 4), intImm(9)), "T.Select(z < 4, 0, 9)"],
  ])("%s", (_name, expr, text) => {
    expect(simple(expr)).toBe(text);
  });

  test("symbolic extents: (i*n + j) // n with 0 <= j < n", () => {
    const analyzer = createAnalyzer();
    const i = tirVar("i");
    const j = tirVar("j");
    analyzer.bind(n, 1, 1000);
    analyzer.bind(i, 0, 10);
    analyzer.bind(j, 0, n);
    expect(exprText(analyzer.simplify(floorDiv(add(mul(i, n), j), n)))).toBe("i");
    expect(exprText(analyzer.simplify(floorMod(add(mul(i, n), j), n)))).toBe("j");
    expect(analyzer.canProve(lt(j, n))).toBe(true);
    expect(analyzer.canProve(lt(add(j, 1), n))).toBe(false);
  });

  test("a condition holds only inside", () => {
    const analyzer = createAnalyzer();
    analyzer.bind(z, 0, 100);
    const sum = add(floorDiv(z, 4), y);
    const inside = analyzer.within(lt(z, 4), () => exprText(analyzer.simplify(sum)));
    expect(inside).toBe("y");
    expect(exprText(analyzer.simplify(sum))).toBe("z // 4 + y");
    expect(analyzer.canProve(lt(z, 4))).toBe(false);
  });

  test("what is simple already comes back as the same object", () => {
    const expr = add(mul(x, 4), y);
    expect(createAnalyzer().simplify(expr)).toBe(expr);
  });
});

/** A small deterministic generator. */
function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % below;
  };
}

const binaryOps = ["add", "sub", "mul", "floordiv", "floormod", "min", "max"] as const;
const compareOps = [lt, le, gt, ge, eq, ne] as const;

function randomInt(next: (below: number) => number, depth: number): PrimExpr {
  if (depth === 0 || next(6) === 0) return [x, y, z, intImm(next(20) - 4)][next(4)]!;
  const pick = next(8);
  if (pick === 7)
    return select(randomBool(next, depth - 1), randomInt(next, depth - 1), randomInt(next, depth - 1));
  const op = binaryOps[pick]!;
  const a = randomInt(next, depth - 1);
  const b =
    op === "floordiv" || op === "floormod"
      ? intImm(1 + next(12))
      : op === "mul"
        ? intImm(next(9) - 2)
        : randomInt(next, depth - 1);
  return binary(op, a, b);
}

function randomBool(next: (below: number) => number, depth: number): PrimExpr {
  const pick = depth === 0 ? 0 : next(4);
  if (pick === 1) return and(randomBool(next, depth - 1), randomBool(next, depth - 1));
  if (pick === 2) return or(randomBool(next, depth - 1), randomBool(next, depth - 1));
  if (pick === 3) return not(randomBool(next, depth - 1));
  return compareOps[next(6)]!(randomInt(next, depth), randomInt(next, Math.max(depth - 1, 0)));
}

function evaluate(expr: PrimExpr, values: ReadonlyMap<TirVar, number>): number {
  if (expr.kind === "int") return Number(expr.value);
  if (expr.kind === "tir-var") return values.get(expr)!;
  if (expr.kind === "not") return evaluate(expr.a, values) === 0 ? 1 : 0;
  if (expr.kind === "select")
    return evaluate(expr.condition, values) !== 0
      ? evaluate(expr.then, values)
      : evaluate(expr.otherwise, values);
  if (expr.kind !== "binary") throw new Error(`no ${expr.kind} here`);
  return Number(
    foldInt(
      expr.op,
      evaluate(expr.a, values),
      evaluate(expr.b, values),
      expr.a.dtype === int32 ? int32 : expr.dtype,
    ),
  );
}

test("simplified expressions have the same value, and bounds hold, on 1500 random expressions", () => {
  for (let seed = 1; seed <= 1500; seed++) {
    const next = generator(seed);
    const analyzer = createAnalyzer();
    const ranges: [TirVar, number, number][] = [
      [x, next(5) - 2, 1 + next(9)],
      [y, 0, 1 + next(6)],
      [z, next(3), 1 + next(40)],
    ];
    for (const [variable, low, size] of ranges) analyzer.bind(variable, low, size);
    const expr = seed % 3 === 0 ? randomBool(next, 3) : randomInt(next, 4);
    const result = analyzer.simplify(expr);
    const bounds = seed % 3 === 0 ? null : analyzer.bounds(expr);
    for (let trial = 0; trial < 24; trial++) {
      const values = new Map(ranges.map(([variable, low, size]) => [variable, low + next(size)]));
      const want = evaluate(expr, values);
      const where = `seed ${seed}: ${exprText(expr)} -> ${exprText(result)}`;
      expect(evaluate(result, values), where).toBe(want);
      if (bounds !== null)
        expect(
          bounds.min <= want && want <= bounds.max,
          `${where} in [${bounds.min}, ${bounds.max}], got ${want}`,
        ).toBe(true);
    }
    expect(exprText(analyzer.simplify(result))).toBe(exprText(result));
  }
});

test("values that wrap: simplified expressions of anything an int32 holds, on 3000 random expressions", () => {
  const edges = [-(2 ** 31), -(2 ** 31) + 1, -(2 ** 30), -7, -1, 0, 1, 3, 2 ** 30, 2 ** 31 - 2, 2 ** 31 - 1];
  for (let seed = 1; seed <= 3000; seed++) {
    const next = generator(seed * 7919);
    const analyzer = createAnalyzer();
    analyzer.bind(x, 0, 1 + next(9));
    const known = new Map([[x, 0]]);
    const large = new Map<PrimExpr, PrimExpr>(
      Array.from({ length: 20 }, (_, i) => [intImm(i - 4), intImm(edges[next(edges.length)]!)]),
    );
    const widen = (expr: PrimExpr): PrimExpr =>
      expr.kind === "int" && next(3) === 0
        ? [...large.values()][next(large.size)]!
        : expr.kind === "binary" && (expr.op === "floordiv" || expr.op === "floormod")
          ? binary(expr.op, widen(expr.a), expr.b)
          : mapChildren(expr, widen);
    const expr = widen(seed % 2 === 0 ? randomBool(next, 3) : randomInt(next, 4));
    const result = analyzer.simplify(expr);
    for (let trial = 0; trial < 24; trial++) {
      const values = new Map(known);
      values.set(y, edges[next(edges.length)]!);
      values.set(z, edges[next(edges.length)]!);
      expect(evaluate(result, values), `seed ${seed}: ${exprText(expr)} -> ${exprText(result)}`).toBe(
        evaluate(expr, values),
      );
    }
  }
});

test("a sum of thousands of terms is no higher than a tree needs", () => {
  const height = (expr: PrimExpr): number => 1 + Math.max(0, ...children(expr).map(height));
  const analyzer = createAnalyzer();
  let row: PrimExpr = intImm(7);
  for (let i = 0; i < 1000; i++) {
    const variable = tirVar(`v${i}`);
    analyzer.bind(variable, 0, 9);
    row = i % 2 === 0 ? add(row, variable) : sub(row, variable);
  }
  const balanced = toExpr(analyzer.linear(row), int32);
  expect(height(balanced)).toBeLessThan(60);
  expect(analyzer.linear(balanced).terms.size).toBe(1000);
  expect(analyzer.linear(balanced).constant).toBe(7);
});
