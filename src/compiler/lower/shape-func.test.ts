import { describe, expect, it } from "vitest";
import { defaultOptions } from "../options.ts";
import { runPrimitive } from "../../runtime/jit.ts";
import { parseTypeText } from "../../testing/harness/op-runner.ts";
import shapeFuncNames from "../../testing/harness/shape-func-names.json" with { type: "json" };
import type { Attrs } from "../ir/attrs.ts";
import { float32, int64 } from "../ir/dtype.ts";
import { idSource } from "../ir/ids.ts";
import { synthetic } from "../ir/origin.ts";
import { allocateArray, tensorData, type TensorArray, type TensorData } from "../ir/tensor-data.ts";
import {
  anyDim,
  flattenTensorTypes,
  funcType,
  staticShape,
  tensorType,
  tupleType,
  type TensorType,
  type Type,
} from "../ir/type.ts";
import { ops } from "../ops/index.ts";
import { call, tuple } from "../relay/build.ts";
import { makeFunction, makeVar, type Expr, type Func, type Var } from "../relay/expr.ts";
import { interpret } from "../tir/interp/interp.ts";
import { printPrimFunc } from "../tir/print.ts";
import type { LoweredShapeFunc } from "./shape-func.ts";
import { createTeCompiler } from "./te-compiler.ts";

const origin = synthetic("test");
const cx = {
  ids: idSource(),
  ops,
  options: defaultOptions,
  verify: "passes" as const,
  diagnostics: [],
  remarks: [],
  modName: "default",
  evaluate: null,
};

function dynamic(type: Type): Type {
  if (type.kind === "tuple-type") return tupleType(type.fields.map(dynamic));
  return type.kind === "tensor-type"
    ? tensorType(
        type.shape.map(() => anyDim),
        type.dtype,
      )
    : type;
}

