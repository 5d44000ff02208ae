import { describe, expect, it } from "vitest";
import { defaultOptions } from "../../protocol/compile.ts";
import { runPrimitive } from "../../runtime/jit.ts";
import { parseTypeText } from "../../testing/op-runner.ts";
import type { Attrs } from "../ir/attrs.ts";
import { int64 } from "../ir/dtype.ts";
import { idSource } from "../ir/ids.ts";
import { synthetic } from "../ir/origin.ts";
import { allocateArray, tensorData, type TensorArray, type TensorData } from "../ir/tensor-data.ts";
import { anyDim, flattenTensorTypes, funcType, staticShape, tensorType, tupleType, type TensorType, type Type } from "../ir/type.ts";
import { ops } from "../ops/index.ts";
import { call } from "../relay/build.ts";
import { makeFunction, makeVar, type Expr, type Func, type Var } from "../relay/expr.ts";
import { interpret } from "../tir/interp.ts";
import type { LoweredShapeFunc } from "./shape-func.ts";
import { createTeCompiler } from "./te-compiler.ts";

const origin = synthetic("test");
const cx = { ids: idSource(), ops, options: defaultOptions, diagnostics: [], remarks: [], modName: "default", evaluate: null };

function open(type: Type): Type {
  if (type.kind === "tuple-type") return tupleType(type.fields.map(open));
  return type.kind === "tensor-type" ? tensorType(type.shape.map(() => anyDim), type.dtype) : type;
}

function functionOf(params: readonly Var[], body: Expr): Func {
  return makeFunction(cx.ids, params, body, body.type, { Primitive: 1 }, { origin, type: funcType(params.map((param) => param.type!), body.type!) });
}

function callFunction(name: string, types: readonly Type[], attrs: Attrs): Func | null {
  const params = types.map((type, i) => makeVar(cx.ids, `p${i}`, type, { origin }));
  const body = call(cx, name, params, attrs, origin);
  return body.type === null ? null : functionOf(params, body);
}

function int64s(values: readonly number[]): BigInt64Array {
  return BigInt64Array.from(values, BigInt);
}

/** Result shapes by the interpreter and by WebAssembly, which must agree. `values` are data by parameter. */
function evaluate(lowered: LoweredShapeFunc, shapes: readonly (readonly (readonly number[])[])[], values: readonly (TensorData | null)[] = []): number[][] {
  const args = lowered.inputs.map((input): TensorData => {
    const shape = shapes[input.param]![input.field]!;
    if (input.kind === "data") return values[input.param]!;
    return tensorData(int64, shape.length === 0 ? [] : [shape.length], int64s(shape.length === 0 ? [0] : shape));
  });
  const outs = lowered.outputTypes.map((type) => allocateArray(int64, staticShape(type)!.reduce((a, b) => a * b, 1)));
  interpret(lowered.forC, [...args.map((arg) => arg.data), ...outs]);
  const found = (array: TensorArray, i: number) => (staticShape(lowered.outputTypes[i]!)!.length === 0 ? [] : [...array].map(Number));
  const byInterpreter = outs.map(found);
  expect(runPrimitive(lowered, args).map((out, i) => found(out.data, i))).toEqual(byInterpreter);
  return byInterpreter;
}

function tensorOf(type: TensorType, values: readonly number[]): TensorData {
  const shape = staticShape(type)!;
  const data = allocateArray(type.dtype, values.length);
  values.forEach((value, i) => { data[i] = data instanceof BigInt64Array ? BigInt(value) : value; });
  return tensorData(type.dtype, shape, data);
}

const withShapeFunc = [...ops.values()].filter((op) => op.shapeFunc !== null && op.compute !== null);
const shapesOf = (types: readonly Type[]) => types.map((type) => flattenTensorTypes(type).map((tensor) => staticShape(tensor)!));

describe("shape functions give what the type relation gives", () => {
  for (const op of withShapeFunc) {
    it(op.name, () => {
      const te = createTeCompiler(cx);
      for (const example of op.examples) {
        const types = example.args.map(parseTypeText);
        const known = callFunction(op.name, types, example.attrs ?? {})!;
        const results = example.results?.map(parseTypeText) ?? [known.body.type!];
        const want = results.flatMap(flattenTensorTypes).map((type) => staticShape(type)!);
        const values = types.map((type, i) => (example.values?.[i] === undefined || type.kind !== "tensor-type" ? null : tensorOf(type, example.values[i])));
        // arange of constants takes its values from the attributes, which say the shape.
        if (op.name === "arange" && example.values === undefined) continue;
        expect(evaluate(te.lowerShapeFunc(known), shapesOf(types), values), example.name).toEqual(want);
        // The same with nothing known but the ranks, where the operator takes that.
        const unknown = callFunction(op.name, types.map(open), example.attrs ?? {});
        if (unknown !== null) expect(evaluate(te.lowerShapeFunc(unknown), shapesOf(types), values), `${example.name}, open`).toEqual(want);
      }
    });
  }
});
