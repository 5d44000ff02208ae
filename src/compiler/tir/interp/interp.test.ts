// The interpreter: what each dtype's arithmetic means, stated as numbers; checks that it makes; and the
// listing and verifier on the same functions.
import { describe, expect, test } from "vitest";
import {
  bfloat16,
  bool,
  float16,
  float32,
  float64,
  int16,
  int32,
  int64,
  int8,
  uint32,
  uint8,
  type DType,
} from "../../ir/dtype.ts";
import { encodeFloat16 } from "../../ir/float16.ts";
import { expandOrigin, sourceOrigin, synthetic } from "../../ir/origin.ts";
import { allocateArray, type TensorArray } from "../../ir/tensor-data.ts";
import {
  add,
  allocate,
  binary,
  broadcast,
  buffer,
  callExtern,
  bufferRef,
  cast,
  div,
  evaluate,
  floatImm,
  floorDiv,
  floorMod,
  forLoop,
  ifStmt,
  ifThenElse,
  imm,
  intImm,
  letStmt,
  load,
  lt,
  max,
  mul,
  ramp,
  select,
  seq,
  store,
  tirCall,
  tirVar,
  truncMod,
  unary,
  whileLoop,
} from "../build.ts";
import type { Buffer, PrimExpr } from "../expr.ts";
import { interpret, type Externs } from "./interp.ts";
import type { PrimFunc } from "../prim-func.ts";
import { printPrimFunc } from "../print.ts";
import type { Stmt } from "../stmt.ts";
import { verifyPrimFunc } from "../verify.ts";
import { maxHeight } from "../visit.ts";

const origin = synthetic("test");
const params = (dtype: DType, size: number): Buffer => buffer("out", dtype, [size], "param");

function func(body: Stmt, buffers: readonly Buffer[], inputCount = 0): PrimFunc {
  return {
    kind: "prim-func",
    name: "f",
    params: buffers,
    inputCount,
    allocations: [],
    body,
    attrs: {},
    origin,
  };
}

/** The value of one expression without variables. */
function valueOf(expr: PrimExpr): number | bigint {
  const out = params(expr.dtype, 1);
  const f = func(store(out, [intImm(0)], expr, origin), [out]);
  expect(verifyPrimFunc(f)).toEqual([]);
  const data = allocateArray(expr.dtype, 1);
  interpret(f, [data]);
  return data[0]!;
}

/** Keeps the factories from folding: the value goes through a cell. */
function opaque(value: number, dtype: DType): PrimExpr {
  const raw =
    dtype.code === "float" || dtype.code === "bfloat" ? floatImm(value, dtype) : intImm(value, dtype);
  return ifThenElse(lt(tirCall("tir.popcount", int32, [intImm(0)]), intImm(1)), raw, imm(0, dtype));
}

