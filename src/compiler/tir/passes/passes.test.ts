// What each pass does, on small pieces of TIR by hand. That they keep the meaning is tested in codegen/wasm
// (differential, fuzz).
import { describe, expect, test } from "vitest";
import { defaultOptions } from "../../options.ts";
import { bool, float32, int32, int64 } from "../../ir/dtype.ts";
import { idSource } from "../../ir/ids.ts";
import { synthetic } from "../../ir/origin.ts";
import type { Pass, PassContext } from "../../ir/pass.ts";
import {
  add,
  allocate,
  and,
  attrStmt,
  buffer,
  cast,
  evaluate,
  floorDiv,
  floorMod,
  floatImm,
  forLoop,
  ge,
  ifStmt,
  ifThenElse,
  intImm,
  letStmt,
  load,
  lt,
  mul,
  select,
  seq,
  store,
  sub,
  tirCall,
  tirVar,
  unary,
} from "../build.ts";
import type { Buffer, PrimExpr } from "../expr.ts";
import type { PrimFunc } from "../prim-func.ts";
import { stmtText } from "../print.ts";
import type { Stmt } from "../stmt.ts";
import { flattenBuffer } from "./flatten-buffer.ts";
import { kernelStorageRewrite } from "./kernel-storage-rewrite.ts";
import { loopPartition } from "./loop-partition.ts";
import { lowerIntrin } from "./lower-intrin.ts";
import { narrowDataType } from "./narrow-data-type.ts";
import { lowerPasses } from "./pipeline.ts";
import { removeNoOp } from "./remove-no-op.ts";
import { rewriteUnsafeSelect } from "./rewrite-unsafe-select.ts";
import { simplifyPass } from "./simplify.ts";
import { unrollLoop } from "./unroll-loop.ts";
import { skipVectorize, vectorizeLoop } from "./vectorize-loop.ts";

const cx: PassContext = {
  ids: idSource(),
  ops: new Map(),
  options: defaultOptions,
  verify: "passes" as const,
  diagnostics: [],
  remarks: [],
};
const origin = synthetic("test");
const likely = (condition: PrimExpr): PrimExpr => tirCall("tir.likely", bool, [condition]);

function run(
  pass: Pass<PrimFunc>,
  body: Stmt,
  params: readonly Buffer[] = [],
  config: Readonly<Record<string, string>> = {},
): Stmt {
  const f: PrimFunc = {
    kind: "prim-func",
    name: "f",
    params,
    inputCount: params.length,
    allocations: [],
    body,
    attrs: {},
    origin,
  };
  const under = { ...cx, options: { ...cx.options, config } };
  const once = pass.run(f, under);
  // What was done needs no doing again: the same object comes back.
  expect(pass.run(once, under).body).toBe(once.body);
  return once.body;
}

const text = (stmt: Stmt): string => stmtText(stmt).replaceAll(/\n+$/g, "");
const loop = (
  variable: ReturnType<typeof tirVar>,
  extent: number,
  body: Stmt,
  kind: "serial" | "vectorized" | "unrolled" = "serial",
): Stmt =>
  forLoop(
    variable,
    { min: intImm(0, variable.dtype), extent: intImm(extent, variable.dtype), forKind: kind },
    body,
    origin,
  );

const [a, b] = [buffer("a", float32, [64], "param"), buffer("b", float32, [64], "param")];
const i = tirVar("i");
const j = tirVar("j");

test("FlattenBuffer: row-major element indices; allocations become 1-D", () => {
  const m = buffer("m", float32, [4, 5, 6], "param");
  const t = buffer("t", float32, [2, 3], "global");
  const scalar = buffer("s", float32, [], "param");
  const body = allocate(
    t,
    seq(
      [
        store(t, [i, j], load(m, [i, j, intImm(2)]), origin),
        store(scalar, [], load(t, [intImm(1), j]), origin),
      ],
      origin,
    ),
    origin,
  );
  expect(text(run(flattenBuffer, body))).toBe(
    ['t = T.allocate([6], "float32", "global")', "t[i * 3 + j] = m[i * 30 + (j * 6 + 2)]", "s[0] = t[j + 3]"]
      .join("\n")
      .replace("j + 3", "3 + j"),
  );
});

