// Networks written as ONNX for tests: residual, depthwise, fire modules, inverted bottlenecks and attention,
// small enough to be written out. Weights by the fill rule, scaled by their fan-in.
import { parameterFill } from "../../compiler/frontend/fill.ts";
import { fromNumbers } from "../../compiler/frontend/values.ts";
import { float32, int64 } from "../../compiler/ir/dtype.ts";
import type { TensorData } from "../../compiler/ir/tensor-data.ts";
import { tensorType } from "../../compiler/ir/type.ts";
import type { FileAttr, FileOp, OnnxFile } from "./onnx-writer.ts";

/** A file being written; each method gives the name of a value. */
interface Net {
  readonly nodes: FileOp[];
  readonly initializers: Record<string, TensorData>;
  readonly op: (op: string, ins: readonly string[], attrs?: Readonly<Record<string, FileAttr>>) => string;
  readonly constant: (value: TensorData) => string;
  readonly weight: (...shape: number[]) => string;
}

function net(): Net {
  const nodes: FileOp[] = [];
  const initializers: Record<string, TensorData> = {};
  const constant = (value: TensorData): string => {
    const name = `c${Object.keys(initializers).length}`;
    initializers[name] = value;
    return name;
  };
  return {
    nodes,
    initializers,
    constant,
    op: (op, ins, attrs = {}) => {
      const name = `${op.toLowerCase()}_${nodes.length}`;
      nodes.push({ op, name, in: ins, out: [name], attrs });
      return name;
    },
    weight: (...shape) =>
      constant(parameterFill(`w${Object.keys(initializers).length}`, tensorType(shape, float32))),
  };
}

interface Conv {
  readonly from: number;
  readonly to: number;
  readonly kernel?: number;
  readonly stride?: number;
  readonly pad?: number;
  readonly groups?: number;
  readonly act?: "Relu" | "Relu6" | null;
}

function conv(
  n: Net,
  x: string,
  { from, to, kernel = 3, stride = 1, pad = (kernel - 1) / 2, groups = 1, act = null }: Conv,
): string {
  const y = n.op("Conv", [x, n.weight(to, from / groups, kernel, kernel), n.weight(to)], {
    strides: [stride, stride],
    pads: [pad, pad, pad, pad],
    group: groups,
  });
  if (act === "Relu6") return n.op("Clip", [y, scalar(n, 0), scalar(n, 6)]);
  return act === null ? y : n.op(act, [y]);
}

const scalar = (n: Net, value: number): string => n.constant(fromNumbers(float32, [], [value]));
const shape = (n: Net, ...dims: number[]): string => n.constant(fromNumbers(int64, [dims.length], dims));

function classifier(n: Net, x: string, from: number, classes: number): string {
  const flat = n.op("Flatten", [n.op("GlobalAveragePool", [x])], { axis: 1 });
  return n.op("Softmax", [n.op("Gemm", [flat, n.weight(classes, from), n.weight(classes)], { transB: 1 })], {
    axis: 1,
  });
}

function written(n: Net, input: readonly number[], output: string): OnnxFile {
  return {
    inputs: { input: { dtype: float32, shape: input } },
    outputs: [output],
    nodes: n.nodes,
    initializers: n.initializers,
  };
}

/** MLPerf Tiny's image classification. */
export function resnet8(): OnnxFile {
  const n = net();
  let x = conv(n, "input", { from: 3, to: 16, act: "Relu" });
  let from = 16;
  for (const [to, stride] of [
    [16, 1],
    [32, 2],
    [64, 2],
  ] as const) {
    const y = conv(n, conv(n, x, { from, to, stride, act: "Relu" }), { from: to, to });
    const beside = stride === 1 ? x : conv(n, x, { from, to, kernel: 1, stride });
    x = n.op("Relu", [n.op("Add", [y, beside])]);
    from = to;
  }
  return written(n, [1, 3, 32, 32], classifier(n, x, 64, 10));
}

/** MLPerf Tiny's keyword spotting. */
export function dscnn(): OnnxFile {
  const n = net();
  let x = n.op("Relu", [
    n.op("Conv", ["input", n.weight(64, 1, 10, 4), n.weight(64)], { strides: [2, 2], pads: [4, 1, 5, 1] }),
  ]);
  for (let i = 0; i < 4; i++)
    x = conv(n, conv(n, x, { from: 64, to: 64, groups: 64, act: "Relu" }), {
      from: 64,
      to: 64,
      kernel: 1,
      act: "Relu",
    });
  return written(n, [1, 1, 49, 10], classifier(n, x, 64, 12));
}

