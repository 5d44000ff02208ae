// Quantised operators against plain integer arithmetic, by both ways that Legalize takes: int16 products
// (targets c and wasm) and four sums (other targets).
import { describe, expect, it } from "vitest";
import { defaultOptions, type Options } from "../../options.ts";
import { runRelay, withJit } from "../../../testing/harness/relay-run.ts";
import { typedModule } from "../../../testing/harness/relay-text.ts";
import { int32 } from "../../ir/dtype.ts";
import { allocateArray, elementCount, tensorData, type TensorData } from "../../ir/tensor-data.ts";
import { staticShape, type TensorType } from "../../ir/type.ts";
import { calledOp, type Func } from "../../relay/expr.ts";
import type { RelayContext } from "../../relay/op.ts";
import { qnnCanonicalize, qnnLegalize } from "../../relay/passes/legalize.ts";
import { runRelayPrefix } from "../../relay/pass-list.ts";
import { postOrder } from "../../relay/visit.ts";
import { fixedPointOf } from "./fixed-point.ts";

const byInt16: Options = defaultOptions;
const byTerms: Options = { ...defaultOptions, targets: [{ device: 4, kind: "opencl" }] };

function lowered(text: string, options: Options): { readonly func: Func; readonly cx: RelayContext } {
  const { module, cx: plain } = typedModule(text);
  const cx = withJit({ ...plain, options });
  const func = qnnCanonicalize.run(qnnLegalize.run(module, cx), cx).functions.get("main")!;
  return { func, cx };
}

function operators(func: Func): ReadonlySet<string> {
  const names = new Set<string>();
  postOrder(func, (expr) => {
    const name = calledOp(expr);
    if (name !== null) names.add(name);
  });
  return names;
}

/**
 * Values of the parameters: the whole range of bytes, zero points 0 … 6, int32 in the hundreds of thousands.
 */
function sample(type: TensorType, seed: number): TensorData {
  const shape = staticShape(type)!;
  const data = allocateArray(type.dtype, elementCount(shape));
  for (let i = 0; i < data.length; i++) {
    const draw = Math.imul(i * 7 + seed * 131 + 3, 2654435761) >>> 8;
    data[i] =
      type.dtype.bits === 8
        ? (draw % 256) - (type.dtype.code === "int" ? 128 : 0)
        : shape.length < 2
          ? draw % 7
          : (draw % 700001) - 350000;
  }
  return tensorData(type.dtype, shape, data);
}

function run(
  text: string,
  options: Options,
): {
  readonly ins: readonly TensorData[];
  readonly out: readonly number[];
  readonly names: ReadonlySet<string>;
} {
  const { func, cx } = lowered(text, options);
  const ins = func.params.map((param, i) => sample(param.annotation as TensorType, i));
  const [out] = runRelay(func, ins, cx);
  expect(cx.diagnostics).toEqual([]);
  return { ins, out: Array.from(out!.data, Number), names: operators(func) };
}

const numbers = (tensor: TensorData): number[] => Array.from(tensor.data as ArrayLike<number>);

describe("fixedPointOf", () => {
  it.each([
    [0.5, 1073741824, 0],
    [1, 1073741824, 1],
    [0, 0, 0],
    [1 / 3, 1431655765, -1],
    [2 ** -40, 1073741824, -39],
    // The significand rounds up to 2^31 here.
    [1 - 2 ** -40, 1073741824, 1],
    [-0.75, -1610612736, 0],
    [5e-324, 1073741824, -1073],
  ])("%f", (factor, multiplier, shift) => {
    expect(fixedPointOf(factor)).toEqual({ multiplier, shift });
  });
});

interface ConvCase {
  readonly name: string;
  readonly zeros: readonly [number | "data", number | "weight" | "channels"];
  readonly attrs?: string;
  readonly stride?: number;
  readonly pad?: number;
  readonly dilation?: number;
  readonly groups?: number;
  /** Window, 3 where left out. */
  readonly k?: number;
}

