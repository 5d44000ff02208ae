// WebAssembly = interpreter, before and after the TIR passes, on kernels made by te.
import { describe, expect, test } from "vitest";
import { defaultOptions } from "../../options.ts";
import {
  bfloat16,
  bool,
  dtype,
  float16,
  float32,
  float64,
  int16,
  int32,
  int64,
  int8,
  isFloat,
  uint16,
  uint32,
  uint64,
  uint8,
  type DType,
} from "../../ir/dtype.ts";
import { idSource } from "../../ir/ids.ts";
import { synthetic } from "../../ir/origin.ts";
import type { PassContext } from "../../ir/pass.ts";
import { compute, maxReduce, placeholder, reduceAxis, sum } from "../../te/compute.ts";
import { lowerSchedule } from "../../te/lower.ts";
import { createSchedule, type Schedule } from "../../te/schedule.ts";
import type { Tensor } from "../../te/tensor.ts";
import {
  add,
  all,
  and,
  cast,
  div,
  floorDiv,
  floorMod,
  ge,
  gt,
  ifThenElse,
  imm,
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
  tirCall,
  truncMod,
  unary,
} from "../../tir/build.ts";
import type { PrimExpr } from "../../tir/expr.ts";
import { lowerPasses } from "../../tir/passes/pipeline.ts";
import type { PrimFunc } from "../../tir/prim-func.ts";
import { checkPrimFunc, checkSame, type CheckOptions } from "../../../testing/harness/wasm-check.ts";

const cx: PassContext = {
  ids: idSource(),
  ops: new Map(),
  options: defaultOptions,
  verify: "passes" as const,
  diagnostics: [],
  remarks: [],
};
const origin = synthetic("test");

function runPasses(f: PrimFunc, target: "c" | "wasm"): PrimFunc {
  return lowerPasses(target).reduce((unit, pass) => pass.run(unit, cx), f);
}

function check(
  inputs: readonly Tensor[],
  outputs: readonly Tensor[],
  schedule: (s: Schedule) => void,
  options: CheckOptions = {},
): string {
  const s = createSchedule(outputs);
  schedule(s);
  const raw = lowerSchedule(s, { name: "kernel", inputs, outputs, origin });
  checkSame(runPasses(raw, "c"), raw, options.tolerance ?? 0);
  return checkPrimFunc(runPasses(raw, "wasm"), { ...options, reference: raw }).wat;
}

/** Fuse all, split, vectorize: what injective kernels do. */
const vectorized =
  (lanes: number) =>
  (s: Schedule): void => {
    const stage = s.stage(s.outputs[0]!);
    const [, inner] = stage.split(stage.fuse(...stage.axis), { factor: lanes });
    stage.vectorize(inner);
  };
const plain = (): void => undefined;

const integers: readonly DType[] = [int8, int16, int32, int64, uint8, uint16, uint32, uint64];
const floats: readonly DType[] = [float16, bfloat16, float32, float64];

describe("elementwise in every dtype", () => {
  for (const type of [...integers, ...floats]) {
    for (const lanes of [0, 4, 16]) {
      test(`${type.name}, ${lanes} lanes`, () => {
        const a = placeholder([3, 7], type, { name: "a" });
        const b = placeholder([3, 7], type, { name: "b" });
        const c = compute(
          [3, 7],
          (i) => {
            const [x, y] = [a.at(...i), b.at(...i)];
            return sub(max(add(mul(x, y), x), min(x, y)), select(gt(x, y), x, imm(3, type)));
          },
          { name: "c" },
        );
        check([a, b], [c], lanes === 0 ? plain : vectorized(lanes));
      });
    }
  }
});

describe("integer division rounds as its name says", () => {
  for (const type of integers) {
    test(type.name, () => {
      const a = placeholder([64], type, { name: "a" });
      const divisor = (i: readonly PrimExpr[]): PrimExpr =>
        select(ne(a.at(floorMod(add(i[0]!, 5), 64)), 0), a.at(floorMod(add(i[0]!, 5), 64)), imm(7, type));
      const outs = [div, truncMod, floorDiv, floorMod].flatMap((op, k) => [
        compute([64], (i) => op(a.at(...i), divisor(i)), { name: `v${k}` }),
        compute([64], (i) => op(a.at(...i), imm(8, type)), { name: `p${k}` }),
        compute([64], (i) => op(a.at(...i), imm(7, type)), { name: `c${k}` }),
      ]);
      check([a], outs, plain);
    });
  }
});

