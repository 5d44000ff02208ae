// TIR arithmetic at its edges: what the interpreter computes for special values of every dtype, gcc's program
// computes too.
import { describe, expect, it } from "vitest";
import { defaultOptions } from "../../options.ts";
import { flatValues, type OutputJson } from "../../../node/values.ts";
import { interpretPlan } from "../../../testing/harness/plan-run.ts";
import { runCProgram } from "../../../node/run-c.ts";
import { mainRows, primitiveCall } from "../../executor/main-calls.ts";
import type { AotPlan, LoweredPrimitive } from "../../executor/plan.ts";
import * as dtypes from "../../ir/dtype.ts";
import { isFloat, type DType } from "../../ir/dtype.ts";
import { encodeBfloat16, encodeFloat16 } from "../../ir/float16.ts";
import { synthetic } from "../../ir/origin.ts";
import { allocateArray, tensorData, type TensorData } from "../../ir/tensor-data.ts";
import { tensorType } from "../../ir/type.ts";
import {
  add,
  binary,
  buffer,
  cast,
  floatImm,
  forLoop,
  ifThenElse,
  intImm,
  load,
  lt,
  mul,
  select,
  seq,
  store,
  tirCall,
  tirLet,
  tirVar,
} from "../../tir/build.ts";
import type { BinaryOp, Buffer, PrimExpr } from "../../tir/expr.ts";
import type { PrimFunc } from "../../tir/prim-func.ts";
import type { Stmt } from "../../tir/stmt.ts";
import { exprText } from "./expr.ts";
import { emitC } from "./module.ts";
import { cNames } from "./names.ts";

const origin = synthetic("test");
const {
  bool,
  float16,
  bfloat16,
  float32,
  float64,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
} = dtypes;
const floats = [float32, float64, float16, bfloat16];
const ints = [int8, int16, int32, int64, uint8, uint16, uint32, uint64];

const specialFloats = [
  0,
  -0,
  1,
  -1.5,
  2.5,
  0.5,
  -0.5,
  3.499,
  127.6,
  255.5,
  -129,
  70000,
  1e10,
  -1e10,
  3e38,
  -3e38,
  NaN,
  Infinity,
  -Infinity,
  1e-42,
  6e-8,
  65519,
  65520,
];

function specials(type: DType): TensorData {
  if (isFloat(type)) {
    const data = allocateArray(type, specialFloats.length) as { [i: number]: number };
    specialFloats.forEach((value, i) => {
      data[i] =
        type.code === "bfloat" ? encodeBfloat16(value) : type.bits === 16 ? encodeFloat16(value) : value;
    });
    return tensorData(type, [specialFloats.length], data as never);
  }
  const bits = BigInt(type.bits);
  const low = type.code === "uint" ? 0n : -(1n << (bits - 1n));
  const high = type.code === "uint" ? (1n << bits) - 1n : (1n << (bits - 1n)) - 1n;
  const values =
    type.code === "bool"
      ? [0n, 1n]
      : [
          0n,
          1n,
          2n,
          3n,
          7n,
          100n,
          low,
          low + 1n,
          high,
          high - 1n,
          high / 3n,
          type.code === "uint" ? 5n : -1n,
          type.code === "uint" ? 6n : -7n,
        ];
  const data = allocateArray(type, values.length);
  values.forEach((value, i) => {
    (data as { [i: number]: number | bigint })[i] = type.bits > 32 ? value : Number(value);
  });
  return tensorData(type, [values.length], data);
}

/** out[i * n + j] = f(a[i], b[j]) for all pairs. */
interface Case {
  readonly name: string;
  readonly a: TensorData;
  readonly b: TensorData;
  readonly f: (a: PrimExpr, b: PrimExpr) => PrimExpr;
}

