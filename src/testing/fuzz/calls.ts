// Random calls of operators: an example of the operator's declaration with other extents, dtypes and
// attributes, as far as its type relation takes them.
import {
  completeAttrs,
  type AttrField,
  type AttrKind,
  type Attrs,
  type AttrValue,
} from "../../compiler/ir/attrs.ts";
import { isFloat, parseDType, type DType } from "../../compiler/ir/dtype.ts";
import type { TypeReporter } from "../../compiler/ir/op.ts";
import {
  flattenTensorTypes,
  sameDim,
  sameType,
  staticShape,
  tensorType,
  tupleType,
  type Dim,
  type TensorType,
  type Type,
} from "../../compiler/ir/type.ts";
import type { Example, Op } from "../../compiler/ops/define.ts";
import { elementCount } from "../../compiler/ir/tensor-data.ts";
import { at, present } from "../../support/assert.ts";
import { parseTypeText } from "../harness/op-runner.ts";
import type { Random } from "./random.ts";

export interface RandomCall {
  readonly op: Op;
  readonly args: readonly Type[];
  /** Only those that are not the default. */
  readonly attrs: Attrs;
  readonly result: Type;
  /** Values that arguments (flattened) must have for the example's sake. */
  readonly values: Readonly<Record<number, readonly number[]>>;
}

const dtypeNames = [
  ...["float32", "float32", "float32", "float64", "float16", "int32", "int64", "int8", "uint8", "bool"],
  ...["int16", "uint16", "uint32", "uint64"],
];

export const randomDType = (rng: Random): DType => present(parseDType(rng.pick(dtypeNames)), "dtype");

const extents = [1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9, 16, 17];

export const randomExtent = (rng: Random): number => (rng.chance(0.02) ? 0 : rng.pick(extents));

/**
 * The result's type, or null where the relation refuses or cannot say. A relation that throws does so here.
 */
export function resultType(op: Op, args: readonly Type[], attrs: Attrs): Type | null {
  let wrong = false;
  const reporter: TypeReporter = {
    unify: (a, b) => {
      const same = sameType(a, b);
      wrong ||= !same;
      return same;
    },
    dimEqual: (a, b) => sameDim(a, b) || [a, b].some((dim) => typeof dim !== "number" && dim.kind === "any"),
    error: () => {
      wrong = true;
      return null;
    },
  };
  const result = op.relation(args, completeAttrs(op.attrs, attrs), reporter);
  return wrong ? null : result;
}

/** What is changed in an example: each name of an extent and each dtype, everywhere alike. */
interface Change {
  readonly dims: Map<number, number>;
  readonly dtypes: Map<DType, DType>;
}

function changedType(type: Type, change: Change): Type {
  if (type.kind === "tuple-type") return tupleType(type.fields.map((field) => changedType(field, change)));
  if (type.kind !== "tensor-type") return type;
  const dim = (extent: Dim): Dim =>
    typeof extent === "number" ? (change.dims.get(extent) ?? extent) : extent;
  return tensorType(type.shape.map(dim), change.dtypes.get(type.dtype) ?? type.dtype);
}

/** Gives one tensor of `types` another extent at one axis: broadcasts, and shapes that must not fit. */
function withOneExtent(rng: Random, types: readonly Type[]): readonly Type[] {
  const which = rng.below(types.length);
  return types.map((type, i) => {
    if (i !== which || type.kind !== "tensor-type" || type.shape.length === 0) return type;
    const axis = rng.below(type.shape.length);
    const extent = rng.chance(0.5) ? 1 : randomExtent(rng);
    return tensorType(
      type.shape.map((dim, a) => (a === axis ? extent : dim)),
      type.dtype,
    );
  });
}

