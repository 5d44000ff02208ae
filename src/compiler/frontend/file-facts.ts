// What a model file looks like where it could be read but not imported: what its inputs are is what the user
// has to know then.
import { CompileError } from "../ir/diagnostic.ts";
import type { ModelFacts, ModelFile } from "./model-file.ts";
import { modelFacts as onnxFacts } from "./onnx/facts.ts";
import { decodeModel } from "./onnx/model-proto.ts";
import { modelFacts as tfliteFacts } from "./tflite/facts.ts";
import { readModel } from "./tflite/model.ts";

/** null where the bytes are no such file. */
export function fileFacts(kind: "onnx" | "tflite", { bytes }: ModelFile): ModelFacts | null {
  try {
    if (kind === "tflite") return tfliteFacts(readModel(bytes), new Map());
    const model = decodeModel(bytes);
    const opsets = new Map(
      model.opset_import.map(({ domain, version }) => [domain === "ai.onnx" ? "" : domain, version] as const),
    );
    return model.graph === null ? null : onnxFacts(model, model.graph, opsets, new Map());
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    return null;
  }
}
