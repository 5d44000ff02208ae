// What type relations share: asking for a tensor, an axis, a list attribute; broadcasting; filling in an
// argument's type. Each helper reports against the call and says operator, argument, expected and got.
// TVM: src/relay/op/type_relations.cc
import { present, at, first } from "../../../support/assert.ts";
import { maxRank } from "../../limits.ts";
import type { DType } from "../../ir/dtype.ts";
import { parseDType } from "../../ir/dtype.ts";
import type { TypeReporter } from "../../ir/op.ts";
import {
  anyDim,
  printDim,
  printType,
  sameDim,
  sameType,
  tensorType,
  type Dim,
  type TensorType,
  type Type,
} from "../../ir/type.ts";

/** The relation's reporter with the operator it speaks for. */
export interface Asker {
  readonly t: TypeReporter;
  readonly op: string;
}

export const asker = (t: TypeReporter, op: string): Asker => ({ t, op });

/** `type` as a tensor type; null while it is unknown, or after reporting that it is something else. */
export function tensorArg(cx: Asker, name: string, type: Type | undefined): TensorType | null {
  if (type === undefined || type.kind === "incomplete-type" || type.kind === "type-var") return null;
  if (type.kind === "tensor-type") return type;
  return cx.t.error("RS2101", `${cx.op}: argument \`${name}\` must be a tensor`, {
    expected: "Tensor[(...), dtype]",
    got: printType(type),
    ...(type.kind === "tuple-type" ? { hint: "take one field of the tuple, as in %t.0" } : {}),
  });
}

/** The fields of a tuple of tensors; null while unknown, or after reporting. */
export function tensorTupleArg(
  cx: Asker,
  name: string,
  type: Type | undefined,
): readonly TensorType[] | null {
  if (type === undefined || type.kind === "incomplete-type" || type.kind === "type-var") return null;
  if (type.kind !== "tuple-type") {
    return cx.t.error("RS2101", `${cx.op}: argument \`${name}\` must be a tuple of tensors`, {
      expected: "(Tensor[...], Tensor[...], ...)",
      got: printType(type),
      hint: "put the tensors in parentheses, as in ((%a, %b))",
    });
  }
  const fields: TensorType[] = [];
  for (const [i, field] of type.fields.entries()) {
    const found = tensorArg(cx, `${name}.${i}`, field);
    if (found === null) return null;
    fields.push(found);
  }
  return fields;
}

/** `axis` counted from the front, 0 <= result < rank; null after reporting that it is out of range. */
export function axisArg(cx: Asker, axis: number, rank: number, attribute = "axis"): number | null {
  const found = axis < 0 ? axis + rank : axis;
  if (Number.isInteger(found) && found >= 0 && found < rank) return found;
  return cx.t.error("RS2104", `${cx.op}: attribute \`${attribute}\` is out of range for rank ${rank}`, {
    expected: rank === 0 ? "no axis: the tensor is a scalar" : `${-rank} to ${rank - 1}`,
    got: String(axis),
  });
}

/** Axes counted from the front, distinct; null after reporting. */
export function axesArg(
  cx: Asker,
  axes: readonly number[],
  rank: number,
  attribute = "axis",
): readonly number[] | null {
  const found: number[] = [];
  for (const axis of axes) {
    const one = axisArg(cx, axis, rank, attribute);
    if (one === null) return null;
    if (found.includes(one)) {
      return cx.t.error("RS2104", `${cx.op}: attribute \`${attribute}\` names axis ${one} twice`, {
        expected: "distinct axes",
        got: `[${axes.join(", ")}]`,
      });
    }
    found.push(one);
  }
  return found;
}

/** The tensor's rank is one of `ranks`; false after reporting. */
export function checkRank(cx: Asker, name: string, type: TensorType, ranks: readonly number[]): boolean {
  if (ranks.includes(type.shape.length)) return true;
  cx.t.error("RS2106", `${cx.op}: argument \`${name}\` has the wrong rank`, {
    expected: `rank ${ranks.join(" or ")}`,
    got: printType(type),
  });
  return false;
}

/** A required attribute; reports and returns null if the call left it out. */
export function requiredAttr<T>(
  cx: Asker,
  name: string,
  value: T | null | undefined,
  hint?: string,
): T | null {
  if (value !== null && value !== undefined) return value;
  return cx.t.error("RS2112", `${cx.op}: attribute \`${name}\` is missing`, {
    expected: `${name}=...`,
    got: "nothing",
    ...(hint === undefined ? {} : { hint }),
  });
}

