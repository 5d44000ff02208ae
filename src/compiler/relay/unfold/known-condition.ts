// Conditions that are known when compiling: calls of primitive functions on constants, run by the TE
// compiler's JIT. Only what decides a branch is computed here; folding values is FoldConstant's work and
// obeys the opt level.
import { at } from "../../../support/assert.ts";
import { CompileError } from "../../ir/diagnostic.ts";
import { elementCount, type TensorData } from "../../ir/tensor-data.ts";
import { flattenTensorTypes, staticShape } from "../../ir/type.ts";
import { isPrimitive, makeFunction, type Expr, type Func, argOf } from "../expr.ts";
import { onDeviceOf } from "../on-device.ts";
import { typeOf, type RelayContext } from "../op.ts";
import { postOrder } from "../visit.ts";

/** Values found so far, tuples flattened; null where a value depends on inputs. */
export type KnownValues = Map<Expr, readonly TensorData[] | null>;

/** Larger tensors are not computed to decide a branch. */
const maxElements = 4096;

/** The value of a condition, or null if only running tells. */
export function knownCondition(condition: Expr, known: KnownValues, cx: RelayContext): boolean | null {
  postOrder(
    condition,
    (expr) => {
      if (!known.has(expr)) known.set(expr, valueOf(expr, known, cx));
    },
    (expr) => !known.has(expr) && expr.kind !== "function" && expr.kind !== "if",
  );
  const value = known.get(condition)?.[0];
  return value === undefined ? null : Number(value.data[0]) !== 0;
}

function valueOf(expr: Expr, known: KnownValues, cx: RelayContext): readonly TensorData[] | null {
  switch (expr.kind) {
    case "constant":
      return [expr.data];
    case "tuple": {
      const fields = expr.fields.map((field) => known.get(field) ?? null);
      return fields.every((field) => field !== null) ? fields.flat() : null;
    }
    case "tuple-get-item": {
      const values = known.get(expr.tuple) ?? null;
      const type = typeOf(expr.tuple);
      if (values === null || type.kind !== "tuple-type") return null;
      const before = type.fields
        .slice(0, expr.index)
        .reduce((n, field) => n + flattenTensorTypes(field).length, 0);
      return values.slice(before, before + flattenTensorTypes(at(type.fields, expr.index, "field")).length);
    }
    case "call": {
      if (onDeviceOf(expr) !== null) return known.get(argOf(expr, 0)) ?? null;
      const args = expr.args.map((arg) => known.get(arg) ?? null);
      if (!isPrimitive(expr.callee) || !args.every((arg) => arg !== null)) return null;
      const small = flattenTensorTypes(typeOf(expr)).every(
        (type) => elementCount(staticShape(type) ?? [Infinity]) <= maxElements,
      );
      return small ? evaluated(expr.callee, args.flat(), cx) : null;
    }
    case "var":
    case "global":
    case "op":
    case "constructor":
    case "function":
    case "let":
    case "if":
    case "match":
    case "ref-create":
    case "ref-read":
    case "ref-write":
      return null;
  }
}

/** What a kernel gives for `args`; null where it cannot be run here. */
function evaluated(func: Func, args: readonly TensorData[], cx: RelayContext): readonly TensorData[] | null {
  if (cx.evaluate === null) return null;
  // An external code generator computes what the operators in its function say, so they are run here instead.
  const own =
    func.attrs["Compiler"] === undefined
      ? func
      : makeFunction(cx.ids, func.params, func.body, { ...func, attrs: { Primitive: 1 } });
  try {
    return cx.evaluate(own, args);
  } catch (error) {
    if (error instanceof CompileError) return null;
    throw error;
  }
}
