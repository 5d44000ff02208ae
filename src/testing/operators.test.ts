// Every example of every operator, three ways: one C program and WebAssembly give what the TIR interpreter
// gives.
import { expect, it } from "vitest";
import { emitC } from "../compiler/codegen/c/module.ts";
import { planAot } from "../compiler/executor/aot-main.ts";
import { readMain } from "../compiler/executor/main-flow.ts";
import { synthetic } from "../compiler/ir/origin.ts";
import type { TensorData } from "../compiler/ir/tensor-data.ts";
import { flattenTensorTypes, funcType, tupleType, type TensorType, type Type } from "../compiler/ir/type.ts";
import { createTeCompiler } from "../compiler/lower/te-compiler.ts";
import { defaultOptions } from "../compiler/options.ts";
import { tuple } from "../compiler/relay/build.ts";
import { makeCall, makeFunction, makeVar, type Call, type Expr, type Var } from "../compiler/relay/expr.ts";
import { runCProgram } from "../node/run-c.ts";
import { flatValues } from "../node/values.ts";
import { runPrimitive } from "../runtime/jit.ts";
import { compareOutputs } from "./harness/compare-outputs.ts";
import { exampleContext, exampleFunction, exampleValue, kernelExamples } from "./harness/op-example.ts";
import { interpretPlan } from "./harness/plan-run.ts";

const origin = synthetic("test");
const cx = exampleContext();

function typeOf(expr: Expr): Type {
  if (expr.type === null) throw new Error(`untyped ${expr.kind}`);
  return expr.type;
}

/** The example's function called on fresh parameters of main, one a tensor. */
function calls(): readonly OneCall[] {
  let count = 0;
  return kernelExamples().map(([op, example]) => {
    const func = exampleFunction(cx, op, example);
    const params: Var[] = [];
    const inputs: TensorData[] = [];
    const param = (type: TensorType): Expr => {
      const made = makeVar(cx.ids, `x${count++}`, type, { origin });
      params.push(made);
      inputs.push(exampleValue(op, made.name, type));
      return made;
    };
    const args = func.params.map(typeOf).map((type): Expr => {
      const fields = flattenTensorTypes(type).map(param);
      const [only] = fields;
      return type.kind === "tuple-type" || only === undefined ? tuple(cx, fields, origin) : only;
    });
    const made = makeCall(cx.ids, func, args, {}, { origin, type: typeOf(func.body) });
    return { label: `${op.name}: ${example.name}`, func, made, params, inputs };
  });
}

interface OneCall {
  readonly label: string;
  readonly func: ReturnType<typeof exampleFunction>;
  readonly made: Call;
  readonly params: readonly Var[];
  readonly inputs: readonly TensorData[];
}

it("all examples: C = TIR interpreter = WebAssembly", () => {
  const all = calls();
  expect(all.length).toBeGreaterThan(100);
  const params = all.flatMap((one) => one.params);
  const body = tuple(
    cx,
    all.map(({ made }) => made),
    origin,
  );
  const type = funcType(params.map(typeOf), tupleType(all.map(({ made }) => typeOf(made))));
  const main = makeFunction(cx.ids, params, body, { origin, type, resultType: body.type, attrs: {} });
  const te = createTeCompiler(cx);
  const aot = planAot(readMain(main), te, defaultOptions);
  if (!aot.ok) throw new Error(aot.diagnostic.message);
  const inputs = all.flatMap((one) => one.inputs);
  const want = interpretPlan(aot.value, te.items(), inputs).map(flatValues);
  const c = emitC({ primitives: te.items(), aot: aot.value, options: defaultOptions });
  const { outputs } = runCProgram({ c, plan: aot.value, options: defaultOptions }, inputs, {
    flags: ["-O1"],
  });
  const labels = all.flatMap(({ label, made }) => flattenTensorTypes(typeOf(made)).map(() => label));
  const wasm = all.flatMap((one) => runPrimitive(te.lower(one.func), one.inputs));
  const misses = labels.flatMap((label, i) => [
    ...difference(`C, ${label}`, outputs[i], want[i]),
    ...difference(`WebAssembly, ${label}`, wasm[i], want[i]),
  ]);
  expect(misses).toEqual([]);
}, 240_000);

function difference(
  label: string,
  got: TensorData | undefined,
  want: ReturnType<typeof flatValues> | undefined,
): readonly string[] {
  if (got === undefined || want === undefined) return [`${label}: no output`];
  const found = compareOutputs([flatValues(got)], [want], { network: false, quantised: false });
  return found === null ? [] : [`${label}: ${found}`];
}
