// Padding amounts as attributes: a pair an axis.
import { anyAttr, type AttrField, type AttrValue } from "../../ir/attrs.ts";
import { printDim, type TensorType } from "../../ir/type.ts";
import { intsAttr, requiredAttr, type Asker } from "./type-helpers.ts";

type Pairs = readonly (readonly [number, number])[];

export const pairsField = (doc: string): AttrField<AttrValue> => ({ ...anyAttr({ doc }), kind: "array" });

/** A list of pairs of integers, or null if `value` is none. */
export function pairsOf(value: AttrValue): Pairs | null {
  if (!Array.isArray(value)) return null;
  const pairs = (value as readonly AttrValue[]).map((pair) =>
    Array.isArray(pair) && pair.length === 2 ? ([Number(pair[0]), Number(pair[1])] as const) : null,
  );
  return pairs.every((pair) => pair !== null && pair.every(Number.isInteger)) ? (pairs as Pairs) : null;
}

/** One pair an axis of `type`; null after reporting. */
export function pairsAttr(cx: Asker, name: string, value: AttrValue, type: TensorType): Pairs | null {
  if (requiredAttr(cx, name, value) === null) return null;
  const pairs = pairsOf(value);
  if (pairs !== null && pairs.length === type.shape.length) return pairs;
  return cx.t.error("RS2108", `${cx.op}: attribute \`${name}\` is not usable`, {
    expected: `${type.shape.length} pairs [before, after], one an axis of (${type.shape.map(printDim).join(", ")})`,
    got: pairs === null ? String(value) : `${pairs.length} pairs`,
  });
}

/** Extents of blocks, at most one an axis of data of `rank`; null after reporting. */
export function blockShape(cx: Asker, value: readonly number[], rank: number): readonly number[] | null {
  const lengths = Array.from({ length: rank + 1 }, (_, i) => i);
  return intsAttr(cx, "block_shape", value, { lengths, least: 1 });
}
