// Symbolic intervals: exact where it matters for tiles, and around every value on random expressions.
import { expect, test } from "vitest";
import { int32 } from "../ir/dtype.ts";
import { add, binary, floorDiv, foldInt, intImm, mul, select, lt, tirVar } from "../tir/build.ts";
import type { PrimExpr, TirVar } from "../tir/expr.ts";
import { exprText } from "../tir/print.ts";
import { createAnalyzer } from "./analyzer.ts";
import { evalInterval, rangeInterval } from "./interval.ts";

const [outer, inner, k] = [tirVar("outer"), tirVar("inner"), tirVar("k")];

test("what a tile reads: stride, halo, scaling", () => {
  const analyzer = createAnalyzer();
  analyzer.bind(outer, 0, 7);
  analyzer.bind(inner, 0, 8);
  analyzer.bind(k, 0, 3);
  const tile = new Map([
    [inner, rangeInterval(intImm(0), intImm(8))],
    [k, rangeInterval(intImm(0), intImm(3))],
  ]);
  const ends = (expr: PrimExpr): string[] => {
    const { min, max } = evalInterval(analyzer, expr, tile);
    return [min, max].map((end) => (end === null ? "unbounded" : exprText(end)));
  };
  const column = add(mul(outer, 8), inner);
  expect(ends(add(mul(column, 2), k))).toEqual(["outer * 16", "outer * 16 + 16"]);
  expect(ends(floorDiv(column, 2))).toEqual(["outer * 4", "outer * 4 + 3"]);
  expect(ends(floorDiv(column, 8))).toEqual(["outer", "outer"]);
  expect(ends(select(lt(inner, 4), inner, add(inner, outer)))).toEqual(["0", "outer + 7"]);
});

function generator(seed: number): (below: number) => number {
  let state = (seed * 2654435761) >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const ops = ["add", "sub", "mul", "floordiv", "floormod", "min", "max"] as const;

function randomExpr(next: (below: number) => number, depth: number): PrimExpr {
  if (depth === 0 || next(5) === 0) return [outer, inner, k, intImm(next(15) - 4)][next(4)]!;
  const op = ops[next(7)]!;
  const b =
    op === "floordiv" || op === "floormod"
      ? intImm(1 + next(9))
      : op === "mul"
        ? intImm(next(7) - 2)
        : randomExpr(next, depth - 1);
  return binary(op, randomExpr(next, depth - 1), b);
}

function evaluate(expr: PrimExpr, values: ReadonlyMap<TirVar, number>): number {
  if (expr.kind === "int") return Number(expr.value);
  if (expr.kind === "tir-var") return values.get(expr)!;
  if (expr.kind !== "binary") throw new Error(`no ${expr.kind} here`);
  return Number(foldInt(expr.op, evaluate(expr.a, values), evaluate(expr.b, values), int32));
}

test("every value lies between the ends, on 600 random expressions", () => {
  for (let seed = 1; seed <= 600; seed++) {
    const next = generator(seed);
    const analyzer = createAnalyzer();
    const [rows, columns, window] = [1 + next(9), 1 + next(9), 1 + next(4)];
    analyzer.bind(outer, 0, rows);
    const first = add(mul(outer, next(3)), next(5));
    const domains = new Map([
      [inner, rangeInterval(first, intImm(columns))],
      [k, rangeInterval(intImm(0), intImm(window))],
    ]);
    const expr = randomExpr(next, 4);
    const { min, max } = evalInterval(analyzer, expr, domains);
    for (let trial = 0; trial < 30; trial++) {
      const at = next(rows);
      const fixed = new Map([[outer, at]]);
      const values = new Map([
        [outer, at],
        [inner, evaluate(first, fixed) + next(columns)],
        [k, next(window)],
      ]);
      const value = evaluate(expr, values);
      const message = `seed ${seed}: ${exprText(expr)} = ${value}`;
      if (min !== null) expect(evaluate(min, fixed), message).toBeLessThanOrEqual(value);
      if (max !== null) expect(evaluate(max, fixed), message).toBeGreaterThanOrEqual(value);
    }
  }
});
