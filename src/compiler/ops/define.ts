// defineOp: one operator, one declaration, one file. Everything else (builder, parser check, printer order,
// docs pane, example suite) derives from it.
import { first, type Tuple } from "../../support/assert.ts";
import type { AttrSchema, Attrs, AttrsOf } from "../ir/attrs.ts";
import type { DType } from "../ir/dtype.ts";
import { OpPattern, type TypeReporter } from "../ir/op.ts";
import type { Origin } from "../ir/origin.ts";
import type { TensorType, Type } from "../ir/type.ts";
import type { Call, Expr } from "../relay/expr.ts";
import type { CallRewrite, RelayContext, RelayOp } from "../relay/op.ts";
import type { ScheduleRecipe } from "../te/schedule-recipe.ts";
import type { Extent } from "../te/compute.ts";
import type { Tensor } from "../te/tensor.ts";
import type { PrimExpr } from "../tir/expr.ts";

type PatternName = keyof typeof OpPattern;

/** What compute may ask besides its tensors. */
export interface ComputeContext {
  /** All tensor arguments in order, tuples flattened. */
  readonly ins: readonly Tensor[];
  readonly argTypes: readonly Type[];
  /** Result tensor types, tuples flattened. */
  readonly outTypes: readonly TensorType[];
  /** The first of them, which is the only one of most operators. */
  readonly outType: TensorType;
  readonly origin: Origin;
  readonly target: "c" | "wasm";
}

export interface Example {
  readonly name: string;
  /** Relay text of the argument types in order: "Tensor[(1, 3), float32]" or "(Tensor[...], Tensor[...])". */
  readonly args: readonly string[];
  readonly attrs?: Attrs;
  /**
   * For results whose shapes depend on values: those of the arguments (by flattened index) that decide them,
   * and the results' types.
   */
  readonly values?: Readonly<Record<number, readonly number[]>>;
  readonly results?: readonly string[];
}

/** Data dependence of a shape function, one per parameter. */
export type ShapeNeed = "none" | "data" | "shape" | "both";

/** A tensor argument (tuples flattened) as a shape function sees it. */
export interface ShapeArg {
  readonly rank: number;
  readonly dtype: DType;
  /** Its extents, int64, one per axis. Only where the function needs its shape. */
  readonly dims: readonly PrimExpr[];
  /** The same as a tensor: a vector, or one element that means nothing for rank 0. */
  readonly shape: Tensor;
  /**
   * Its values. Only where the function needs its data; a tensor of dynamic shape has one axis,
   * row-major.
   */
  readonly data: Tensor;
}

/** What a shape function may ask besides its arguments. */
interface ShapeContext {
  /** Result types, tuples flattened; dimensions may be unknown, ranks are not. */
  readonly outTypes: readonly TensorType[];
  /** The first of them. */
  readonly outType: TensorType;
  readonly origin: Origin;
}

/**
 * The arguments of a shape function that reads the first `Count` of them by place: no fewer, perhaps more.
 */
type ShapeArgs<Count extends number> = readonly [...Tuple<ShapeArg, Count>, ...(readonly ShapeArg[])];

/**
 * Computes the shapes of an operator's results when the program runs, in te. It reads `Count` arguments by
 * place.
 * TVM: FShapeFunc, TShapeDataDependent
 */
export interface ShapeFunc<A, Count extends number = 1> {
  /** One per argument (a tuple counts as one); a single word goes for all. */
  readonly needs: ShapeNeed | readonly ShapeNeed[];
  /** Extents of each result, int64. */
  readonly dims: (args: ShapeArgs<Count>, attrs: A, cx: ShapeContext) => readonly (readonly Extent[])[];
}

/**
 * A call as a hook of its operator sees it: typed arguments by name, attributes as the operator declares
 * them.
 */
export interface OpCall<Name extends string, A> {
  readonly node: Call;
  readonly args: Readonly<Record<Name, Expr>>;
  readonly attrs: A;
}

/** Replaces a call by what it means, or returns null to leave it. Must carry the call's origin over. */
export type OpRewrite<Name extends string, A> = (call: OpCall<Name, A>, cx: RelayContext) => Expr | null;

/** A shape function that reads no more arguments than `Inputs` names; a tuple among them may bring more. */
type ShapeFuncOf<Inputs extends readonly string[], A> = {
  readonly needs: ShapeNeed | readonly ShapeNeed[];
  readonly dims: (
    args: readonly [...{ readonly [I in keyof Inputs]: ShapeArg }, ...(readonly ShapeArg[])],
    attrs: A,
    cx: ShapeContext,
  ) => readonly (readonly Extent[])[];
};

