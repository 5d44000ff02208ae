// A line diff (Myers, O(ND)) with a bound on the work; lines may be compared by a key, so that renumbered
// locals stay equal. Pure.
import { at, first } from "../../../support/assert.ts";
export interface DiffRow {
  readonly kind: "same" | "removed" | "added";
  /** Line index in the text before, -1 if it is not there; likewise after. */
  readonly before: number;
  readonly after: number;
}

/** Edit scripts longer than this are given up: the middle is then shown as removed and added whole. */
const mostEdits = 2000;

/** Common start and end are matched first; the rest by Myers. */
export function diffLines(
  before: readonly string[],
  after: readonly string[],
  key: (line: string) => string = (line) => line,
): DiffRow[] {
  const a = before.map(key);
  const b = after.map(key);
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end])
    end++;
  const rows: DiffRow[] = [];
  for (let i = 0; i < start; i++) rows.push({ kind: "same", before: i, after: i });
  for (const row of middle(a.slice(start, a.length - end), b.slice(start, b.length - end))) {
    rows.push({
      kind: row.kind,
      before: row.before < 0 ? -1 : row.before + start,
      after: row.after < 0 ? -1 : row.after + start,
    });
  }
  for (let i = end; i > 0; i--) rows.push({ kind: "same", before: a.length - i, after: b.length - i });
  return rows;
}

function middle(a: readonly string[], b: readonly string[]): DiffRow[] {
  if (a.length === 0 || b.length === 0) return whole(a.length, b.length);
  const trace = shortestEdit(a, b);
  return trace === null ? whole(a.length, b.length) : backtrack(trace, a.length, b.length);
}

function whole(removed: number, added: number): DiffRow[] {
  return [
    ...Array.from({ length: removed }, (_, i): DiffRow => ({ kind: "removed", before: i, after: -1 })),
    ...Array.from({ length: added }, (_, i): DiffRow => ({ kind: "added", before: -1, after: i })),
  ];
}

/**
 * The furthest-reaching x of every diagonal, one array an edit count; null when it would take too many edits.
 */
function shortestEdit(a: readonly string[], b: readonly string[]): Int32Array[] | null {
  const most = Math.min(a.length + b.length, mostEdits);
  const offset = most + 1;
  const reach = new Int32Array(2 * most + 3);
  const trace: Int32Array[] = [];
  for (let edits = 0; edits <= most; edits++) {
    trace.push(reach.slice());
    for (let k = -edits; k <= edits; k += 2) {
      const { down, from } = step(reach, offset + k, k, edits);
      let x = down ? from : from + 1;
      let y = x - k;
      while (x < a.length && y < b.length && a[x] === b[y]) {
        x++;
        y++;
      }
      reach[offset + k] = x;
      if (x >= a.length && y >= b.length) return trace;
    }
  }
  return null;
}

/**
 * How diagonal `k` (at `index` of `reach`) is come to by the last of `edits`: down from the one above it,
 * else from below.
 */
function step(
  reach: Int32Array,
  index: number,
  k: number,
  edits: number,
): { readonly down: boolean; readonly from: number } {
  const below = at(reach, index - 1, "diagonal");
  const above = at(reach, index + 1, "diagonal");
  const down = k === -edits || (k !== edits && below < above);
  return { down, from: down ? above : below };
}

function backtrack(trace: readonly Int32Array[], lengthA: number, lengthB: number): DiffRow[] {
  const rows: DiffRow[] = [];
  let x = lengthA;
  let y = lengthB;
  const offset = (first(trace, "edit").length - 3) / 2 + 1;
  for (let edits = trace.length - 1; edits >= 0; edits--) {
    const reach = at(trace, edits, "edit");
    const k = x - y;
    const { down, from: start } = step(reach, offset + k, k, edits);
    const from = edits === 0 ? 0 : start;
    const fromY = edits === 0 ? 0 : from - (down ? k + 1 : k - 1);
    while (
      x > from &&
      y > fromY &&
      x > 0 &&
      y > 0 &&
      (edits === 0 || x > (down ? from : from + 1) || y > (down ? fromY + 1 : fromY))
    ) {
      x--;
      y--;
      rows.push({ kind: "same", before: x, after: y });
    }
    if (edits === 0) break;
    if (down) rows.push({ kind: "added", before: -1, after: fromY });
    else rows.push({ kind: "removed", before: from, after: -1 });
    x = from;
    y = fromY;
  }
  return rows.reverse();
}

/** Locals are renumbered by almost every pass; with this key `%12 = f(%3)` equals `%14 = f(%5)`. */
export function withoutNumbers(line: string): string {
  return line.replace(/%p?\d+/g, "%").replace(/hash="\w+"/, "hash");
}

/**
 * As `withoutNumbers`, and past indentation and names too: what a pass wraps into a function stays
 * recognisable.
 */
export function withoutNames(line: string): string {
  return withoutNumbers(
    line
      .trim()
      .replace(/%[\w.]+/g, "%")
      .replace(/^% = /, "")
      .replace(/;$/, ""),
  );
}

export type DiffItem = DiffRow | { readonly kind: "skipped"; readonly rows: readonly DiffRow[] };

/** Keeps `context` same rows around changes and folds the rest. */
export function foldSame(rows: readonly DiffRow[], context = 3): DiffItem[] {
  const near = new Uint8Array(rows.length);
  rows.forEach((row, index) => {
    if (row.kind === "same") return;
    for (let i = Math.max(0, index - context); i <= Math.min(rows.length - 1, index + context); i++)
      near[i] = 1;
  });
  const items: DiffItem[] = [];
  for (let i = 0; i < rows.length;) {
    let end = i + 1;
    if (near[i] === 0) while (end < rows.length && near[end] === 0) end++;
    const run = rows.slice(i, end);
    // A fold of one row would save nothing.
    if (run.length === 1) items.push(...run);
    else items.push({ kind: "skipped", rows: run });
    i = end;
  }
  return items;
}
