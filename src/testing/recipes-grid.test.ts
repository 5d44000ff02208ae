// Every recipe over a grid of odd and even shapes and every form of fused group: one kernel on WebAssembly,
// on the interpreter and in C computes what the operators one by one compute (level 0, interpreted).
import { expect, it } from "vitest";
import { compileText, filledInputs } from "../node/engine.ts";
import { runC } from "../node/run-c.ts";
import { aotPlan, type Compilation } from "../compiler/compilation.ts";
import type { TensorData } from "../compiler/ir/tensor-data.ts";
import { defaultOptions } from "../compiler/options.ts";
import { interpretModel } from "../runtime/interp-run.ts";
import { runModel } from "../runtime/run.ts";

/** What may follow an anchor in its group; `c` is its result, `shape` its shape. */
const allForms: readonly ((c: string) => string)[] = [
  (c) => `nn.relu(multiply(${c}, sigmoid(${c})))`,
  (c) => `add(multiply(${c}, exp(${c})), tanh(${c}))`,
  (c) => `where(less(${c}, nn.relu(${c})), ${c}, multiply(${c}, 2f))`,
  (c) => `multiply(nn.relu(add(${c}, 0.5f)), ${c})`,
  (c) => `divide(multiply(${c}, clip(add(${c}, 3f), a_min=0f, a_max=6f)), 6f)`,
  (c) => `add(multiply(tanh(${c}), sigmoid(${c})), sigmoid(tanh(${c})))`,
  (c) => `cast(multiply(${c}, nn.relu(multiply(${c}, 8f))), dtype="int32")`,
  (c) => `nn.relu(${c})`,
];

interface Anchor {
  readonly name: string;
  /** `x` and `w`: its operands; weights are other ones in each group, so that groups stay apart. */
  readonly call: (x: string, w: string, size: Size) => string;
  readonly data: (size: Size) => readonly number[];
  readonly weight: (size: Size) => readonly number[];
}

interface Size {
  readonly h: number;
  readonly w: number;
  readonly channels: number;
}

const same = "padding=[1, 1, 1, 1], kernel_size=[3, 3]";
const nchw = ({ h, w, channels }: Size): readonly number[] => [1, channels, h, w];
const nhwc = ({ h, w, channels }: Size): readonly number[] => [1, h, w, channels];

const anchors: readonly Anchor[] = [
  {
    name: "conv2d NCHW 3x3",
    call: (x, w, { channels }) => `nn.conv2d(${x}, ${w}, ${same}, channels=${channels})`,
    data: nchw,
    weight: ({ channels }) => [channels, channels, 3, 3],
  },
  {
    name: "conv2d NCHW 1x1",
    call: (x, w) => `nn.conv2d(${x}, ${w}, padding=[0, 0, 0, 0], channels=5, kernel_size=[1, 1])`,
    data: nchw,
    weight: ({ channels }) => [5, channels, 1, 1],
  },
  {
    name: "conv2d NCHW depthwise, stride 2",
    call: (x, w, { channels }) =>
      `nn.conv2d(${x}, ${w}, strides=[2, 2], ${same}, groups=${channels}, channels=${channels})`,
    data: nchw,
    weight: ({ channels }) => [channels, 1, 3, 3],
  },
  {
    name: "conv2d NCHW in two groups",
    call: (x, w) => `nn.conv2d(${x}, ${w}, ${same}, groups=2, channels=6)`,
    data: ({ h, w }) => [1, 4, h, w],
    weight: () => [6, 2, 3, 3],
  },
  {
    name: "conv2d NHWC 3x3",
    call: (x, w, { channels }) =>
      `nn.conv2d(${x}, ${w}, ${same}, channels=${channels}, data_layout="NHWC", kernel_layout="HWIO")`,
    data: nhwc,
    weight: ({ channels }) => [3, 3, channels, channels],
  },
  {
    name: "conv2d NHWC depthwise",
    call: (x, w, { channels }) =>
      `nn.conv2d(${x}, ${w}, ${same}, groups=${channels}, channels=${channels}, data_layout="NHWC", kernel_layout="HWOI")`,
    data: nhwc,
    weight: ({ channels }) => [3, 3, channels, 1],
  },
  {
    name: "conv2d_transpose",
    call: (x, w) =>
      `nn.conv2d_transpose(${x}, ${w}, channels=3, kernel_size=[3, 3], strides=[2, 2], padding=[1, 1, 1, 1])`,
    data: nchw,
    weight: ({ channels }) => [3, channels, 3, 3],
  },
  {
    name: "conv1d",
    call: (x, w, { channels }) =>
      `nn.conv1d(${x}, ${w}, channels=${channels}, kernel_size=[3], padding=[1, 1])`,
    data: ({ h, w, channels }) => [1, channels, h * w],
    weight: ({ channels }) => [channels, channels, 3],
  },
  {
    name: "dense",
    call: (x, w, { h }) => `nn.dense(${x}, ${w}, units=${h})`,
    data: ({ w, channels }) => [channels, 2 * w],
    weight: ({ h, w }) => [h, 2 * w],
  },
  {
    name: "batch_matmul",
    call: (x, w) => `nn.batch_matmul(${x}, ${w}, transpose_b=False)`,
    data: ({ h, w }) => [2, h, w],
    weight: ({ w, channels }) => [2, w, channels],
  },
  {
    name: "softmax",
    call: (x, w) => `nn.softmax(add(${x}, ${w}))`,
    data: ({ h, w }) => [h, w],
    weight: ({ w }) => [w],
  },
  {
    name: "sum of rows",
    call: (x, w) => `sum(multiply(${x}, ${w}), axis=[1], keepdims=True)`,
    data: ({ h, w, channels }) => [channels, h, w],
    weight: ({ w }) => [w],
  },
  {
    name: "avg_pool2d",
    call: (x, w) => `nn.avg_pool2d(add(${x}, ${w}), pool_size=[2, 2], padding=[1, 0, 0, 1])`,
    data: nchw,
    weight: ({ w }) => [w],
  },
  {
    name: "transpose",
    call: (x, w) => `transpose(add(${x}, ${w}), axes=[1, 0])`,
    data: ({ h, w }) => [h, w],
    weight: ({ w }) => [w],
  },
];

