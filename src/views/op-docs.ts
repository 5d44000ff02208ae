// Completion and hover data for the editor, derived from the operator declarations.
import { OpPattern } from "../compiler/ir/op.ts";
import { ops } from "../compiler/ops/index.ts";
import type { OpDoc } from "../protocol/api.ts";

export function opDocs(): readonly OpDoc[] {
  const patterns = new Map(Object.entries(OpPattern).map(([name, value]) => [value as number, name]));
  return [...ops.values()].map((op) => ({
    name: op.name,
    inputs: op.inputs,
    pattern: patterns.get(op.pattern) ?? "opaque",
    doc: op.doc,
    attrs: Object.entries(op.attrs).map(([name, field]) => ({
      name,
      kind: field.kind,
      doc: field.doc,
      default: field.default === undefined ? null : JSON.stringify(field.default),
    })),
  }));
}