const convs: readonly ConvCase[] = [
  { name: "symmetric", zeros: [0, 0] },
  { name: "zero point of the data, padded", zeros: [7, 0], pad: 1 },
  { name: "zero point of the weight", zeros: [0, 5] },
  { name: "both, strided", zeros: [3, -4], pad: 1, stride: 2 },
  { name: "both are one", zeros: [1, 1] },
  { name: "1x1, strided", zeros: [3, -4], stride: 2, k: 1 },
  { name: "dilated", zeros: [3, -4], pad: 2, dilation: 2 },
  { name: "depthwise", zeros: [3, -4], pad: 1, groups: 4 },
  { name: "grouped", zeros: [3, -4], groups: 2 },
  { name: "zero points at run time", zeros: ["data", "weight"], pad: 1 },
  { name: "a zero point a channel", zeros: [3, "channels"], pad: 1, stride: 2 },
  { name: "a zero point a channel, depthwise", zeros: ["data", "channels"], groups: 4 },
  { name: "a zero point a channel, grouped", zeros: ["data", "channels"], groups: 2 },
];

/** 4 channels in and out, 6x6 pixels, NHWC with HWIO (HWOI where depthwise) or NCHW with OIHW. */
function convText(spec: ConvCase, nhwc: boolean): string {
  const { stride = 1, pad = 0, dilation = 1, groups = 1, k = 3 } = spec;
  const depthwise = groups === 4;
  const inner = 4 / groups;
  const kernelLayout = nhwc ? (depthwise ? "HWOI" : "HWIO") : "OIHW";
  const weight = { HWOI: [k, k, 4, inner], HWIO: [k, k, inner, 4], OIHW: [4, inner, k, k] }[kernelLayout];
  const params = [
    `%x: Tensor[(${nhwc ? "1, 6, 6, 4" : "1, 4, 6, 6"}), uint8]`,
    `%w: Tensor[(${weight.join(", ")}), int8]`,
  ];
  if (spec.zeros[0] === "data") params.push("%zx: int32");
  if (spec.zeros[1] !== "weight" && typeof spec.zeros[1] === "string") params.push("%zw: Tensor[(4), int32]");
  if (spec.zeros[1] === "weight") params.push("%zw: int32");
  const zero = (value: number | string, name: string): string =>
    typeof value === "number" ? `${value}` : name;
  return (
    `def @main(${params.join(", ")}) { qnn.conv2d(%x, %w, ${zero(spec.zeros[0], "%zx")}, ${zero(spec.zeros[1], "%zw")}, 0.1f, 0.2f, strides=[${stride}, ${stride}], ` +
    `padding=[${pad}, ${pad}], dilation=[${dilation}, ${dilation}], groups=${groups}, channels=4, kernel_size=[${k}, ${k}], data_layout="${nhwc ? "NHWC" : "NCHW"}", ` +
    `kernel_layout="${kernelLayout}", out_dtype="int32") }`
  );
}

function convReference(spec: ConvCase, nhwc: boolean, ins: readonly TensorData[]): number[] {
  const { stride = 1, pad = 0, dilation = 1, groups = 1, k = 3 } = spec;
  const [x, w] = [numbers(ins[0]!), numbers(ins[1]!)];
  const extra = ins.slice(2).map(numbers);
  const zx = spec.zeros[0] === "data" ? extra.shift()![0]! : spec.zeros[0];
  const zw = typeof spec.zeros[1] === "number" ? [spec.zeros[1]] : extra.shift()!;
  const inner = 4 / groups;
  const atData = (c: number, i: number, j: number): number =>
    nhwc ? x[(i * 6 + j) * 4 + c]! : x[(c * 6 + i) * 6 + j]!;
  const atWeight = (o: number, c: number, i: number, j: number): number =>
    !nhwc
      ? w[((o * inner + c) * k + i) * k + j]!
      : groups === 4
        ? w[((i * k + j) * 4 + o) * inner + c]!
        : w[((i * k + j) * inner + c) * 4 + o]!;
  const size = Math.floor((6 + 2 * pad - ((k - 1) * dilation + 1)) / stride) + 1;
  const value = (o: number, i: number, j: number): number => {
    let sum = 0;
    for (let c = 0; c < inner; c++)
      for (let a = 0; a < k; a++)
        for (let b = 0; b < k; b++) {
          const [row, column] = [i * stride + a * dilation - pad, j * stride + b * dilation - pad];
          if (row < 0 || column < 0 || row >= 6 || column >= 6) continue;
          sum +=
            (atData(Math.floor(o / (4 / groups)) * inner + c, row, column) - zx) *
            (atWeight(o, c, a, b) - (zw[o] ?? zw[0]!));
        }
    return sum;
  };
  const out: number[] = [];
  if (nhwc)
    for (let i = 0; i < size; i++)
      for (let j = 0; j < size; j++) for (let o = 0; o < 4; o++) out.push(value(o, i, j));
  else
    for (let o = 0; o < 4; o++)
      for (let i = 0; i < size; i++) for (let j = 0; j < size; j++) out.push(value(o, i, j));
  return out;
}

