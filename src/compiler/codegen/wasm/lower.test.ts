import { expect, test } from "vitest";
import { float32 } from "../../ir/dtype.ts";
import { synthetic } from "../../ir/origin.ts";
import {
  add,
  broadcast,
  buffer,
  forLoop,
  intImm,
  load,
  max,
  mul,
  ramp,
  store,
  tirVar,
} from "../../tir/build.ts";
import type { PrimFunc } from "../../tir/prim-func.ts";
import { checkPrimFunc } from "../../../testing/harness/wasm-check.ts";

const origin = synthetic("test");

test("add of two vectors", () => {
  const [a, b, c] = ["a", "b", "c"].map((name) => buffer(name, float32, [10], "param"));
  const i = tirVar("i");
  const body = forLoop(
    i,
    { min: intImm(0), extent: intImm(10) },
    store(c!, [i], add(load(a!, [i]), load(b!, [i])), origin),
    origin,
  );
  const f: PrimFunc = {
    kind: "prim-func",
    name: "add",
    params: [a!, b!, c!],
    inputCount: 2,
    allocations: [],
    body,
    attrs: {},
    origin,
  };
  checkPrimFunc(f);
});

test("a vector body: relu of a row plus a splat", () => {
  const [a, b, c] = ["a", "b", "c"].map((name) => buffer(name, float32, [3, 8], "param"));
  const i = tirVar("i");
  const row = ramp(mul(i, 8), intImm(1), 8);
  const value = max(
    add(load(a!, [row]), broadcast(load(b!, [mul(i, 8)]), 8)),
    broadcast({ kind: "float", dtype: float32, value: 0 }, 8),
  );
  const body = forLoop(i, { min: intImm(0), extent: intImm(3) }, store(c!, [row], value, origin), origin);
  const f: PrimFunc = {
    kind: "prim-func",
    name: "relu",
    params: [a!, b!, c!],
    inputCount: 2,
    allocations: [],
    body,
    attrs: {},
    origin,
  };
  const { wat } = checkPrimFunc(f);
  expect(wat).toContain("v128.load32_splat");
  expect(wat).toContain("f32x4.pmax");
});
