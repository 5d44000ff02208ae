// Convolutions and products of shapes that do not fit the tiles: WebAssembly = TIR interpreter, through the
// TE compiler with its recipes for wasm. Every operator's examples: testing/operators.test.ts.
import { expect, test } from "vitest";
import { flatValues } from "../../../node/values.ts";
import { compareOutputs } from "../../../testing/harness/compare-outputs.ts";
import { exampleContext, exampleFunction, exampleValue } from "../../../testing/harness/op-example.ts";
import { runPrimitive } from "../../../runtime/jit.ts";
import { allocateArray, elementCount, tensorData } from "../../ir/tensor-data.ts";
import { staticShape } from "../../ir/type.ts";
import { createTeCompiler } from "../../lower/te-compiler.ts";
import type { Example, Op } from "../../ops/define.ts";
import { ops } from "../../ops/index.ts";
import { interpret } from "../../tir/interp/interp.ts";

const cx = exampleContext();

function checkExample(op: Op, example: Example): string | null {
  const primitive = createTeCompiler(cx).lower(exampleFunction(cx, op, example));
  const inputs = primitive.inputTypes.map((type, i) => exampleValue(op, `x${i}`, type));
  const expected = primitive.outputTypes.map((type) =>
    allocateArray(type.dtype, elementCount(staticShape(type)!)),
  );
  interpret(primitive.forC, [...inputs.map((input) => input.data), ...expected]);
  const outputs = runPrimitive(primitive, inputs);
  const want = primitive.outputTypes.map((type, i) =>
    flatValues(tensorData(type.dtype, staticShape(type)!, expected[i]!)),
  );
  return compareOutputs(outputs.map(flatValues), want, { network: false, quantised: false });
}

const convolution = (
  layout: "NCHW" | "NHWC",
  n: number,
  c: number,
  h: number,
  w: number,
  out: number,
  k: number,
  attrs: Readonly<Record<string, unknown>> = {},
): readonly [Op, Example] => {
  const groups = Number(attrs["groups"] ?? 1);
  const depthwise = groups > 1 && groups === c;
  const kernel =
    layout === "NCHW" ? [out, c / groups, k, k] : depthwise ? [k, k, c, out / c] : [k, k, c / groups, out];
  return [
    ops.get("nn.conv2d")!,
    {
      name: `${layout} ${c}x${h}x${w} to ${out}, ${k}x${k} ${JSON.stringify(attrs)}`,
      args: [
        `Tensor[(${(layout === "NCHW" ? [n, c, h, w] : [n, h, w, c]).join(", ")}), float32]`,
        `Tensor[(${kernel.join(", ")}), float32]`,
      ],
      attrs: {
        kernel_size: [k, k],
        channels: out,
        data_layout: layout,
        kernel_layout: layout === "NCHW" ? "OIHW" : depthwise ? "HWOI" : "HWIO",
        padding: [Math.floor(k / 2), Math.floor(k / 2), Math.floor(k / 2), Math.floor(k / 2)],
        ...attrs,
      } as NonNullable<Example["attrs"]>,
    },
  ];
};