describe("Simplify", () => {
  test("decides branches from the loops around them, and drops loops that run once or never", () => {
    const body = loop(
      i,
      8,
      seq(
        [
          ifStmt(
            lt(i, 8),
            store(a, [add(sub(add(i, 3), 3), 0)], load(b, [floorMod(i, 8)]), origin),
            null,
            origin,
          ),
          loop(j, 1, store(a, [add(i, j)], floatImm(1, float32), origin)),
          loop(j, 0, store(a, [j], floatImm(2, float32), origin)),
        ],
        origin,
      ),
    );
    expect(text(run(simplifyPass, body))).toBe(
      ["for i in range(8):", "    a[i] = b[i]", "    a[i] = T.float32(1)"].join("\n"),
    );
  });
  test("a condition holds inside its branch", () => {
    const body = loop(
      i,
      8,
      ifStmt(
        lt(i, 4),
        ifStmt(lt(i, 6), store(a, [i], floatImm(1, float32), origin), null, origin),
        null,
        origin,
      ),
    );
    expect(text(run(simplifyPass, body))).toBe(
      ["for i in range(8):", "    if i < 4:", "        a[i] = T.float32(1)"].join("\n"),
    );
  });
});

describe("LoopPartition", () => {
  test("cuts the tail of a split off, and the lanes inside of the tail", () => {
    const index = add(mul(i, 4), j);
    const body = loop(
      i,
      3,
      loop(
        j,
        4,
        ifStmt(likely(lt(index, 10)), store(a, [index], load(b, [index]), origin), null, origin),
        "vectorized",
      ),
    );
    expect(text(run(loopPartition, body))).toBe(
      [
        "for i in range(2):",
        "    for j in T.vectorized(4):",
        "        a[i * 4 + j] = b[i * 4 + j]",
        "for j_1 in T.vectorized(2):",
        "    a[j_1 + 8] = b[j_1 + 8]",
      ].join("\n"),
    );
  });
  const padded = store(
    a,
    [i],
    ifThenElse(and(ge(i, 1), lt(i, 9)), load(b, [sub(i, 1)]), floatImm(0, float32)),
    origin,
  );
  test("leaves padding alone without a hint", () => {
    const body = loop(i, 10, padded);
    expect(run(loopPartition, body)).toBe(body);
  });
  test("cuts padding in three with the hint", () => {
    const body = attrStmt("pragma_loop_partition_hint", intImm(1), loop(i, 10, padded), origin);
    expect(text(run(loopPartition, body))).toBe(
      [
        "a[0] = T.float32(0)",
        "for i in range(1, extent=8):",
        "    a[i] = b[i - 1]",
        "a[9] = T.float32(0)",
      ].join("\n"),
    );
  });
});