describe("casts between all dtypes", () => {
  for (const from of [...integers, ...floats, bool]) {
    test(`from ${from.name}`, () => {
      const a = placeholder([37], from, { name: "a" });
      const outs = [...integers, ...floats, bool].map((to) =>
        compute(
          [37],
          (i) => {
            const wide = isFloat(from) ? mul(a.at(...i), imm(70, from)) : a.at(...i);
            return cast(wide, to);
          },
          { name: `to_${to.name}` },
        ),
      );
      check([a], outs, (s) => {
        for (const out of outs) {
          const stage = s.stage(out);
          stage.vectorize(stage.split(stage.axis[0]!, { factor: 8 })[1]);
        }
      });
    });
  }
});

test("bool logic, comparisons and masks", () => {
  const a = placeholder([29], float32, { name: "a" });
  const b = placeholder([29], bool, { name: "b" });
  const logic = compute([29], (i) => or(and(gt(a.at(...i), 0.5), not(b.at(...i))), le(a.at(...i), -2)), {
    name: "logic",
  });
  const masked = compute([29], (i) => select(logic.at(...i), a.at(...i), imm(0, float32)), {
    name: "masked",
  });
  check([a, b], [logic, masked], (s) => {
    for (const out of [logic, masked]) {
      const stage = s.stage(out);
      stage.vectorize(stage.split(stage.axis[0]!, { factor: 4 })[1]);
    }
  });
});

describe("intrinsics", () => {
  const unaries = [
    "exp",
    "exp2",
    "exp10",
    "log",
    "log2",
    "log10",
    "log1p",
    "tanh",
    "sigmoid",
    "erf",
    "sqrt",
    "rsqrt",
    "sin",
    "cos",
    "tan",
    "atan",
    "sinh",
    "cosh",
    "asinh",
    "floor",
    "ceil",
    "trunc",
    "round",
    "nearbyint",
    "fabs",
  ];
  const positive = new Set(["log", "log2", "log10", "log1p", "sqrt", "rsqrt"]);
  for (const type of [float16, float32, float64]) {
    for (const name of unaries) {
      test(`${name} of ${type.name}`, () => {
        const a = placeholder([41], type, { name: "a" });
        const out = compute(
          [41],
          (i) => {
            const x = a.at(...i);
            return unary(`tir.${name}`, positive.has(name) ? add(unary("tir.fabs", x), 0.01) : x);
          },
          { name: "out" },
        );
        const tolerance = type.bits === 16 ? 2e-3 : type.bits === 32 ? 3e-7 : 1e-13;
        check([a], [out], vectorized(4), { tolerance });
      });
    }
  }
  test("of two operands, and questions", () => {
    const a = placeholder([33], float32, { name: "a" });
    const b = placeholder([33], float32, { name: "b" });
    const call = (op: string, ...args: PrimExpr[]): PrimExpr => tirCall(`tir.${op}`, float32, args);
    const zero = (x: PrimExpr): PrimExpr => div(x, sub(x, x));
    const outs = [
      compute([33], (i) => call("pow", unary("tir.fabs", a.at(...i)), b.at(...i)), { name: "pow" }),
      compute([33], (i) => call("pow", a.at(...i), imm(2, float32)), { name: "square" }),
      compute([33], (i) => call("atan2", a.at(...i), b.at(...i)), { name: "atan2" }),
      compute([33], (i) => call("fmod", a.at(...i), b.at(...i)), { name: "fmod" }),
      compute([33], (i) => call("copysign", a.at(...i), b.at(...i)), { name: "copysign" }),
      compute([33], (i) => floorMod(a.at(...i), b.at(...i)), { name: "floormod" }),
      ...["isnan", "isinf", "isfinite"].map((op) =>
        compute([33], (i) => tirCall(`tir.${op}`, bool, [zero(a.at(...i))]), { name: op }),
      ),
    ];
    check([a, b], outs, plain, { tolerance: 3e-7 });
  });
  test("of integers", () => {
    for (const type of [int8, uint8, int32, int64, uint32]) {
      const a = placeholder([33], type, { name: "a" });
      const call = (op: string, ...args: PrimExpr[]): PrimExpr => tirCall(`tir.${op}`, type, args);
      const outs = [
        compute([33], (i) => call("shift_left", a.at(...i), imm(3, type)), { name: "shl" }),
        compute([33], (i) => call("shift_right", a.at(...i), imm(2, type)), { name: "shr" }),
        compute([33], (i) => call("bitwise_xor", a.at(...i), call("bitwise_not", imm(21, type))), {
          name: "xor",
        }),
        compute([33], (i) => call("popcount", a.at(...i)), { name: "popcount" }),
        compute([33], (i) => call("clz", a.at(...i)), { name: "clz" }),
        compute([33], (i) => call("pow", a.at(...i), imm(3, type)), { name: "pow" }),
        ...(type.code === "int" ? [compute([33], (i) => call("fabs", a.at(...i)), { name: "abs" })] : []),
      ];
      check([a], outs, plain);
    }
    const q = placeholder([33], int32, { name: "q" });
    check(
      [q],
      [
        compute(
          [33],
          (i) =>
            tirCall("tir.q_multiply_shift", int32, [
              mul(q.at(...i), 99991),
              imm(1518500250, int32),
              imm(31, int32),
              imm(-3, int32),
            ]),
          { name: "fixed" },
        ),
      ],
      plain,
    );
  });
});