/** Another value of an attribute's kind that is plausible. */
function otherValue(rng: Random, field: AttrField<unknown>, now: AttrValue, change: Change): AttrValue {
  const near = (value: number): number => value + rng.pick([-2, -1, -1, 0, 1, 1, 2]);
  switch (field.kind) {
    case "bool":
      return rng.chance(0.5);
    case "int":
    case "shape-dim":
      return typeof now === "number" ? (change.dims.get(now) ?? near(now)) : rng.below(4) - 1;
    case "float":
      return rng.pick([0, 0.25, 0.5, 1, 2, -1, 1e-5, 3]);
    case "dtype":
      return rng.pick(dtypeNames);
    case "array":
    case "any":
    case "float-array":
      if (typeof now === "number") return near(now);
      if (!Array.isArray(now)) return now ?? (rng.chance(0.5) ? null : [rng.below(3) - 1]);
      return otherList(rng, now as readonly AttrValue[], near);
    case "string":
      return now;
  }
}

function otherList(
  rng: Random,
  now: readonly AttrValue[],
  near: (value: number) => number,
): readonly AttrValue[] {
  if (now.length === 0 || rng.chance(0.1)) return [...now, rng.below(3)];
  if (rng.chance(0.1)) return now.slice(1);
  if (rng.chance(0.1)) return [...now].reverse();
  const which = rng.below(now.length);
  return now.map((value, i) => (i === which && typeof value === "number" ? near(value) : value));
}

function changedAttrs(rng: Random, op: Op, given: Attrs, change: Change, share: number): Attrs {
  const entries = Object.entries(op.attrs).flatMap(([name, field]): [string, AttrValue][] => {
    const now = given[name];
    const mapped = now === undefined ? undefined : withDims(now, field.kind, change);
    if (rng.chance(share))
      return [[name, otherValue(rng, field, mapped ?? (field.default as AttrValue) ?? null, change)]];
    return mapped === undefined ? [] : [[name, mapped]];
  });
  return Object.fromEntries(entries);
}

/** Attributes that repeat extents of the arguments (newshape, channels, out_dtype) follow them. */
function withDims(value: AttrValue, kind: AttrKind, change: Change): AttrValue {
  if (kind === "dtype" && typeof value === "string") {
    const dtype = parseDType(value);
    return (dtype === null ? null : change.dtypes.get(dtype)?.name) ?? value;
  }
  if (typeof value === "number" && value > 2) return change.dims.get(value) ?? value;
  if (Array.isArray(value) && value.some((v) => typeof v === "number" && v > 3))
    return (value as readonly AttrValue[]).map((v) =>
      typeof v === "number" && v > 2 ? (change.dims.get(v) ?? v) : v,
    );
  return value;
}

/** Most elements of a tensor: programs run on the interpreter. */
const mostElements = 3000;

function small(type: Type): boolean {
  return flattenTensorTypes(type).every((tensor) => {
    const shape = staticShape(tensor);
    return shape === null || (elementCount(shape) <= mostElements && shape.length <= 7);
  });
}

const isStatic = (type: Type): boolean =>
  flattenTensorTypes(type).every((tensor) => staticShape(tensor) !== null);

/** Examples that a program can hold: known shapes. */
export function usableExamples(op: Op): readonly Example[] {
  return op.examples.filter((example) =>
    example.args
      .map(parseTypeText)
      .flatMap(flattenTensorTypes)
      .every((type) => staticShape(type) !== null),
  );
}

/**
 * A call of `op`, its first argument like one of `known` (oldest first) where that fits; null if only the
 * bare example fits and that is too large.
 */
export function randomCall(rng: Random, op: Op, known: readonly TensorType[]): RandomCall | null {
  const examples = usableExamples(op);
  if (examples.length === 0) return null;
  const example = rng.pick(examples);
  const types = example.args.map(parseTypeText);
  const from = likely(rng, types[0], known);
  for (let attempt = 0; attempt < 6; attempt++) {
    // Later attempts change less.
    const found = changedCall(rng, op, { example, types, from: attempt < 4 ? from : null, attempt });
    if (found !== null) return found;
  }
  const attrs = example.attrs ?? {};
  const result = resultType(op, types, attrs);
  if (result === null || ![...types, result].every(small)) return null;
  return { op, args: types, attrs, result, values: example.values ?? {} };
}