describe("VectorizeLoop", () => {
  test("neighbours become ramps, what is the same in all lanes a broadcast", () => {
    const body = loop(
      i,
      4,
      store(a, [add(mul(j, 4), i)], add(load(b, [add(i, 8)]), load(b, [j])), origin),
      "vectorized",
    );
    expect(text(run(vectorizeLoop, body))).toBe(
      "a[T.ramp(j * 4, 1, 4)] = b[T.ramp(8, 1, 4)] + T.broadcast(b[j], 4)",
    );
  });
  test("division that no lane crosses", () => {
    const index = add(mul(j, 4), i);
    const body = loop(
      j,
      4,
      loop(
        i,
        4,
        store(a, [index], add(load(b, [floorDiv(index, 8)]), load(b, [floorMod(index, 8)])), origin),
        "vectorized",
      ),
    );
    expect(text(run(vectorizeLoop, body))).toBe(
      [
        "for j in range(4):",
        "    a[T.ramp(j * 4, 1, 4)] = T.broadcast(b[j * 4 // 8], 4) + b[T.ramp(j * 4 % 8, 1, 4)]",
      ].join("\n"),
    );
  });
  test("a lazy condition on the lane, a sum into one element and mixed widths stay loops", () => {
    const wide = buffer("w", int64, [64], "param");
    for (const statement of [
      store(a, [i], ifThenElse(lt(i, 2), load(b, [i]), floatImm(0, float32)), origin),
      store(a, [intImm(0)], add(load(a, [intImm(0)]), load(b, [i])), origin),
      store(wide, [i], cast(load(b, [i]), int64), origin),
      ifStmt(lt(i, 3), store(a, [i], floatImm(1, float32), origin), null, origin),
    ]) {
      const result = run(vectorizeLoop, loop(i, 4, statement, "vectorized"));
      expect(text(result)).toMatch(/^for i in range\(4\):\n/);
    }
  });
  test("long loops go in chunks of 16 and a rest", () => {
    const body = loop(i, 70, store(a, [i], load(b, [i]), origin), "vectorized");
    expect(text(run(vectorizeLoop, body))).toBe(
      [
        "for i_o in range(4):",
        "    a[T.ramp(i_o * 16, 1, 16)] = b[T.ramp(i_o * 16, 1, 16)]",
        "a[T.ramp(64, 1, 6)] = b[T.ramp(64, 1, 6)]",
      ].join("\n"),
    );
  });
  test("a rest of one round is that round, no loop over all", () => {
    const body = loop(i, 65, store(a, [i], load(b, [i]), origin), "vectorized");
    expect(text(run(vectorizeLoop, body))).toBe(
      [
        "for i_o in range(4):",
        "    a[T.ramp(i_o * 16, 1, 16)] = b[T.ramp(i_o * 16, 1, 16)]",
        "a[64] = b[64]",
      ].join("\n"),
    );
  });
  test.each([
    ["true", false],
    ["1", false],
    ["False", true],
    ["0", true],
  ])("tir.disable_vectorize=%s", (value, vector) => {
    const body = loop(i, 4, store(a, [i], load(b, [i]), origin), "vectorized");
    const made = run(vectorizeLoop, body, [], { "tir.disable_vectorize": value });
    expect(text(made)).toBe(
      vector ? "a[T.ramp(0, 1, 4)] = b[T.ramp(0, 1, 4)]" : "for i in range(4):\n    a[i] = b[i]",
    );
  });
  test("on c the mark goes and the loop stays", () => {
    expect(text(run(skipVectorize, loop(i, 4, store(a, [i], load(b, [i]), origin), "vectorized")))).toBe(
      "for i in range(4):\n    a[i] = b[i]",
    );
  });
});

test("StorageRewrite: scratch that is no longer read is used again", () => {
  const scratch = ["t", "u", "v", "w"].map((name, n) => buffer(name, float32, [8 + n], "global"));
  const [t, u, v, w] = scratch as [Buffer, Buffer, Buffer, Buffer];
  const copy = (to: Buffer, from: Buffer): Stmt => store(to, [intImm(0)], load(from, [intImm(0)]), origin);
  const body = allocate(
    t,
    seq(
      [
        copy(t, a),
        allocate(
          u,
          allocate(
            v,
            allocate(w, seq([copy(u, t), copy(v, u), copy(w, v), copy(b, w)], origin), origin),
            origin,
          ),
          origin,
        ),
      ],
      origin,
    ),
    origin,
  );
  expect(text(run(kernelStorageRewrite, body))).toBe(
    [
      't = T.allocate([10], "float32", "global")',
      'u = T.allocate([11], "float32", "global")',
      "t[0] = a[0]",
      "u[0] = t[0]",
      "t[0] = u[0]",
      "u[0] = t[0]",
      "b[0] = u[0]",
    ].join("\n"),
  );
  const alive = allocate(t, allocate(u, seq([copy(t, a), copy(u, t), copy(b, t)], origin), origin), origin);
  expect(run(kernelStorageRewrite, alive)).toBe(alive);
});

test("UnrollLoop: constant indices; too much code stays a loop", () => {
  expect(
    text(
      run(
        unrollLoop,
        loop(
          i,
          2,
          loop(j, 2, store(a, [add(mul(i, 2), j)], floatImm(0, float32), origin), "unrolled"),
          "unrolled",
        ),
      ),
    ),
  ).toBe(
    ["a[0] = T.float32(0)", "a[1] = T.float32(0)", "a[2] = T.float32(0)", "a[3] = T.float32(0)"].join("\n"),
  );
  expect(
    text(run(unrollLoop, loop(i, 5000, store(a, [i], floatImm(0, float32), origin), "unrolled"))),
  ).toContain("for i in range(5000):");
});