describe("arithmetic of each dtype", () => {
  const i8 = (value: number): PrimExpr => opaque(value, int8);
  const f32 = (value: number): PrimExpr => opaque(value, float32);
  test.each<[string, PrimExpr, number | bigint]>([
    ["int8 wraps", add(i8(127), i8(1)), -128],
    ["uint8 wraps", mul(opaque(200, uint8), opaque(2, uint8)), 144],
    ["int16 product", mul(opaque(300, int16), opaque(300, int16)), 24464],
    ["int32 product", mul(opaque(65537, int32), opaque(65537, int32)), 131073],
    ["uint32", add(opaque(4294967295, uint32), opaque(2, uint32)), 1],
    [
      "int64 beyond doubles",
      mul(cast(opaque(2147483647, int32), int64), cast(opaque(2147483647, int32), int64)),
      4611686014132420609n,
    ],
    ["float32 rounds", add(f32(16777216), f32(1)), 16777216],
    ["float64 does not", add(opaque(16777216, float64), opaque(1, float64)), 16777217],
    ["truncating division", div(opaque(-7, int32), opaque(2, int32)), -3],
    ["truncating remainder", truncMod(opaque(-7, int32), opaque(2, int32)), -1],
    ["floor division", floorDiv(opaque(-7, int32), opaque(2, int32)), -4],
    ["floor remainder", floorMod(opaque(-7, int32), opaque(2, int32)), 1],
    ["float to int truncates", cast(f32(-2.7), int32), -2],
    ["float to int saturates", cast(f32(1e10), int8), 127],
    ["int to bool", cast(opaque(256, int32), bool), 1],
    [
      "int64 to int32 wraps",
      cast(add(cast(opaque(2147483647, int32), int64), intImm(1, int64)), int32),
      -2147483648,
    ],
    ["max with a NaN on the left", max(div(f32(0), f32(0)), f32(3)), 3],
    ["round half away", unary("tir.round", f32(-2.5)), -3],
    ["nearbyint half even", unary("tir.nearbyint", f32(2.5)), 2],
    ["erf", unary("tir.erf", f32(0.5)), Math.fround(0.5204998778130465)],
    ["shift", tirCall("tir.shift_right", int32, [opaque(-8, int32), intImm(1)]), -4],
    ["clz", tirCall("tir.clz", int32, [opaque(1, int32)]), 31],
    ["popcount", tirCall("tir.popcount", int32, [opaque(-1, int32)]), 32],
    [
      "q_multiply_shift",
      tirCall("tir.q_multiply_shift", int32, [
        opaque(1000, int32),
        intImm(1073741824),
        intImm(31),
        intImm(-1),
      ]),
      250,
    ],
    ["isnan", tirCall("tir.isnan", bool, [div(f32(0), f32(0))]), 1],
  ])("%s", (_name, expr, want) => {
    expect(valueOf(expr)).toBe(want);
  });

  test("float16 and bfloat16 are stored as bits and rounded at each step", () => {
    expect(valueOf(add(opaque(2048, float16), opaque(1, float16)))).toBe(encodeFloat16(2048));
    expect(valueOf(add(opaque(256, bfloat16), opaque(1, bfloat16)))).toBe(0x4380);
  });
});

describe("statements", () => {
  const out = params(float32, 8);
  const i = tirVar("i");

  test("vector loads and stores", () => {
    const at = ramp(mul(i, 4), intImm(1), 4);
    const f = func(
      forLoop(
        i,
        { min: intImm(0), extent: intImm(2) },
        store(out, [at], add(cast(at, float32), broadcast(floatImm(0.5, float32), 4)), origin),
        origin,
      ),
      [out],
    );
    expect(verifyPrimFunc(f)).toEqual([]);
    const data = new Float32Array(8);
    interpret(f, [data]);
    expect([...data]).toEqual([0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5]);
  });

  test("while, let, if, extern with the address of a buffer", () => {
    const count = buffer("count", int32, [1], "local");
    const n = tirVar("n");
    const body = allocate(
      count,
      seq(
        [
          store(count, [intImm(0)], intImm(0), origin),
          whileLoop(
            lt(load(count, [intImm(0)]), intImm(8)),
            letStmt(
              n,
              load(count, [intImm(0)]),
              seq(
                [
                  ifStmt(
                    lt(n, 4),
                    store(out, [n], floatImm(1, float32), origin),
                    store(out, [n], floatImm(2, float32), origin),
                    origin,
                  ),
                  store(count, [intImm(0)], add(n, 1), origin),
                ],
                origin,
              ),
              origin,
            ),
            origin,
          ),
          evaluate(callExtern(int32, "twice", [bufferRef(out), intImm(8)]), origin),
        ],
        origin,
      ),
      origin,
    );
    const f = func(body, [out]);
    expect(verifyPrimFunc(f)).toEqual([]);
    const externs: Externs = new Map([
      [
        "twice",
        (data, size) => {
          for (let k = 0; k < Number(size); k++) (data as Float32Array)[k]! *= 2;
        },
      ],
    ]);
    const data = new Float32Array(8);
    interpret(f, [data], externs);
    expect([...data]).toEqual([2, 2, 2, 2, 4, 4, 4, 4]);
    expect(() => interpret(f, [data])).toThrow("extern function twice");
  });

  test("an access out of bounds names buffer and index; memory not written reads as NaN", () => {
    const run = (f: PrimFunc, data: TensorArray): void => interpret(f, [data]);
    expect(() =>
      run(func(store(out, [intImm(8)], floatImm(0, float32), origin), [out]), new Float32Array(8)),
    ).toThrow("out[8] is outside of its shape (8)");
    const scratch = buffer("scratch", float32, [2, 3], "global");
    const grid = (x: PrimExpr, y: PrimExpr): Stmt =>
      allocate(scratch, store(out, [intImm(0)], load(scratch, [x, y]), origin), origin);
    expect(() => run(func(grid(intImm(1), intImm(3)), [out]), new Float32Array(8))).toThrow(
      "scratch[1, 3] is outside of its shape (2, 3)",
    );
    const data = new Float32Array(8);
    run(func(grid(intImm(1), intImm(2)), [out]), data);
    expect(data[0]).toBeNaN();
  });

  test("if_then_else evaluates one branch only, select may evaluate both", () => {
    const guarded = forLoop(
      i,
      { min: intImm(0), extent: intImm(8) },
      store(out, [i], ifThenElse(lt(i, 4), load(out, [add(i, 4)]), floatImm(7, float32)), origin),
      origin,
    );
    interpret(func(guarded, [out]), [new Float32Array(8)]);
    expect(valueOf(select(lt(opaque(1, int32), intImm(2)), opaque(3, int32), opaque(4, int32)))).toBe(3);
  });
});

