// LowerShapeFunc: the function that computes the result shapes of a primitive function when the program runs,
// as te tensors over the shapes (int64 vectors) of its parameters or, where an operator asks for them, over
// their values.
// TVM: src/relay/backend/te_compiler_cache.cc (MakeShapeFunc)
// Known differences: each operator says for every argument what it needs (TVM often asks for all data); an
// operator whose result type is known needs no shape function.
import { first, invariant, get } from "../../support/assert.ts";
import { fail } from "../ir/diagnostic.ts";
import { int64 } from "../ir/dtype.ts";
import type { PassContext } from "../ir/pass.ts";
import { flattenTensorTypes, printType, staticShape, tensorType, type TensorType } from "../ir/type.ts";
import type { ShapeArg, ShapeFunc, ShapeNeed } from "../ops/define.ts";
import type { Attrs } from "../ir/attrs.ts";
import type { Origin } from "../ir/origin.ts";
import type { Call, Expr, Func, Var } from "../relay/expr.ts";
import { typeOf } from "../relay/op.ts";
import { postOrder } from "../relay/visit.ts";
import { compute, placeholder, type Extent } from "../te/compute.ts";
import { lowerSchedule } from "../te/lower.ts";
import { inlineInjective } from "../recipes/group.ts";
import { createSchedule } from "../te/schedule.ts";
import type { Tensor } from "../te/tensor.ts";
import { eq, imm, intImm, select, tirVar } from "../tir/build.ts";
import type { PrimExpr } from "../tir/expr.ts";
import { runLowerPasses } from "../tir/passes/pipeline.ts";
import type { PrimFunc } from "../tir/prim-func.ts";
import type { LoweredPrimitive } from "./lowered.ts";
import type { PrimitiveCall } from "./anchor.ts";
import type { PrimitiveParts } from "./primitive.ts";
import { projectFields, scalarImm } from "./tensors.ts";

/** One tensor parameter of a shape function. */
interface ShapeFuncInput {
  /** Index of the primitive function's parameter, and of the tensor in it where that is a tuple. */
  readonly param: number;
  readonly field: number;
  readonly kind: "data" | "shape";
  readonly type: TensorType;
}

export interface LoweredShapeFunc extends LoweredPrimitive {
  /** One per parameter of the primitive function. */
  readonly needs: readonly ShapeNeed[];
  /** One per input of the shape function. */
  readonly inputs: readonly ShapeFuncInput[];
  readonly func: Func;
}

/** The te form of a shape function. */
interface ShapeFuncParts {
  readonly needs: readonly ShapeNeed[];
  readonly inputs: readonly (ShapeFuncInput & { readonly tensor: Tensor })[];
  /** One int64 vector a result, tuples flattened; rank 0 has one element that means nothing. */
  readonly outputs: readonly Tensor[];
}

interface ParamState {
  readonly param: Var;
  readonly index: number;
  readonly types: readonly TensorType[];
  readonly data: (Tensor | undefined)[];
  readonly shapes: (Tensor | undefined)[];
}

interface Builder {
  readonly params: ReadonlyMap<Expr, ParamState>;
  readonly lets: Map<Expr, Expr>;
  /** Shape tensors of what is no parameter. */
  readonly shapes: Map<Expr, readonly Tensor[]>;
  readonly operators: ReadonlyMap<Expr, PrimitiveCall>;
}

/** The type of a shape: a vector of int64, or (rank 0) one element that means nothing. */
export function shapeType(rank: number): TensorType {
  return tensorType(rank === 0 ? [] : [rank], int64);
}

/**
 * Refused (RS4115, RS4116): an operator without a shape function, or values that are only computed inside.
 */
export function shapeFuncParts(func: Func, parts: PrimitiveParts): ShapeFuncParts {
  const builder: Builder = {
    params: new Map(
      func.params.map((param, index): readonly [Expr, ParamState] => [
        param,
        { param, index, types: flattenTensorTypes(typeOf(param)), data: [], shapes: [] },
      ]),
    ),
    lets: new Map(),
    shapes: new Map(),
    operators: new Map(parts.calls.map((entry) => [entry.call, entry])),
  };
  postOrder(
    func.body,
    (expr) => {
      if (expr.kind === "call")
        builder.shapes.set(expr, callShapes(builder, expr, get(builder.operators, expr, "operator")));
      else if (expr.kind === "constant") builder.shapes.set(expr, [shapeTensor([], expr.origin)]);
    },
    (expr) => {
      if (expr.kind === "let") builder.lets.set(expr.variable, expr.value);
      return true;
    },
  );
  const outputs = shapesOf(builder, func.body);
  const states = [...builder.params.values()];
  return { needs: states.map(needOf), inputs: states.flatMap(inputsOf), outputs };
}

