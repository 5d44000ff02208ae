import { describe, expect, it } from "vitest";
import { defaultOptions } from "../../options.ts";
import { float32, int32, type DType } from "../../ir/dtype.ts";
import { idSource } from "../../ir/ids.ts";
import { synthetic } from "../../ir/origin.ts";
import type { TensorArray } from "../../ir/tensor-data.ts";
import {
  add,
  allocate,
  buffer,
  cast,
  floatImm,
  forLoop,
  intImm,
  load,
  mul,
  seq,
  store,
  sub,
  tirVar,
} from "../build.ts";
import type { Buffer, PrimExpr, StorageScope } from "../expr.ts";
import { interpret } from "../interp/interp.ts";
import type { PrimFunc } from "../prim-func.ts";
import type { ForKind, Stmt } from "../stmt.ts";
import { visitStmt } from "../visit.ts";
import { storageRewrite } from "./storage-rewrite.ts";

const origin = synthetic("test");
const cx = { ids: idSource(), ops: new Map(), options: defaultOptions, diagnostics: [], remarks: [] };
const size = 16;

function scratch(
  name: string,
  elements = size,
  dtype: DType = float32,
  scope: StorageScope = "global",
): Buffer {
  return buffer(name, dtype, [elements], scope);
}

function loop(extent: number, body: (i: PrimExpr) => Stmt, kind: ForKind = "serial"): Stmt {
  const i = tirVar("i");
  return forLoop(i, { min: intImm(0), extent: intImm(extent), forKind: kind }, body(i), origin);
}

const input = buffer("input", float32, [size], "param");
const output = buffer("output", float32, [size], "param");

function func(body: Stmt): PrimFunc {
  return {
    kind: "prim-func",
    name: "f",
    params: [input, output],
    inputCount: 1,
    allocations: [],
    body,
    attrs: {},
    origin,
  };
}

function map(from: Buffer, to: Buffer, f: (x: PrimExpr) => PrimExpr, elements = size): Stmt {
  return loop(elements, (i) => store(to, [i], f(load(from, [i])), origin));
}

function allocations(f: PrimFunc): string[] {
  const found: string[] = [];
  visitStmt(f.body, (stmt) => {
    if (stmt.kind === "allocate")
      found.push(
        `${stmt.buffer.name}[${stmt.buffer.shape.map((dim) => (dim.kind === "int" ? String(dim.value) : "?")).join()}]`,
      );
  });
  return found;
}

/** What `f` and its rewritten form compute from 0, 1, 2, …; they must agree. */
function rewritten(f: PrimFunc): { readonly allocs: string[]; readonly same: boolean } {
  const after = storageRewrite.run(f, cx);
  const run = (of: PrimFunc): TensorArray => {
    const out = new Float32Array(size);
    interpret(of, [Float32Array.from({ length: size }, (_, i) => i), out]);
    return out;
  };
  return { allocs: allocations(after), same: String(run(f)) === String(run(after)) };
}

const wrap = (buffers: readonly Buffer[], body: Stmt): Stmt =>
  buffers.reduceRight((inner, of) => allocate(of, inner, origin), body);
const plus = (x: PrimExpr): PrimExpr => add(x, floatImm(1, float32));

describe("StorageRewrite of kernels", () => {
  it("writes element by element over what it reads", () => {
    const [a, b] = [scratch("a"), scratch("b")];
    expect(
      rewritten(
        func(wrap([a, b], seq([map(input, a, plus), map(a, b, plus), map(b, output, plus)], origin))),
      ),
    ).toEqual({ allocs: ["a[16]"], same: true });
  });

  it("does not where elements move", () => {
    const [a, b] = [scratch("a"), scratch("b")];
    const reverse = loop(size, (i) => store(b, [i], load(a, [sub(intImm(size - 1), i)]), origin));
    expect(
      rewritten(func(wrap([a, b], seq([map(input, a, plus), reverse, map(b, output, plus)], origin)))),
    ).toEqual({ allocs: ["a[16]", "b[16]"], same: true });
  });

  it("takes over what is dead, the larger size kept", () => {
    const [a, b, c] = [scratch("a", 8), scratch("b"), scratch("c")];
    const body = seq(
      [
        map(input, a, plus, 8),
        loop(size, (i) => store(b, [i], add(load(a, [mul(intImm(0), i)]), cast(i, float32)), origin)),
        loop(size, (i) => store(c, [i], load(b, [sub(intImm(size - 1), i)]), origin)),
        map(c, output, plus),
      ],
      origin,
    );
    expect(rewritten(func(wrap([a, b, c], body)))).toEqual({ allocs: ["a[16]", "b[16]"], same: true });
  });

  it("keeps registers, small arrays and other types apart", () => {
    const parts = [
      scratch("a", size, float32, "local"),
      scratch("b", size, float32, "local"),
      scratch("c", size, int32),
      scratch("d", 1),
      scratch("e", 1),
    ];
    const [a, b, c, d, e] = parts as [Buffer, Buffer, Buffer, Buffer, Buffer];
    const reverse = (from: Buffer, to: Buffer): Stmt =>
      loop(size, (i) => store(to, [i], cast(load(from, [sub(intImm(size - 1), i)]), to.dtype), origin));
    const first = intImm(0);
    const body = seq(
      [
        store(d, [first], floatImm(2, float32), origin),
        map(input, a, (x) => add(x, load(d, [first]))),
        reverse(a, b),
        reverse(b, c),
        store(e, [first], floatImm(3, float32), origin),
        loop(size, (i) => store(output, [i], add(load(e, [first]), cast(load(c, [i]), float32)), origin)),
      ],
      origin,
    );
    expect(rewritten(func(wrap(parts, body)))).toEqual({
      allocs: ["d[1]", "a[16]", "b[16]", "c[16]", "e[1]"],
      same: true,
    });
  });

  it("lifts allocations to the function, or to the parallel loop around them", () => {
    const inLoop = (kind: ForKind): PrimFunc => {
      const a = scratch("a", 2);
      return func(
        loop(
          size,
          (i) =>
            wrap(
              [a],
              seq(
                [
                  store(a, [intImm(1)], load(input, [i]), origin),
                  store(output, [i], load(a, [intImm(1)]), origin),
                ],
                origin,
              ),
            ),
          kind,
        ),
      );
    };
    const serial = storageRewrite.run(inLoop("serial"), cx);
    const parallel = storageRewrite.run(inLoop("parallel"), cx);
    expect(serial.body.kind).toBe("allocate");
    expect(parallel.body.kind === "for" ? parallel.body.body.kind : "").toBe("allocate");
    expect([rewritten(inLoop("serial")).same, rewritten(inLoop("parallel")).same]).toEqual([true, true]);
  });
});
