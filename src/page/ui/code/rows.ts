// Which rows a code view shows, and where: folds, wrapped heights, the window that is in sight. Pure.
export interface Fold {
  /** Line indices, 0-based, inclusive. */
  readonly from: number;
  readonly to: number;
  /** Lines as the closed row counts them: blank ones that close with it are not worth telling. */
  readonly count: number;
  /** Stays the same across listings, to remember what the reader opened. */
  readonly key: string;
  /** What stands in the row of the closed fold; the first line of the range if empty. */
  readonly label: string;
}

export interface Row {
  /** Line index; of a closed fold, its first line. */
  readonly line: number;
  readonly fold: Fold | null;
}

/** All lines, the ranges of `closed` folds as one row each. Folds must not overlap; they may come in any order. */
export function layRows(lineCount: number, closed: readonly Fold[]): Row[] {
  const folds = [...closed].sort((a, b) => a.from - b.from);
  const rows: Row[] = [];
  let next = 0;
  for (let line = 0; line < lineCount; line++) {
    const fold = folds[next];
    if (fold && line === fold.from && fold.to > fold.from && fold.to < lineCount) {
      rows.push({ line, fold });
      line = fold.to;
      next++;
    } else {
      if (fold && line >= fold.from) next++;
      rows.push({ line, fold: null });
    }
  }
  return rows;
}

/** Top of each row in row heights, one entry more than rows: `columns` = 0 means no wrapping. */
export function rowTops(rows: readonly Row[], lines: readonly string[], columns: number): Uint32Array {
  const tops = new Uint32Array(rows.length + 1);
  for (let i = 0; i < rows.length; i++) {
    const { line, fold } = rows[i]!;
    const height = columns <= 0 || fold ? 1 : Math.max(1, Math.ceil((lines[line] ?? "").length / columns));
    tops[i + 1] = tops[i]! + height;
  }
  return tops;
}

/** Index of the row that covers height `at` (in row heights). */
export function rowAt(tops: Uint32Array, at: number): number {
  let low = 0;
  let high = Math.max(0, tops.length - 2);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (tops[middle]! <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The row that shows `line`: its own or the fold that hides it. */
export function rowOfLine(rows: readonly Row[], line: number): number {
  let low = 0;
  let high = rows.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (rows[middle]!.line <= line) low = middle;
    else high = middle - 1;
  }
  return low;
}

export interface Found {
  readonly line: number;
  readonly start: number;
  readonly end: number;
}

/** Places of `query` in the lines, letter case ignored, at most `limit`. */
export function findAll(lines: readonly string[], query: string, limit = 10_000): Found[] {
  const needle = query.toLowerCase();
  const found: Found[] = [];
  if (needle === "") return found;
  for (let line = 0; line < lines.length && found.length < limit; line++) {
    const hay = lines[line]!.toLowerCase();
    for (
      let at = hay.indexOf(needle);
      at >= 0 && found.length < limit;
      at = hay.indexOf(needle, at + needle.length)
    ) {
      found.push({ line, start: at, end: at + needle.length });
    }
  }
  return found;
}
