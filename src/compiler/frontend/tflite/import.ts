// Reading a TFLite file into Relay, as TVM does it: operators in file order become calls, tensors of the file
// become constants on its bytes. Every Relay node carries the origin of its operator, input or constant.
// TVM: python/tvm/relay/frontend/tflite.py (from_tflite)
import { diagnostic, fail, type Diagnostic } from "../../ir/diagnostic.ts";
import { sourceOrigin } from "../../ir/origin.ts";
import { tensorType, type TensorType } from "../../ir/type.ts";
import { makeVar, type Expr, type Var } from "../../relay/expr.ts";
import type { RelayContext } from "../../relay/op.ts";
import { postOrder } from "../../relay/visit.ts";
import { at, invariant } from "../../../support/assert.ts";
import { own } from "../../../support/own.ts";
import { importAll, moduleOf, mostReports, reported, reportUnknownNames } from "../import-model.ts";
import { inputNames, withMainNames, type InputNames } from "../input-names.ts";
import type { FileNode, Imported, ModelFile } from "../model-file.ts";
import { modelFacts } from "./facts.ts";
import { codes, exprOf, placeOf, type ImportState, type TfNode } from "./graph.ts";
import { readModel, type TfGraph, type TfModel, type TfOperator, type TfTensor } from "./model.ts";
import { tfliteOps } from "./ops/index.ts";

const mostPlaces = 5;

/** Imports a TFLite file; null after reporting why not. */
export function importTflite(file: ModelFile, cx: RelayContext): Imported | null {
  return reported(cx, (found) => importModel(readModel(file.bytes), cx, found));
}

function importModel(model: TfModel, cx: RelayContext, found: Diagnostic[]): Imported | null {
  found.push(...unknownOperators(model));
  if (found.length > 0) return null;
  const nodes: FileNode[] = [];
  const [graph] = model.graphs;
  const inputs = graph.inputs.map((index) => tensorAt(graph, index).name);
  const names = inputNames(inputs);
  reportUnknownNames(Object.keys(cx.options.shapes), inputs, found);
  const named = { ...cx, options: withMainNames(names, cx.options) };
  const state = stateOf({ cx: named, model, nodes, found }, graph);
  const params = readInputs(state, names);
  if (!importOperators(state)) {
    found.push(...dynamicShapes(graph, names, named));
    return null;
  }
  found.push(...dynamicRange(model));
  const outputs = outputsOf(state);
  const module = moduleOf(cx, usedVars(outputs), outputs, nodes.length);
  return {
    module,
    nodes,
    facts: modelFacts(model, params),
    names,
    outputNames: graph.outputs.map((index) => tensorAt(graph, index).name),
  };
}

/** The state of one graph. A branch sees nothing of the graph around it but its arguments. */
function stateOf(shared: Pick<ImportState, "cx" | "model" | "nodes" | "found">, graph: TfGraph): ImportState {
  return {
    ...shared,
    graph,
    values: new Map(),
    dense: new Map(),
    constantIds: new Map(),
    branch: (index, args) => {
      const inner =
        shared.model.graphs[index] ??
        fail("RS1840", "The TFLite file is damaged: it names a graph that is not there.", {
          expected: `0 to ${shared.model.graphs.length - 1}`,
          got: String(index),
        });
      const state = stateOf(shared, inner);
      inner.inputs.forEach((tensor, i) => {
        if (args[i] !== undefined) state.values.set(tensor, args[i]);
      });
      for (const op of inner.operators) importOperator(op, state);
      return outputsOf(state);
    },
  };
}

/** One diagnostic for each kind of operator that has no importer, with where it stands. */
function unknownOperators(model: TfModel): readonly Diagnostic[] {
  const places = new Map<string, string[]>();
  for (const graph of model.graphs) {
    for (const [number, op] of graph.operators.entries()) {
      if (tfliteOps.has(op.op)) continue;
      const list = places.get(op.op) ?? [];
      places.set(op.op, list);
      const made = graph.tensors[op.outputs[0] ?? -1]?.name ?? "";
      list.push(made === "" ? `operator ${number} of the file` : `it makes "${made}"`);
    }
  }
  const all = [...places].map(([op, found]) =>
    diagnostic("RS1841", `The model uses ${op}, which this compiler does not import.`, {
      expected: "operators that the documentation lists",
      got: `${op}, ${found.length === 1 ? "once" : `${found.length} times`}`,
      hint: "cut the model before it, or convert the model without it",
      notes: found
        .slice(0, mostPlaces)
        .concat(found.length > mostPlaces ? [`and ${found.length - mostPlaces} more`] : []),
    }),
  );
  if (all.length <= mostReports) return all;
  return [
    ...all.slice(0, mostReports),
    diagnostic(
      "RS1841",
      `${all.length - mostReports} more operators are not imported: ${[...places.keys()].slice(mostReports).join(", ")}.`,
    ),
  ];
}

function tensorAt(graph: TfGraph, index: number): TfTensor {
  return (
    graph.tensors[index] ??
    fail("RS1840", "The TFLite file is damaged: it names a tensor that is not there.", {
      expected: `0 to ${graph.tensors.length - 1}`,
      got: String(index),
    })
  );
}

/**
 * The inputs of the graph as variables that keep their names as far as Relay's text can hold them. Gives the
 * variables' names by tensor number.
 */
