// One operator with one attribute, or one argument, at an edge: 0, 1, -1, the rank, extremes, crossed bounds,
// empty and long lists, other dtypes and layouts. What comes of it is a message with a place, or values.
import type { AttrField, Attrs, AttrValue } from "../../compiler/ir/attrs.ts";
import { parseDType } from "../../compiler/ir/dtype.ts";
import {
  flattenTensorTypes,
  staticShape,
  tensorType,
  type TensorType,
  type Type,
} from "../../compiler/ir/type.ts";
import type { Example, Op } from "../../compiler/ops/define.ts";
import { present } from "../../support/assert.ts";
import { parseTypeText } from "../harness/op-runner.ts";
import type { Program, ProgramParam } from "./builder.ts";
import { attrsText, usableExamples } from "./calls.ts";
import { programOps } from "./program.ts";
import type { Random } from "./random.ts";
import { randomTensor } from "./values.ts";

interface EdgeCall {
  readonly op: Op;
  readonly example: Example;
  readonly attrs: Attrs;
}

function edgeNumbers(rank: number): readonly number[] {
  const ends = [2 ** 31 - 1, -(2 ** 31), 2 ** 31, 2 ** 32 + 1, -(2 ** 53) + 1];
  return [...new Set([0, 1, -1, 2, 3, rank - 1, rank, -rank, -rank - 1, 64, 1000, ...ends])];
}

const edgeFloats = [0, -1, 1e-45, 1e38, -3e38, 1e300, 0.5];
const edgeDTypes = [
  ...[
    "float32",
    "float16",
    "bfloat16",
    "float64",
    "int8",
    "uint8",
    "int16",
    "uint32",
    "int64",
    "uint64",
    "bool",
  ],
  ...["handle", "int32x4", "float33", "uint1", "int4", ""],
];

/** Every text that an example gives an attribute: layouts, modes, methods. */
const edgeTexts: readonly string[] = [
  ...new Set([
    "",
    "x",
    ...programOps.flatMap(({ examples }) =>
      examples.flatMap(({ attrs }) =>
        Object.values(attrs ?? {}).filter((value) => typeof value === "string"),
      ),
    ),
  ]),
];

function edgeValues(field: AttrField<unknown>, now: AttrValue, rank: number): readonly AttrValue[] {
  const numbers = edgeNumbers(rank);
  switch (field.kind) {
    case "bool":
      return [now !== true];
    case "int":
    case "shape-dim":
      return numbers;
    case "float":
      return edgeFloats;
    case "dtype":
      return edgeDTypes;
    case "string":
      return edgeTexts;
    case "array":
    case "float-array":
    case "any": {
      const list = Array.isArray(now) ? (now as readonly AttrValue[]) : [];
      const replaced = list.flatMap((_, i) =>
        numbers.map((value) =>
          list.map((other, k) => (k === i && typeof other === "number" ? value : other)),
        ),
      );
      const singles = numbers.flatMap((value): AttrValue[] => [value, [value]]);
      return [
        null,
        [],
        ...replaced,
        [...list, 1],
        list.slice(1),
        [...list, ...list],
        [[]],
        [1, [2, 3]],
        ...singles,
      ];
    }
  }
}

/** All of them, operator by operator. */
export const edgeCalls: readonly EdgeCall[] = programOps.flatMap((op) =>
  usableExamples(op).flatMap((example) => {
    const rank = flattenTensorTypes(parseTypeText(example.args[0] ?? "float32"))[0]?.shape.length ?? 0;
    return Object.entries(op.attrs).flatMap(([name, field]) => {
      const now = example.attrs?.[name] ?? (field.default as AttrValue | undefined) ?? null;
      return edgeValues(field, now, rank).map((value) => ({
        op,
        example,
        attrs: { ...example.attrs, [name]: value },
      }));
    });
  }),
);

/** An argument with another dtype, rank or extent. */
function edgeType(rng: Random, type: Type): Type {
  if (type.kind !== "tensor-type") return type;
  const { shape, dtype } = type;
  const other = parseDType(rng.pick(edgeDTypes.slice(0, 11))) ?? dtype;
  const axis = rng.below(Math.max(1, shape.length));
  const withExtent = (extent: number): Type =>
    tensorType(
      shape.map((dim, i) => (i === axis ? extent : dim)),
      dtype,
    );
  return rng.pick([
    tensorType(shape, other),
    tensorType(shape.slice(1), dtype),
    tensorType([...shape, 1], dtype),
    tensorType([], dtype),
    withExtent(0),
    withExtent(1),
    withExtent(11),
  ]);
}

/** The call as a program: an input a tensor. */
export function edgeProgram(rng: Random, { op, example, attrs }: EdgeCall): Program {
  const types = example.args.map(parseTypeText);
  const which = rng.chance(0.3) ? rng.below(types.length) : -1;
  const params: ProgramParam[] = [];
  const input = (type: Type): string => {
    if (type.kind === "tuple-type")
      return `(${type.fields.map(input).join(", ")}${type.fields.length === 1 ? "," : ""})`;
    const param = edgeParam(rng, type as TensorType, params.length, example);
    params.push(param);
    return param.name;
  };
  const args = types.map((type, i) => input(i === which ? edgeType(rng, type) : type));
  const said = attrsText(op, attrs);
  const text = `${op.name}(${[...args, ...(said === "" ? [] : [said])].join(", ")})`;
  return {
    globals: [],
    params,
    statements: [{ name: "%0", text, kind: "graph", type: null }],
    results: ["%0"],
  };
}

function edgeParam(rng: Random, type: TensorType, index: number, { values }: Example): ProgramParam {
  const value = randomTensor(rng, type.dtype, present(staticShape(type), "known shape"), { edges: 0.2 });
  const given = values?.[index];
  if (given?.length === value.data.length)
    given.forEach((element, i) => {
      value.data[i] =
        value.data instanceof BigInt64Array || value.data instanceof BigUint64Array
          ? BigInt(Math.trunc(element))
          : element;
    });
  return { name: `%p${index}`, type, value };
}
