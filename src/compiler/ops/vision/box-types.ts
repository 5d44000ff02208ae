// What the relations of box operators share.
import { first } from "../../../support/assert.ts";
import { printDim, printType, type Dim, type TensorType } from "../../ir/type.ts";
import type { Asker } from "../_shared/type-helpers.ts";

/** A scalar, or a vector of one element, which front ends write as often; false after reporting. */
export function isOneNumber(cx: Asker, name: string, type: TensorType): boolean {
  if (
    type.shape.length === 0 ||
    (type.shape.length === 1 && cx.t.dimEqual(first(type.shape, "input axis"), 1))
  )
    return true;
  cx.t.error("RS2106", `${cx.op}: argument \`${name}\` is not one number`, {
    expected: "a scalar, or a vector of one element",
    got: printType(type),
  });
  return false;
}

/** Whether `index` is one of a box's fields, or negative where there may be none; false after reporting. */
export function fieldIndex(
  cx: Asker,
  name: string,
  index: number,
  spec: { readonly fields: Dim; readonly optional: boolean; readonly count?: number },
): boolean {
  const last = index + (spec.count ?? 1) - 1;
  const inside = index >= 0 && (typeof spec.fields !== "number" || last < spec.fields);
  if (inside || (spec.optional && index < 0)) return true;
  cx.t.error("RS2104", `${cx.op}: attribute \`${name}\` is no field of a box`, {
    expected: `a field of ${printDim(spec.fields)}${spec.optional ? ", or -1" : ""}`,
    got: String(index),
  });
  return false;
}