function run(cases: readonly Case[]): string[] {
  const primitives: LoweredPrimitive[] = [];
  const calls: Stmt[] = [];
  const mainInputs: Buffer[] = [];
  const mainOutputs: Buffer[] = [];
  const inputs: TensorData[] = [];
  const outputs: AotPlan["outputs"][number][] = [];
  cases.forEach((one, index) => {
    const [n, m] = [one.a.data.length, one.b.data.length];
    const a = buffer("a", one.a.dtype, [n], "param");
    const b = buffer("b", one.b.dtype, [m], "param");
    const [i, j] = [tirVar("i"), tirVar("j")];
    const value = one.f(load(a, [i]), load(b, [j]));
    const out = buffer("out", value.dtype, [n * m], "param");
    const inner = forLoop(
      j,
      { min: intImm(0), extent: intImm(m) },
      store(out, [add(mul(i, m), j)], value, origin),
      origin,
    );
    const f: PrimFunc = {
      kind: "prim-func",
      name: `f${index}`,
      params: [a, b, out],
      inputCount: 2,
      allocations: [],
      body: forLoop(i, { min: intImm(0), extent: intImm(n) }, inner, origin),
      attrs: {},
      origin,
    };
    const types = f.params.map((param) =>
      tensorType([Number((param.shape[0] as { value: number }).value)], param.dtype),
    );
    primitives.push({
      index,
      name: f.name,
      symbol: f.name,
      ops: [],
      inputTypes: types.slice(0, 2),
      outputTypes: types.slice(2),
      forC: f,
      forWasm: f,
      callSites: 1,
      cacheKey: "",
      device: 1,
      external: null,
      isCopy: false,
      origin,
    });
    const place = (base: string, at: number, of: Buffer): Buffer =>
      buffer(at === 0 ? base : `${base}${at}`, of.dtype, of.shape, "param");
    const [left, right] = [place("input", 2 * index, a), place("input", 2 * index + 1, b)];
    const result = place("output", index, out);
    mainInputs.push(left, right);
    mainOutputs.push(result);
    calls.push(primitiveCall(primitives[index]!, [left, right, result], false, origin));
    inputs.push(one.a, one.b);
    outputs.push({ name: `output${index}`, type: types[2]! });
  });
  const main: PrimFunc = {
    kind: "prim-func",
    name: "tvmgen_default_run_model",
    params: [...mainInputs, ...mainOutputs],
    inputCount: mainInputs.length,
    allocations: [],
    body: seq(calls, origin),
    attrs: {},
    origin,
  };
  const plan: AotPlan = {
    entry: main.name,
    parameters: main.params.map((param) => param.name),
    inputs: inputs.map((input, i) => ({ name: `x${i}`, type: tensorType(input.shape, input.dtype) })),
    outputs,
    onDemand: [],
    allocs: [],
    calls: mainRows(main),
    onDemandCalls: mainRows(main),
    storageOf: new Map(),
    externalParams: new Map(),
    devices: { inputs: [], outputs: [], storage: new Map(), params: new Map() },
    params: new Map(),
    main,
  };
  const want = interpretPlan(plan, primitives, inputs).map(flatValues);
  const got = runCProgram(
    { c: emitC({ primitives, aot: plan, options: defaultOptions }), plan, options: defaultOptions },
    inputs,
    { flags: ["-O2"] },
  ).outputs.map(flatValues);
  return cases.flatMap(({ name }, i) => {
    const difference = firstMiss(got[i]!, want[i]!);
    return difference === null ? [] : [`${name}: ${difference}`];
  });
}

/**
 * Element by element: equal, or floats within the rounding of libm. No tolerance by the peak: values differ
 * by 80 orders.
 */
function firstMiss(got: OutputJson, want: OutputJson): string | null {
  const relative = { float64: 1e-12, float32: 1e-6, float16: 2e-3, bfloat16: 1e-2 }[want.dtype] ?? 0;
  const at = want.values.findIndex((value, i) => {
    const other = got.values[i];
    if (value === other) return false;
    return !(
      typeof value === "number" &&
      typeof other === "number" &&
      Math.abs(value - other) <= relative * Math.abs(value)
    );
  });
  return at < 0 ? null : `[${at}] is ${String(got.values[at])} instead of ${String(want.values[at])}`;
}

const one = tensorData(int32, [1], Int32Array.of(0));