function readInputs(state: ImportState, names: InputNames): ReadonlyMap<number, string> {
  const { cx, graph, nodes, values } = state;
  const params = new Map<number, string>();
  for (const [i, index] of graph.inputs.entries()) {
    const tensor = tensorAt(graph, index);
    const origin = sourceOrigin(nodes.push({ name: tensor.name, op: "Input" }) - 1);
    const name = at(names.params, i, "input");
    params.set(index, name);
    values.set(index, makeVar(cx.ids, name, inputType(tensor, name, cx), { origin }));
  }
  return params;
}

/** The shape that the file states (1 where a dimension is dynamic), or the one that options.shapes gives. */
function inputType(tensor: TfTensor, param: string, cx: RelayContext): TensorType {
  if (tensor.dtype === null)
    return fail("RS1842", `The input "${tensor.name}" holds ${tensor.typeName}.`, {
      expected: "numbers or booleans",
      got: tensor.typeName,
    });
  const given = own(cx.options.shapes, param) ?? null;
  if (given === null) return tensorType(tensor.shape, tensor.dtype);
  if (given.length === tensor.shape.length) return tensorType(given, tensor.dtype);
  return fail("RS1804", `--shape does not fit the input "${tensor.name}".`, {
    expected: `${tensor.shape.length} numbers, as in (${tensor.shape.join(", ")})`,
    got: `(${given.join(", ")})`,
  });
}

/** Where an import fails, dynamic dimensions of the file may be why: said with what to do. */
function dynamicShapes(graph: TfGraph, { params }: InputNames, cx: RelayContext): readonly Diagnostic[] {
  return graph.inputs.flatMap((index, i) => {
    const { name, signature, shape } = tensorAt(graph, index);
    if (
      own(cx.options.shapes, at(params, i, "input")) !== undefined ||
      signature === null ||
      !signature.some((dim) => dim < 0)
    )
      return [];
    return [
      diagnostic("RS1844", `The file leaves dimensions of the input "${name}" open.`, {
        severity: "info",
        got: `(${signature.map((dim) => (dim < 0 ? "?" : dim)).join(", ")}), taken as (${shape.join(", ")})`,
        hint: `give it a shape, as in --shape ${name}=${shape.join("x")}`,
      }),
    ];
  });
}

/** False after reporting; what depends on an operator that failed is left out without another report. */
function importOperators(state: ImportState): boolean {
  const lost = new Set<number>();
  return importAll(
    state.graph.operators,
    {
      importNode: (op) => {
        if (op.inputs.some((index) => lost.has(index))) return false;
        importOperator(op, state);
        return true;
      },
      lose: (op) => op.outputs.forEach((index) => lost.add(index)),
      more: (count) => diagnostic("RS1842", `${count} more operators could not be imported.`),
    },
    state.found,
  );
}

function nodeOf(op: TfOperator, state: ImportState): TfNode {
  const outputs = op.outputs.map((index) => tensorAt(state.graph, index));
  const id = state.nodes.push({ name: outputs[0]?.name ?? "", op: op.op }) - 1;
  const inputs = op.inputs.map((index) => (index < 0 ? null : tensorAt(state.graph, index)));
  return { state, op, inputs, outputs, origin: sourceOrigin(id), place: placeOf({ op, outputs }), codes };
}

function importOperator(op: TfOperator, state: ImportState): void {
  const n = nodeOf(op, state);
  const importer = tfliteOps.get(op.op);
  invariant(importer !== undefined, `unknown operators are reported before: ${op.op}`);
  const made = importer(n);
  if (made === null) return;
  const results = "kind" in made ? [made] : made;
  n.outputs.forEach((tensor, i) => {
    const result =
      results[i] ?? fail("RS1842", `${placeOf(n)}: its output ${i} cannot be made`, { origin: n.origin });
    state.values.set(tensor.index, result);
  });
}

function outputsOf(state: ImportState): readonly Expr[] {
  return state.graph.outputs.map((index) => outputOf(state, index));
}

/** An output of the graph; a constant of the file may be one. */
function outputOf(state: ImportState, index: number): Expr {
  const tensor = tensorAt(state.graph, index);
  const op: TfOperator = {
    op: "the output",
    custom: false,
    inputs: [index],
    outputs: [index],
    options: null,
    customOptions: null,
  };
  const outputs = [tensor];
  const place = placeOf({ op, outputs });
  return exprOf({ state, op, inputs: outputs, outputs, origin: sourceOrigin(0), place, codes }, tensor);
}

/** The variables that the result needs, in the order in which it comes upon them: TVM's free_vars. */
function usedVars(outputs: readonly Expr[]): readonly Var[] {
  const vars = new Set<Var>();
  for (const output of outputs)
    postOrder(output, (expr) => {
      if (expr.kind === "var") vars.add(expr);
    });
  return [...vars];
}

/**
 * Integer weights beside float data: said once, since results differ a little from those of TFLite, which
 * rounds the data too.
 */
function dynamicRange(model: TfModel): readonly Diagnostic[] {
  const [main] = model.graphs;
  const found = main.operators.filter((op) => {
    const [data, weight] = op.inputs.map((index) => main.tensors[index]);
    return (
      ["CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED"].includes(op.op) &&
      data?.quant === null &&
      weight?.quant != null &&
      weight.dtype?.code !== "float"
    );
  });
  if (found.length === 0) return [];
  return [
    diagnostic(
      "RS1843",
      `${found.length} operators have integer weights and float data (dynamic range quantisation).`,
      {
        severity: "info",
        because:
          "the weights are brought to floats when compiling; TFLite rounds the data to integers when running, so its results differ slightly",
      },
    ),
  ];
}