test("rows longer than a vector: chunks and a tail", () => {
  const a = placeholder([3, 101], float32, { name: "a" });
  const out = compute([3, 101], (i) => mul(a.at(...i), a.at(...i)), { name: "out" });
  const wat = check([a], [out], (s) => s.stage(out).vectorize(s.stage(out).axis[1]!));
  expect(wat.match(/f32x4\.mul/g)).toHaveLength(4 + 1);
});

test("every second element, and backwards: shuffles", () => {
  const a = placeholder([40], float32, { name: "a" });
  const even = compute([20], ([i]) => a.at(mul(i!, 2)), { name: "even" });
  const odd = compute([19], ([i]) => a.at(add(mul(i!, 2), 1)), { name: "odd" });
  const back = compute([40], ([i]) => a.at(sub(39, i!)), { name: "back" });
  const third = compute([13], ([i]) => a.at(mul(i!, 3)), { name: "third" });
  const outs = [even, odd, back, third];
  const wat = check([a], outs, (s) => {
    for (const out of outs) s.stage(out).vectorize(s.stage(out).axis[0]!);
  });
  expect(wat.match(/i8x16\.shuffle/g)).toHaveLength(5 + 4 + 10);
  expect(wat).toContain("v128.load32_lane");
});

describe("reductions", () => {
  for (const type of [float32, int32, int8, float64]) {
    test(`sum of rows of ${type.name}`, () => {
      const a = placeholder([5, 13], type, { name: "a" });
      const k = reduceAxis(13);
      const out = compute([5], (i) => sum(a.at(i[0]!, k.variable), [k]), { name: "out" });
      check([a], [out], plain);
    });
  }
  test("softmax of odd rows, stages vectorized", () => {
    const a = placeholder([3, 11], float32, { name: "a" });
    const [k, m] = [reduceAxis(11, "k"), reduceAxis(11, "m")];
    const top = compute([3], (i) => maxReduce(a.at(i[0]!, k.variable), [k]), { name: "top" });
    const powers = compute([3, 11], (i) => unary("tir.exp", sub(a.at(...i), top.at(i[0]!))), {
      name: "powers",
    });
    const total = compute([3], (i) => sum(powers.at(i[0]!, m.variable), [m]), { name: "total" });
    const out = compute([3, 11], (i) => div(powers.at(...i), total.at(i[0]!)), { name: "out" });
    check(
      [a],
      [out],
      (s) => {
        for (const t of [powers, out]) {
          const stage = s.stage(t);
          stage.vectorize(stage.split(stage.axis[1]!, { factor: 4 })[1]);
        }
      },
      { tolerance: 3e-7 },
    );
  });
});