test("RemoveNoOp: what has no effect goes", () => {
  const unused = buffer("u", float32, [4], "global");
  const nothing = evaluate(intImm(0), origin);
  const body = seq(
    [
      allocate(unused, store(a, [intImm(0)], floatImm(1, float32), origin), origin),
      loop(i, 4, nothing),
      ifStmt(lt(i, 2), nothing, null, origin),
      letStmt(j, intImm(3), nothing, origin),
      evaluate(unary("tir.exp", floatImm(1, float32)), origin),
      evaluate(tirCall("tir.call_extern", int32, []), origin),
    ],
    origin,
  );
  const result = run(removeNoOp, body);
  expect(result.kind === "seq" && result.body.map((stmt) => stmt.kind)).toEqual(["store", "evaluate"]);
});

test("RemoveNoOp: a buffer that is only set goes with its stores, one that is read stays", () => {
  const kept = store(a, [intImm(0)], floatImm(1, float32), origin);
  const scratch = buffer("scratch", float32, [4], "local");
  const set = loop(i, 4, store(scratch, [i], floatImm(0, float32), origin));
  expect(text(run(removeNoOp, allocate(scratch, seq([set, kept], origin), origin)))).toBe(
    "a[0] = T.float32(1)",
  );
  const read = allocate(
    scratch,
    seq([set, store(a, [intImm(0)], load(scratch, [intImm(0)]), origin)], origin),
    origin,
  );
  expect(run(removeNoOp, read)).toBe(read);
});

test("RewriteUnsafeSelect: only where a side may read outside", () => {
  const inside = loop(i, 8, store(a, [i], select(lt(i, 4), load(b, [i]), floatImm(0, float32)), origin));
  expect(run(rewriteUnsafeSelect, inside)).toBe(inside);
  const outside = loop(
    i,
    8,
    store(a, [i], select(ge(i, 1), load(b, [sub(i, 1)]), floatImm(0, float32)), origin),
  );
  expect(text(run(rewriteUnsafeSelect, outside))).toContain("T.if_then_else(i >= 1, b[i - 1], T.float32(0))");
});

test("NarrowDataType: int64 indices that fit become int32", () => {
  const k = tirVar("k", int64);
  const body = loop(k, 8, store(a, [add(mul(k, intImm(4, int64)), intImm(1, int64))], load(b, [k]), origin));
  const result = run(narrowDataType, body);
  const inner = result.kind === "for" ? result.body : result;
  expect(result.kind === "for" && result.variable.dtype).toBe(int32);
  expect(inner.kind === "store" && inner.indices[0]!.dtype).toBe(int32);
});

test("LowerIntrin: what the target lacks, and small powers", () => {
  const x = load(b, [i]);
  const without = lowerIntrin({ has: (op) => op !== "tir.sigmoid" });
  expect(text(run(without, store(a, [i], unary("tir.sigmoid", x), origin)))).toBe(
    "a[i] = T.float32(1) / (T.exp(T.float32(0) - b[i]) + T.float32(1))",
  );
  expect(
    text(run(without, store(a, [i], tirCall("tir.pow", float32, [x, floatImm(2, float32)]), origin))),
  ).toBe("a[i] = b[i] * b[i]");
});

test("LowerIntrin: squares of squares are not written out, 2^50 factors would be", () => {
  let power: PrimExpr = load(b, [i]);
  for (let k = 0; k < 50; k++) power = tirCall("tir.pow", float32, [power, floatImm(2, float32)]);
  expect(text(run(lowerIntrin({ has: () => true }), store(a, [i], power, origin))).length).toBeLessThan(3000);
});

test("the lists carry TVM's names", () => {
  expect(lowerPasses("wasm").map((pass) => pass.name)).toEqual([
    "NarrowDataType",
    "FlattenBuffer",
    "Simplify",
    "LoopPartition",
    "VectorizeLoop",
    "StorageRewrite",
    "UnrollLoop",
    "Simplify",
    "RemoveNoOp",
    "RewriteUnsafeSelect",
    "LowerIntrin",
  ]);
  expect(lowerPasses("c").map((pass) => pass.name)).toEqual(lowerPasses("wasm").map((pass) => pass.name));
});
