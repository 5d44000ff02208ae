// Cases of ONNX operators for the tests against onnxruntime-web: files of one node in a line or two.
import { describe, expect, it } from "vitest";
import { float32, int64, type DType } from "../../compiler/ir/dtype.ts";
import { fromNumbers } from "../../compiler/frontend/values.ts";
import type { TensorData } from "../../compiler/ir/tensor-data.ts";
import { firstDifference, inputsOf, runOnnxRuntime, runOurs } from "./onnx-runtime.ts";
import type { FileAttr, FileOp, FileTensor, OnnxFile } from "./onnx-writer.ts";

/** A file and what it is run with; without values its inputs are filled. */
export interface Case {
  readonly name: string;
  readonly file: OnnxFile;
  readonly given?: Readonly<Record<string, TensorData>>;
  /** Inputs given when importing. */
  readonly bound?: readonly string[];
  readonly relative?: number;
}

export const f = (...shape: number[]): FileTensor => ({ dtype: float32, shape });
export const of = (dtype: DType, shape: readonly number[], values: readonly number[]): TensorData =>
  fromNumbers(dtype, shape, values);
export const ints = (...values: number[]): TensorData => of(int64, [values.length], values);
export const floats = (...values: number[]): TensorData => of(float32, [values.length], values);
export const scalar = (dtype: DType, value: number): TensorData => of(dtype, [], [value]);

interface Single {
  readonly ins: Readonly<Record<string, FileTensor>>;
  /** Inputs of the node in order; "" leaves one out. All inputs, then all constants, where not given. */
  readonly order?: readonly string[];
  readonly outs?: number;
  readonly attrs?: Readonly<Record<string, FileAttr>>;
  readonly consts?: Readonly<Record<string, TensorData>>;
  readonly opset?: number;
  readonly domain?: string;
  readonly given?: Readonly<Record<string, TensorData>>;
  readonly bound?: readonly string[];
  readonly relative?: number;
}

/** A model of one node. */
export function single(op: string, name: string, spec: Single): Case {
  const outputs = Array.from({ length: spec.outs ?? 1 }, (_, i) => `out${i}`);
  const node: FileOp = {
    op,
    in: spec.order ?? [...Object.keys(spec.ins), ...Object.keys(spec.consts ?? {})],
    out: outputs,
    attrs: spec.attrs ?? {},
    domain: spec.domain ?? "",
  };
  const domains = spec.domain === undefined ? {} : { [spec.domain]: 1 };
  const file: OnnxFile = {
    opset: spec.opset ?? 13,
    domains,
    inputs: spec.ins,
    outputs,
    nodes: [node],
    initializers: spec.consts ?? {},
  };
  const { given, bound, relative } = spec;
  return {
    name: `${op}: ${name}`,
    file,
    ...(given === undefined ? {} : { given }),
    ...(bound === undefined ? {} : { bound }),
    ...(relative === undefined ? {} : { relative }),
  };
}

/** Tests that each case gives what ONNX Runtime gives. */
export function asOnnxRuntime(groups: Readonly<Record<string, readonly Case[]>>): void {
  describe.each(Object.entries(groups))("%s as ONNX Runtime computes them", (_, cases) => {
    it.each(cases.map((one) => [one.name, one] as const))(
      "%s",
      async (_name, { file, given, bound, relative }) => {
        const inputs = inputsOf(file, given);
        const want = await runOnnxRuntime(file, inputs);
        expect(firstDifference(await runOurs(file, inputs, bound), want, relative)).toBeNull();
      },
      60_000,
    );
  });
}
