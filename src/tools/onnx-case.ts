// One of ONNX's backend tests: model.onnx and folders test_data_set_N with input_I.pb and output_I.pb.
// It is compiled by compile(), as every model is, runs on WebAssembly, and is compared as ONNX's own runner
// compares.
import type { Compilation } from "../compiler/compilation.ts";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "../compiler/compile.ts";
import {
  decodeModel,
  decodeSequence,
  type GraphProto,
  type ModelProto,
  type TypeProto,
  type ValueInfoProto,
} from "../compiler/frontend/onnx/model-proto.ts";
import { neededInputs } from "../compiler/frontend/onnx/needed-inputs.ts";
import { initializedNames } from "../compiler/frontend/onnx/sparse.ts";
import { elementType, elementWord, readTensor } from "../compiler/frontend/onnx/tensor.ts";
import { decodeBfloat16, decodeFloat16 } from "../compiler/ir/float16.ts";
import type { TensorData } from "../compiler/ir/tensor-data.ts";
import { defaultOptions } from "../compiler/options.ts";
import { runDynamic } from "../runtime/dynamic-run.ts";
import { runPrimitive } from "../runtime/jit.ts";
import { runModel } from "../runtime/run.ts";
import { nodeHost } from "../node/engine.ts";
import { readPb } from "../node/tensor-proto.ts";

export interface Verdict {
  readonly status: "passed" | "refused" | "failed";
  /** Why it did not pass, in one line. */
  readonly why: string;
  /** Inputs whose values were given when importing. */
  readonly bound: readonly string[];
}

/** Runs every data set of the test in `folder`. A bug of ours throws. */
export async function runOnnxTest(folder: string): Promise<Verdict> {
  const bytes = fileBytes(join(folder, "model.onnx"));
  const model = decodeModel(bytes);
  const graph = model.graph!;
  const outside = [...graph.input, ...graph.output].map(whyNoTensor).find((why) => why !== null);
  if (outside !== undefined) return { status: "refused", why: outside, bound: [] };
  let bound: readonly string[] = [];
  for (const set of readdirSync(folder)
    .filter((name) => name.startsWith("test_data_set_"))
    .sort((a, b) => (a < b ? -1 : 1))) {
    const verdict = await runSet({ bytes, model, graph, folder: join(folder, set) });
    if (verdict.status !== "passed") return verdict;
    bound = verdict.bound;
  }
  return { status: "passed", why: "", bound };
}

/** readFileSync's Buffer shares a pool; the compiler wants plain bytes. */
function fileBytes(path: string): Uint8Array {
  const { buffer, byteOffset, length } = readFileSync(path);
  return new Uint8Array(buffer, byteOffset, length);
}

function whyNoTensor({ name, type }: ValueInfoProto): string | null {
  const kind = kindOf(type);
  return kind === null ? null : `${name} is ${kind}`;
}

function kindOf(type: TypeProto | null): string | null {
  if (type === null) return "of no type";
  if (type.sequence_type !== null) {
    const inner = kindOf(type.sequence_type.elem_type);
    return inner === null ? null : `a sequence of what is ${inner}`;
  }
  if (type.optional_type !== null) return "an optional";
  if (type.tensor_type === null) return "a map or sparse tensor";
  return elementType(type.tensor_type.elem_type) === null
    ? `a tensor of ${elementWord(type.tensor_type.elem_type)}`
    : null;
}

interface DataSet {
  readonly bytes: Uint8Array;
  readonly model: ModelProto;
  readonly graph: GraphProto;
  readonly folder: string;
}