/** Shapes that do not fit the tiles in one way or another. */
const odd: readonly (readonly [Op, Example])[] = [
  ...[1, 3, 4, 5, 7, 8, 9, 12, 14, 17].map((side) => convolution("NCHW", 1, 3, side, side, 5, 3)),
  ...[
    [1, 1],
    [2, 3],
    [8, 6],
    [5, 12],
  ].map(([c, out]) => convolution("NCHW", 2, c!, 6, 10, out!, 1)),
  ...[5, 8, 11, 16].map((side) => convolution("NCHW", 1, 4, side, side, 8, 3, { strides: [2, 2] })),
  convolution("NCHW", 1, 4, 13, 13, 8, 3, { strides: [3, 3] }),
  convolution("NCHW", 1, 4, 9, 9, 8, 1, { strides: [2, 2] }),
  convolution("NCHW", 1, 4, 12, 12, 4, 3, { dilation: [2, 2] }),
  convolution("NCHW", 1, 4, 11, 9, 4, 3, { dilation: [2, 1], strides: [1, 2] }),
  convolution("NCHW", 1, 8, 9, 9, 8, 3, { groups: 8 }),
  convolution("NCHW", 1, 8, 8, 8, 16, 3, { groups: 8 }),
  convolution("NCHW", 1, 8, 7, 7, 12, 3, { groups: 4 }),
  convolution("NCHW", 1, 4, 9, 8, 8, 3, { padding: [1, 0, 1, 0] }),
  convolution("NHWC", 1, 1, 12, 8, 8, 3, { padding: [2, 0, 1, 0] }),
  convolution("NCHW", 1, 6, 14, 14, 6, 5, { groups: 6, strides: [2, 2] }),
  convolution("NCHW", 1, 2, 20, 20, 4, 7),
  convolution("NCHW", 1, 4, 6, 8, 8, 3, { padding: [0, 0, 0, 0] }),
  ...[3, 5, 8, 9].map((side) => convolution("NHWC", 1, 4, side, side, 8, 3)),
  convolution("NHWC", 1, 3, 8, 8, 6, 3),
  convolution("NHWC", 1, 3, 8, 8, 3, 3),
  convolution("NHWC", 1, 4, 9, 9, 12, 3, { strides: [2, 2] }),
  convolution("NHWC", 1, 8, 9, 9, 8, 3, { groups: 8 }),
  convolution("NHWC", 1, 8, 8, 8, 8, 1),
  convolution("NHWC", 2, 5, 7, 7, 8, 3, { dilation: [2, 2] }),
  ...[
    ["int8", "NCHW", 8],
    ["int8", "NCHW", 7],
    ["uint8", "NHWC", 8],
    ["int16", "NCHW", 10],
  ].map(([dtype, layout, side]): readonly [Op, Example] => [
    ops.get("nn.conv2d")!,
    {
      name: `${dtype} ${layout} ${side}`,
      args: [
        `Tensor[(${layout === "NCHW" ? `1, 4, ${side}, ${side}` : `1, ${side}, ${side}, 4`}), ${dtype}]`,
        `Tensor[(${layout === "NCHW" ? "8, 4, 3, 3" : "3, 3, 4, 8"}), ${dtype}]`,
      ],
      attrs: {
        kernel_size: [3, 3],
        channels: 8,
        padding: [1, 1, 1, 1],
        data_layout: String(layout),
        kernel_layout: layout === "NCHW" ? "OIHW" : "HWIO",
        out_dtype: "int32",
      },
    },
  ]),
  [
    ops.get("nn.dense")!,
    {
      name: "int8",
      args: ["Tensor[(5, 19), int8]", "Tensor[(6, 19), int8]"],
      attrs: { units: 6, out_dtype: "int32" },
    },
  ],
  ...[
    [4, 1, 1, 0],
    [7, 2, 1, 1],
    [4, 2, 0, 0],
    [9, 3, 2, 1],
  ].map(([side, stride, pad, extra]): readonly [Op, Example] => [
    ops.get("nn.conv2d_transpose")!,
    {
      name: `${side} stride ${stride} pad ${pad}`,
      args: [`Tensor[(1, 3, ${side}, ${side}), float32]`, "Tensor[(3, 6, 3, 3), float32]"],
      attrs: {
        channels: 6,
        kernel_layout: "IOHW",
        kernel_size: [3, 3],
        strides: [stride!, stride!],
        padding: [pad!, pad!, pad!, pad!],
        output_padding: [extra!, extra!],
      },
    },
  ]),
  ...[
    [1, 8, 1],
    [1, 33, 7],
    [3, 16, 5],
    [4, 20, 8],
    [5, 9, 3],
    [6, 64, 10],
    [7, 7, 7],
  ].map(([m, k, n]): readonly [Op, Example] => [
    ops.get("nn.dense")!,
    {
      name: `${m}x${k}x${n}`,
      args: [`Tensor[(${m}, ${k}), float32]`, `Tensor[(${n}, ${k}), float32]`],
      attrs: { units: n! },
    },
  ]),
  ...[true, false].flatMap((transposed) =>
    [
      [2, 3, 17, 5],
      [1, 8, 8, 8],
      [3, 1, 40, 9],
      [2, 6, 5, 16],
    ].map(([b, m, k, n]): readonly [Op, Example] => [
      ops.get("nn.batch_matmul")!,
      {
        name: `${b}x${m}x${k}x${n}${transposed ? "" : ", plain"}`,
        args: [
          `Tensor[(${b}, ${m}, ${k}), float32]`,
          `Tensor[(${b}, ${transposed ? `${n}, ${k}` : `${k}, ${n}`}), float32]`,
        ],
        attrs: { transpose_a: false, transpose_b: transposed },
      },
    ]),
  ),
];

test.each(odd.map(([op, example]) => [op.name, example.name, op, example] as const))(
  "%s %s",
  (_op, _name, op, example) => {
    expect(checkExample(op, example)).toBeNull();
  },
);