/** NCHW convolution by hand: padding, then the sum. */
function conv(
  channels: number,
  size: number,
  out: number,
  stride: number,
): { readonly ins: Tensor[]; readonly padded: Tensor; readonly result: Tensor } {
  const x = placeholder([1, channels, size, size], float32, { name: "x" });
  const w = placeholder([out, channels, 3, 3], float32, { name: "w" });
  const padded = compute(
    [1, channels, size + 2, size + 2],
    ([n, c, h, v]) =>
      ifThenElse(
        all([ge(h!, 1), lt(h!, size + 1), ge(v!, 1), lt(v!, size + 1)]),
        x.at(n!, c!, sub(h!, 1), sub(v!, 1)),
        imm(0, float32),
      ),
    { name: "padded" },
  );
  const [c, kh, kw] = [reduceAxis(channels, "rc"), reduceAxis(3, "ry"), reduceAxis(3, "rx")];
  const extent = Math.floor((size - 1) / stride) + 1;
  const result = compute(
    [1, out, extent, extent],
    ([n, o, h, v]) =>
      sum(
        mul(
          padded.at(n!, c.variable, add(mul(h!, stride), kh.variable), add(mul(v!, stride), kw.variable)),
          w.at(o!, c.variable, kh.variable, kw.variable),
        ),
        [c, kh, kw],
      ),
    { name: "result" },
  );
  return { ins: [x, w], padded, result };
}

describe("convolution", () => {
  for (const [channels, size, out, stride] of [
    [3, 9, 5, 1],
    [4, 8, 8, 1],
    [2, 11, 3, 2],
  ] as const) {
    test(`${channels} channels of ${size} to ${out}, stride ${stride}: plain`, () => {
      const { ins, result } = conv(channels, size, out, stride);
      check(ins, [result], plain, { tolerance: 1e-6 });
    });
    test(`${channels} channels of ${size} to ${out}, stride ${stride}: register tiles`, () => {
      const { ins, padded, result } = conv(channels, size, out, stride);
      const wat = check(
        ins,
        [result],
        (s) => {
          const tile = s.cacheWrite(result, "local");
          const stage = s.stage(result);
          const [n, o, h, v] = stage.axis;
          const [oOuter, oInner] = stage.split(o!, { factor: 4 });
          const [vOuter, vInner] = stage.split(v!, { factor: 4 });
          stage.reorder(n!, oOuter, h!, vOuter, oInner, vInner);
          stage.unroll(oInner);
          stage.vectorize(vInner);
          const inner = s.stage(tile);
          inner.computeAt(stage, vOuter);
          const [tn, to, th, tv] = inner.axis;
          const [rc, ry, rx] = inner.reduceAxis;
          inner.reorder(rc!, ry!, rx!, tn!, th!, to!, tv!);
          inner.unroll(to!);
          inner.vectorize(tv!);
          s.stage(padded).pragma(s.stage(padded).axis[3]!, "loop_partition_hint");
        },
        { tolerance: 1e-6 },
      );
      expect(wat).toContain("f32x4.mul");
    });
  }
});

test("relaxed madd gives nearly the same", () => {
  const { ins, result } = conv(3, 9, 5, 1);
  const s = createSchedule([result]);
  vectorized(4)(s);
  const raw = lowerSchedule(s, { name: "kernel", inputs: ins, outputs: [result], origin });
  const { wat } = checkPrimFunc(runPasses(raw, "wasm"), {
    reference: raw,
    tolerance: 1e-5,
    relaxedMadd: true,
  });
  expect(wat).toContain("f32x4.relaxed_madd");
});

test("dtype names that the table misses are refused", () => {
  const odd = dtype("int", 4);
  const a = placeholder([4], odd, { name: "a" });
  const out = compute([4], (i) => add(a.at(...i), 1), { name: "out" });
  expect(() => check([a], [out], plain)).toThrow("RS6101");
});
