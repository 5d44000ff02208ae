// Schedules lowered to loops: the listing says what nest came out, the interpreter that it computes the right
// numbers.
import { describe, expect, test } from "vitest";
import { float32, int32 } from "../ir/dtype.ts";
import { synthetic } from "../ir/origin.ts";
import { allocateArray, type TensorArray } from "../ir/tensor-data.ts";
import { add, and, floorDiv, floorMod, floatImm, ge, ifThenElse, lt, max, mul, sub } from "../tir/build.ts";
import type { PrimExpr } from "../tir/expr.ts";
import { interpret } from "../tir/interp/interp.ts";
import type { PrimFunc } from "../tir/prim-func.ts";
import { stmtText } from "../tir/print.ts";
import { compute, computeMany, extern, placeholder, reduceAxis, sum } from "./compute.ts";
import { lowerSchedule } from "./lower.ts";
import { createSchedule, type Schedule } from "./schedule.ts";
import type { Tensor } from "./tensor.ts";
import { constInt, forLoop, intImm, load, reduceNode, select, store, tirVar, trueImm } from "../tir/build.ts";

const origin = synthetic("test");

function lower(s: Schedule, inputs: readonly Tensor[]): PrimFunc {
  return lowerSchedule(s, { name: "f", inputs, outputs: s.outputs, origin });
}

function fill(count: number, seed = 1): Float32Array {
  return Float32Array.from({ length: count }, (_, i) => (((i + seed) * 7919) % 23) - 11);
}

function sizeOf(shape: readonly PrimExpr[]): number {
  return shape.reduce((n, dim) => n * constInt(dim)!, 1);
}

/** Runs `f` on filled inputs; the outputs. */
function run(f: PrimFunc, inputs: readonly TensorArray[]): TensorArray[] {
  const outs = f.params.slice(f.inputCount).map((param) => allocateArray(param.dtype, sizeOf(param.shape)));
  interpret(f, [...inputs, ...outs]);
  return outs;
}

