// Attributes of operators and functions.  TVM: include/tvm/ir/attrs.h
// A field table per operator says order, kind and default; the parser, printer, docs pane and typed builder
// derive from it.

/** null is TVM's None. Integers beyond 2^53 are bigint. dtypes are spelled as text. */
export type AttrValue = null | boolean | number | bigint | string | readonly AttrValue[];

/** Keys in schema order for operators, in order of writing for functions. */
export type Attrs = Readonly<Record<string, AttrValue>>;

/**
 * "array" = Array<IndexExpr|Integer>, "any" = ObjectRef (e.g. split's indices_or_sections), "shape-dim" =
 * IndexExpr.
 */
export type AttrKind =
  | "int"
  | "float"
  | "bool"
  | "string"
  | "dtype"
  | "array"
  | "float-array"
  | "any"
  | "shape-dim";

export interface AttrField<T = AttrValue> {
  readonly kind: AttrKind;
  readonly doc: string;
  /**
   * Absent: no default, so the printer always prints it (`units=None`) and a builder must give it or gets
   * null.
   */
  readonly default?: T;
  /**
   * What a call that a pass or an importer makes has where nothing is given, if not the default: TVM's makers
   * leave some fields as they were constructed, which prints.
   */
  readonly made?: T;
}

export type AttrSchema = Readonly<Record<string, AttrField<unknown>>>;
export type AttrsOf<S extends AttrSchema> = {
  readonly [K in keyof S]: S[K] extends AttrField<infer T> ? T : never;
};

export const noAttrs: Attrs = Object.freeze({});

type Spec<T> = { readonly doc: string; readonly default?: T; readonly made?: T };

export const int = (spec: Spec<number>): AttrField<number> => ({ kind: "int", ...spec });
export const float = (spec: Spec<number>): AttrField<number> => ({ kind: "float", ...spec });
export const flag = (spec: Spec<boolean>): AttrField<boolean> => ({ kind: "bool", ...spec });
export const text = (spec: Spec<string>): AttrField<string> => ({ kind: "string", ...spec });
/** A dtype, or null where TVM's default is the null type (printed nothing, read as "same as the input"). */
export const dtypeAttr = (spec: Spec<string | null>): AttrField<string | null> => ({
  kind: "dtype",
  ...spec,
});
export const ints = (spec: Spec<readonly number[]>): AttrField<readonly number[]> => ({
  kind: "array",
  ...spec,
});
export const optionalInts = (spec: Spec<readonly number[] | null>): AttrField<readonly number[] | null> => ({
  kind: "array",
  ...spec,
});
/** A list of numbers that are written as floats (`[0.5f, 1f]`). */
export const floats = (spec: Spec<readonly number[]>): AttrField<readonly number[]> => ({
  kind: "float-array",
  ...spec,
});
export const optionalInt = (spec: Spec<number | null>): AttrField<number | null> => ({
  kind: "shape-dim",
  ...spec,
});
/** ObjectRef or anything else the table has no narrower word for. */
export const anyAttr = (spec: Spec<AttrValue>): AttrField<AttrValue> => ({ kind: "any", ...spec });

export function sameAttrValue(a: AttrValue, b: AttrValue): boolean {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((v, i) => sameAttrValue(v, b[i] as AttrValue));
  return Object.is(a, b);
}

export function sameAttrs(a: Attrs, b: Attrs): boolean {
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((k) => Object.hasOwn(b, k) && sameAttrValue(a[k]!, b[k]!))
  );
}

/**
 * `given`, as it was read, completed with the schema's defaults, in schema order. Unknown names are the
 * caller's to refuse.
 */
export function completeAttrs(schema: AttrSchema, given: Attrs): Attrs {
  return complete(schema, given, (field) => field.default);
}

/** The same for a call that is made. */
export function madeAttrs(schema: AttrSchema, given: Attrs): Attrs {
  return complete(schema, given, (field) => field.made ?? field.default);
}

function complete(
  schema: AttrSchema,
  given: Attrs,
  otherwise: (field: AttrField<unknown>) => unknown,
): Attrs {
  const out: Record<string, AttrValue> = {};
  for (const [name, field] of Object.entries(schema))
    out[name] = given[name] !== undefined ? given[name] : ((otherwise(field) ?? null) as AttrValue);
  return out;
}
