// Random well-typed Relay programs: calls of every operator over a pool of values, tuples, branches, lets,
// functions, references, data types, devices. A program is kept in pieces, so that what fails can be reduced.
import { isFloat } from "../../compiler/ir/dtype.ts";
import type { TensorData } from "../../compiler/ir/tensor-data.ts";
import {
  flattenTensorTypes,
  printType,
  sameType,
  type TensorType,
  type Type,
} from "../../compiler/ir/type.ts";
import type { Op } from "../../compiler/ops/define.ts";
import { ops } from "../../compiler/ops/index.ts";
import { attrsText, hasFloats, randomCall, usableExamples, type RandomCall } from "./calls.ts";
import {
  addStatement,
  constantText,
  fresh,
  newParam,
  type Builder,
  type Known,
  type KnownTensor,
  type Program,
} from "./builder.ts";
import { addConstruct } from "./constructs.ts";
import { isExact, needsExact } from "./exactness.ts";
import type { Random } from "./random.ts";

/** Operators that stand for something in the compiler's own work, or read clocks of devices. */
const notInPrograms = /^(?:annotation\.|on_device|device_copy|compiler_|vm\.|memory\.)/;

export const programOps: readonly Op[] = [...ops.values()].filter(
  (op) => !notInPrograms.test(op.name) && usableExamples(op).length > 0,
);

const common: readonly Op[] = programOps.filter(({ name }) =>
  /^(?:add|subtract|multiply|divide|maximum|minimum|exp|tanh|sigmoid|sqrt|negative|abs|cast|clip|reshape|transpose|squeeze|expand_dims|concatenate|split|strided_slice|take|where|sum|mean|max|broadcast_to|nn\.(?:relu|softmax|bias_add|dense|conv2d|max_pool2d|avg_pool2d|batch_norm|pad|batch_matmul)|equal|less|layout_transform|stack)$/.test(
    name,
  ),
);

export function randomProgram(rng: Random, size = 1 + rng.below(9)): Program {
  const builder: Builder = {
    rng,
    globals: [],
    params: [],
    statements: [],
    pool: [],
    edges: rng.chance(0.15) ? 0.15 : 0,
    count: 0,
  };
  for (let tries = 0; builder.statements.length < size && tries < size * 6; tries++)
    if (rng.chance(0.84) || builder.pool.length === 0)
      addCall(builder, rng.pick(rng.chance(0.5) ? common : programOps));
    else addConstruct(builder);
  return finished(builder);
}

function finished({ rng, globals, params, statements, pool }: Builder): Program {
  const made = pool.filter(({ name }) => statements.some((statement) => statement.name === name));
  const read = new Set(statements.flatMap(({ text }) => namesIn(text)));
  const unread = made.filter(({ name }) => !read.has(name)).slice(-5);
  const results = (unread.length > 0 ? unread : pool.slice(-1)).map(({ name }) => name);
  if (made.length > 1 && rng.chance(0.3)) results.push(rng.pick(made).name);
  return { globals, params, statements, results };
}

function addCall(builder: Builder, op: Op): RandomCall | null {
  const { rng } = builder;
  const exactly = needsExact(op.name);
  const usable = builder.pool.filter(
    (value): value is KnownTensor =>
      value.type.kind === "tensor-type" && (value.exact || !exactly || !isFloat(value.type.dtype)),
  );
  const call = randomCall(
    rng,
    op,
    usable.map(({ type }) => type),
  );
  if (call === null) return null;
  const same = usable.filter(({ type }) => call.args[0] !== undefined && sameType(call.args[0], type));
  const first = call.values[0] === undefined ? (same.at(rng.chance(0.8) ? -1 : 0) ?? null) : null;
  const used: Known[] = [];
  let flat = 0;
  const texts = call.args.map((type, i) => {
    if (i === 0 && first !== null) {
      used.push(first);
      flat++;
      return first.name;
    }
    const at = flat;
    flat += flattenTensorTypes(type).length;
    return argument(builder, type, { call, input: i, flat: at, exactly, used });
  });
  const attrs = attrsText(op, call.attrs);
  const text = `${op.name}(${[...texts, ...(attrs === "" ? [] : [attrs])].join(", ")})`;
  const exact = isExact(op) && used.every((value) => value.exact);
  addStatement(
    builder,
    { name: fresh(builder), text, kind: "graph", type: call.result },
    exact || !hasFloats([call.result]),
  );
  return call;
}

interface Slot {
  readonly call: RandomCall;
  readonly input: number;
  readonly flat: number;
  readonly exactly: boolean;
  readonly used: Known[];
}

/** Text of a value of `type`: of the pool, a tuple of such, a constant, or a new parameter. */
function argument(builder: Builder, type: Type, slot: Slot): string {
  const { rng } = builder;
  if (type.kind === "tuple-type") {
    let flat = slot.flat;
    const fields = type.fields.map((field) => {
      const text = argument(builder, field, { ...slot, flat });
      flat += flattenTensorTypes(field).length;
      return text;
    });
    return `(${fields.join(", ")}${fields.length === 1 ? "," : ""})`;
  }
  const given = slot.call.values[slot.flat];
  if (given === undefined && rng.chance(0.6)) {
    const fit = builder.pool.filter(
      (value) => sameType(value.type, type) && (value.exact || !slot.exactly || !hasFloats([type])),
    );
    if (fit.length > 0) {
      const value = rng.pick(fit);
      slot.used.push(value);
      return value.name;
    }
  }
  if (type.kind !== "tensor-type") return "()";
  if (given === undefined && rng.chance(0.15)) return constantText(builder, type);
  return newParam(builder, type, { given, least: leastOf(builder, slot, type) }).name;
}

/** Divisors, variances and most indices are kept from what stops a program or makes it all NaN. */
function leastOf({ rng }: Builder, { call, input }: Slot, type: TensorType): number | undefined {
  const name = call.op.inputs[input] ?? "";
  if (/var/.test(name)) return 0.5;
  if (/divide|mod$|unravel/.test(call.op.name) && input > 0 && !isFloat(type.dtype)) return 1;
  return !isFloat(type.dtype) && /ind|shape|length|key|valid/.test(name) && rng.chance(0.8) ? 0 : undefined;
}

export const namesIn = (text: string): readonly string[] => text.match(/%\w+/g) ?? [];

export function programText({ globals, params, statements, results }: Program): string {
  const header = params.map(({ name, type }) => `${name}: ${printType(type)}`).join(", ");
  const lines = statements.map(
    ({ kind, name, text }) => `  ${kind === "let" ? "let " : ""}${name} = ${text};`,
  );
  const result = results.length === 1 ? results[0]! : `(${results.join(", ")})`;
  return [...globals, `def @main(${header}) {`, ...lines, `  ${result}`, "}", ""].join("\n");
}

export const programInputs = ({ params }: Program): ReadonlyMap<string, TensorData> =>
  new Map(params.map(({ name, value }) => [name.slice(1), value]));