/** Kernels count in int32. */
export const mostIndex = 2 ** 31 - 1;

/**
 * A list attribute of integers >= `least`, which kernels can count to, with one of the given lengths; null
 * after reporting.
 */
export function intsAttr(
  cx: Asker,
  name: string,
  value: readonly number[] | null,
  spec: { readonly lengths: readonly number[]; readonly least: number },
): readonly number[] | null {
  const list = requiredAttr(cx, name, value);
  if (list === null) return null;
  const fits =
    Array.isArray(list) &&
    spec.lengths.includes(list.length) &&
    list.every((v) => typeof v === "number" && v >= spec.least && v <= mostIndex);
  if (fits) return list;
  const long = Array.isArray(list) && list.some((v) => Number(v) > mostIndex);
  return cx.t.error("RS2108", `${cx.op}: attribute \`${name}\` is not usable`, {
    expected: `${spec.lengths.join(" or ")} integers, each at least ${spec.least}${long ? " and below 2^31" : ""}`,
    got: Array.isArray(list) ? `[${list.join(", ")}]` : String(list),
  });
}

/** An attribute that must be one of a few words; false after reporting. */
export function oneOf(cx: Asker, name: string, value: string, words: readonly string[]): boolean {
  if (words.includes(value)) return true;
  cx.t.error("RS2108", `${cx.op}: attribute \`${name}\` is not usable`, {
    expected: words.map((word) => `"${word}"`).join(" or "),
    got: `"${value}"`,
  });
  return false;
}

/** An attribute's word, which the type relation found to be one of `words` (oneOf). */
export function knownWord<const Word extends string>(value: string, words: readonly Word[]): Word {
  return present(
    words.find((word) => word === value),
    `"${value}" among ${words.join(", ")}`,
  );
}

/**
 * A result of shape `result` takes elements of `arg` at positions along axes of these extents: an axis
 * without elements has none to take, wherever an index points. false after reporting.
 */
export function hasElements(cx: Asker, arg: string, axes: readonly Dim[], result: readonly Dim[]): boolean {
  if (!axes.includes(0) || result.includes(0) || !result.every((dim) => typeof dim === "number")) return true;
  cx.t.error("RS2111", `${cx.op}: argument \`${arg}\` has no elements to take`, {
    expected: "at least one element along the axes that are indexed",
    got: `extents ${axes.map((dim) => printDim(dim)).join(", ")}`,
    because: `the result of shape (${result.map((dim) => printDim(dim)).join(", ")}) has elements`,
  });
  return false;
}

/** The dtype that an attribute spells, `otherwise` where it is left out; null after reporting. */
export function dtypeOf(
  cx: Asker,
  name: string,
  value: string | null,
  otherwise: DType | null,
): DType | null {
  if (value === null || value === "") return otherwise ?? requiredAttr<DType>(cx, name, null);
  const found = parseDType(value);
  return (
    (found !== null && found.code !== "handle" && found.lanes === 1 ? found : null) ??
    cx.t.error("RS2108", `${cx.op}: attribute \`${name}\` is not a dtype`, {
      expected: "a dtype such as float32 or int8",
      got: `"${value}"`,
    })
  );
}

/** Both arguments have one dtype; false after reporting. */
export function sameDTypes(
  cx: Asker,
  a: readonly [string, TensorType],
  b: readonly [string, TensorType],
): boolean {
  if (a[1].dtype === b[1].dtype) return true;
  cx.t.error("RS2102", `${cx.op}: arguments \`${a[0]}\` and \`${b[0]}\` must have the same dtype`, {
    expected: `${a[1].dtype.name} for both`,
    got: `${a[1].dtype.name} and ${b[1].dtype.name}`,
    hint: `convert one of them, as in cast(%x, dtype="${a[1].dtype.name}")`,
  });
  return false;
}

/** f of a known dimension; a dynamic one stays dynamic. */
export function mapDim(dim: Dim, f: (value: number) => number): Dim {
  return typeof dim === "number" ? f(dim) : anyDim;
}

/** Product of dimensions, dynamic if one is (a known 0 wins). A lone dimension stays itself. */
export function productDim(dims: readonly Dim[]): Dim {
  if (dims.includes(0)) return 0;
  const variable = dims.filter((dim) => typeof dim !== "number");
  const known = dims.reduce<number>((a, dim) => (typeof dim === "number" ? a * dim : a), 1);
  if (variable.length === 0) return known;
  return variable.length === 1 && known === 1 ? first(variable, "variable") : anyDim;
}

