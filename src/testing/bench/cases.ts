// What the benches measure: Relay text for us and the same computation as ONNX for the peer, weights constant
// for both.
import { fillValues } from "./values.ts";
import type { OnnxGraph } from "./onnx-writer.ts";

export interface BenchCase {
  readonly name: string;
  readonly relay: string;
  /** Values of main's parameter `w`, bound as a constant; shape as in the Relay text. */
  readonly weight: { readonly shape: readonly number[]; readonly data: Float32Array };
  readonly input: { readonly name: string; readonly shape: readonly number[]; readonly data: Float32Array };
  readonly outputCount: number;
  readonly onnx: OnnxGraph;
  /** Floating-point operations of one run; a multiply and an add are two. */
  readonly flops: number;
}

const tensor = (shape: readonly number[]): string => `Tensor[(${shape.join(", ")}), float32]`;
const size = (shape: readonly number[]): number => shape.reduce((a, b) => a * b, 1);

function program(input: readonly number[], weight: readonly number[], call: string): string {
  return `#[version = "0.0.5"]\ndef @main(%x: ${tensor(input)}, %w: ${tensor(weight)}) {\n  ${call}\n}\n`;
}

/** A case before its values are made: shapes, and the same computation twice. */
interface CaseSpec {
  readonly name: string;
  readonly input: readonly number[];
  readonly weight: readonly number[];
  readonly output: readonly number[];
  readonly call: string;
  readonly node: OnnxGraph["nodes"][number];
  readonly flops: number;
}

function makeCase({ name, input, weight, output, call, node, flops }: CaseSpec): BenchCase {
  const w = fillValues(size(weight), 2);
  return {
    name,
    relay: program(input, weight, call),
    weight: { shape: weight, data: w },
    input: { name: "x", shape: input, data: fillValues(size(input), 1) },
    outputCount: size(output),
    flops,
    onnx: {
      inputs: [{ name: "x", shape: input }],
      constants: [{ name: "w", shape: weight, data: w }],
      nodes: [node],
      output: { name: "y", shape: output },
    },
  };
}

export interface ConvShape {
  readonly channels: number;
  readonly size: number;
  readonly out: number;
  readonly kernel: number;
  readonly stride: number;
  readonly pad: number;
  readonly groups: number;
}

export function convCase(shape: ConvShape): BenchCase {
  const { channels, size: side, out, kernel, stride, pad, groups } = shape;
  const extent = Math.floor((side + 2 * pad - kernel) / stride) + 1;
  const output = [1, out, extent, extent];
  const perGroup = channels / groups;
  const name = `conv2d ${kernel}x${kernel} ${channels}->${out} at ${side}x${side}${stride > 1 ? ` stride ${stride}` : ""}${groups > 1 ? ` groups ${groups}` : ""}`;
  const call = `nn.conv2d(%x, %w, strides=[${stride}, ${stride}], padding=[${pad}, ${pad}, ${pad}, ${pad}], groups=${groups}, channels=${out}, kernel_size=[${kernel}, ${kernel}])`;
  return makeCase({
    name,
    input: [1, channels, side, side],
    weight: [out, perGroup, kernel, kernel],
    output,
    call,
    node: {
      op: "Conv",
      inputs: ["x", "w"],
      output: "y",
      attrs: {
        strides: [stride, stride],
        pads: [pad, pad, pad, pad],
        group: groups,
        kernel_shape: [kernel, kernel],
      },
    },
    flops: 2 * size(output) * perGroup * kernel * kernel,
  });
}

export function denseCase(rows: number, inner: number, units: number): BenchCase {
  return makeCase({
    name: `dense ${rows}x${inner}x${units}`,
    input: [rows, inner],
    weight: [units, inner],
    output: [rows, units],
    call: `nn.dense(%x, %w, units=${units})`,
    node: { op: "Gemm", inputs: ["x", "w"], output: "y", attrs: { transB: 1 } },
    flops: 2 * rows * inner * units,
  });
}

export const issueCases: readonly BenchCase[] = [
  convCase({ channels: 64, size: 56, out: 64, kernel: 3, stride: 1, pad: 1, groups: 1 }),
  denseCase(256, 1024, 1024),
];

export const moreCases: readonly BenchCase[] = [
  convCase({ channels: 64, size: 56, out: 128, kernel: 1, stride: 1, pad: 0, groups: 1 }),
  convCase({ channels: 64, size: 56, out: 128, kernel: 3, stride: 2, pad: 1, groups: 1 }),
  convCase({ channels: 3, size: 112, out: 32, kernel: 3, stride: 2, pad: 1, groups: 1 }),
  convCase({ channels: 128, size: 28, out: 128, kernel: 3, stride: 1, pad: 1, groups: 128 }),
  convCase({ channels: 64, size: 112, out: 64, kernel: 3, stride: 2, pad: 1, groups: 64 }),
  convCase({ channels: 512, size: 14, out: 512, kernel: 1, stride: 1, pad: 0, groups: 1 }),
  convCase({ channels: 512, size: 7, out: 512, kernel: 3, stride: 1, pad: 1, groups: 1 }),
  denseCase(1, 1024, 1000),
];