describe("qnn.conv2d", () => {
  describe.each([
    ["NHWC", true],
    ["NCHW", false],
  ] as const)("%s", (_, nhwc) => {
    it.each(convs.map((spec) => [spec.name, spec] as const))("%s", (_name, spec) => {
      const text = convText(spec, nhwc);
      const wide = run(text, byInt16);
      expect(wide.out).toEqual(convReference(spec, nhwc, wide.ins));
      const summed = run(text, byTerms);
      expect(summed.out).toEqual(convReference(spec, nhwc, summed.ins));
      // Both ways were really taken.
      expect([wide.names.has("nn.pad"), wide.names.has("nn.bias_add")]).toEqual([
        false,
        spec.zeros[1] === "channels",
      ]);
      const fallsBack = (spec.dilation !== undefined && spec.zeros[1] !== 0) || spec.groups === 2;
      expect(summed.names.has("nn.pad")).toBe(!fallsBack && (spec.pad ?? 0) > 0);
    });
  });
});

describe("products", () => {
  it.each([
    [0, 0],
    [3, 0],
    [0, -5],
    [3, -5],
  ])("qnn.dense, zero points %i and %i", (zx, zw) => {
    const text = `def @main(%x: Tensor[(2, 9), int8], %w: Tensor[(3, 9), int8]) { qnn.dense(%x, %w, ${zx}, ${zw}, 0.1f, 0.2f, units=3, out_dtype="int32") }`;
    for (const options of [byInt16, byTerms]) {
      const { ins, out } = run(text, options);
      const [x, w] = ins.map(numbers);
      expect(out).toEqual(
        [0, 1].flatMap((i) =>
          [0, 1, 2].map((j) =>
            Array.from({ length: 9 }, (_, k) => (x![i * 9 + k]! - zx) * (w![j * 9 + k]! - zw)).reduce(
              (a, b) => a + b,
            ),
          ),
        ),
      );
    }
  });

  it("qnn.dense with a zero point a row of the weight, data of rank 3", () => {
    const text = `def @main(%x: Tensor[(2, 2, 9), uint8], %w: Tensor[(3, 9), int8], %zw: Tensor[(3), int32]) { qnn.dense(%x, %w, 3, %zw, 0.1f, 0.2f, units=3, out_dtype="int32") }`;
    for (const options of [byInt16, byTerms]) {
      const { ins, out } = run(text, options);
      const [x, w, zw] = ins.map(numbers);
      expect(out).toEqual(
        [0, 1, 2, 3].flatMap((i) =>
          [0, 1, 2].map((j) =>
            Array.from({ length: 9 }, (_, k) => (x![i * 9 + k]! - 3) * (w![j * 9 + k]! - zw![j]!)).reduce(
              (a, b) => a + b,
            ),
          ),
        ),
      );
    }
  });

  it.each([
    [0, 0],
    [3, 0],
    [0, -5],
    [3, -5],
  ])("qnn.batch_matmul, zero points %i and %i", (zx, zy) => {
    const { ins, out } = run(
      `def @main(%x: Tensor[(2, 2, 5), int8], %y: Tensor[(2, 3, 5), int8]) { qnn.batch_matmul(%x, %y, ${zx}, ${zy}, 0.1f, 0.2f, out_dtype="int32", transpose_b=True) }`,
      byInt16,
    );
    const [x, y] = ins.map(numbers);
    const product = (b: number, i: number, j: number): number =>
      Array.from(
        { length: 5 },
        (_, k) => (x![(b * 2 + i) * 5 + k]! - zx) * (y![(b * 3 + j) * 5 + k]! - zy),
      ).reduce((s, v) => s + v);
    expect(out).toEqual([0, 1].flatMap((b) => [0, 1].flatMap((i) => [0, 1, 2].map((j) => product(b, i, j)))));
  });

  it("qnn.conv2d_transpose", () => {
    const { ins, out } = run(
      `def @main(%x: Tensor[(1, 1, 2, 2), int8], %w: Tensor[(1, 1, 2, 2), int8]) { qnn.conv2d_transpose(%x, %w, 3, -2, 0.1f, 0.2f, channels=1, kernel_size=[2, 2], kernel_layout="IOHW", out_dtype="int32") }`,
      byTerms,
    );
    const [x, w] = [numbers(ins[0]!).map((v) => v - 3), numbers(ins[1]!).map((v) => v + 2)];
    const want = new Array<number>(9).fill(0);
    for (let i = 0; i < 2; i++)
      for (let j = 0; j < 2; j++)
        for (let a = 0; a < 2; a++)
          for (let b = 0; b < 2; b++) want[(i + a) * 3 + j + b]! += x[i * 2 + j]! * w[a * 2 + b]!;
    expect(out).toEqual(want);
  });
});