function functionOf(params: readonly Var[], body: Expr): Func {
  return makeFunction(cx.ids, params, body, {
    origin,
    type: funcType(
      params.map((param) => param.type!),
      body.type!,
    ),
    resultType: body.type,
    attrs: { Primitive: 1 },
  });
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
function evaluate(
  lowered: LoweredShapeFunc,
  shapes: readonly (readonly (readonly number[])[])[],
  values: readonly (TensorData | null)[] = [],
): number[][] {
  const args = lowered.inputs.map((input): TensorData => {
    const shape = shapes[input.param]![input.field]!;
    if (input.kind === "data") return values[input.param]!;
    return tensorData(
      int64,
      shape.length === 0 ? [] : [shape.length],
      int64s(shape.length === 0 ? [0] : shape),
    );
  });
  const outs = lowered.outputTypes.map((type) =>
    allocateArray(
      int64,
      staticShape(type)!.reduce((a, b) => a * b, 1),
    ),
  );
  interpret(lowered.forC, [...args.map((arg) => arg.data), ...outs]);
  const found = (array: TensorArray, i: number) =>
    staticShape(lowered.outputTypes[i]!)!.length === 0 ? [] : [...array].map(Number);
  const byInterpreter = outs.map(found);
  expect(runPrimitive(lowered, args).map((out, i) => found(out.data, i))).toEqual(byInterpreter);
  return byInterpreter;
}

function tensorOf(type: TensorType, values: readonly number[]): TensorData {
  const shape = staticShape(type)!;
  const data = allocateArray(type.dtype, values.length);
  values.forEach((value, i) => {
    data[i] = data instanceof BigInt64Array ? BigInt(value) : value;
  });
  return tensorData(type.dtype, shape, data);
}

const withShapeFunc = [...ops.values()].filter((op) => op.shapeFunc !== null && op.compute !== null);
it("every operator for which TVM registers one has a shape function", () => {
  expect(
    shapeFuncNames.filter((name) => ops.has(name) && ops.get(name)!.shapeFunc === null),
    "TVM registers shape functions for these: give their declarations a `shapeFunc` (ops/_shape-funcs)",
  ).toEqual([]);
  expect(shapeFuncNames.filter((name) => ops.has(name)).length).toBeGreaterThan(120);
});

const shapesOf = (types: readonly Type[]) =>
  types.map((type) => flattenTensorTypes(type).map((tensor) => staticShape(tensor)!));

describe("shape functions give what the type relation gives", () => {
  for (const op of withShapeFunc) {
    it(op.name, () => {
      const te = createTeCompiler(cx);
      for (const example of op.examples) {
        const types = example.args.map(parseTypeText);
        const known = callFunction(op.name, types, example.attrs ?? {})!;
        const results = example.results?.map(parseTypeText) ?? [known.body.type!];
        const want = results.flatMap(flattenTensorTypes).map((type) => staticShape(type)!);
        const values = types.map((type, i) =>
          example.values?.[i] === undefined || type.kind !== "tensor-type"
            ? null
            : tensorOf(type, example.values[i]),
        );
        // arange of constants takes its values from the attributes, which say the shape.
        if (op.name === "arange" && example.values === undefined) continue;
        expect(evaluate(te.lowerShapeFunc(known), shapesOf(types), values), example.name).toEqual(want);
        // The same with nothing known but the ranks, where the operator takes that.
        const withDynamic = callFunction(op.name, types.map(dynamic), example.attrs ?? {});
        if (withDynamic !== null)
          expect(
            evaluate(te.lowerShapeFunc(withDynamic), shapesOf(types), values),
            `${example.name}, dynamic`,
          ).toEqual(want);
      }
    });
  }
});

describe("LowerShapeFunc", () => {
  const vector = tensorType([anyDim], float32);
  const variable = (name: string, type: Type = vector) => makeVar(cx.ids, name, type, { origin });
  const text = (lowered: LoweredShapeFunc) => printPrimFunc(lowered.forC).text.split("\n").slice(1, -1);

  it("is straight-line code over the shapes of the parameters", () => {
    const [x, y] = [variable("x", tensorType([anyDim, 4], float32)), variable("y", tensorType([4], float32))];
    const sum = call(cx, "add", [x, y], {}, origin);
    const body = call(
      cx,
      "squeeze",
      [call(cx, "expand_dims", [sum], { axis: 0 }, origin)],
      { axis: [0] },
      origin,
    );
    expect(text(createTeCompiler(cx).lowerShapeFunc(functionOf([x, y], body)))).toEqual([
      'def shape_func_add_expand_dims_squeeze(x_shape: T.Buffer[(2,), "int64"], y_shape: T.Buffer[(1,), "int64"], shape: T.Buffer[(2,), "int64"]) -> None:',
      "    shape[0] = x_shape[0]",
      "    shape[1] = T.Select(x_shape[1] == T.int64(1), y_shape[0], x_shape[1])",
    ]);
  });

  it("asks of each parameter what its readers ask: nothing, data, shape, or both", () => {
    const [data, unused, count] = [
      variable("data"),
      variable("unused"),
      variable("count", tensorType([1], int64)),
    ];
    const reshaped = call(cx, "dyn.reshape", [data, count], {}, origin);
    const func = functionOf(
      [data, unused, count],
      tuple(
        cx,
        [reshaped, call(cx, "argwhere", [data], {}, origin), call(cx, "negative", [count], {}, origin)],
        origin,
      ),
    );
    const { needs, inputs } = createTeCompiler({
      ...cx,
      ops: new Map([...ops].map(([name, op]) => [name, { ...op, pattern: 0 as const }])),
    }).lowerShapeFunc(func);
    expect(needs).toEqual(["both", "none", "both"]);
    expect(inputs.map(({ param, kind }) => [param, kind])).toEqual([
      [0, "data"],
      [0, "shape"],
      [2, "data"],
      [2, "shape"],
    ]);
  });

  it("is cached by structure, counts call sites, shares the map of names and takes no prefix", () => {
    const te = createTeCompiler(cx);
    const unary = (name: string, type: Type) => {
      const x = variable("x", type);
      return functionOf([x], call(cx, name, [x], {}, origin));
    };
    const [first, same, other] = [
      unary("exp", vector),
      unary("exp", vector),
      unary("exp", tensorType([anyDim, 2], float32)),
    ];
    const site = {};
    expect(
      [te.lowerShapeFunc(first, site), te.lowerShapeFunc(same, {}), te.lowerShapeFunc(first, site)].map(
        (one) => one.symbol,
      ),
    ).toEqual(["shape_func_exp", "shape_func_exp", "shape_func_exp"]);
    expect(te.lowerShapeFunc(other, {}).symbol).toBe("shape_func_exp_1");
    te.lower(first, site);
    expect(te.currentKey()).toBe(te.items()[0]!.cacheKey);
    expect(te.listItems().map(({ kind, name, useCount, target }) => [kind, name, useCount, target])).toEqual([
      ["function", "tvmgen_default_fused_exp", 1, "c"],
      ["shape function", "shape_func_exp", 2, "c"],
      ["shape function", "shape_func_exp_1", 1, "c"],
    ]);
    te.clear();
    expect([te.listItems(), te.shapeFuncs()]).toEqual([[], []]);
    expect(te.lowerShapeFunc(other).symbol).toBe("shape_func_exp");
  });

  it("cuts long names as the TE compiler does", () => {
    const x = variable("x");
    const body = Array.from({ length: 12 }).reduce<Expr>(
      (value) => call(cx, "zeros_like", [value], {}, origin),
      x,
    );
    expect(createTeCompiler(cx).lowerShapeFunc(functionOf([x], body)).symbol).toMatch(
      /^shape_func(_zeros_like){6}_z[a-z_]*_\d+_$/,
    );
  });

  it("refuses values that the same function computes", () => {
    const [x, count] = [variable("x"), variable("count", tensorType([1], int64))];
    const body = call(cx, "dyn.reshape", [x, call(cx, "negative", [count], {}, origin)], {}, origin);
    expect(() => createTeCompiler(cx).lowerShapeFunc(functionOf([x, count], body))).toThrow(/RS4116/);
  });
});