const sizes: readonly Size[] = [
  { h: 3, w: 5, channels: 2 },
  { h: 1, w: 1, channels: 1 },
  { h: 8, w: 8, channels: 4 },
  { h: 7, w: 6, channels: 3 },
];

const tensor = (shape: readonly number[]): string => `Tensor[(${shape.join(", ")}), float32]`;

/** Every other form behind one kind of anchor, each with weights of its own; sizes take turns. */
function program({ call, data, weight }: Anchor, size: Size): string {
  const turn = sizes.indexOf(size) % 2;
  const forms = allForms.filter((_, i) => i % 2 === turn);
  const params = [`%x: ${tensor(data(size))}`, ...forms.map((_, i) => `%w${i}: ${tensor(weight(size))}`)];
  const lines = forms.flatMap((form, i) => [
    `  %${2 * i} = ${call("%x", `%w${i}`, size)};`,
    `  %${2 * i + 1} = ${form(`%${2 * i}`)};`,
  ]);
  const results = forms.map((_, i) => `%${2 * i + 1}`);
  return `def @main(${params.join(", ")}) {\n${lines.join("\n")}\n  (${results.join(", ")})\n}`;
}

async function compiled(text: string, optLevel: 0 | 3): Promise<Compilation> {
  const { compilation } = await compileText(text, { ...defaultOptions, optLevel }, "grid");
  expect(compilation.diagnostics, text).toEqual([]);
  return compilation;
}

function interpreted(done: Compilation, inputs: ReadonlyMap<string, TensorData>): readonly TensorData[] {
  return interpretModel(aotPlan(done)!, done.primitives, inputs);
}

function expectSame(got: readonly TensorData[], want: readonly TensorData[], what: string): void {
  expect(got.length, what).toBe(want.length);
  want.forEach((tensorWanted, i) => {
    // A value beside a whole number may be cut to either side.
    const slack = tensorWanted.dtype.code === "int" ? 1 : 2e-5;
    const { data } = got[i]!;
    const apart = tensorWanted.data.findIndex(
      (value, k) =>
        !(Math.abs(Number(data[k]) - Number(value)) <= slack * Math.max(1, Math.abs(Number(value)))),
    );
    expect(
      apart,
      `${what}, form ${i}: element ${apart} is ${data[apart]}, want ${tensorWanted.data[apart]}`,
    ).toBe(-1);
  });
}

it.each(anchors.map((anchor) => [anchor.name, anchor] as const))(
  "%s",
  async (name, anchor) => {
    for (const size of sizes) {
      const what = `${name} ${size.h}x${size.w}, ${size.channels} channels`;
      const text = program(anchor, size);
      const apart = await compiled(text, 0);
      const inputs = filledInputs(apart);
      const want = interpreted(apart, inputs);
      const fused = await compiled(text, 3);
      expect(fused.primitives.length, what).toBeLessThanOrEqual(allForms.length / 2 + 1);
      expectSame(
        runModel(fused, inputs, { executor: "aot", repeats: 0 }).outputs,
        want,
        `${what}, WebAssembly`,
      );
      expectSame(interpreted(fused, inputs), want, `${what}, interpreter`);
      if (size === sizes[2]) expectSame(runC(fused, inputs), want, `${what}, C`);
    }
  },
  60_000,
);