/** round(value * factor) as a 31-bit multiplier and a shift do it, from the definition. */
function scaled(value: number, factor: number, toNearest: boolean): number {
  const { multiplier, shift } = fixedPointOf(factor);
  const product = BigInt(value) * BigInt(multiplier) * (shift > 0 ? 1n << BigInt(shift) : 1n);
  const right = BigInt(31 + Math.max(-shift, 0));
  const half = (1n << (right - 1n)) - (toNearest && product < 0n ? 1n : 0n);
  return Number((product + half) >> right);
}

const clamp = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high);

describe("qnn.requantize", () => {
  it.each([
    ["0.05f", 0, 0.1, 2],
    ["0.7f", -3, 0.2, -11],
    ["0.0003f", 5, 0.9, 0],
    ["0.25f", 1, 0.25, 4],
  ] as const)("scales %s to %f", (from, zero, to, outZero) => {
    for (const rounding of ["UPWARD", "TONEAREST"]) {
      const { ins, out } = run(
        `def @main(%x: Tensor[(4, 50), int32]) { qnn.requantize(%x, ${from}, ${zero}, ${to}f, ${outZero}, rounding="${rounding}", out_dtype="int8") }`,
        byInt16,
      );
      const factor = Math.fround(parseFloat(from)) / Math.fround(to);
      expect(out).toEqual(
        numbers(ins[0]!).map((x) =>
          clamp(
            (factor === 1 ? x - zero : scaled(x - zero, factor, rounding === "TONEAREST")) + outZero,
            -128,
            127,
          ),
        ),
      );
    }
  });

  it("halves go up, or away from zero", () => {
    const text = (rounding: string): string =>
      `def @main(%x: Tensor[(7), int32]) { qnn.requantize(%x, 0.5f, 0, 1f, 0, rounding="${rounding}", out_dtype="int32") }`;
    const results = ["UPWARD", "TONEAREST"].map((rounding) => {
      const { func, cx } = lowered(text(rounding), byInt16);
      return Array.from(
        runRelay(func, [tensorData(int32, [7], Int32Array.of(-5, -3, -1, 0, 1, 3, 5))], cx)[0]!.data,
        Number,
      );
    });
    expect(results).toEqual([
      [-2, -1, 0, 0, 1, 2, 3],
      [-3, -2, -1, 0, 1, 2, 3],
    ]);
  });

  it("a scale a channel, some of them above one and one next to nothing", () => {
    const scales = [0.003, 1.7, 1e-20, 0.25].map(Math.fround);
    for (const rounding of ["UPWARD", "TONEAREST"] as const) {
      const text = `def @main(%x: Tensor[(1, 4, 3, 3), int32]) { qnn.requantize(%x, meta[relay.Constant][0] /* ty=Tensor[(4), float32] */, 0, 0.25f, 1, axis=1, rounding="${rounding}", out_dtype="uint8") }`;
      const { module, cx: plain } = typedModule(text);
      const cx = withJit(plain);
      // The seeded constant becomes these scales.
      postOrder(module.functions.get("main")!, (expr) => {
        if (expr.kind === "constant" && expr.data.shape.length === 1)
          (expr.data.data as Float32Array).set(scales);
      });
      const func = qnnCanonicalize.run(module, cx).functions.get("main")!;
      const input = sample(func.params[0]!.annotation as TensorType, 3);
      const want = numbers(input).map((x, i) => {
        const factor = scales[Math.floor(i / 9)]! / 0.25;
        return clamp((factor < 1e-15 ? 0 : scaled(x, factor, rounding === "TONEAREST")) + 1, 0, 255);
      });
      expect(Array.from(runRelay(func, [input], cx)[0]!.data, Number)).toEqual(want);
    }
  });
});