describe("default schedules", () => {
  test("element-wise", () => {
    const a = placeholder([4, 5], float32, { name: "a" });
    const b = compute([4, 5], ([i, j]) => add(a.at(i, j), floatImm(1, float32)), { name: "b" });
    const f = lower(createSchedule([b]), [a]);
    expect(stmtText(f.body)).toBe(
      [
        "for i0 in range(4):",
        "    for i1 in range(5):",
        "        b[i0, i1] = a[i0, i1] + T.float32(1)",
        "",
      ].join("\n"),
    );
    const data = fill(20);
    expect([...run(f, [data])[0]!]).toEqual([...data].map((x) => x + 1));
  });

  test("rank 0 and a reduction over everything", () => {
    const a = placeholder([3, 4], float32, { name: "a" });
    const [k, l] = [reduceAxis(3, "k"), reduceAxis(4, "l")];
    const b = compute([], () => sum(a.at(k.variable, l.variable), [k, l]), { name: "b" });
    const c = compute([], () => mul(b.at(), floatImm(2, float32)), { name: "c" });
    const data = fill(12);
    expect(run(lower(createSchedule([c]), [a]), [data])[0]![0]).toBe(2 * data.reduce((x, y) => x + y));
  });

  test("dense: init before the reduction loop", () => {
    const { a, w, c } = dense(3, 4, 5);
    const f = lower(createSchedule([c]), [a, w]);
    expect(stmtText(f.body)).toBe(
      [
        "for i0 in range(3):",
        "    for i1 in range(5):",
        "        c[i0, i1] = T.float32(0)",
        "        for k in range(4):",
        "            c[i0, i1] = c[i0, i1] + a[i0, k] * w[i1, k]",
        "",
      ].join("\n"),
    );
    expect([...run(f, [fill(12), fill(20, 3)])[0]!]).toEqual(denseLoops(3, 4, 5, fill(12), fill(20, 3)));
  });

  test("several results of one reduction: argmax keeps the first of equals", () => {
    const a = placeholder([2, 6], float32, { name: "a" });
    const k = reduceAxis(6, "k");
    const [li, lv, ri, rv] = [
      tirVar("li", int32),
      tirVar("lv", float32),
      tirVar("ri", int32),
      tirVar("rv", float32),
    ];
    const better = lt(lv, rv);
    const combiner = {
      name: "argmax",
      lhs: [lv, li],
      rhs: [rv, ri],
      result: [select(better, rv, lv), select(better, ri, li)],
      identity: [floatImm(-1e30, float32), intImm(-1)],
    };
    const outs = computeMany(
      [2],
      ([i]) => [0, 1].map((at) => reduceNode(combiner, [a.at(i, k.variable), k.variable], [k], trueImm, at)),
      { name: "am" },
    );
    const f = lower(createSchedule([outs[1]!]), [a]);
    const data = Float32Array.of(3, 9, 2, 9, 1, 0, -5, -4, -9, -4, -6, -7);
    expect([...run(f, [data])[0]!]).toEqual([1, 1]);
  });

  test("an output that is read by another, and one given twice", () => {
    const a = placeholder([3], float32, { name: "a" });
    const b = compute([3], ([i]) => mul(a.at(i), a.at(i)), { name: "b" });
    const c = compute([3], ([i]) => sub(b.at(i), a.at(i)), { name: "c" });
    const f = lower(createSchedule([b, c, b, a]), [a]);
    expect(run(f, [Float32Array.of(1, 2, 3)]).map((out) => [...out])).toEqual([
      [1, 4, 9],
      [0, 2, 6],
      [1, 4, 9],
      [1, 2, 3],
    ]);
  });

  test("extern: TIR over buffers, between computes", () => {
    const a = placeholder([4], float32, { name: "a" });
    const b = compute([4], ([i]) => mul(a.at(i), floatImm(2, float32)), { name: "b" });
    const [r] = extern(
      [b],
      [{ shape: [4], dtype: float32 }],
      ([from], [to]) => {
        const i = tirVar("i");
        return forLoop(
          i,
          { min: intImm(0), extent: intImm(4) },
          store(to, [sub(intImm(3), i)], load(from, [i]), origin),
          origin,
        );
      },
      { name: "reverse" },
    );
    const c = compute([4], ([i]) => add(r.at(i), floatImm(1, float32)), { name: "c" });
    expect([...run(lower(createSchedule([c]), [a]), [Float32Array.of(1, 2, 3, 4)])[0]!]).toEqual([
      9, 7, 5, 3,
    ]);
  });
});

function dense(m: number, k: number, n: number): { a: Tensor; w: Tensor; c: Tensor } {
  const a = placeholder([m, k], float32, { name: "a" });
  const w = placeholder([n, k], float32, { name: "w" });
  const axis = reduceAxis(k, "k");
  const c = compute([m, n], ([i, j]) => sum(mul(a.at(i, axis.variable), w.at(j, axis.variable)), [axis]), {
    name: "c",
  });
  return { a, w, c };
}

function denseLoops(m: number, k: number, n: number, a: Float32Array, w: Float32Array): number[] {
  return Array.from({ length: m * n }, (_, at) => {
    let total = 0;
    for (let x = 0; x < k; x++) total += a[Math.floor(at / n) * k + x]! * w[(at % n) * k + x]!;
    return total;
  });
}

