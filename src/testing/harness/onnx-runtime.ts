// Test help: one ONNX file through compile() and WebAssembly, and through onnxruntime-web, on the same
// inputs.
import { own } from "../../support/own.ts";
import { parameterName, type Compilation } from "../../compiler/compilation.ts";
import { compile } from "../../compiler/compile.ts";
import { fillTensor } from "../../compiler/frontend/fill.ts";
import { numbersOf } from "../../compiler/frontend/values.ts";
import { viewArray, type TensorData } from "../../compiler/ir/tensor-data.ts";
import { parseDType } from "../../compiler/ir/dtype.ts";
import { tensorType } from "../../compiler/ir/type.ts";
import { nodeHost } from "../../node/engine.ts";
import { defaultOptions, type Options } from "../../compiler/options.ts";
import { runDynamic } from "../../runtime/dynamic-run.ts";
import { runPrimitive } from "../../runtime/jit.ts";
import { runModel } from "../../runtime/run.ts";
import { writeOnnx, type OnnxFile } from "./onnx-writer.ts";

export type Values = ReadonlyMap<string, TensorData>;

/** Values for the file's inputs: those given, else by the fill rule. */
export function inputsOf(file: OnnxFile, given: Readonly<Record<string, TensorData>> = {}): Values {
  return new Map(
    Object.entries(file.inputs).map(([name, { dtype, shape }]) => [
      name,
      own(given, name) ?? fillTensor(name, tensorType(shape.map(Number), dtype)),
    ]),
  );
}

export const compileOnnx = (
  file: OnnxFile,
  options: Partial<Options> = {},
  binds: Values = new Map(),
): Promise<Compilation> => compileBytes(writeOnnx(file), options, binds);

async function compileBytes(
  bytes: Uint8Array,
  options: Partial<Options>,
  binds: Values,
): Promise<Compilation> {
  return compile(
    { kind: "onnx", name: "test.onnx", bytes, files: new Map() },
    { ...defaultOptions, ...options },
    nodeHost,
    binds,
  );
}

/**
 * Outputs of our WebAssembly, with kernels for the shapes at hand where the file has dynamic dimensions.
 * Throws what the compiler said where there is none.
 */
export const runOurs = (
  file: OnnxFile,
  inputs: Values,
  bound: readonly string[] = [],
): Promise<readonly TensorData[]> => runOurBytes(writeOnnx(file), inputs, { bound });

/** The same of a file's bytes, `shapes` fixed when importing. */
export async function runOurBytes(
  bytes: Uint8Array,
  inputs: Values,
  how: { readonly bound: readonly string[]; readonly shapes?: Options["shapes"] },
): Promise<readonly TensorData[]> {
  const { bound, shapes = {} } = how;
  const binds = new Map([...inputs].filter(([name]) => bound.includes(name)));
  const done = await compileBytes(bytes, { shapes }, binds);
  const error = done.diagnostics.find(({ severity }) => severity === "error");
  if (error !== undefined)
    throw new Error(`${error.code} ${error.message} (expected ${error.expected}, got ${error.got})`);
  const free = new Map(
    [...inputs]
      .filter(([name]) => !bound.includes(name))
      .map(([name, value]) => [parameterName(done, name), value]),
  );
  if (done.reached === "dynamic")
    return runDynamic({ plan: done.dynamic, te: done.teCompiler }, free, runPrimitive).values;
  return runModel(done, free).outputs;
}

/** Outputs of ONNX Runtime, one thread. */
export const runOnnxRuntime = (file: OnnxFile, inputs: Values): Promise<readonly TensorData[]> =>
  runOnnxRuntimeBytes(writeOnnx(file), inputs);

/** The same of a file's bytes. */
export async function runOnnxRuntimeBytes(bytes: Uint8Array, inputs: Values): Promise<readonly TensorData[]> {
  const ort = await import("onnxruntime-web");
  ort.env.wasm.numThreads = 1;
  ort.env.logLevel = "error";
  const session = await ort.InferenceSession.create(bytes, { logSeverityLevel: 3 });
  const feeds = Object.fromEntries(
    [...inputs].map(([name, { dtype, shape, data }]) => [
      name,
      new ort.Tensor(dtype.name as "float32", data as Float32Array, [...shape]),
    ]),
  );
  const results = await session.run(feeds);
  const outputs = session.outputNames.map((name): TensorData => {
    const { type, dims, data } = results[name]!;
    const dtype = parseDType(type)!;
    const bytes = data as unknown as Uint8Array;
    return {
      dtype,
      shape: [...dims],
      data: viewArray(dtype, bytes.buffer, bytes.byteOffset, bytes.length),
      provenance: "given",
    };
  });
  await session.release();
  return outputs;
}

/**
 * The first difference, or null. Floats may differ by `relative` of the output's peak; everything else is
 * equal.
 */
export function firstDifference(
  got: readonly TensorData[],
  want: readonly TensorData[],
  relative = 1e-5,
): string | null {
  if (got.length !== want.length) return `${got.length} outputs, expected ${want.length}`;
  for (const [i, w] of want.entries()) {
    const g = got[i]!;
    if (g.dtype !== w.dtype || g.shape.join() !== w.shape.join())
      return `output ${i} is ${g.dtype.name} (${g.shape.join(", ")}), expected ${w.dtype.name} (${w.shape.join(", ")})`;
    const [a, b] = [numbersOf(g), numbersOf(w)];
    const peak = b.reduce((most, v) => (Number.isFinite(v) ? Math.max(most, Math.abs(v)) : most), 0);
    const slack = w.dtype.code === "float" ? relative * Math.max(peak, 1e-3) : 0;
    const at = b.findIndex((v, k) => !(Object.is(v, a[k]) || Math.abs(v - a[k]!) <= slack));
    if (at >= 0) return `output ${i} element ${at} is ${a[at]}, expected ${b[at]}`;
  }
  return null;
}