function needOf(state: ParamState): ShapeNeed {
  const [data, shape] = [state.data.length > 0, state.shapes.length > 0];
  return data ? (shape ? "both" : "data") : shape ? "shape" : "none";
}

function inputsOf(state: ParamState): (ShapeFuncInput & { readonly tensor: Tensor })[] {
  const found = (tensors: readonly (Tensor | undefined)[], kind: "data" | "shape") =>
    tensors.flatMap((tensor, field) => {
      const type = state.types[field]!;
      return tensor === undefined
        ? []
        : [
            {
              param: state.index,
              field,
              kind,
              type: kind === "data" ? type : shapeType(type.shape.length),
              tensor,
            },
          ];
    });
  return [...found(state.data, "data"), ...found(state.shapes, "shape")];
}

/** One element a dimension. Reading element k of it inline gives extent k itself. */
function shapeTensor(dims: readonly Extent[], origin: Origin): Tensor {
  const extents = dims.map((dim) => (typeof dim === "number" ? intImm(dim, int64) : dim));
  const parts = { name: "shape", tag: "injective", origin };
  if (extents.length === 0) return compute([], () => imm(0, int64), parts);
  return compute(
    [extents.length],
    ([i]) =>
      extents
        .slice(0, -1)
        .reduceRight<PrimExpr>((rest, extent, k) => select(eq(i!, k), extent, rest), extents.at(-1)!),
    parts,
  );
}

/** What a shape may stand for: a let's value for its variable, a let's body for the let. */
function resolved(builder: Builder, expr: Expr): Expr {
  let at = expr;
  for (;;) {
    const next = at.kind === "let" ? at.body : builder.lets.get(at);
    if (next === undefined) return at;
    at = next;
  }
}

function shapesOf(builder: Builder, expr: Expr): readonly Tensor[] {
  const at = resolved(builder, expr);
  const state = builder.params.get(at);
  if (state !== undefined) return state.types.map((_, field) => shapePlaceholder(state, field));
  if (at.kind === "tuple") return at.fields.flatMap((field) => shapesOf(builder, field));
  if (at.kind === "tuple-get-item")
    return projectFields(typeOf(at.tuple), shapesOf(builder, at.tuple), at.index);
  const found = builder.shapes.get(at);
  invariant(found !== undefined, `no shapes for a ${at.kind} in a primitive function`);
  return found;
}

function shapePlaceholder(state: ParamState, field: number): Tensor {
  const rank = state.types[field]!.shape.length;
  return (state.shapes[field] ??= placeholder(rank === 0 ? [] : [rank], int64, {
    name: `${paramName(state, field)}_shape`,
    origin: state.param.origin,
  }));
}

function dataPlaceholder(state: ParamState, field: number): Tensor {
  const type = state.types[field]!;
  const name = paramName(state, field);
  const shape: readonly Extent[] = staticShape(type) ?? [tirVar(`${name}_size`)];
  return (state.data[field] ??= placeholder(shape, type.dtype, { name, origin: state.param.origin }));
}

function paramName(state: ParamState, field: number): string {
  return state.types.length > 1 ? `${state.param.name}_${field}` : state.param.name;
}

/** The values of `expr`, which must come from outside: nothing but shapes is computed here. */
function dataOf(builder: Builder, expr: Expr, reader: PrimitiveCall): readonly Tensor[] {
  const at = resolved(builder, expr);
  const state = builder.params.get(at);
  if (state !== undefined) return state.types.map((_, field) => dataPlaceholder(state, field));
  if (at.kind === "constant")
    return [
      compute([], () => scalarImm(at.data), { name: "data_const", tag: "broadcast", origin: at.origin }),
    ];
  if (at.kind === "tuple") return at.fields.flatMap((field) => dataOf(builder, field, reader));
  if (at.kind === "tuple-get-item")
    return projectFields(typeOf(at.tuple), dataOf(builder, at.tuple, reader), at.index);
  return fail(
    "RS4116",
    `the shape of ${reader.op.name}'s result depends on values computed in the same primitive function`,
    {
      span: reader.call.span,
      origin: reader.call.origin,
      expected: "values that are parameters of the primitive function",
      got: `the result of a ${at.kind} inside`,
      because: "the shape is needed before the function runs",
      hint: "let FuseOps make the primitive functions: it keeps such operators alone",
    },
  );
}

