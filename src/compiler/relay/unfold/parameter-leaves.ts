// Parameters of main as whoever runs the model gives them: tuples taken apart into their tensors.
import { at } from "../../../support/assert.ts";
import { foldType, printType, type TensorType, type Type } from "../../ir/type.ts";
import { makeTuple, makeVar, type Expr, type Var } from "../expr.ts";
import { typeOf, type RelayContext } from "../op.ts";
import { refuse } from "./static-value.ts";

/** A parameter and, for a tuple, a variable a tensor in it. */
export function parameterLeaves(
  param: Var,
  cx: RelayContext,
  taken: ReadonlySet<string>,
): { readonly value: Expr; readonly vars: readonly Var[] } {
  const vars: Var[] = [];
  for (const [name, type] of tensorsIn(param)) {
    let free = name;
    while (free !== param.name && taken.has(free)) free += "_";
    vars.push(
      free === param.name ? param : makeVar(cx.ids, free, type, { origin: param.origin, span: param.span }),
    );
  }
  let next = 0;
  const value = foldType<Expr>(typeOf(param), (type, fields) =>
    type.kind === "tuple-type"
      ? makeTuple(cx.ids, fields, { origin: param.origin, span: param.span, type })
      : at(vars, next++, "tensor of a parameter"),
  );
  return { value, vars };
}

/** The tensors of a parameter, left to right, named after the fields that they are in. */
function tensorsIn(param: Var): readonly (readonly [name: string, type: TensorType])[] {
  const found: [string, TensorType][] = [];
  const stack: [string, Type][] = [[param.name, typeOf(param)]];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const [name, type] = top;
    if (type.kind === "tuple-type")
      stack.push(...type.fields.map((field, i): [string, Type] => [`${name}.${i}`, field]).reverse());
    else if (type.kind === "tensor-type") found.push([name, type]);
    else
      refuse(
        param,
        "RS5003",
        `parameter %${param.name} of @main is neither a tensor nor a tuple of tensors`,
        {
          expected: "tensors, or tuples of tensors, as parameters of @main",
          got: printType(typeOf(param)),
          because: "whoever runs the model can only give it tensors",
          hint: "take the tensors inside it as parameters",
        },
      );
  }
  return found;
}