interface OpSpec<Inputs extends readonly string[], S extends AttrSchema> {
  readonly name: string;
  readonly inputs: Inputs;
  readonly tupleInput?: boolean;
  readonly attrs: S;
  readonly attrsKey?: string;
  readonly pattern: PatternName;
  readonly type: (
    args: Readonly<Record<Inputs[number], Type>>,
    attrs: AttrsOf<S>,
    t: TypeReporter,
  ) => Type | null;
  /**
   * Absent only for operators that never reach the TE compiler (stop_fusion, batch_norm before
   * SimplifyInference).
   */
  readonly compute?: (
    args: Readonly<Record<Inputs[number], Tensor>>,
    attrs: AttrsOf<S>,
    cx: ComputeContext,
  ) => Tensor | readonly Tensor[];
  readonly schedule?: ScheduleRecipe;
  readonly simplify?: OpRewrite<Inputs[number], AttrsOf<S>>;
  readonly legalize?: OpRewrite<Inputs[number], AttrsOf<S>>;
  readonly qnnLegalize?: OpRewrite<Inputs[number], AttrsOf<S>>;
  readonly qnnCanonicalize?: OpRewrite<Inputs[number], AttrsOf<S>>;
  readonly toStatic?: OpRewrite<Inputs[number], AttrsOf<S>>;
  readonly canonicalize?: OpRewrite<Inputs[number], AttrsOf<S>>;
  /** How the operator takes other layouts: what layout inference will ask (AlterOpLayout, ConvertLayout). */
  readonly layout?: unknown;
  readonly shapeFunc?: ShapeFuncOf<Inputs, AttrsOf<S>>;
  readonly flags?: {
    readonly nonComputational?: boolean;
    readonly reshapeOnly?: boolean;
    readonly stateful?: boolean;
    readonly attrsInMeta?: boolean;
    readonly noPattern?: boolean;
  };
  /** One or two sentences for the docs pane: what it computes, shapes. */
  readonly doc: string;
  readonly examples: readonly Example[];
}

/** An operator as the list holds it, types erased. */
export interface Op extends RelayOp {
  readonly compute: ((args: readonly Tensor[], attrs: Attrs, cx: ComputeContext) => readonly Tensor[]) | null;
  readonly schedule: ScheduleRecipe | null;
  readonly shapeFunc: ShapeFunc<Attrs, number> | null;
  readonly doc: string;
  readonly examples: readonly Example[];
}

/** What compute may ask besides its tensors, from what the TE compiler knows of a call. */
export function computeContext(parts: Omit<ComputeContext, "outType">): ComputeContext {
  return { ...parts, outType: first(parts.outTypes, "result type") };
}

/**
 * The attributes of a call as the operator declares them. The one cast of operators' attributes: the caller
 * completed and checked them.
 */
function narrowed<S extends AttrSchema>(attrs: Attrs): AttrsOf<S> {
  return attrs as unknown as AttrsOf<S>;
}

export function defineOp<const Inputs extends readonly string[], const S extends AttrSchema>(
  spec: OpSpec<Inputs, S>,
): Op {
  type Name = Inputs[number];
  const named = <T>(values: readonly T[]): Readonly<Record<Name, T>> =>
    Object.fromEntries(spec.inputs.map((name, i) => [name, values[i]])) as Record<Name, T>;
  const hook = (rewrite: OpRewrite<Name, AttrsOf<S>> | undefined): CallRewrite | null =>
    rewrite === undefined
      ? null
      : (node, cx) => rewrite({ node, args: named(node.args), attrs: narrowed<S>(node.attrs) }, cx);
  const { compute } = spec;
  return {
    name: spec.name,
    inputs: spec.inputs,
    tupleInput: spec.tupleInput ?? false,
    attrs: spec.attrs,
    attrsKey: spec.attrsKey ?? null,
    pattern: OpPattern[spec.pattern],
    relation: (args, attrs, t) => spec.type(named(args), narrowed<S>(attrs), t),
    nonComputational: spec.flags?.nonComputational ?? false,
    reshapeOnly: spec.flags?.reshapeOnly ?? false,
    stateful: spec.flags?.stateful ?? false,
    attrsInMeta: spec.flags?.attrsInMeta ?? false,
    noPattern: spec.flags?.noPattern ?? false,
    simplify: hook(spec.simplify),
    legalize: hook(spec.legalize),
    qnnLegalize: hook(spec.qnnLegalize),
    qnnCanonicalize: hook(spec.qnnCanonicalize),
    toStatic: hook(spec.toStatic),
    canonicalize: hook(spec.canonicalize),
    layout: spec.layout ?? null,
    compute:
      compute === undefined
        ? null
        : (args, attrs, cx) => {
            const result = compute(named(args), narrowed<S>(attrs), cx);
            return "kind" in result ? [result] : result;
          },
    schedule: spec.schedule ?? null,
    shapeFunc: (spec.shapeFunc as ShapeFunc<Attrs, number> | undefined) ?? null,
    doc: spec.doc,
    examples: spec.examples,
  };
}