/** The dimension two aligned ones broadcast to, or null if they cannot. */
export function broadcastDim(a: Dim, b: Dim): Dim | null {
  if (a === 1) return b;
  if (b === 1) return a;
  if (typeof a !== "number" && a.kind === "any") return b;
  if (typeof b !== "number" && b.kind === "any") return a;
  // A dimension with a name may be the number; whether it is, the run tells.
  if (typeof a === "number" && typeof b !== "number") return a;
  if (typeof b === "number" && typeof a !== "number") return b;
  return sameDim(a, b) ? a : null;
}

/** The shape two shapes broadcast to, or null. */
export function broadcastDims(a: readonly Dim[], b: readonly Dim[]): Dim[] | null {
  const rank = Math.max(a.length, b.length);
  const shape: Dim[] = [];
  for (let i = 0; i < rank; i++) {
    const [x, y] = [a[i - rank + a.length], b[i - rank + b.length]];
    const dim = x === undefined ? y! : y === undefined ? x : broadcastDim(x, y);
    if (dim === null) return null;
    shape.push(dim);
  }
  return shape;
}

/** BroadcastRel: equal dtypes, broadcast shapes; `outDType` is what a comparison gives instead. */
export function broadcastRelation(
  cx: Asker,
  args: readonly [readonly [string, Type], readonly [string, Type]],
  outDType: DType | null = null,
): TensorType | null {
  const lhs = tensorArg(cx, args[0][0], args[0][1]);
  const rhs = tensorArg(cx, args[1][0], args[1][1]);
  if (lhs === null || rhs === null) return null;
  if (!sameDTypes(cx, [args[0][0], lhs], [args[1][0], rhs])) return null;
  const shape = broadcastDims(lhs.shape, rhs.shape);
  if (shape !== null) return tensorType(shape, outDType ?? lhs.dtype);
  return cx.t.error(
    "RS2103",
    `${cx.op}: the shapes of \`${args[0][0]}\` and \`${args[1][0]}\` cannot be broadcast together`,
    {
      expected: "each dimension, counted from the last, equal to its partner or 1",
      got: `(${lhs.shape.map(printDim).join(", ")}) and (${rhs.shape.map(printDim).join(", ")})`,
    },
  );
}

/** Whether two shapes may be equal (`?` may equal anything). */
export function shapesMatch(cx: Asker, a: readonly Dim[], b: readonly Dim[]): boolean {
  return a.length === b.length && a.every((dim, i) => cx.t.dimEqual(dim, at(b, i, "element")));
}

/**
 * Gives the argument `name` the type `wanted` where its own is unknown, and checks it where it is known.
 * `because` says where the expectation comes from. False after reporting.
 */
export function fillArgument(
  cx: Asker,
  name: string,
  given: Type,
  spec: { readonly wanted: TensorType; readonly because: string },
): boolean {
  if (given.kind === "incomplete-type" || given.kind === "type-var") return cx.t.unify(given, spec.wanted);
  if (sameType(given, spec.wanted)) return true;
  if (
    given.kind === "tensor-type" &&
    given.dtype === spec.wanted.dtype &&
    shapesMatch(cx, given.shape, spec.wanted.shape)
  )
    return true;
  const dtypeOnly = given.kind === "tensor-type" && shapesMatch(cx, given.shape, spec.wanted.shape);
  cx.t.error(
    dtypeOnly ? "RS2102" : "RS2105",
    `${cx.op}: argument \`${name}\` does not fit the other arguments`,
    { expected: printType(spec.wanted), got: printType(given), because: spec.because },
  );
  return false;
}

/**
 * How many dimensions a shape held by `type`, a vector, has: known, and at most `most`, as many as a tensor
 * may have; null after reporting.
 */
export function heldRank(cx: Asker, name: string, type: TensorType, most = maxRank): number | null {
  const length = type.shape[type.shape.length - 1];
  if (typeof length === "number" && length <= most) return length;
  return cx.t.error("RS2105", `${cx.op}: \`${name}\` does not say a shape`, {
    expected: `a known number of dimensions, at most ${most}`,
    got: printType(type),
    hint: "a shape is a vector of one number an axis: is this the tensor that was meant?",
  });
}
