// Binding parameters of main as constants and fixing dynamic dimensions, before compiling.
// TVM: src/relay/backend/utils.h BindParamsByName
import { diagnostic } from "../ir/diagnostic.ts";
import type { TensorData } from "../ir/tensor-data.ts";
import { printType, staticShape, tensorType, type Type } from "../ir/type.ts";
import { constant } from "../relay/build.ts";
import { makeFunction, makeVar, type Expr, type Func, type Var } from "../relay/expr.ts";
import { withFunction, type IRModule } from "../relay/module.ts";
import type { RelayContext } from "../relay/op.ts";
import { rewrite } from "../relay/visit.ts";
import { own } from "../../support/own.ts";
import { parameterFill } from "./fill.ts";
import { typedValue } from "./typed-values.ts";

/** Replaces free uses of the keys of `by` under `func`'s body; parameters that are keys go away. */
function substituteParams(
  func: Func,
  by: ReadonlyMap<Var, Expr>,
  params: readonly Var[],
  cx: RelayContext,
): Func {
  const body = rewrite(cx.ids, func.body, (expr) => (expr.kind === "var" ? (by.get(expr) ?? expr) : expr));
  return makeFunction(cx.ids, params, body, {
    origin: func.origin,
    span: func.span,
    resultType: func.resultType,
    attrs: func.attrs,
    typeParams: func.typeParams,
  });
}

/**
 * Binds `values` (by name), options.bindValues and options.bindFill (values by the fill rule of fill.ts,
 * scaled as bound parameters are) into main. A name that main does not have, or a parameter without a static
 * tensor type, is reported.
 */
export function bindParameters(
  module: IRModule,
  values: ReadonlyMap<string, TensorData>,
  cx: RelayContext,
): IRModule {
  const main = module.functions.get("main");
  const names = [
    ...new Set([...values.keys(), ...Object.keys(cx.options.bindValues), ...cx.options.bindFill]),
  ];
  if (main === undefined || names.length === 0) return module;
  const by = new Map<Var, Expr>();
  for (const name of names) {
    const param = main.params.find((candidate) => candidate.name === name);
    if (param === undefined) {
      cx.diagnostics.push(
        diagnostic("RS1801", `There is no parameter %${name} of @main to bind.`, {
          subject: { kind: "parameter", name },
          expected: main.params.map((p) => `%${p.name}`).join(", "),
          got: `%${name}`,
        }),
      );
      continue;
    }
    const data =
      values.get(name) ??
      (own(cx.options.bindValues, name) !== undefined ? typed(param, cx) : filled(param, cx));
    if (data !== null && agrees(param, data, cx)) by.set(param, constant(cx, data, param.origin));
  }
  return withFunction(
    module,
    "main",
    substituteParams(
      main,
      by,
      main.params.filter((param) => !by.has(param)),
      cx,
    ),
  );
}

function typed(param: Var, cx: RelayContext): TensorData | null {
  return param.annotation?.kind === "tensor-type"
    ? typedValue(param.name, param.annotation, cx)
    : filled(param, cx);
}

function filled(param: Var, cx: RelayContext): TensorData | null {
  const type = param.annotation;
  if (type?.kind === "tensor-type" && staticShape(type) !== null)
    return parameterFill(param.name, type, "given");
  cx.diagnostics.push(
    diagnostic("RS1802", `%${param.name} cannot be bound: its type is not a tensor of known shape.`, {
      subject: { kind: "parameter", name: param.name },
      span: param.span,
      expected: "Tensor[(…), …] with numbers for dimensions",
      got: type === null ? "no type" : printType(type),
    }),
  );
  return null;
}

function agrees(param: Var, data: TensorData, cx: RelayContext): boolean {
  const given: Type = tensorType(data.shape, data.dtype);
  if (
    param.annotation === null ||
    param.annotation === given ||
    printType(param.annotation) === printType(given)
  )
    return true;
  cx.diagnostics.push(
    diagnostic("RS1803", `The value for %${param.name} has another type.`, {
      subject: { kind: "parameter", name: param.name },
      span: param.span,
      expected: printType(param.annotation),
      got: printType(given),
    }),
  );
  return false;
}

/** Gives parameters of main the shapes in options.shapes; a fixed dimension that differs is reported. */
export function fixShapes(module: IRModule, cx: RelayContext): IRModule {
  const main = module.functions.get("main");
  const wanted = Object.entries(cx.options.shapes);
  if (main === undefined || wanted.length === 0) return module;
  const by = new Map<Var, Expr>();
  const params = main.params.map((param) => {
    const shape = own(cx.options.shapes, param.name);
    if (shape === undefined) return param;
    const type = param.annotation;
    const fits =
      type?.kind === "tensor-type" &&
      type.shape.length === shape.length &&
      type.shape.every((dim, i) => typeof dim !== "number" || dim === shape[i]);
    if (type?.kind !== "tensor-type" || !fits) {
      cx.diagnostics.push(
        diagnostic("RS1804", `--shape does not fit %${param.name}.`, {
          subject: { kind: "parameter", name: param.name },
          span: param.span,
          expected: type === null ? "a tensor" : printType(type),
          got: `(${shape.join(", ")})`,
        }),
      );
      return param;
    }
    const fixed = makeVar(cx.ids, param.name, tensorType(shape, type.dtype), {
      origin: param.origin,
      span: param.span,
    });
    by.set(param, fixed);
    return fixed;
  });
  const unknown = wanted.filter(([name]) => !main.params.some((param) => param.name === name));
  for (const [name] of unknown)
    cx.diagnostics.push(
      diagnostic("RS1801", `There is no parameter %${name} of @main.`, {
        subject: { kind: "parameter", name },
        expected: main.params.map((p) => `%${p.name}`).join(", "),
        got: `%${name}`,
      }),
    );
  if (by.size === 0) return module;
  const fixed = substituteParams(main, by, params, cx);
  return withFunction(module, "main", { ...fixed, resultType: null });
}