describe("primitives", () => {
  test("split that does not divide gets a likely condition; one that does gets none", () => {
    const a = placeholder([10], float32, { name: "a" });
    const b = compute([10], ([i]) => add(a.at(i), floatImm(1, float32)), { name: "b" });
    const s = createSchedule([b]);
    const [, inner] = s.stage(b).split(s.stage(b).axis[0]!, { factor: 4 });
    s.stage(b).vectorize(inner);
    const f = lower(s, [a]);
    expect(stmtText(f.body)).toBe(
      [
        "for i0_outer in range(3):",
        "    for i0_inner in T.vectorized(4):",
        "        if T.likely(i0_outer * 4 + i0_inner < 10):",
        "            b[i0_outer * 4 + i0_inner] = a[i0_outer * 4 + i0_inner] + T.float32(1)",
        "",
      ].join("\n"),
    );
    expect([...run(f, [fill(10)])[0]!]).toEqual([...fill(10)].map((x) => x + 1));
    expect(s.trace).toEqual(["s[b].split(i0, factor=4) -> i0.outer, i0.inner", "s[b].vectorize(i0.inner)"]);
  });

  test("fuse, then split: indices divide once", () => {
    const a = placeholder([6, 8], float32, { name: "a" });
    const b = compute([6, 8], ([i, j]) => add(a.at(i, j), floatImm(1, float32)), { name: "b" });
    const s = createSchedule([b]);
    const st = s.stage(b);
    const fused = st.fuse(...st.axis);
    st.split(fused, { factor: 4 });
    const text = stmtText(lower(s, [a]).body);
    expect(text).toContain("b[i0_i1_fused_outer // 2, i0_i1_fused_outer % 2 * 4 + i0_i1_fused_inner]");
    expect(text).not.toContain("likely");
  });

  test("inlining into a reduction, through a chain", () => {
    const a = placeholder([3, 4], float32, { name: "a" });
    const b = compute([3, 4], ([i, j]) => mul(a.at(i, j), floatImm(2, float32)), { name: "b" });
    const c = compute([4, 3], ([i, j]) => add(b.at(j, i), floatImm(1, float32)), { name: "c" });
    const k = reduceAxis(4, "k");
    const d = compute([3], ([i]) => sum(c.at(k.variable, i), [k]), { name: "d" });
    const s = createSchedule([d]);
    s.stage(b).computeInline();
    s.stage(c).computeInline();
    const f = lower(s, [a]);
    expect(stmtText(f.body)).toContain("d[i0] = d[i0] + (a[i0, k] * T.float32(2) + T.float32(1))");
    const data = fill(12);
    expect([...run(f, [data])[0]!]).toEqual(
      [0, 1, 2].map((i) => [0, 1, 2, 3].reduce((t, j) => t + data[i * 4 + j]! * 2 + 1, 0)),
    );
  });

  test("compute_at: the buffer holds one row with its halo, rebased", () => {
    const a = placeholder([8, 10], float32, { name: "a" });
    const b = compute([8, 10], ([i, j]) => mul(a.at(i, j), floatImm(2, float32)), { name: "b" });
    const c = compute([6, 10], ([i, j]) => add(b.at(i, j), b.at(add(i, 2), j)), { name: "c" });
    const s = createSchedule([c]);
    s.stage(b).computeAt(s.stage(c), s.stage(c).axis[0]!);
    const f = lower(s, [a]);
    const text = stmtText(f.body);
    expect(text).toContain('b = T.allocate([3, 10], "float32", "global")');
    expect(text).toContain("c[i0, i1_1] = b[0, i1_1] + b[2, i1_1]");
    const data = fill(80);
    expect([...run(f, [data])[0]!]).toEqual(
      Array.from({ length: 60 }, (_, at) => data[at]! * 2 + data[at + 20]! * 2),
    );
  });

  test("cache_read packs what one tile needs", () => {
    const { a, w, c } = dense(6, 8, 12);
    const s = createSchedule([c]);
    const packed = s.cacheRead(w, "local", [c]);
    const st = s.stage(c);
    const [jo, ji] = st.split(st.axis[1]!, { factor: 4 });
    st.reorder(jo, st.axis[0]!, ji, st.reduceAxis[0]!);
    s.stage(packed).computeAt(st, jo);
    const f = lower(s, [a, w]);
    expect(stmtText(f.body)).toContain('w_local = T.allocate([4, 8], "float32", "local")');
    expect([...run(f, [fill(48), fill(96, 2)])[0]!]).toEqual(denseLoops(6, 8, 12, fill(48), fill(96, 2)));
  });

  test.each([
    [6, 8, 12],
    [5, 7, 9],
    [1, 3, 2],
    [9, 1, 5],
  ])("register tile of dense %i x %i x %i: accumulators in a constant local buffer", (m, k, n) => {
    const { a, w, c } = dense(m, k, n);
    const s = createSchedule([c]);
    const cc = s.cacheWrite(c, "local");
    const st = s.stage(c);
    const [io, jo, ii, ji] = st.tile(st.axis[0]!, st.axis[1]!, 4, 4);
    const at = s.stage(cc);
    at.computeAt(st, jo);
    const [ko, ki] = at.split(at.reduceAxis[0]!, { factor: 2 });
    at.reorder(ko, ki, ...at.axis);
    at.unroll(at.axis[0]!);
    at.vectorize(at.axis[1]!);
    st.unroll(ii);
    st.vectorize(ji);
    expect(io).toBeDefined();
    expect([...run(lower(s, [a, w]), [fill(m * k), fill(n * k, 2)])[0]!]).toEqual(
      denseLoops(m, k, n, fill(m * k), fill(n * k, 2)),
    );
  });
});

