// "Did you mean": the known names nearest to one that is not known.

import { at, first } from "../../../support/assert.ts";

/**
 * Edit distance (insert, delete, replace, swap of neighbours) of `a` and `b`, or `limit + 1` if it is more
 * than `limit`.
 */
export function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let least = i;
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(
        at(last, j, "cost in the row before") + 1,
        at(row, j - 1, "cost in this row") + 1,
        at(last, j - 1, "cost in the row before") + (same ? 0 : 1),
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, at(before, j - 2, "cost two rows before") + 1);
      row.push(cost);
      least = Math.min(least, cost);
    }
    if (least > limit) return limit + 1;
    before = last;
    last = row;
  }
  return at(last, b.length, "cost in the row before");
}

/**
 * Up to `count` of `known` that are near `name`, nearest first; a name that differs only by its prefix
 * (`conv2d`, `nn.conv2d`) is near.
 */
export function nearestNames(name: string, known: Iterable<string>, count = 3): readonly string[] {
  if (name.length > 80) return [];
  const limit = Math.max(1, Math.min(4, Math.floor(name.length / 3)));
  const found: { readonly name: string; readonly score: number }[] = [];
  const bare = lastPart(name);
  for (const candidate of known) {
    if (candidate === name) continue;
    const whole = editDistance(name, candidate, limit);
    const tail =
      bare.length > 2
        ? editDistance(bare, lastPart(candidate), Math.min(limit, Math.floor(bare.length / 3))) + 0.5
        : limit + 1;
    const score = Math.min(whole, tail);
    if (score <= limit) found.push({ name: candidate, score });
  }
  found.sort((a, b) => a.score - b.score || (a.name < b.name ? -1 : 1));
  return found.slice(0, count).map((entry) => entry.name);
}

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf(".") + 1);
}

/** "Did you mean `a`, `b` or `c`?" or undefined when nothing is near. */
export function didYouMean(name: string, known: Iterable<string>, sigil = ""): string | undefined {
  const near = nearestNames(name, known).map((n) => `\`${sigil}${n}\``);
  if (near.length === 0) return undefined;
  return `Did you mean ${near.length === 1 ? first(near, "near name") : `${near.slice(0, -1).join(", ")} or ${at(near, near.length - 1, "near name")}`}?`;
}