describe("element by element", () => {
  it.each([
    ["qnn.add", 1],
    ["qnn.subtract", -1],
  ] as const)("%s", (name, sign) => {
    const { ins, out } = run(
      `def @main(%x: Tensor[(8, 8), uint8], %y: Tensor[(8), uint8]) { ${name}(%x, %y, 0.1f, 10, 0.2f, 2, 0.3f, 30) }`,
      byInt16,
    );
    const [x, y] = ins.map(numbers);
    const [f, g] = [Math.fround(0.1) / Math.fround(0.3), Math.fround(0.2) / Math.fround(0.3)];
    expect(out).toEqual(
      x!.map((v, i) =>
        clamp(scaled(v - 10, f, false) + sign * scaled(y![i % 8]! - 2, g, false) + 30, 0, 255),
      ),
    );
  });

  it("qnn.mul", () => {
    const { ins, out } = run(
      "def @main(%x: Tensor[(8, 8), int8], %y: Tensor[(8, 8), int8]) { qnn.mul(%x, %y, 0.1f, 10, 0.2f, 0, 0.3f, -3) }",
      byInt16,
    );
    const [x, y] = ins.map(numbers);
    const factor = Math.fround(Math.fround(0.1) * Math.fround(0.2)) / Math.fround(0.3);
    expect(out).toEqual(x!.map((v, i) => clamp(scaled((v - 10) * y![i]!, factor, false) - 3, -128, 127)));
  });

  it("qnn.concatenate", () => {
    const { ins, out } = run(
      "def @main(%x: Tensor[(3, 2), int8], %y: Tensor[(3, 2), int8]) { qnn.concatenate((%x, %y), (0.1f, 0.3f), (1, 2), 0.3f, 2, axis=1) }",
      byInt16,
    );
    const [x, y] = ins.map(numbers);
    const first = x!.map((v) =>
      clamp(scaled(v - 1, Math.fround(0.1) / Math.fround(0.3), false) + 2, -128, 127),
    );
    expect(out).toEqual([0, 1, 2].flatMap((i) => [first[i * 2], first[i * 2 + 1], y![i * 2], y![i * 2 + 1]]));
  });

  it("qnn.dequantize and back", () => {
    const { ins, out } = run(
      'def @main(%x: Tensor[(3, 40), int8], %z: Tensor[(40), int32]) { qnn.quantize(qnn.dequantize(%x, 0.25f, %z, axis=1), 0.25f, %z, out_dtype="int8", axis=1) }',
      byInt16,
    );
    expect(out).toEqual(numbers(ins[0]!));
  });
});

describe("refusals", () => {
  const codes = (text: string, options: Options = byInt16): string[] => {
    const { cx } = lowered(text, options);
    return cx.diagnostics.map((found) => `${found.code} ${found.message}`);
  };

  it("a scale that is not a constant", () => {
    expect(
      codes(
        'def @main(%x: Tensor[(4), int32], %s: float32) { qnn.requantize(%x, %s, 0, 0.1f, 0, out_dtype="int8") }',
      ),
    ).toEqual(["RS3020 qnn.requantize: argument `input_scale` is not a constant scalar"]);
  });

  it("a scale of nothing", () => {
    expect(
      codes('def @main(%x: Tensor[(4), int32]) { qnn.requantize(%x, 1f, 0, 0f, 0, out_dtype="int8") }'),
    ).toEqual(["RS3020 qnn.requantize: argument `output_scale` cannot be a scale"]);
  });

  it("quantised operators at opt_level 0 say what to do", () => {
    const { module, cx: plain } = typedModule(
      "def @main(%x: Tensor[(4), int8]) { qnn.add(%x, %x, 0.1f, 0, 0.1f, 0, 0.2f, 0) }",
    );
    const cx = withJit({ ...plain, options: { ...defaultOptions, optLevel: 0 } });
    expect(() => runRelayPrefix(module, cx)).toThrow("RS3021: qnn.add reached FuseOps");
  });
});
