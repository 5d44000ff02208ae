// Reading an ONNX file into Relay: initializers become constants on the file's bytes, nodes become calls in
// file order, dynamic dimensions become `?` unless options.shapes says. Every Relay node carries the origin
// of its ONNX node.
// TVM: python/tvm/relay/frontend/onnx.py (GraphProto.from_onnx)
import { diagnostic, fail, type Diagnostic } from "../../ir/diagnostic.ts";
import { sourceOrigin } from "../../ir/origin.ts";
import type { TensorData } from "../../ir/tensor-data.ts";
import { anyDim, tensorType, type Dim, type TensorType } from "../../ir/type.ts";
import { constant } from "../../relay/build.ts";
import { makeVar, type Var } from "../../relay/expr.ts";
import type { RelayContext } from "../../relay/op.ts";
import { at } from "../../../support/assert.ts";
import { own } from "../../../support/own.ts";
import { moduleOf, reported, reportUnknownNames } from "../import-model.ts";
import { inputNames, valuesByMainName, withMainNames, type InputNames } from "../input-names.ts";
import type { FileNode, Imported, ModelFile } from "../model-file.ts";
import { modelFacts } from "./facts.ts";
import { typedValue } from "../typed-values.ts";
import { importTopGraph } from "./import-graph.ts";
import { openScope, type ImportState, type Scope } from "./graph.ts";
import { decodeModel, type GraphProto, type ModelProto, type ValueInfoProto } from "./model-proto.ts";
import { initializedNames } from "./sparse.ts";
import { elementType, elementWord } from "./tensor.ts";
import { refuseUnknown } from "./unsupported.ts";

/** The newest opset whose operators are read as they are defined. */
const newestOpset = 22;

/**
 * Imports an ONNX file; null after reporting why not. `values` are inputs of the model that are known already
 * (--bind): they become constants, so that shapes and branches that depend on them settle.
 */
export function importOnnx(
  file: ModelFile,
  cx: RelayContext,
  values: ReadonlyMap<string, TensorData> = new Map(),
): Imported | null {
  return reported(cx, (found) => importModel(decodeModel(file.bytes), file, { cx, values, found }));
}

interface Job {
  readonly cx: RelayContext;
  readonly values: ReadonlyMap<string, TensorData>;
  readonly found: Diagnostic[];
}

function importModel(model: ModelProto, file: ModelFile, job: Job): Imported | null {
  const { graph } = model;
  if (graph === null)
    return fail("RS1820", "The file holds no ONNX graph.", {
      expected: "a ModelProto with a graph",
      got: `${file.bytes.length} bytes without one`,
    });
  const opsets = opsetsOf(model, job.found);
  refuseUnknown(model, graph, opsets);
  const nodes: FileNode[] = [];
  const initialized = initializedNames(graph);
  const inputs = graph.input.filter(({ name }) => !initialized.has(name));
  const names = inputNames(inputs.map(({ name }) => name));
  reportUnknown(graph, job);
  const functions = new Map(model.functions.map((func) => [`${func.domain}:${func.name}`, func]));
  const state: ImportState = {
    cx: { ...job.cx, options: withMainNames(names, job.cx.options) },
    files: file.files,
    opsets,
    functions,
    nodes,
    nodeIds: new Map(),
    evaluated: new Map(),
  };
  const scope = openScope(null);
  const params = readInputs(inputs, { names, state, scope, job });
  const outputs = importTopGraph(graph, scope, state, job.found);
  if (outputs === null) return null;
  return {
    module: moduleOf(
      job.cx,
      params,
      outputs.map(({ expr }) => expr),
      nodes.length,
    ),
    nodes,
    facts: modelFacts(model, graph, opsets, new Map(inputs.map(({ name }, i) => [name, names.params[i]!]))),
    names,
    outputNames: outputs.map(({ name }) => name),
  };
}

function opsetsOf(model: ModelProto, found: Diagnostic[]): ReadonlyMap<string, number> {
  const opsets = new Map(
    model.opset_import.map(({ domain, version }) => [domain === "ai.onnx" ? "" : domain, version]),
  );
  const version = opsets.get("");
  if (version === undefined) opsets.set("", 1);
  else if (version > newestOpset) {
    found.push(
      diagnostic("RS1826", `The model uses opset ${version}.`, {
        severity: "warning",
        expected: `opset 1 to ${newestOpset}`,
        got: String(version),
        because: `newer operators are read as they were in opset ${newestOpset}`,
        hint: `export with opset ${newestOpset}, or compare the results with ONNX Runtime's`,
      }),
    );
  }
  return opsets;
}

