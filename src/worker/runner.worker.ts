// The thread that runs compiled models: killable without losing compile state.
import * as Comlink from "comlink";
import type { RunReply, RunRequest, TensorValueView } from "../protocol/runner.ts";
import { decodeBfloat16, decodeFloat16 } from "../compiler/ir/float16.ts";
import { parseDType } from "../compiler/ir/dtype.ts";
import { fillTensor } from "../compiler/frontend/fill.ts";
import { tensorType } from "../compiler/ir/type.ts";
import { allocateArray, type TensorData } from "../compiler/ir/tensor-data.ts";
import { runBundleOnce, type RunBundle, type TensorPlace } from "../runtime/bundle.ts";

export interface RunnerApi {
  readonly run: (bundle: RunBundle, request: RunRequest) => RunReply;
}

/** A value as the page shows it: halves decoded, int64 as decimal text. */
function toView(name: string, tensor: TensorData): TensorValueView {
  const { dtype, shape, data } = tensor;
  const spec = { name, shape, dtype: dtype.name };
  if (data instanceof BigInt64Array || data instanceof BigUint64Array) return { ...spec, values: Array.from(data, String) };
  if (dtype.code === "bfloat") return { ...spec, values: Float32Array.from(data, decodeBfloat16) };
  if (dtype.code === "float" && dtype.bits === 16) return { ...spec, values: Float32Array.from(data, decodeFloat16) };
  if (data instanceof Float32Array) return { ...spec, values: new Float32Array(data) };
  if (data instanceof Float64Array) return { ...spec, values: new Float64Array(data) };
  return { ...spec, values: dtype.code === "uint" ? Uint32Array.from(data) : Int32Array.from(data) };
}

function fromView(view: TensorValueView): TensorData {
  const dtype = parseDType(view.dtype);
  if (dtype === null) throw new Error(`input ${view.name}: no dtype ${view.dtype}`);
  const data = allocateArray(dtype, view.values.length);
  if (data instanceof BigInt64Array || data instanceof BigUint64Array) for (const [i, value] of view.values.entries()) data[i] = BigInt(value);
  else for (const [i, value] of view.values.entries()) data[i] = Number(value);
  return { dtype, shape: view.shape, data, provenance: "given" };
}

/** An input that the request does not give, by the documented fill rule. */
function filled(place: TensorPlace): TensorData {
  const dtype = parseDType(place.dtype);
  if (dtype === null) throw new Error(`input ${place.name}: no dtype ${place.dtype}`);
  return fillTensor(place.name, tensorType(place.shape, dtype));
}

function run(bundle: RunBundle, request: RunRequest): RunReply {
  const { runId } = request;
  try {
    const program = request.executor === "graph" ? bundle.graph : bundle.aot;
    const given = Object.entries(request.inputs).map(([name, view]) => [name, fromView(view)] as const);
    const inputs = new Map([...(program?.inputs ?? []).map((place) => [place.name, filled(place)] as const), ...given]);
    const result = runBundleOnce(bundle, request.executor, inputs, request.repeats, () => performance.now());
    const outputs = result.outputs.map((tensor, i) => toView(i === 0 ? "output" : `output${i}`, tensor));
    return { status: "ok", runId, outputs, ms: result.ms, callMicros: result.callMicros };
  } catch (error) {
    return { status: "failed", runId, code: "RS6904", message: error instanceof Error ? error.message : String(error) };
  }
}

Comlink.expose({ run } satisfies RunnerApi);