async function runSet({ bytes, model, graph, folder }: DataSet): Promise<Verdict> {
  const read = (kind: string, infos: readonly ValueInfoProto[]): (Value | null)[] =>
    infos.map((info, i) => readIfThere(join(folder, `${kind}_${i}.pb`), info));
  const [inputs, wanted] = [read("input", graph.input), read("output", graph.output)];
  const needed = neededInputs(model);
  const initialized = initializedNames(graph);
  const binds = new Map<string, TensorData>();
  const free: TensorData[] = [];
  const shapes = new Map<string, readonly number[]>();
  graph.input.forEach((info, i) => {
    const value = inputs[i]!;
    if (value === null || initialized.has(info.name)) return;
    if (isList(value)) {
      value.forEach((element, k) => binds.set(`${info.name}.${k}`, element));
      return;
    }
    if (needed.has(info.name) || !fits(info, value)) binds.set(info.name, value);
    else {
      shapes.set(info.name, value.shape);
      free.push(value);
    }
  });
  const bound = [...binds.keys()];
  const done = await compile(
    { kind: "onnx", name: "model.onnx", bytes, files: new Map() },
    { ...defaultOptions, shapes: Object.fromEntries(shapes) },
    nodeHost,
    binds,
  );
  const error = done.diagnostics.find(({ severity }) => severity === "error");
  if (error !== undefined) return { status: "refused", why: `${error.code} ${error.message}`, bound };
  const outputs = run(done, free);
  if (outputs === null)
    return {
      status: "refused",
      why: done.diagnostics.map(({ code, message }) => `${code} ${message}`).join("; "),
      bound,
    };
  const why = wanted
    .flatMap((value): readonly (TensorData | null)[] => (value !== null && isList(value) ? value : [value]))
    .map((value, i) => (value === null ? null : difference(value, outputs[i])))
    .find((found) => found !== null);
  return why === undefined ? { status: "passed", why: "", bound } : { status: "failed", why, bound };
}

/**
 * Values of the outputs, by the AOT runner, or call by call where shapes depend on values; null where neither
 * could be planned.
 */
function run(done: Compilation, free: readonly TensorData[]): readonly TensorData[] | null {
  const params = done.parsed.functions.get("main")!.params;
  const inputs = new Map(params.map((param, i) => [param.name, free[i]!]));
  if (done.reached === "dynamic")
    return runDynamic({ plan: done.dynamic, te: done.teCompiler }, inputs, runPrimitive).values;
  return done.reached !== "wasm" ? null : runModel(done, inputs).outputs;
}

/** A tensor, or the elements of a sequence. */
type Value = TensorData | readonly TensorData[];

const isList = (value: Value): value is readonly TensorData[] => !("dtype" in value);

/** ONNX's tests keep bfloat16 as uint16. */
function readIfThere(path: string, info: ValueInfoProto): Value | null {
  if (!existsSync(path)) return null;
  if (info.type?.sequence_type != null)
    return decodeSequence(fileBytes(path)).map((proto) => readTensor(proto, new Map()));
  const value = readPb(fileBytes(path), path);
  const declared = elementType(info.type!.tensor_type!.elem_type)!;
  return declared.code === "bfloat" && value.dtype.name === "uint16" ? { ...value, dtype: declared } : value;
}

/**
 * Whether the file's own shape of an input allows the value's: the tests of CastLike give `like` another one.
 */
function fits({ type }: ValueInfoProto, value: TensorData): boolean {
  const dims = type?.tensor_type?.shape?.dim ?? null;
  return (
    dims === null ||
    (dims.length === value.shape.length &&
      dims.every(
        ({ dim_param, dim_value }, i) => dim_param !== "" || dim_value <= 0 || dim_value === value.shape[i],
      ))
  );
}

/** rtol and atol of ONNX's runner; it compares bfloat16 by their bits, of which the last may differ. */
const relative = 1e-3;
const absolute = 1e-7;

function difference(want: TensorData, got: TensorData | undefined): string | null {
  if (got === undefined) return "an output is missing";
  if (want.dtype !== got.dtype) return `dtype ${got.dtype.name}, expected ${want.dtype.name}`;
  if (want.shape.join() !== got.shape.join())
    return `shape (${got.shape.join(", ")}), expected (${want.shape.join(", ")})`;
  const close = closeness(want);
  for (let i = 0; i < want.data.length; i++) {
    if (!close(want.data[i]!, got.data[i]!))
      return `element ${i} is ${shown(got, i)}, expected ${shown(want, i)}`;
  }
  return null;
}

type Close = (want: number | bigint, got: number | bigint) => boolean;

function closeness({ dtype }: TensorData): Close {
  if (dtype.code === "bfloat") return (want, got) => Math.abs(Number(want) - Number(got)) <= 1;
  if (dtype.code !== "float") return (want, got) => want === got;
  const decode = dtype.bits === 16 ? decodeFloat16 : Number;
  return (a, b) => {
    const [want, got] = [decode(Number(a)), decode(Number(b))];
    return (
      Object.is(want, got) ||
      want === got ||
      (Number.isFinite(want) && Math.abs(want - got) <= absolute + relative * Math.abs(want))
    );
  };
}

function shown({ dtype, data }: TensorData, i: number): string {
  const raw = data[i]!;
  if (dtype.code === "bfloat") return String(decodeBfloat16(Number(raw)));
  return String(dtype.code === "float" && dtype.bits === 16 ? decodeFloat16(Number(raw)) : raw);
}
