// StorageRewrite on small mains by hand; what it does to whole models is held by the golden records.
import { expect, test } from "vitest";
import { bool, float32, int32, int8, type DType } from "../../ir/dtype.ts";
import { synthetic } from "../../ir/origin.ts";
import type { Remark } from "../../ir/remark.ts";
import { allocate, buffer, bufferRef, callExtern, evaluate, ifStmt, intImm, load, seq } from "../build.ts";
import type { Buffer } from "../expr.ts";
import type { PrimFunc } from "../prim-func.ts";
import { exprText } from "../print.ts";
import type { Stmt } from "../stmt.ts";
import { rewriteStorage } from "./storage-rewrite.ts";

const origin = synthetic("test");
const input = buffer("input", float32, [16], "param");
const output = buffer("output", float32, [16], "param");

function tensor(name: string, elements: number, dtype: DType = float32, device = 1): Buffer {
  return buffer(name, dtype, [elements], "global", { sid: 0, device });
}

/** A kernel that reads and writes `buffers`. */
function call(...buffers: readonly Buffer[]): Stmt {
  return evaluate(callExtern(int32, "kernel", buffers.map(bufferRef)), origin);
}

/**
 * StorageRewrite of a main: the allocations left as "name:elements", which of them each request has become,
 * and what was remarked.
 */
function rewrite(allocations: readonly Buffer[], body: readonly Stmt[]) {
  const remarks: Remark[] = [];
  const main: PrimFunc = {
    kind: "prim-func",
    name: "main",
    params: [input, output],
    inputCount: 1,
    allocations,
    body: seq(body, origin),
    attrs: {},
    origin,
  };
  const { func, storageOf } = rewriteStorage(main, remarks);
  return {
    func,
    left: func.allocations.map(({ name, shape }) => `${name}:${shape.map(exprText).join("x")}`),
    become: Object.fromEntries([...storageOf].map(([request, into]) => [request.name, into.name])),
    remarks: remarks.map(({ kind, facts }) => `${facts["name"]} ${kind}`),
  };
}

/** input -> a -> b -> c -> output: c may take over what a leaves. */
function chain(c: Buffer, a = tensor("a", 16)) {
  const b = tensor("b", 16);
  return rewrite([a, b, c], [call(input, a), call(a, b), call(b, c), call(c, output)]);
}

test("a result takes over storage whose tensor was read for the last time before its call, not in it", () => {
  const { left, become, remarks, func } = chain(tensor("c", 16));
  expect(left).toEqual(["a:16", "b:16"]);
  expect(become).toEqual({ a: "a", b: "b", c: "a" });
  expect(remarks).toEqual(["a memory.new", "b memory.new", "c memory.reused"]);
  const a = func.allocations[0]!;
  const b = func.allocations[1]!;
  expect(func.body).toEqual(seq([call(input, a), call(a, b), call(b, a), call(a, output)], origin));
});

test("storage grows to the largest tensor in it, and holds a smaller one with slack", () => {
  expect(chain(tensor("c", 32)).left).toEqual(["a:32", "b:16"]);
  expect(chain(tensor("c", 4)).left).toEqual(["a:16", "b:16"]);
});

test("up to sixteen times the size, either way", () => {
  expect(chain(tensor("c", 256)).left).toEqual(["a:256", "b:16"]);
  expect(chain(tensor("c", 257)).left).toEqual(["a:16", "b:16", "c:257"]);
  expect(chain(tensor("c", 1)).left).toEqual(["a:16", "b:16"]);
  expect(chain(tensor("c", 1), tensor("a", 17)).left).toEqual(["a:17", "b:16", "c:1"]);
});

test("the nearest size from above comes before a nearer one from below", () => {
  const [small, large, between] = [tensor("small", 15), tensor("large", 64), tensor("between", 16)];
  const { become } = rewrite(
    [small, large, between],
    [call(input, small, large), call(small, large, output), call(input, between), call(between, output)],
  );
  expect(become).toEqual({ small: "small", large: "large", between: "large" });
});

test("other dtypes and other devices share nothing", () => {
  expect(chain(tensor("c", 64, int8)).left).toEqual(["a:16", "b:16", "c:64"]);
  expect(chain(tensor("c", 16, float32, 2)).left).toEqual(["a:16", "b:16", "c:16"]);
});

test("empty tensors share with empty tensors", () => {
  expect(chain(tensor("c", 0)).left).toEqual(["a:16", "b:16", "c:0"]);
  expect(chain(tensor("c", 0), tensor("a", 0)).become).toEqual({ a: "a", b: "b", c: "a" });
});

test("storage of main lives as long as the branch that touches it; a branch's own ends in it", () => {
  const condition = tensor("condition", 1, bool);
  const [a, b] = [tensor("a", 16), tensor("b", 16)];
  const through = (middle: Buffer): Stmt => seq([call(input, middle), call(middle, output)], origin);
  const branch = (then: Stmt, otherwise: Stmt): Stmt =>
    ifStmt(load(condition, [intImm(0)]), then, otherwise, origin);
  const outside = rewrite([condition, a, b], [call(condition), branch(through(a), through(b))]);
  expect(outside.left).toEqual(["condition:1", "a:16", "b:16"]);
  const inside = rewrite(
    [condition],
    [call(condition), branch(allocate(a, through(a), origin), allocate(b, through(b), origin))],
  );
  expect(inside.left).toEqual(["condition:1", "a:16"]);
  expect(inside.become).toEqual({ condition: "condition", a: "a", b: "a" });
});
