// defineOp: one operator, one declaration, one file. Everything else (builder, parser check, printer order, docs pane,
// example suite) derives from it.
import type { AttrSchema, Attrs, AttrsOf } from "../ir/attrs.ts";
import type { DType } from "../ir/dtype.ts";
import { OpPattern, type TypeReporter } from "../ir/op.ts";
import type { Origin } from "../ir/origin.ts";
import type { TensorType, Type } from "../ir/type.ts";
import type { CallRewrite, RelayOp } from "../relay/op.ts";
import type { ScheduleRecipe } from "../te/schedule-recipe.ts";
import type { Extent } from "../te/compute.ts";
import type { Tensor } from "../te/tensor.ts";
import type { PrimExpr } from "../tir/expr.ts";

export type PatternName = keyof typeof OpPattern;

/** What compute may ask besides its tensors. */
export interface ComputeContext {
  /** All tensor arguments in order, tuples flattened. */
  readonly ins: readonly Tensor[];
  readonly argTypes: readonly Type[];
  /** Result tensor types, tuples flattened. */
  readonly outTypes: readonly TensorType[];
  readonly origin: Origin;
  readonly target: "c" | "wasm";
}

export interface Example {
  readonly name: string;
  /** Relay text of the argument types in order: "Tensor[(1, 3), float32]" or "(Tensor[...], Tensor[...])". */
  readonly args: readonly string[];
  readonly attrs?: Attrs;
  /** For results whose shapes depend on values: those of the arguments (by flattened index) that decide them, and the results' types. */
  readonly values?: Readonly<Record<number, readonly number[]>>;
  readonly results?: readonly string[];
}

/** Data dependence of a shape function, one a parameter. */
export type ShapeNeed = "none" | "data" | "shape" | "both";

/** A tensor argument (tuples flattened) as a shape function sees it. */
export interface ShapeArg {
  readonly rank: number;
  readonly dtype: DType;
  /** Its extents, int64, one an axis. Only where the function needs its shape. */
  readonly dims: readonly PrimExpr[];
  /** The same as a tensor: a vector, or one element that means nothing for rank 0. */
  readonly shape: Tensor;
  /** Its values. Only where the function needs its data; a tensor whose shape is not known has one axis, row-major. */
  readonly data: Tensor;
}

/** What a shape function may ask besides its arguments. */
export interface ShapeContext {
  /** Result types, tuples flattened; dimensions may be unknown, ranks are not. */
  readonly outTypes: readonly TensorType[];
  readonly origin: Origin;
}

/** Computes the shapes of an operator's results when the program runs, in te.  TVM: FShapeFunc, TShapeDataDependent */
export interface ShapeFunc<A> {
  /** One an argument (a tuple counts as one); a single word goes for all. */
  readonly needs: ShapeNeed | readonly ShapeNeed[];
  /** Extents of each result, int64. */
  readonly dims: (args: readonly ShapeArg[], attrs: A, cx: ShapeContext) => readonly (readonly Extent[])[];
}

export interface OpSpec<I extends string, S extends AttrSchema> {
  readonly name: string;
  readonly inputs: readonly I[];
  readonly tupleInput?: boolean;
  readonly attrs: S;
  readonly attrsKey?: string;
  readonly pattern: PatternName;
  readonly type: (args: Readonly<Record<I, Type>>, attrs: AttrsOf<S>, t: TypeReporter) => Type | null;
  /** Absent only for operators that never reach the TE compiler (stop_fusion, batch_norm before SimplifyInference). */
  readonly compute?: (
    args: Readonly<Record<I, Tensor>>,
    attrs: AttrsOf<S>,
    cx: ComputeContext,
  ) => Tensor | readonly Tensor[];
  readonly schedule?: ScheduleRecipe;
  readonly simplify?: CallRewrite;
  readonly legalize?: CallRewrite;
  readonly qnnLegalize?: CallRewrite;
  readonly qnnCanonicalize?: CallRewrite;
  readonly toStatic?: CallRewrite;
  readonly canonicalize?: CallRewrite;
  readonly layout?: unknown;
  readonly shapeFunc?: ShapeFunc<AttrsOf<S>>;
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
  readonly shapeFunc: ShapeFunc<Attrs> | null;
  readonly doc: string;
  readonly examples: readonly Example[];
}

export function defineOp<const I extends string, const S extends AttrSchema>(spec: OpSpec<I, S>): Op {
  const named = <T>(values: readonly T[]): Readonly<Record<I, T>> =>
    Object.fromEntries(spec.inputs.map((name, i) => [name, values[i]])) as Record<I, T>;
  const { compute } = spec;
  return {
    name: spec.name,
    inputs: spec.inputs,
    tupleInput: spec.tupleInput ?? false,
    attrs: spec.attrs,
    attrsKey: spec.attrsKey ?? null,
    pattern: OpPattern[spec.pattern],
    // The one cast of the project's operator typing: attrs were completed and checked against the schema by the caller.
    relation: (args, attrs, t) => spec.type(named(args), attrs as unknown as AttrsOf<S>, t),
    nonComputational: spec.flags?.nonComputational ?? false,
    reshapeOnly: spec.flags?.reshapeOnly ?? false,
    stateful: spec.flags?.stateful ?? false,
    attrsInMeta: spec.flags?.attrsInMeta ?? false,
    noPattern: spec.flags?.noPattern ?? false,
    simplify: spec.simplify ?? null,
    legalize: spec.legalize ?? null,
    qnnLegalize: spec.qnnLegalize ?? null,
    qnnCanonicalize: spec.qnnCanonicalize ?? null,
    toStatic: spec.toStatic ?? null,
    canonicalize: spec.canonicalize ?? null,
    layout: spec.layout ?? null,
    compute:
      compute === undefined
        ? null
        : (args, attrs, cx) => {
            const result = compute(named(args), attrs as unknown as AttrsOf<S>, cx);
            return Array.isArray(result) ? (result as readonly Tensor[]) : [result as Tensor];
          },
    schedule: spec.schedule ?? null,
    shapeFunc: (spec.shapeFunc as ShapeFunc<Attrs> | undefined) ?? null,
    doc: spec.doc,
    examples: spec.examples,
  };
}