function callShapes(builder: Builder, call: Call, reader: PrimitiveCall): readonly Tensor[] {
  const outTypes = flattenTensorTypes(typeOf(call));
  const { shapeFunc, name } = reader.op;
  if (shapeFunc === null) {
    const known = outTypes.map(staticShape);
    if (known.every((shape) => shape !== null)) return known.map((shape) => shapeTensor(shape!, call.origin));
    return fail("RS4115", `${name} has no shape function`, {
      span: call.span,
      origin: call.origin,
      expected: "result dimensions that are known when compiling",
      got: `${outTypes.map(printType).join(", ")}`,
      because: "nothing says how large the result is when the program runs",
      hint: "give the inputs' dimensions (a typed parameter, or the shape option)",
    });
  }
  const args = call.args.flatMap((arg, i) => shapeArgs(builder, arg, needAt(shapeFunc, i), reader));
  const results = shapeFunc.dims(args, call.attrs, {
    outTypes,
    outType: first(outTypes, "result type"),
    origin: call.origin,
  });
  invariant(
    results.length === outTypes.length,
    `the shape function of ${name} gives ${results.length} shapes, its type has ${outTypes.length}`,
  );
  results.forEach((dims, i) =>
    invariant(
      dims.length === outTypes[i]!.shape.length,
      `the shape function of ${name} gives rank ${dims.length}, its type has ${outTypes[i]!.shape.length}`,
    ),
  );
  return results.map((dims) => shapeTensor(dims, call.origin));
}

function needAt(shapeFunc: ShapeFunc<Attrs, number>, index: number): ShapeNeed {
  return typeof shapeFunc.needs === "string" ? shapeFunc.needs : (shapeFunc.needs[index] ?? "none");
}

function shapeArgs(builder: Builder, arg: Expr, need: ShapeNeed, reader: PrimitiveCall): ShapeArg[] {
  const data = need === "data" || need === "both" ? dataOf(builder, arg, reader) : null;
  const shapes = need === "shape" || need === "both" ? shapesOf(builder, arg) : null;
  return flattenTensorTypes(typeOf(arg)).map((type, field) =>
    shapeArg(type, shapes?.[field] ?? null, data?.[field] ?? null),
  );
}

function shapeArg(type: TensorType, shape: Tensor | null, data: Tensor | null): ShapeArg {
  const rank = type.shape.length;
  const given = (tensor: Tensor | null, what: string): Tensor => {
    invariant(tensor !== null, `a shape function reads the ${what} that it does not ask for`);
    return tensor;
  };
  return {
    rank,
    dtype: type.dtype,
    dims: shape === null ? [] : Array.from({ length: rank }, (_, i) => shape.at(i)),
    get shape() {
      return given(shape, "shape");
    },
    get data() {
      return given(data, "data");
    },
  };
}

/** The PrimFunc over vectors, all TIR passes run: every element of every shape is one statement. */
export function lowerShapePrimFunc(
  cx: PassContext,
  func: Func,
  parts: ShapeFuncParts,
  symbol: string,
  target: "c" | "wasm",
): PrimFunc {
  const computed = [...new Set(parts.outputs.filter((tensor) => tensor.op.kind !== "placeholder"))];
  const schedule = createSchedule(computed);
  inlineInjective(schedule, new Set());
  for (const stage of schedule.stages) {
    if (stage.op.kind !== "compute" || stage.state.attach.kind !== "root") continue;
    const [axis] = stage.axis;
    if (axis !== undefined) stage.unroll(axis);
  }
  const inputs = parts.inputs.map(({ tensor }) => tensor);
  const made = lowerSchedule(schedule, {
    name: symbol,
    inputs,
    outputs: parts.outputs,
    origin: func.body.origin,
  });
  return runLowerPasses(cx, made, target);
}
