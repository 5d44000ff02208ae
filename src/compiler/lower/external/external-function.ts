// External functions (BYOC): checked, their constants lifted out, and given a body of our own beside what
// their code generator writes, so that WebAssembly and the interpreter run them too.
// TVM: src/relay/backend/te_compiler.cc (LowerExternalFunctions), backend/utils.h (ConstantUpdater)
// Known difference: two external functions of one symbol are refused; TVM means to and does not.
import { get } from "../../../support/assert.ts";
import { fail } from "../../ir/diagnostic.ts";
import type { IdSource } from "../../ir/ids.ts";
import type { TensorData } from "../../ir/tensor-data.ts";
import { makeFunction, makeVar, type Constant, type Func, type Var } from "../../relay/expr.ts";
import { externalTargets } from "../../relay/external/external-targets.ts";
import { typeOf } from "../../relay/op.ts";
import { postOrder, rewrite } from "../../relay/visit.ts";

interface ExternalConstant {
  /** "<symbol>_const_0", TVM's name. */
  readonly name: string;
  readonly data: TensorData;
}

export interface ExternalFunction {
  /** Name of the code generator. */
  readonly compiler: string;
  /** As the code generator gets it: constants are in the body. */
  readonly func: Func;
  /**
   * Constants of the body in order of first use; each is one parameter of the module that has the function.
   */
  readonly constants: readonly ExternalConstant[];
  /** `func` with `constants` as parameters after its own. */
  readonly lifted: Func;
}

/** The symbol that an external function asks for; refused without one (RS4112). */
export function externalSymbol(func: Func): string {
  const symbol = func.attrs["global_symbol"];
  if (typeof symbol === "string" && /^[A-Za-z_][\w.]*$/.test(symbol)) return symbol;
  if (typeof symbol === "string") {
    fail("RS4112", `"${symbol}" cannot be the symbol of an external function`, {
      span: func.span,
      origin: func.origin,
      expected: "a C identifier",
      got: `global_symbol="${symbol}"`,
      because: "the function is called by that name in the generated code",
    });
  }
  return fail("RS4112", `an external function of "${String(func.attrs["Compiler"])}" has no symbol`, {
    span: func.span,
    origin: func.origin,
    expected: 'global_symbol="name" among its attributes',
    got: attributes(func),
    because: "its code is written apart from the module's and is found by that name alone",
    hint: `add global_symbol="${String(func.attrs["Compiler"])}_0"`,
  });
}

function attributes(func: Func): string {
  return Object.entries(func.attrs)
    .map(([name, value]) => `${name}=${typeof value === "string" ? `"${value}"` : String(value)}`)
    .join(", ");
}

/** `func` for its code generator, which must be there (RS4111) and take every call in it (RS4114). */
export function externalFunction(func: Func, ids: IdSource): ExternalFunction {
  const compiler = String(func.attrs["Compiler"]);
  const symbol = externalSymbol(func);
  const target = externalTargets.get(compiler);
  if (target === undefined) {
    return fail(
      "RS4111",
      `there is no code generator relay.ext.${compiler} for the external function ${symbol}`,
      {
        span: func.span,
        origin: func.origin,
        expected: `one of ${[...externalTargets.keys()].map((name) => `"${name}"`).join(", ")}`,
        got: `Compiler="${compiler}"`,
        because:
          "an external function is opaque to the TE compiler: its code comes from the generator that it names",
        hint: "name a generator that is there, or leave Compiler and global_symbol out to have it lowered here",
      },
    );
  }
  postOrder(func.body, (expr) => {
    const reason = expr.kind === "call" ? target.refuses(expr) : null;
    if (reason === null || expr.kind !== "call") return;
    const what = expr.callee.kind === "op" ? expr.callee.name : `a ${expr.callee.kind}`;
    fail("RS4114", `${compiler} cannot compile ${what} in the external function ${symbol}`, {
      span: expr.span ?? func.span,
      origin: expr.origin,
      expected: "calls that the code generator takes",
      got: `a call of ${what}: ${reason}`,
      because: "the whole function goes to that generator",
      hint: "leave this call out of the region",
    });
  });
  const { constants, lifted } = liftConstants(func, symbol, ids);
  return { compiler, func, constants, lifted };
}

function liftConstants(
  func: Func,
  symbol: string,
  ids: IdSource,
): Pick<ExternalFunction, "constants" | "lifted"> {
  const paramOf = new Map<Constant, Var>();
  const constants: ExternalConstant[] = [];
  postOrder(func.body, (expr) => {
    if (expr.kind !== "constant" || paramOf.has(expr)) return;
    const name = `${symbol}_const_${constants.length}`;
    constants.push({ name, data: expr.data });
    paramOf.set(expr, makeVar(ids, name, typeOf(expr), expr));
  });
  if (constants.length === 0) return { constants, lifted: func };
  const body = rewrite(ids, func.body, (expr) =>
    expr.kind === "constant" ? get(paramOf, expr, "parameter") : expr,
  );
  return {
    constants,
    lifted: makeFunction(ids, [...func.params, ...paramOf.values()], body, {
      origin: func.origin,
      span: func.span,
      resultType: func.resultType,
      attrs: func.attrs,
    }),
  };
}