interface Conv {
  n: number;
  c: number;
  h: number;
  w: number;
  o: number;
  k: number;
  pad: number;
  stride: number;
}

function conv(p: Conv): {
  data: Tensor;
  weight: Tensor;
  pad: Tensor;
  packed: Tensor;
  out: Tensor;
  relu: Tensor;
  oh: number;
  ow: number;
  block: number;
} {
  const data = placeholder([p.n, p.c, p.h, p.w], float32, { name: "data" });
  const weight = placeholder([p.o, p.c, p.k, p.k], float32, { name: "weight" });
  const [ph, pw] = [p.h + 2 * p.pad, p.w + 2 * p.pad];
  const pad = compute(
    [p.n, p.c, ph, pw],
    ([n, c, y, x]) =>
      ifThenElse(
        and(and(ge(y, p.pad), lt(y, p.pad + p.h)), and(ge(x, p.pad), lt(x, p.pad + p.w))),
        data.at(n, c, sub(y, p.pad), sub(x, p.pad)),
        floatImm(0, float32),
      ),
    { name: "pad", axes: ["n", "c", "y", "x"] },
  );
  const block = 4;
  const packed = compute(
    [Math.ceil(p.o / block), p.c, p.k, p.k, block],
    ([ob, c, y, x, oi]) => {
      const at = add(mul(ob, block), oi);
      return p.o % block === 0
        ? weight.at(at, c, y, x)
        : ifThenElse(lt(at, p.o), weight.at(at, c, y, x), floatImm(0, float32));
    },
    { name: "packed", axes: ["ob", "c", "y", "x", "oi"] },
  );
  const oh = Math.floor((ph - p.k) / p.stride) + 1;
  const ow = Math.floor((pw - p.k) / p.stride) + 1;
  const [rc, ky, kx] = [reduceAxis(p.c, "rc"), reduceAxis(p.k, "ky"), reduceAxis(p.k, "kx")];
  const out = compute(
    [p.n, p.o, oh, ow],
    ([n, o, y, x]) =>
      sum(
        mul(
          pad.at(n, rc.variable, add(mul(y, p.stride), ky.variable), add(mul(x, p.stride), kx.variable)),
          packed.at(floorDiv(o, block), rc.variable, ky.variable, kx.variable, floorMod(o, block)),
        ),
        [rc, ky, kx],
      ),
    { name: "conv", axes: ["n", "oc", "oh", "ow"] },
  );
  const relu = compute([p.n, p.o, oh, ow], ([n, o, y, x]) => max(out.at(n, o, y, x), floatImm(0, float32)), {
    name: "relu",
    axes: ["n", "oc", "oh", "ow"],
  });
  return { data, weight, pad, packed, out, relu, oh, ow, block };
}

/**
 * The register tile of WASM kernels: 4 output channels by `tile` columns of accumulators, reduction outside.
 */
function tiledConv(
  p: Conv,
  tile: number,
  padAt: "inline" | "root" | "tile",
): { f: PrimFunc; s: Schedule; oh: number; ow: number } {
  const { data, weight, pad, packed, out, relu, oh, ow, block } = conv(p);
  const s = createSchedule([relu]);
  s.stage(packed).computeRoot();
  const last = s.stage(relu);
  const [n, oc, y, x] = last.axis as [
    (typeof last.axis)[0],
    (typeof last.axis)[0],
    (typeof last.axis)[0],
    (typeof last.axis)[0],
  ];
  const [oco, oci] = last.split(oc, { factor: block });
  const [xo, xi] = last.split(x, { factor: tile });
  last.reorder(n, oco, y, xo, oci, xi);
  const acc = s.stage(out);
  acc.setScope("local");
  acc.computeAt(last, xo);
  const [an, ao, ay, ax] = acc.axis;
  acc.reorder(an!, ay!, ...acc.reduceAxis, ax!, ao!);
  acc.unroll(ax!);
  acc.vectorize(ao!);
  last.unroll(xi);
  last.unroll(oci);
  if (padAt === "inline") s.stage(pad).computeInline();
  if (padAt === "tile") s.stage(pad).computeAt(last, xo);
  return { f: lower(s, [data, weight]), s, oh, ow };
}