/** One of the latest of `known` that has the rank of the example's data, and its dtype if one has. */
function likely(rng: Random, first: Type | undefined, known: readonly TensorType[]): TensorType | null {
  const data = first?.kind === "tuple-type" ? first.fields[0] : first;
  if (data?.kind !== "tensor-type" || rng.chance(0.1)) return null;
  const ranked = known.filter(({ shape }) => shape.length === data.shape.length);
  const typed = ranked.filter(({ dtype }) => dtype === data.dtype);
  const list = (typed.length > 0 && rng.chance(0.7) ? typed : ranked).slice(rng.chance(0.7) ? -3 : 0);
  return list.length === 0 ? null : rng.pick(list);
}

interface Attempt {
  readonly example: Example;
  readonly types: readonly Type[];
  readonly from: TensorType | null;
  readonly attempt: number;
}

function changedCall(rng: Random, op: Op, { example, types, from, attempt }: Attempt): RandomCall | null {
  const change: Change = { dims: new Map(), dtypes: new Map() };
  const fixed = example.values !== undefined;
  const first = types[0];
  const data = first?.kind === "tuple-type" ? first.fields[0] : first;
  if (!fixed && from !== null && data?.kind === "tensor-type") {
    if (data.shape.length === from.shape.length)
      data.shape.forEach((dim, i) => {
        const extent = at(from.shape, i, "extent");
        if (typeof dim === "number" && typeof extent === "number" && !change.dims.has(dim))
          change.dims.set(dim, extent);
      });
    change.dtypes.set(data.dtype, from.dtype);
  } else if (!fixed && rng.chance(0.4) && data?.kind === "tensor-type")
    change.dtypes.set(data.dtype, randomDType(rng));
  for (const type of fixed ? [] : types.flatMap(flattenTensorTypes))
    for (const dim of type.shape)
      if (typeof dim === "number" && !change.dims.has(dim))
        change.dims.set(dim, dim > 1 && rng.chance(0.6) ? randomExtent(rng) : dim);
  let args = types.map((type) => changedType(type, change));
  // A value with dynamic dimensions cannot be made anew for an argument whose elements are given.
  const fits = from !== null && (!fixed || isStatic(from));
  if (fits && data?.kind === "tensor-type" && first?.kind === "tensor-type" && rng.chance(0.5))
    args = [from, ...args.slice(1)];
  if (attempt < 3 && args.length > 0 && rng.chance(0.25)) args = [...withOneExtent(rng, args)];
  const attrs = changedAttrs(
    rng,
    op,
    example.attrs ?? {},
    change,
    fixed ? 0 : ([0.3, 0.2, 0.1, 0, 0.1, 0][attempt] ?? 0),
  );
  if (!args.every((type) => small(type) && (type === from || isStatic(type)))) return null;
  const result = resultType(op, args, attrs);
  if (result === null || !small(result)) return null;
  return { op, args, attrs, result, values: example.values ?? {} };
}

/** `value` as Relay text. */
function attrText(kind: AttrKind, value: AttrValue): string | null {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number") {
    if (!Number.isFinite(value)) return null;
    return kind === "float" || kind === "float-array" ? `${value}f` : String(value);
  }
  if (typeof value === "bigint") return String(value);
  const parts = value.map((item) => attrText(kind, item));
  return parts.includes(null) ? null : `[${parts.join(", ")}]`;
}

/** "axis=1, keepdims=True"; values that text cannot say are left out. */
export function attrsText(op: Op, attrs: Attrs): string {
  return Object.entries(attrs)
    .flatMap(([name, value]) => {
      const text = attrText(op.attrs[name]?.kind ?? "any", value);
      return text === null || (value === null && op.attrs[name]?.default === undefined)
        ? []
        : [`${name}=${text}`];
    })
    .join(", ");
}

export const hasFloats = (types: readonly Type[]): boolean =>
  types.flatMap(flattenTensorTypes).some(({ dtype }) => isFloat(dtype));
