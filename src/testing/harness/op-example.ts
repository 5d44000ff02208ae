// One call of an operator's example as a primitive function, and values for its inputs: what the code
// generators are tested on.
import { isInteger } from "../../compiler/ir/dtype.ts";
import { idSource } from "../../compiler/ir/ids.ts";
import { synthetic } from "../../compiler/ir/origin.ts";
import type { TensorData } from "../../compiler/ir/tensor-data.ts";
import { flattenTensorTypes, funcType, staticShape, type TensorType } from "../../compiler/ir/type.ts";
import { fillTensor } from "../../compiler/frontend/fill.ts";
import { defaultOptions } from "../../compiler/options.ts";
import type { Example, Op } from "../../compiler/ops/define.ts";
import { ops } from "../../compiler/ops/index.ts";
import type { TeCompilerContext } from "../../compiler/lower/te-compiler.ts";
import { call } from "../../compiler/relay/build.ts";
import { makeFunction, makeVar, type Func } from "../../compiler/relay/expr.ts";
import type { RelayContext } from "../../compiler/relay/op.ts";
import { parseTypeText } from "./op-runner.ts";

const origin = synthetic("test");

export function exampleContext(): RelayContext & TeCompilerContext {
  return {
    ids: idSource(),
    ops,
    options: defaultOptions,
    verify: "passes",
    diagnostics: [],
    remarks: [],
    evaluate: null,
    modName: "default",
  };
}

/** A primitive function whose body is the example's one call. */
export function exampleFunction(cx: RelayContext, op: Op, example: Example): Func {
  const types = example.args.map(parseTypeText);
  const params = types.map((type, i) => makeVar(cx.ids, `p${i}`, type, { origin }));
  const body = call(cx, op.name, params, example.attrs ?? {}, origin);
  if (body.type === null) throw new Error(`${op.name}: ${example.name} has no type`);
  const type = funcType(types, body.type);
  return makeFunction(cx.ids, params, body, { origin, type, resultType: body.type, attrs: { Primitive: 1 } });
}

/** Examples that kernels are made of. Shapes that depend on values: runtime/dynamic-run.test.ts. */
export function kernelExamples(): readonly (readonly [Op, Example])[] {
  const isKernel = (example: Example): boolean =>
    example.results === undefined &&
    example.args
      .map(parseTypeText)
      .every((type) => flattenTensorTypes(type).every((tensor) => staticShape(tensor) !== null));
  return [...ops.values()]
    .filter((op) => op.compute !== null)
    .flatMap((op) => op.examples.filter(isKernel).map((example) => [op, example] as const));
}

// unravel_index divides by the extents that its second input holds.
const divideOrShift = /divide|mod|shift|power|unravel_index/;

/** Fill rule; integers of an operator that divides or shifts are made 1 to 9. */
export function exampleValue(op: Op, name: string, type: TensorType): TensorData {
  const tensor = fillTensor(name, type);
  const { data } = tensor;
  if (!divideOrShift.test(op.name) || !isInteger(tensor.dtype)) return tensor;
  const small = (value: number | bigint): number => (Math.abs(Number(value)) % 9) + 1;
  if (data instanceof BigInt64Array || data instanceof BigUint64Array)
    data.forEach((value, i) => (data[i] = BigInt(small(value))));
  else data.forEach((value, i) => (data[i] = small(value)));
  return tensor;
}
