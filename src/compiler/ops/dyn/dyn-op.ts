// Operators whose shapes come as tensors. They have a type with unknown dimensions; DynamicToStatic replaces them where the
// tensors are constants. Elsewhere their shape functions read the tensors, and kernels are made for the shapes at hand.
// TVM: src/relay/op/dyn/**, src/relay/transforms/dynamic_to_static.cc
import { anyDim, printType, type Dim, type Type } from "../../ir/type.ts";
import { call } from "../../relay/build.ts";
import type { Attrs } from "../../ir/attrs.ts";
import type { Call, Expr } from "../../relay/expr.ts";
import type { CallRewrite, RelayContext } from "../../relay/op.ts";
import { checkRank, tensorArg, type Asker } from "../_shared/type-helpers.ts";

/** The length of a vector argument, which must be known; null after reporting or while unknown. */
export function vectorLength(cx: Asker, name: string, type: Type): number | null {
  const vector = tensorArg(cx, name, type);
  if (vector === null || !checkRank(cx, name, vector, [1])) return null;
  const length = vector.shape[0]!;
  if (typeof length === "number") return length;
  return cx.t.error("RS2105", `${cx.op}: the length of \`${name}\` is not known`, {
    expected: "a vector of known length: it is the rank of the result",
    got: printType(vector),
  });
}

export function unknownDims(count: number): Dim[] {
  return Array.from({ length: Math.max(count, 0) }, () => anyDim);
}

/** The numbers of a constant vector or scalar, or null if `expr` is none. */
export function constantNumbers(expr: Expr | undefined): number[] | null {
  return expr?.kind === "constant" ? Array.from(expr.data.data as ArrayLike<number | bigint>, Number) : null;
}

/** The static twin `name`, called with the arguments at `args`, where the constants at `constants` give attributes. */
export function staticTwin(
  name: string,
  spec: {
    readonly args: readonly number[];
    readonly constants: readonly number[];
    readonly attrs: (numbers: readonly (readonly number[])[], node: Call) => Attrs;
  },
): CallRewrite {
  return (node: Call, cx: RelayContext) => {
    const numbers = spec.constants.map((i) => constantNumbers(node.args[i]));
    if (numbers.includes(null)) return null;
    return call(
      cx,
      name,
      spec.args.map((i) => node.args[i]!),
      spec.attrs(numbers as number[][], node),
      node.origin,
    );
  };
}

/** `attrs` of the dynamic call without the names that its tensors give. */
export function othersOf(node: Call, ...without: readonly string[]): Attrs {
  return Object.fromEntries(Object.entries(node.attrs).filter(([name]) => !without.includes(name)));
}
