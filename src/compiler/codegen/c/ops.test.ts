// Every example of every operator, all in one C program: it compiles under the strict flags and equals the TIR interpreter.
import { expect, it } from "vitest";
import { flatValues } from "../../../node/values.ts";
import { defaultOptions } from "../../options.ts";
import { compareOutputs } from "../../../testing/harness/compare-outputs.ts";
import { parseTypeText } from "../../../testing/harness/op-runner.ts";
import { interpretPlan } from "../../../testing/harness/plan-run.ts";
import { runCProgram } from "../../../node/run-c.ts";
import { planAot } from "../../executor/aot-main.ts";
import { readMain } from "../../executor/main-flow.ts";
import { fillTensor } from "../../frontend/fill.ts";
import { isInteger } from "../../ir/dtype.ts";
import { idSource } from "../../ir/ids.ts";
import { synthetic } from "../../ir/origin.ts";
import type { TensorData } from "../../ir/tensor-data.ts";
import {
  flattenTensorTypes,
  funcType,
  staticShape,
  tupleType,
  type TensorType,
  type Type,
} from "../../ir/type.ts";
import { createTeCompiler } from "../../lower/te-compiler.ts";
import type { Example, Op } from "../../ops/define.ts";
import { ops } from "../../ops/index.ts";
import { call, tuple } from "../../relay/build.ts";
import { makeCall, makeFunction, makeVar, type Call, type Expr, type Var } from "../../relay/expr.ts";
import { emitC } from "./module.ts";

const origin = synthetic("test");
const cx = { ids: idSource(), ops, options: defaultOptions, diagnostics: [], remarks: [], evaluate: null };

/** A call of a primitive function that holds the example's one call; its arguments are fresh parameters of main. */
function exampleCall(op: Op, example: Example, params: Var[]): Call {
  const types = example.args.map(parseTypeText);
  const inner = types.map((type, i) => makeVar(cx.ids, `p${i}`, type, { origin }));
  const body = call(cx, op.name, inner, example.attrs ?? {}, origin);
  const func = makeFunction(
    cx.ids,
    inner,
    body,
    body.type,
    { Primitive: 1 },
    { origin, type: funcType(types, body.type!) },
  );
  const args = types.map((type): Expr => {
    const fields = flattenTensorTypes(type).map((field) => {
      const param = makeVar(cx.ids, `x${params.length}`, field, { origin });
      params.push(param);
      return param;
    });
    return type.kind === "tuple-type" ? tuple(cx, fields, origin) : fields[0]!;
  });
  return makeCall(cx.ids, func, args, {}, { origin, type: body.type });
}

function isStatic(type: Type): boolean {
  return flattenTensorTypes(type).every((tensor) => staticShape(tensor) !== null);
}

/** Fill rule; integers that divide or shift are made 1 to 9. */
function valueFor(param: Var, divides: boolean): TensorData {
  const data = fillTensor(param.name, param.type as TensorType);
  if (divides && isInteger(data.dtype)) {
    const values = data.data as { [i: number]: number | bigint; length: number };
    for (let i = 0; i < values.length; i++) {
      const magnitude = (Math.abs(Number(values[i])) % 9) + 1;
      values[i] = typeof values[i] === "bigint" ? BigInt(magnitude) : magnitude;
    }
  }
  return data;
}

// unravel_index divides by the extents that its second input holds.
const divideOrShift = /divide|mod|shift|power|unravel_index/;

it("all examples: C = TIR interpreter", () => {
  const params: Var[] = [];
  const calls: Call[] = [];
  const labels: string[] = [];
  const divides: boolean[] = [];
  for (const op of ops.values()) {
    for (const example of op.compute === null ? [] : op.examples) {
      // Shapes that depend on values: runtime/dynamic-run.test.ts.
      if (example.results !== undefined) continue;
      if (!example.args.map(parseTypeText).every(isStatic)) continue;
      const one = exampleCall(op, example, params);
      while (divides.length < params.length) divides.push(divideOrShift.test(op.name));
      calls.push(one);
      for (const _ of flattenTensorTypes(one.type!)) labels.push(`${op.name}: ${example.name}`);
    }
  }
  expect(calls.length).toBeGreaterThan(100);
  const body = tuple(cx, calls, origin);
  const main = makeFunction(
    cx.ids,
    params,
    body,
    body.type,
    {},
    {
      origin,
      type: funcType(
        params.map((param) => param.type!),
        tupleType(calls.map((one) => one.type!)),
      ),
    },
  );
  const te = createTeCompiler({ ...cx, modName: "default" });
  const aot = planAot(readMain(main), te, defaultOptions);
  if (!aot.ok) throw new Error(aot.diagnostic.message);
  const inputs = params.map((param, i) => valueFor(param, divides[i]!));
  const want = interpretPlan(aot.value, te.items(), inputs).map(flatValues);
  const { outputs } = runCProgram(
    {
      c: emitC({ primitives: te.items(), aot: aot.value, options: defaultOptions }),
      plan: aot.value,
      options: defaultOptions,
    },
    inputs,
    { flags: ["-O1"] },
  );
  const misses = outputs.flatMap((output, i) => {
    const difference = compareOutputs([flatValues(output)], [want[i]!], { network: false, quantised: false });
    return difference === null ? [] : [`${labels[i]!} (${i}): ${difference}`];
  });
  expect(misses).toEqual([]);
}, 120_000);