describe("C expressions equal the interpreter's", () => {
  it("casts between all dtypes", () => {
    const all = [...floats, ...ints, bool];
    expect(
      run(
        all.flatMap((from) =>
          all.map((to): Case => ({
            name: `${from.name} to ${to.name}`,
            a: specials(from),
            b: one,
            f: (a) => cast(a, to),
          })),
        ),
      ),
    ).toEqual([]);
  }, 60_000);

  it("binary operators", () => {
    const pairs = (type: DType, ops: readonly BinaryOp[], b = specials(type)): Case[] =>
      ops.map((op) => ({
        name: `${op} of ${type.name}`,
        a: specials(type),
        b,
        f: (x, y) => binary(op, x, y),
      }));
    const compares: readonly BinaryOp[] = ["eq", "ne", "lt", "le", "gt", "ge"];
    // Division by zero and of the least value by -1 have no meaning: the divisors are 3 and 7.
    const divisors = (type: DType): TensorData => {
      const data = allocateArray(type, 2) as { [i: number]: number | bigint };
      [3, 7].forEach((value, i) => {
        data[i] = type.bits > 32 ? BigInt(value) : value;
      });
      return tensorData(type, [2], data as never);
    };
    const cases = [
      ...floats.flatMap((type) => pairs(type, ["add", "sub", "mul", "div", "min", "max", ...compares])),
      ...ints.flatMap((type) => pairs(type, ["add", "sub", "mul", "min", "max", ...compares])),
      ...ints.flatMap((type) => pairs(type, ["div", "mod", "floordiv", "floormod"], divisors(type))),
      ...pairs(bool, ["and", "or"]),
    ];
    expect(run(cases)).toEqual([]);
  }, 60_000);

  it("intrinsics", () => {
    const names = [
      "tir.fabs",
      "tir.floor",
      "tir.ceil",
      "tir.trunc",
      "tir.round",
      "tir.nearbyint",
      "tir.sqrt",
      "tir.exp",
      "tir.log",
      "tir.tanh",
      "tir.erf",
      "tir.sigmoid",
      "tir.rsqrt",
      "tir.atan",
    ];
    const cases: Case[] = floats.flatMap((type) => [
      ...names.map((name): Case => ({
        name: `${name} of ${type.name}`,
        a: specials(type),
        b: one,
        f: (a) => tirCall(name, type, [a]),
      })),
      ...["tir.isnan", "tir.isinf", "tir.isfinite"].map((name): Case => ({
        name: `${name} of ${type.name}`,
        a: specials(type),
        b: one,
        f: (a) => tirCall(name, bool, [a]),
      })),
    ]);
    for (const type of ints) {
      for (const name of ["tir.bitwise_and", "tir.bitwise_or", "tir.bitwise_xor"])
        cases.push({
          name: `${name} of ${type.name}`,
          a: specials(type),
          b: specials(type),
          f: (a, b) => tirCall(name, type, [a, b]),
        });
      for (const name of ["tir.shift_left", "tir.shift_right"])
        cases.push({
          name: `${name} of ${type.name}`,
          a: specials(type),
          b: one,
          f: (a) => tirCall(name, type, [a, intImm(3, type)]),
        });
      for (const name of ["tir.bitwise_not", "tir.fabs", "tir.popcount", "tir.clz"])
        cases.push({
          name: `${name} of ${type.name}`,
          a: specials(type),
          b: one,
          f: (a) => tirCall(name, type, [a]),
        });
    }
    for (const [from, to] of [
      [float32, int32],
      [int32, float32],
      [float64, int64],
      [int64, float64],
      [uint32, int32],
    ] as const) {
      cases.push({
        name: `reinterpret ${from.name} as ${to.name}`,
        a: specials(from),
        b: one,
        f: (a) => tirCall("tir.reinterpret", to, [a]),
      });
    }
    expect(run(cases)).toEqual([]);
  }, 60_000);

  it("choices, let and literals", () => {
    const x = tirVar("x", float32);
    const floatCase = (name: string, f: Case["f"]): Case => ({
      name,
      a: specials(float32),
      b: specials(float32),
      f,
    });
    expect(
      run([
        floatCase("select", (a, b) => select(lt(a, b), a, select(lt(b, floatImm(2, float32)), b, a))),
        floatCase("if_then_else", (a, b) => ifThenElse(lt(a, b), mul(a, b), add(a, b))),
        floatCase("let", (a, b) => tirLet(x, add(a, b), mul(x, x))),
        ...[0.1, -0.1, 1e-45, 3.4028235e38, 16777217, 123456.789, NaN, Infinity, -Infinity, -0].map((value) =>
          floatCase(`literal ${value}`, () => floatImm(value, float32)),
        ),
        ...[0.1, -1e300, 5e-324, NaN, -Infinity].map((value) =>
          floatCase(`double ${value}`, () => floatImm(value, float64)),
        ),
        ...[int64, int32, uint64, uint32].flatMap((type) =>
          [0n, 1n, -1n, 2n ** 63n - 1n, -(2n ** 63n), -(2n ** 31n)].map((value) =>
            floatCase(`${type.name} ${value}`, () => intImm(value, type)),
          ),
        ),
      ]),
    ).toEqual([]);
  }, 60_000);

  it("a long chain of wrapping arithmetic is as long as its text", () => {
    for (const type of [int64, int32, int16, uint8]) {
      let sum: PrimExpr = load(buffer("a", type, [1], "param"), [intImm(0)]);
      for (let k = 0; k < 50; k++) sum = mul(add(sum, intImm(k + 1, type)), intImm(3, type));
      expect(exprText({ names: cNames(), helpers: new Map(), lets: new Map() }, sum).length).toBeLessThan(
        10_000,
      );
    }
  });
});