/** Parameters of main: one for each input without a value of its own. */
function readInputs(
  inputs: readonly ValueInfoProto[],
  {
    names,
    state,
    scope,
    job,
  }: { readonly names: InputNames; readonly state: ImportState; readonly scope: Scope; readonly job: Job },
): readonly Var[] {
  const values = valuesByMainName(names, job.values);
  const params: Var[] = [];
  for (const [i, info] of inputs.entries()) {
    const name = at(names.params, i, "input");
    const origin = sourceOrigin(state.nodes.push({ name: info.name, op: "Input" }) - 1);
    if (info.type?.sequence_type != null) {
      const items = elementsOf(info.name, job).map((value) => constant(state.cx, value, origin));
      if (items.length > 0) {
        scope.values.set(info.name, { kind: "sequence", items });
        continue;
      }
    }
    const bound = values.get(name) ?? typedInput(info, name, state.cx);
    if (bound !== null) scope.values.set(info.name, constant(state.cx, bound, origin));
    else {
      const param = makeVar(state.cx.ids, name, inputType(info, name, state.cx), { origin });
      params.push(param);
      scope.values.set(info.name, param);
    }
  }
  return params;
}

/** Options that name no input. */
function reportUnknown(graph: GraphProto, job: Job): void {
  const { shapes, bindValues, bindFill } = job.cx.options;
  reportUnknownNames(
    [...Object.keys(shapes), ...Object.keys(bindValues), ...bindFill, ...job.values.keys()],
    graph.input.flatMap(({ name, type }) =>
      type?.sequence_type != null ? elementsOf(name, job).map((_, i) => `${name}.${i}`) : [name],
    ),
    job.found,
  );
}

/** Elements that are given for an input that is a sequence: "x.0", "x.1" and so on. */
function elementsOf(name: string, job: Job): readonly TensorData[] {
  const found: TensorData[] = [];
  for (
    let next = job.values.get(`${name}.0`);
    next !== undefined;
    next = job.values.get(`${name}.${found.length}`)
  )
    found.push(next);
  return found;
}

/** What options.bindValues gives for an input, null for nothing. */
function typedInput(info: ValueInfoProto, name: string, cx: RelayContext): TensorData | null {
  return Object.hasOwn(cx.options.bindValues, name) ? typedValue(name, inputType(info, name, cx), cx) : null;
}

/** `name` is what main calls it. */
function inputType(info: ValueInfoProto, name: string, cx: RelayContext): TensorType {
  const proto = info.type?.tensor_type ?? null;
  if (proto === null)
    return fail("RS1827", `The input ${info.name} is no tensor.`, {
      expected: "a tensor",
      got: kindOf(info),
      hint:
        info.type?.sequence_type != null
          ? `give its elements when importing: --bind ${info.name}.0=FILE.npy --bind ${info.name}.1=FILE.npy …`
          : "cut the model behind the nodes that read it, and give tensors as inputs",
    });
  const dtype = elementType(proto.elem_type);
  if (dtype === null) {
    const word = elementWord(proto.elem_type);
    const missing = proto.elem_type === 0;
    return fail(
      "RS1821",
      missing ? `The input ${info.name} has no element type.` : `The input ${info.name} holds ${word}.`,
      {
        expected: "numbers or booleans",
        got: missing ? "none: the file is damaged, or another program cut it" : word,
        hint: missing
          ? "write the input's element type (onnx.shape_inference.infer_shapes does it where it can)"
          : "cut the model behind the nodes that read it, and give those tensors as inputs",
      },
    );
  }
  const given = own(cx.options.shapes, name) ?? null;
  const dims: readonly Dim[] | null =
    proto.shape?.dim.map(({ dim_value, dim_param }) =>
      dim_param !== "" || dim_value <= 0 ? anyDim : dim_value,
    ) ?? null;
  if (given === null)
    return tensorType(
      dims ??
        fail("RS1823", `The rank of the input ${info.name} is not known.`, {
          expected: `--shape ${info.name}=…`,
          got: "an input without a shape",
        }),
      dtype,
    );
  const fits =
    dims === null ||
    (dims.length === given.length && dims.every((dim, i) => typeof dim !== "number" || dim === given[i]));
  if (!fits)
    return fail("RS1804", `--shape does not fit the input ${info.name}.`, {
      expected: `(${dims.map((dim) => (typeof dim === "number" ? dim : "?")).join(", ")})`,
      got: `(${given.join(", ")})`,
    });
  return tensorType(given, dtype);
}

function kindOf(info: ValueInfoProto): string {
  if (info.type?.sequence_type != null) return "a sequence";
  if (info.type?.optional_type != null) return "an optional";
  return info.type === null ? "nothing" : "a map or sparse tensor";
}
