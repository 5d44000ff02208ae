// What differs between "expected" and "got", word by word: [alike, differing, alike, …] for each. Null where
// almost nothing is alike.
import { at } from "../../../../support/assert.ts";
import { diffLines } from "../../code/line-diff.ts";

function words(text: string): string[] {
  return text.match(/\w+|\s+|[^\w\s]/g) ?? [];
}

export function differingParts(expected: string, got: string): readonly [string[] | null, string[] | null] {
  const left = words(expected);
  const right = words(got);
  if (left.length > 400 || right.length > 400) return [null, null];
  const rows = diffLines(left, right);
  const alike = rows.filter((row) => row.kind === "same").length;
  if (alike * 2 < Math.max(left.length, right.length)) return [null, null];
  return [
    parts(
      rows.filter((row) => row.kind !== "added"),
      (row) => at(left, row.before, "word"),
    ),
    parts(
      rows.filter((row) => row.kind !== "removed"),
      (row) => at(right, row.after, "word"),
    ),
  ];
}

function parts<Row extends { readonly kind: string }>(
  rows: readonly Row[],
  text: (row: Row) => string,
): string[] {
  const out: string[] = [""];
  for (const row of rows) {
    const differing = row.kind !== "same";
    if ((out.length % 2 === 0) !== differing) out.push("");
    out[out.length - 1] += text(row);
  }
  return out;
}
