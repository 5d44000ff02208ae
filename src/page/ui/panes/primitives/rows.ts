// The primitives table as numbers: sums over call sites, sort orders, the remarks of each. Pure.
import type { PrimitiveView, RemarkView, Summary } from "../../../../protocol/compile.ts";

export interface PrimitiveRow {
  readonly primitive: PrimitiveView;
  /** Microseconds of all its calls, null before a run. */
  readonly micros: number | null;
  readonly remarks: readonly RemarkView[];
}

export type SortKey =
  | "index"
  | "name"
  | "ops"
  | "calls"
  | "hits"
  | "workspace"
  | "operations"
  | "c"
  | "wasm"
  | "time";
export interface Sort {
  readonly key: SortKey;
  readonly descending: boolean;
}

export function primitiveRows(summary: Summary, callMicros: Float64Array | null): readonly PrimitiveRow[] {
  const remarks = new Map<number, RemarkView[]>();
  for (const remark of summary.remarks) {
    if (remark.primitive < 0) continue;
    const known = remarks.get(remark.primitive);
    if (known) known.push(remark);
    else remarks.set(remark.primitive, [remark]);
  }
  return summary.primitives.map((primitive) => ({
    primitive,
    micros:
      callMicros === null
        ? null
        : primitive.callSites.reduce((sum, call) => sum + (callMicros[call] ?? 0), 0),
    remarks: remarks.get(primitive.index) ?? [],
  }));
}

export function cLineCount(primitive: PrimitiveView): number {
  return primitive.cLines[0] <= 0 ? 0 : primitive.cLines[1] - primitive.cLines[0] + 1;
}

const value: Readonly<Record<Exclude<SortKey, "name">, (row: PrimitiveRow) => number>> = {
  index: (r) => r.primitive.index,
  ops: (r) => r.primitive.ops.length,
  calls: (r) => r.primitive.callSites.length,
  hits: (r) => r.primitive.cacheHits,
  workspace: (r) => r.primitive.workspaceBytes,
  operations: (r) => r.primitive.operations,
  c: (r) => cLineCount(r.primitive),
  wasm: (r) => r.primitive.wasmBytes,
  time: (r) => r.micros ?? -1,
};

/** Stable: rows that compare equal stay in order of first call. */
export function sortRows(rows: readonly PrimitiveRow[], { key, descending }: Sort): readonly PrimitiveRow[] {
  const order = (a: PrimitiveRow, b: PrimitiveRow): number => {
    if (key !== "name") return value[key](a) - value[key](b);
    return a.primitive.name < b.primitive.name ? -1 : a.primitive.name > b.primitive.name ? 1 : 0;
  };
  return rows.toSorted(
    (a, b) => (descending ? -order(a, b) : order(a, b)) || a.primitive.index - b.primitive.index,
  );
}