test("the verifier names each broken rule", () => {
  const out = params(float32, 8);
  const stray = tirVar("stray");
  const local = buffer("local", float32, [1], "local");
  const wrong = [
    store(out, [stray], floatImm(0, float32), origin),
    store(local, [intImm(0)], floatImm(0, float32), origin),
    store(out, [intImm(0)], intImm(0), origin),
    ifStmt(intImm(1), evaluate(intImm(0), origin), null, origin),
    evaluate(binary("add", intImm(1), floatImm(1, float32)), origin),
  ];
  expect(wrong.map((stmt) => verifyPrimFunc(func(stmt, [out])))).toEqual([
    ["stray is used where it is not bound"],
    ["local is written where it is not allocated"],
    ["int32 is stored into float32 of out"],
    ["condition 1 is int32"],
    ["1 + T.float32(1) has operands of int32 and float32"],
  ]);
  expect(verifyPrimFunc(func(store(out, [intImm(0)], floatImm(0, float32), origin), [out], 1))).toEqual([
    "input out is written",
  ]);
  let high: PrimExpr = load(out, [intImm(0)]);
  for (let i = 0; i < maxHeight - 1; i++) high = binary("add", high, floatImm(1, float32));
  expect(verifyPrimFunc(func(store(out, [intImm(0)], high, origin), [out]))).toEqual([
    "an expression is higher than 2000",
  ]);
});

test("the listing owns each line by the origin of its statement", () => {
  const out = params(float32, 4);
  const i = tirVar("i");
  const body = forLoop(
    i,
    { min: intImm(0), extent: intImm(4), forKind: "vectorized" },
    store(out, [i], floatImm(1, float32), sourceOrigin(7)),
    sourceOrigin(3),
  );
  const listing = printPrimFunc({ ...func(body, [out]), attrs: { target: "c" } }, 5);
  expect(listing.text).toBe(
    [
      "@T.prim_func",
      'def f(out: T.Buffer[(4,), "float32"]) -> None:',
      '    # target = "c"',
      "    for i in T.vectorized(4):",
      "        out[i] = T.float32(1)",
      "",
    ].join("\n"),
  );
  expect(listing.owners.map((owner) => [...expandOrigin(owner!.origin!)])).toEqual([[], [], [], [3], [7]]);
  expect(listing.owners.every((owner) => owner!.primitive === 5)).toBe(true);
});