/** Fire modules and concatenation, SqueezeNet's first ones. */
export function squeeze(): OnnxFile {
  const n = net();
  const pool = (x: string): string => n.op("MaxPool", [x], { kernel_shape: [3, 3], strides: [2, 2] });
  let x = pool(conv(n, "input", { from: 3, to: 32, stride: 2, pad: 0, act: "Relu" }));
  let from = 32;
  for (const [narrow, wide] of [
    [8, 32],
    [8, 32],
    [16, 64],
  ] as const) {
    const q = conv(n, x, { from, to: narrow, kernel: 1, act: "Relu" });
    const wings = [
      conv(n, q, { from: narrow, to: wide, kernel: 1, act: "Relu" }),
      conv(n, q, { from: narrow, to: wide, act: "Relu" }),
    ];
    x = n.op("Concat", wings, { axis: 1 });
    from = 2 * wide;
  }
  return written(n, [1, 3, 56, 56], classifier(n, x, from, 50));
}

/** MobileNetV2's inverted bottlenecks. */
export function mobilenet(): OnnxFile {
  const n = net();
  let x = conv(n, "input", { from: 3, to: 16, stride: 2, act: "Relu6" });
  let from = 16;
  for (const [factor, to, stride] of [
    [1, 16, 1],
    [6, 24, 2],
    [6, 24, 1],
  ] as const) {
    const wide = from * factor;
    const y = conv(
      n,
      conv(n, conv(n, x, { from, to: wide, kernel: 1, act: "Relu6" }), {
        from: wide,
        to: wide,
        stride,
        groups: wide,
        act: "Relu6",
      }),
      { from: wide, to, kernel: 1 },
    );
    x = stride === 1 && from === to ? n.op("Add", [x, y]) : y;
    from = to;
  }
  return written(n, [1, 3, 48, 48], classifier(n, x, from, 20));
}

/** One encoder layer, normalisation and GELU by hand as exporters write them. */
export function transformer(steps = 16, width = 64, heads = 4): OnnxFile {
  const n = net();
  const norm = (x: string): string => {
    const centred = n.op("Sub", [x, n.op("ReduceMean", [x], { axes: [-1] })]);
    const variance = n.op("ReduceMean", [n.op("Mul", [centred, centred])], { axes: [-1] });
    const y = n.op("Div", [centred, n.op("Sqrt", [n.op("Add", [variance, scalar(n, 1e-5)])])]);
    return n.op("Add", [n.op("Mul", [y, n.weight(width)]), n.weight(width)]);
  };
  const project = (x: string, from: number, to: number): string =>
    n.op("Add", [n.op("MatMul", [x, n.weight(from, to)]), n.weight(to)]);
  const split = (x: string): string =>
    n.op("Transpose", [n.op("Reshape", [x, shape(n, 1, steps, heads, width / heads)])], {
      perm: [0, 2, 1, 3],
    });
  const normal = norm("input");
  const [q, k, v] = [0, 1, 2].map(() => split(project(normal, width, width))) as [string, string, string];
  const scores = n.op("Div", [
    n.op("MatMul", [q, n.op("Transpose", [k], { perm: [0, 1, 3, 2] })]),
    scalar(n, (width / heads) ** 0.5),
  ]);
  const mixed = n.op("Transpose", [n.op("MatMul", [n.op("Softmax", [scores], { axis: -1 }), v])], {
    perm: [0, 2, 1, 3],
  });
  const x = n.op("Add", [
    "input",
    project(n.op("Reshape", [mixed, shape(n, 1, steps, width)]), width, width),
  ]);
  const u = project(norm(x), width, 4 * width);
  const gelu = n.op("Mul", [
    n.op("Mul", [u, scalar(n, 0.5)]),
    n.op("Add", [scalar(n, 1), n.op("Erf", [n.op("Div", [u, scalar(n, 2 ** 0.5)])])]),
  ]);
  return written(n, [1, steps, width], n.op("Add", [x, project(gelu, 4 * width, width)]));
}
