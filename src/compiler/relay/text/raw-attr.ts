// Attributes as they are written in the text.
import type { AttrValue } from "../../ir/attrs.ts";
import type { Span } from "../../ir/span.ts";

/** A value as written, before a schema gives it a meaning. */
export interface RawAttr {
  readonly kind: "int" | "float" | "bool" | "string" | "none" | "list";
  readonly value: AttrValue;
  readonly items: readonly RawAttr[];
  readonly span: Span;
}

export interface NamedAttr {
  readonly name: string;
  readonly nameSpan: Span;
  readonly value: RawAttr;
}
