// The thread that runs compiled models: killable without losing compile state.
import { CompileError } from "../compiler/ir/diagnostic.ts";
import { outputName } from "../compiler/compilation.ts";
import * as Comlink from "comlink";
import type { RunReply, RunRequest } from "../protocol/runner.ts";
import { parseDType } from "../compiler/ir/dtype.ts";
import { fillTensor } from "../compiler/frontend/fill.ts";
import { tensorType } from "../compiler/ir/type.ts";
import type { TensorData } from "../compiler/ir/tensor-data.ts";
import { runBundleOnce, type RunBundle, type TensorPlace } from "../runtime/bundle.ts";
import { fromView, toView } from "../views/tensor-view.ts";

export interface RunnerApi {
  readonly run: (bundle: RunBundle, request: RunRequest) => RunReply;
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
    const inputs = new Map([
      ...(program?.inputs ?? []).map((place) => [place.name, filled(place)] as const),
      ...given,
    ]);
    const result = runBundleOnce(bundle, request.executor, inputs, request.repeats, () => performance.now());
    const outputs = result.outputs.map((tensor, i) => toView(outputName(bundle, i), tensor));
    return { status: "ok", runId, outputs, ms: result.ms, callMicros: result.callMicros };
  } catch (error) {
    if (error instanceof CompileError)
      return { status: "failed", runId, code: error.diagnostic.code, message: error.diagnostic.message };
    return {
      status: "failed",
      runId,
      code: "RS6904",
      message: error instanceof Error ? error.message : String(error),
    };
  }
}

Comlink.expose({ run } satisfies RunnerApi);
