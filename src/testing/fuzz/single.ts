// One call of one operator, of random shapes and attributes, held against an oracle of testing/oracles: back
// ends that share a lowering agree with each other when it is wrong.
import { completeAttrs } from "../../compiler/ir/attrs.ts";
import { isFloat } from "../../compiler/ir/dtype.ts";
import { staticShape, type TensorType, type Type } from "../../compiler/ir/type.ts";
import { numbersOf } from "../../compiler/frontend/values.ts";
import type { TensorData } from "../../compiler/ir/tensor-data.ts";
import { ops } from "../../compiler/ops/index.ts";
import { present } from "../../support/assert.ts";
import { combineOracles } from "../oracles/combine.ts";
import { binaryOracles, unaryOracles, type NdOracle } from "../oracles/elements.ts";
import { moveOracles } from "../oracles/moves.ts";
import { count, ndOf, tensorOf, type Nd } from "../oracles/nd.ts";
import { windowOracles } from "../oracles/windows.ts";
import type { Program, ProgramParam } from "./builder.ts";
import { attrsText, randomCall, type RandomCall } from "./calls.ts";
import { differenceOf } from "./compare.ts";
import type { Random } from "./random.ts";
import { randomTensor } from "./values.ts";
import type { Problem, Tried } from "./ways.ts";

const oracles: Readonly<Record<string, NdOracle>> = {
  ...unaryOracles,
  ...binaryOracles,
  ...moveOracles,
  ...combineOracles,
  ...windowOracles,
};

const names = Object.keys(oracles).filter((name) => ops.has(name));

interface Single {
  readonly call: RandomCall;
  readonly program: Program;
  /** Tensors of the call, tuples flattened. */
  readonly args: readonly Nd[];
}

/** A random call of an operator that has an oracle; null where none could be made. */
export function randomSingle(rng: Random): Single | null {
  const op = present(ops.get(rng.pick(names)), "operator");
  const call = randomCall(rng, op, []);
  if (call === null) return null;
  const params: ProgramParam[] = [];
  const input = (type: Type): string => {
    if (type.kind === "tuple-type")
      return `(${type.fields.map(input).join(", ")}${type.fields.length === 1 ? "," : ""})`;
    const param = inputOf(rng, call, type as TensorType, params.length);
    params.push(param);
    return param.name;
  };
  const args = call.args.map(input);
  const said = attrsText(op, call.attrs);
  const text = `${op.name}(${[...args, ...(said === "" ? [] : [said])].join(", ")})`;
  const program: Program = {
    globals: [],
    params,
    statements: [{ name: "%0", text, kind: "graph", type: call.result }],
    results: ["%0"],
  };
  return { call, program, args: params.map(({ value }) => ndOf(value)) };
}

function inputOf(rng: Random, call: RandomCall, type: TensorType, index: number): ProgramParam {
  const { op } = call;
  const shape = present(staticShape(type), "known shape");
  const divisor = index > 0 && /divide|mod/.test(op.name) && type.dtype.code !== "float";
  const axis = Number(call.attrs["axis"] ?? 0);
  const first = call.args[0];
  if (op.name === "gather" && index === 1 && first?.kind === "tensor-type") {
    const extent = Number(first.shape.at(axis) ?? 1);
    const elements = Array.from({ length: count(shape) }, () => BigInt(rng.below(Math.max(1, extent))));
    return { name: `%p${index}`, type, value: tensorOf({ dtype: type.dtype, shape, elements }) };
  }
  const edges = type.dtype.code === "float" ? 0 : rng.pick([0, 0, 0.3]);
  const style = divisor ? { edges: 0, least: 1 } : { edges };
  return { name: `%p${index}`, type, value: randomTensor(rng, type.dtype, shape, style) };
}

/** Where what ran is not what the oracle says; null also where the oracle has no answer. */
export function againstOracle({ call, args }: Single, { outputs }: Tried): Problem | null {
  if (outputs === null) return null;
  const { op, attrs } = call;
  let want: readonly TensorData[];
  try {
    want = present(oracles[op.name], op.name)(args, completeAttrs(op.attrs, attrs)).map(tensorOf);
  } catch {
    return null;
  }
  // Half floats that overflow on the way depend on the order of sums.
  const overflows = want.some(
    (tensor) =>
      tensor.dtype.bits === 16 &&
      isFloat(tensor.dtype) &&
      numbersOf(tensor).some((v) => !(Math.abs(v) < 6e4)),
  );
  const found = overflows ? null : differenceOf(outputs, want);
  if (found === null) return null;
  const detail = `${op.name}: output ${found.output} element ${found.element} is ${found.got}, the oracle says ${found.want}`;
  return { kind: "mismatch", key: `oracle ${op.name}`, detail };
}
