// Attribute fields that TVM keeps as objects: printed like plain ones, but kept by reference in a metadata
// section.
import type { AttrField } from "../../ir/attrs.ts";

type Spec<T> = { readonly doc: string; readonly default?: T };

/** TVM's Integer with a number as default. */
export const integerObject = (spec: Spec<number>): AttrField<number> => ({ kind: "shape-dim", ...spec });

/** TVM's Bool; null where it was left out, which means false. */
export const boolObject = (spec: Spec<boolean | null>): AttrField<boolean | null> => ({
  kind: "any",
  ...spec,
});
