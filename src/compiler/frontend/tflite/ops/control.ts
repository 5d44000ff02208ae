// Branches.  Source: tensorflow/lite/schema/schema.fbs (IfOptions); TVM refuses them
import { mergeOrigins } from "../../../ir/origin.ts";
import { sameType } from "../../../ir/type.ts";
import { makeIf, type Expr } from "../../../relay/expr.ts";
import { int } from "../flatbuffer.ts";
import { evaluated, field, fields, rankOf, refuse, isOfLength } from "../../import-node.ts";
import { numbersOf } from "../../values.ts";
import { call, exprOf, input, option, type TfNode } from "../graph.ts";
import { tfOp, type TfOp } from "./op-table.ts";

/** A condition that is known when importing leaves one branch. */
const branches = tfOp("IF", (n) => {
  const args = n.inputs.slice(1).map((_, i) => exprOf(n, input(n, i + 1)));
  const [then, otherwise] = [option(n, int, 0, 0), option(n, int, 1, 0)];
  const condition = exprOf(n, input(n, 0));
  const known = evaluated(condition, n.state.cx);
  if (known !== null) return n.state.branch(numbersOf(known)[0] !== 0 ? then : otherwise, args);
  const scalar = rankOf(n, condition) === 0 ? condition : call(n, "reshape", [condition], { newshape: [] });
  const [a, b] = [resultOf(n, n.state.branch(then, args)), resultOf(n, n.state.branch(otherwise, args))];
  if (a.type === null || b.type === null || !sameType(a.type, b.type))
    return refuse(n, "its branches give tensors of different types");
  const chosen = makeIf(n.state.cx.ids, scalar, a, b, {
    origin: mergeOrigins([n.origin, a.origin, b.origin]),
    type: a.type,
  });
  return n.outputs.length === 1 ? chosen : n.outputs.map((_, i) => field(n, chosen, i));
});

function resultOf(n: TfNode, outputs: readonly Expr[]): Expr {
  return isOfLength(outputs, 1) ? outputs[0] : fields(n, outputs);
}

export const controlOps: readonly TfOp[] = [branches];