/** Digits of `at` in the mixed radix `sizes`, most significant first. */
function digits(at: number, sizes: readonly number[]): number[] {
  const out: number[] = [];
  let rest = at;
  for (const size of [...sizes].reverse()) {
    out.unshift(rest % size);
    rest = Math.floor(rest / size);
  }
  return out;
}

function convLoops(p: Conv, oh: number, ow: number, data: Float32Array, weight: Float32Array): number[] {
  return Array.from({ length: p.n * p.o * oh * ow }, (_, at) => {
    const [n, o, y, x] = digits(at, [p.n, p.o, oh, ow]) as [number, number, number, number];
    let total = 0;
    for (let r = 0; r < p.c * p.k * p.k; r++) {
      const [c, ky, kx] = digits(r, [p.c, p.k, p.k]) as [number, number, number];
      const [iy, ix] = [y * p.stride + ky - p.pad, x * p.stride + kx - p.pad];
      const inside = iy >= 0 && iy < p.h && ix >= 0 && ix < p.w;
      if (inside)
        total +=
          data[((n * p.c + c) * p.h + iy) * p.w + ix]! * weight[((o * p.c + c) * p.k + ky) * p.k + kx]!;
    }
    return Math.max(total, 0);
  });
}

describe("register tiles of conv2d", () => {
  test("sizes that divide: constant buffers and extents, no condition", () => {
    const { f } = tiledConv({ n: 1, c: 3, h: 16, w: 16, o: 8, k: 3, pad: 1, stride: 1 }, 8, "root");
    const text = stmtText(f.body);
    expect(text).toContain('conv = T.allocate([1, 4, 1, 8], "float32", "local")');
    expect(text).not.toContain("likely");
    expect(text.slice(text.indexOf("for oc_outer"))).toMatchInlineSnapshot(`
      "for oc_outer in range(2):
          for oh in range(16):
              for ow_outer in range(2):
                  conv = T.allocate([1, 4, 1, 8], "float32", "local")
                  for ow_init in T.unrolled(8):
                      for oc_init in T.vectorized(4):
                          conv[0, oc_init, 0, ow_init] = T.float32(0)
                  for rc in range(3):
                      for ky in range(3):
                          for kx in range(3):
                              for ow in T.unrolled(8):
                                  for oc in T.vectorized(4):
                                      conv[0, oc, 0, ow] = conv[0, oc, 0, ow] + pad[0, rc, oh + ky, ow_outer * 8 + ow + kx] * packed[oc_outer, rc, ky, kx, oc]
                  for oc_inner in T.unrolled(4):
                      for ow_inner in T.unrolled(8):
                          relu[0, oc_outer * 4 + oc_inner, oh, ow_outer * 8 + ow_inner] = T.max(conv[0, oc_inner, 0, ow_inner], T.float32(0))
      "
    `);
  });

  const cases: Conv[] = [
    { n: 1, c: 3, h: 16, w: 16, o: 8, k: 3, pad: 1, stride: 1 },
    { n: 2, c: 2, h: 7, w: 9, o: 5, k: 3, pad: 1, stride: 1 },
    { n: 1, c: 2, h: 11, w: 13, o: 6, k: 3, pad: 1, stride: 2 },
    { n: 1, c: 1, h: 5, w: 5, o: 1, k: 1, pad: 0, stride: 1 },
  ];
  test.each(cases.flatMap((p) => (["inline", "root", "tile"] as const).map((at) => [p, at] as const)))(
    "%o, pad %s: right numbers",
    (p, at) => {
      const { f, oh, ow } = tiledConv(p, 8, at);
      const data = fill(p.n * p.c * p.h * p.w);
      const weight = fill(p.o * p.c * p.k * p.k, 5);
      expect([...run(f, [data, weight])[0]!]).toEqual(convLoops(p, oh, ow, data, weight));
    },
  );
});
